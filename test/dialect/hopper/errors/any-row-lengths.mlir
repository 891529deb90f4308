// Tests that a question about rows has operands of one length.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%v, %w = "test.vectors"() : () -> (!hopper.vector<64xf32, column>, !hopper.vector<128xf32, column>)
// expected-error @below {{its operands are column vectors of one length, not '!hopper.vector<128xf32, column>'}}
%p = hopper.any_row (%x = %v : !hopper.vector<64xf32, column>, %y = %w : !hopper.vector<128xf32, column>) -> i1 {
  %0 = arith.cmpf ogt, %x, %y : f32
  tk.yield %0 : i1
}
