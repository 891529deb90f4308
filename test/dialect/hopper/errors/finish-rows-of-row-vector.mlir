// Tests that only values of rows are finished.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%v = "test.vector"() : () -> !hopper.vector<64xf32, row>
// expected-error @below {{finishes values of rows, which a column vector holds, but has '!hopper.vector<64xf32, row>'}}
%w = hopper.finish_rows add %v : !hopper.vector<64xf32, row>
