// Tests that an element lands at the front of a vector of its type.

// RUN: %tk-opt %s --verify-diagnostics

hopper.kernel @k() {
  %e = hopper.alloc_ring "e" : !hopper.ring<2, 8x32xf32>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    %from = hopper.stage %e[%use] : !hopper.ring<2, 8x32xf32>
    // expected-error @below {{'hopper.load_element' op moves an element of 'f32' by way of '!hopper.shared<8x32xf32>', which should be one row of 'f32'}}
    %x = hopper.load_element %from : !hopper.shared<8x32xf32> -> f32
  }
}
