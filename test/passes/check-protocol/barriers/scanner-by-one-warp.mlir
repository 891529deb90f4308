// Tests a count that one of two scanner warps completes alone.

// RUN: not %tk-opt %s --tk-check-protocol -o /dev/null 2>&1 | FileCheck %s

// CHECK: error: phase 0 of 'vectors_full[0]' completes before this
hopper.kernel @k(%C: !tk.global<?xf32> {tk.name = "C"}, %n: i32) attributes {pdl = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0.0 : f32
  %now = hopper.alloc_ring "now" : !hopper.ring<2, 1x128xf32>
  %full = hopper.alloc_barrier "vectors_full" arrivals 1 : !hopper.barrier<2>
  %empty = hopper.alloc_barrier "vectors_empty" arrivals 8 : !hopper.barrier<2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.sync_block because "a test"
  hopper.role producer warpgroups 1 {
  }
  hopper.role scanner warpgroups 1 warps 2 {
  ^bb0(%w: i32):
    %fill = hopper.cursor "vectors_fill" : !hopper.cursor<2>
    %first = arith.muli %w, %c64 : i32
    %x = hopper.fill %zero : f32, !hopper.vector<64xf32, lanes>
    scf.for %j = %c0 to %n step %c1 : i32 {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<2>
      %stage = hopper.stage %now[%fill] : !hopper.ring<2, 1x128xf32>
      %own = hopper.columns %stage, %first : !hopper.shared<1x128xf32> -> !hopper.shared<1x64xf32>
      hopper.store_vector %x to %own : !hopper.vector<64xf32, lanes>, !hopper.shared<1x64xf32>
      hopper.arrive %full[%fill] : !hopper.barrier<2>
      hopper.advance %fill : !hopper.cursor<2>
    }
  }
  hopper.role consumer warpgroups 2 each warpgroup {
  ^bb0(%w: i32):
    %use = hopper.cursor "vectors_use" : !hopper.cursor<2>
    %first = arith.muli %w, %c64 : i32
    scf.for %j = %c0 to %n step %c1 : i32 {
      hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<2>
      %stage = hopper.stage %now[%use] : !hopper.ring<2, 1x128xf32>
      %own = hopper.columns %stage, %first : !hopper.shared<1x128xf32> -> !hopper.shared<1x64xf32>
      %y = hopper.load_fragment %own : !hopper.shared<1x64xf32> -> !hopper.vector<64xf32, column>
      hopper.arrive %empty[%use] : !hopper.barrier<2>
      hopper.advance %use : !hopper.cursor<2>
    }
  }
}
