// Tests a barrier of all consumers in a branch that each warp takes by its own rows.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics

hopper.kernel @k(%x: f32) {
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %v = hopper.fill %x : f32, !hopper.vector<64xf32, column>
    %row_max_grew = hopper.any_row (%e = %v : !hopper.vector<64xf32, column>) -> i1 {
      %0 = arith.cmpf ogt, %e, %x : f32
      tk.yield %0 : i1
    }
    scf.if %row_max_grew {
      // expected-error @below {{the kernel hangs: nobody can go on}}
      // expected-note @below {{consumer 0: waits at named barrier 5, to which 64 of 256 threads have come}}
      // expected-note @below {{consumer 1: waits at named barrier 5, to which 64 of 256 threads have come}}
      // expected-note @below {{consumer 0: comes to named barrier 5 for 256 threads}}
      // expected-note @below {{consumer 1: comes to named barrier 5 for 256 threads}}
      hopper.sync_consumers because "a test"
    }
  }
}
