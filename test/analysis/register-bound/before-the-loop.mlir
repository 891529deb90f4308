// Tests that exponentials of coordinates, which are the same in every iteration, are counted as computed before the loop:
// 32 registers beside the tile's 32 and what is beside them. Those of the loop's counter are not.

// RUN: %tk-opt %s --test-register-prediction --verify-diagnostics -o /dev/null

!acc = !hopper.fragment<64x64xf32>

hopper.kernel @same(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{has enough with 104}}
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    // expected-remark @below {{the most}}
    %t = hopper.fill %zero : f32, !acc
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%t_k = %t) -> (!acc) : i32 {
      %s = hopper.map (%e = %t_k : !acc) at (%i, %j) -> !acc {
        %0 = arith.subi %i, %j : i32
        %1 = arith.sitofp %0 : i32 to f32
        %2 = math.exp2 %1 : f32
        %3 = arith.mulf %e, %2 : f32
        tk.yield %3 : f32
      }
      scf.yield %s : !acc
    }
    hopper.keep_alive %r because "test" : !acc
  }
}

hopper.kernel @different(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-remark @below {{has enough with 72}}
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    // expected-remark @below {{the most}}
    %t = hopper.fill %zero : f32, !acc
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%t_k = %t) -> (!acc) : i32 {
      %s = hopper.map (%e = %t_k : !acc) at (%i, %j) -> !acc {
        %0 = arith.subi %i, %k : i32
        %1 = arith.sitofp %0 : i32 to f32
        %2 = math.exp2 %1 : f32
        %3 = arith.mulf %e, %2 : f32
        tk.yield %3 : f32
      }
      scf.yield %s : !acc
    }
    hopper.keep_alive %r because "test" : !acc
  }
}
