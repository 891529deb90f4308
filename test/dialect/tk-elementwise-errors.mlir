// Tests what the elementwise ops of tk refuse, and in which words.
// RUN: %tk-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// expected-error @below {{a vector's length is a positive multiple of 16, this is 100}}
"test.use"() : () -> !tk.vector<100xf32, register, column>

// -----
// expected-error @below {{a register vector needs an orientation, 'column' or 'row'}}
"test.use"() : () -> !tk.vector<128xf32, register>

// -----
// expected-error @below {{a shared vector has no orientation, this one has 'row'}}
"test.use"() : () -> !tk.vector<128xf32, shared, row>

// -----
// expected-error @below {{expected 'column' or 'row', found 'col'}}
"test.use"() : () -> !tk.vector<128xf32, register, col>

// -----
// expected-error @below {{a vector has 1 dimension, this one has 2}}
"test.use"() : () -> !tk.vector<128x64xf32, register, column>

// -----
%s = "test.tile"() : () -> !tk.tile<128x32xf32, register, row>
// expected-error @below {{operand 0 is 128 x 32, but the result is 128 x 64}}
%p = tk.map (%x = %s : !tk.tile<128x32xf32, register, row>) -> !tk.tile<128x64xf32, register, row> {
  tk.yield %x : f32
}

// -----
%v = "test.vector"() : () -> !tk.vector<64xf32, register, column>
// expected-error @below {{operand 0 has a value for each of 64 rows, but the result is 128 x 64}}
%p = tk.map (%x = %v : !tk.vector<64xf32, register, column>) -> !tk.tile<128x64xf32, register, row> {
  tk.yield %x : f32
}

// -----
%v = "test.vector"() : () -> !tk.vector<128xf32, register, column>
// expected-error @below {{operand 0 has a value for each of 128 rows, but the result has a value for each of 128 columns}}
%p = tk.map (%x = %v : !tk.vector<128xf32, register, column>) -> !tk.vector<128xf32, register, row> {
  tk.yield %x : f32
}

// -----
%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
// expected-error @below {{operand 0 is a tile, 128 x 64, but the result is a vector with a value for each of 128 rows; tk.reduce makes one of the other}}
%p = tk.map (%x = %s : !tk.tile<128x64xf32, register, row>) -> !tk.vector<128xf32, register, column> {
  tk.yield %x : f32
}

// -----
%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, col>
// expected-error @below {{their layouts differ; tk.swap_layout changes the operand's}}
%p = tk.map (%x = %s : !tk.tile<128x64xf32, register, col>) -> !tk.tile<128x64xf32, register, row> {
  tk.yield %x : f32
}

// -----
%c = arith.constant 1.0 : f32
// expected-error @below {{makes results of one shape, but result 0 is '!tk.tile<128x64xf32, register, row>' and result 1 is '!tk.tile<128x32xf32, register, row>'}}
%p:2 = tk.map () -> (!tk.tile<128x64xf32, register, row>, !tk.tile<128x32xf32, register, row>) {
  tk.yield %c, %c : f32, f32
}

// -----
// expected-error @below {{has 0 operands and 1 body arguments; with coordinates there are 2, without 0}}
%p = tk.map () at (%r) -> !tk.tile<128x64xi32, register, row> {
  tk.yield %r : i32
}

// -----
%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
%p = tk.map (%x = %s : !tk.tile<128x64xf32, register, row>) -> !tk.tile<128x64xbf16, register, row> {
  // expected-error @below {{gives 'f32' for a result of 'bf16' elements; convert it first}}
  tk.yield %x : f32
}

// -----
%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
%p = tk.map (%x = %s : !tk.tile<128x64xf32, register, row>) -> !tk.tile<128x64xf32, register, row> {
  // expected-error @below {{gives 2 values for 1 results}}
  tk.yield %x, %x : f32, f32
}

// -----
%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
%p = tk.map (%x = %s : !tk.tile<128x64xf32, register, row>) -> !tk.tile<128x64xf32, register, row> {
  // expected-error @below {{uses '!tk.tile<128x64xf32, register, row>' as a whole in an elementwise body; make it an operand of the map}}
  %m = tk.reduce max rows %s : !tk.tile<128x64xf32, register, row> -> !tk.vector<128xf32, register, column>
  tk.yield %x : f32
}

// -----
%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
%p = tk.map (%x = %s : !tk.tile<128x64xf32, register, row>) -> !tk.tile<128x64xf32, register, row> {
  // expected-error @below {{cannot stand in an elementwise body, which holds scalar ops without effects}}
  %y = "test.random"(%x) : (f32) -> f32
  tk.yield %y : f32
}

// -----
%c = arith.constant 1.0 : f32
// expected-error @below {{an operand of a map is a tile or a vector, this is 'f32'}}
%p = tk.map (%x = %c : f32) -> !tk.tile<128x64xf32, register, row> {
  tk.yield %x : f32
}

// -----
%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
// expected-error @below {{reduces the rows of '!tk.tile<128x64xf32, register, row>' to '!tk.vector<128xf32, register, column>', not to '!tk.vector<64xf32, register, row>'}}
%v = tk.reduce add rows %s : !tk.tile<128x64xf32, register, row> -> !tk.vector<64xf32, register, row>

// -----
%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
// expected-error @below {{takes columns 48 to 79 of 64}}
%p = tk.slice %s[0, 48] : !tk.tile<128x64xf32, register, row> -> !tk.tile<128x32xf32, register, row>

// -----
%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
// expected-error @below {{from 1 offsets; it needs 2}}
%p = tk.slice %s[16] : !tk.tile<128x64xf32, register, row> -> !tk.tile<128x32xf32, register, row>

// -----
%v = "test.vector"() : () -> !tk.vector<128xf32, register, column>
// expected-error @below {{a part keeps its layout and orientation}}
%p = tk.slice %v[16] : !tk.vector<128xf32, register, column> -> !tk.vector<64xf32, register, row>

// -----
%a = "test.tile"() : () -> !tk.tile<64x64xf32, register, row>
%b = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
// expected-error @below {{joins by columns, so operand 1 and the result have equally many rows, but 128 and 64 differ}}
%p = tk.concat columns %a, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<128x64xf32, register, row> -> !tk.tile<64x128xf32, register, row>

// -----
%a = "test.tile"() : () -> !tk.tile<64x64xf32, register, row>
// expected-error @below {{joins 128 columns to a result that has 64}}
%p = tk.concat columns %a, %a : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xf32, register, row> -> !tk.tile<64x64xf32, register, row>

// -----
%a = "test.tile"() : () -> !tk.tile<64x64xbf16, register, row>
// expected-error @below {{turns '!tk.tile<64x64xbf16, register, row>' into '!tk.tile<64x64xbf16, register, col>', not into '!tk.tile<64x64xbf16, register, row>'}}
%p = tk.swap_layout %a : !tk.tile<64x64xbf16, register, row> -> !tk.tile<64x64xbf16, register, row>

// -----
%a = "test.tile"() : () -> !tk.tile<64x128xbf16, register, row>
// expected-error @below {{makes 128 x 64 of 64 x 128, but the result is 64 x 128}}
%p = tk.transpose %a : !tk.tile<64x128xbf16, register, row> -> !tk.tile<64x128xbf16, register, col>
