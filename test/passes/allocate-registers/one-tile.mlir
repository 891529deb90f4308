// Tests that blocks of one tile are as many on an SM as shared memory, registers and threads allow, and have no
// warpgroup that loads.

// RUN: %tk-opt %s --tk-allocate-registers | FileCheck %s

// CHECK-LABEL: hopper.kernel @by_shared_memory
// CHECK-SAME: hopper.resident_blocks = 4 : i64
// CHECK-SAME: threads = 128 : i64
// CHECK: role producer warpgroups 1 attributes
// CHECK: role consumer warpgroups 1 {
hopper.kernel @by_shared_memory() attributes {persistent = false, shared_bytes = 50000 : i64} {
  %zero = arith.constant 0.0 : f32
  hopper.role producer warpgroups 1 attributes {hopper.joined} {
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
  }
}

// CHECK-LABEL: hopper.kernel @by_threads
// CHECK-SAME: hopper.resident_blocks = 8 : i64
hopper.kernel @by_threads() attributes {persistent = false, shared_bytes = 1000 : i64} {
  hopper.role producer warpgroups 1 attributes {hopper.joined} {
  }
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
  }
}

// CHECK-LABEL: hopper.kernel @alone
// CHECK-NOT: hopper.resident_blocks
hopper.kernel @alone() attributes {persistent = false, shared_bytes = 150000 : i64} {
  hopper.role producer warpgroups 1 attributes {hopper.joined} {
  }
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
  }
}

// CHECK-LABEL: hopper.kernel @by_registers
// CHECK-SAME: hopper.resident_blocks = 7 : i64
hopper.kernel @by_registers() attributes {persistent = false, shared_bytes = 1000 : i64} {
  %zero = arith.constant 0.0 : f32
  hopper.role producer warpgroups 1 attributes {hopper.joined} {
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %x = hopper.fill %zero : f32, !hopper.fragment<64x72xf32>
    %y = hopper.map (%e = %x : !hopper.fragment<64x72xf32>) -> !hopper.fragment<64x72xf32> {
      tk.yield %e : f32
    }
  }
}

// Threads exchange 8-bit elements.
// CHECK-LABEL: hopper.kernel @bytes
// CHECK-SAME: hopper.resident_blocks = 6 : i64
hopper.kernel @bytes() attributes {persistent = false, shared_bytes = 1000 : i64} {
  %zero = arith.constant 0.0 : f32
  hopper.role producer warpgroups 1 attributes {hopper.joined} {
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %x = hopper.fill %zero : f32, !hopper.fragment<64x72xf32>
    %y = hopper.map (%e = %x : !hopper.fragment<64x72xf32>) -> !hopper.fragment<64x72xf8E4M3FN> {
      %b = arith.truncf %e : f32 to f8E4M3FN
      tk.yield %b : f8E4M3FN
    }
  }
}
