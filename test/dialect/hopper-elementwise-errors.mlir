// Tests what the elementwise ops of hopper refuse, and in which words.
// RUN: %tk-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// expected-error @below {{a column vector's length is a positive multiple of 64, this is 32}}
"test.use"() : () -> !hopper.vector<32xf32, column>

// -----
// expected-error @below {{a row vector's length is a positive multiple of 8, this is 12}}
"test.use"() : () -> !hopper.vector<12xf32, row>

// -----
%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{operand 0 is 64 x 64, but the result is 64 x 128}}
%p = hopper.map (%x = %s : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x128xf32> {
  tk.yield %x : f32
}

// -----
%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{reduces the rows of '!hopper.fragment<64x64xf32>' to '!hopper.vector<64xf32, column>', not to '!hopper.vector<64xf32, row>'}}
%v = hopper.reduce_rows add %s : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, row>

// -----
%v = "test.vector"() : () -> !hopper.vector<64xf32, row>
// expected-error @below {{finishes values of rows, which a column vector holds, but has '!hopper.vector<64xf32, row>'}}
%w = hopper.finish_rows add %v : !hopper.vector<64xf32, row>

// -----
%s, %t = "test.values"() : () -> (!hopper.fragment<64x64xf32>, !hopper.shared<8x32xf32>)
// expected-error @below {{needs scratch of 2048 bytes, 4 for each of 64 columns and 8 warps, but '!hopper.shared<8x32xf32>' has 1024}}
%v = hopper.reduce_columns add %s across 2 through %t : !hopper.fragment<64x64xf32>, !hopper.shared<8x32xf32> -> !hopper.vector<64xf32, row>

// -----
%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{takes columns 48 to 79 of 64}}
%p = hopper.slice %s[0, 48] : !hopper.fragment<64x64xf32> -> !hopper.fragment<64x32xf32>

// -----
%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{takes columns 4 to 35, but a part begins and ends at multiples of 8}}
%p = hopper.slice %s[0, 4] : !hopper.fragment<64x64xf32> -> !hopper.fragment<64x32xf32>

// -----
// expected-error @below {{asks about rows, so it has column vectors as operands}}
%p = hopper.any_row () -> i1 {
  %0 = arith.constant true
  tk.yield %0 : i1
}

// -----
%v, %w = "test.vectors"() : () -> (!hopper.vector<64xf32, column>, !hopper.vector<128xf32, column>)
// expected-error @below {{its operands are column vectors of one length, not '!hopper.vector<128xf32, column>'}}
%p = hopper.any_row (%x = %v : !hopper.vector<64xf32, column>, %y = %w : !hopper.vector<128xf32, column>) -> i1 {
  %0 = arith.cmpf ogt, %x, %y : f32
  tk.yield %0 : i1
}

// -----
%v = "test.vector"() : () -> !hopper.vector<64xf32, column>
// expected-error @below {{has a body that does not end with tk.yield of one condition}}
%p = hopper.any_row (%x = %v : !hopper.vector<64xf32, column>) -> i1 {
  tk.yield %x : f32
}
