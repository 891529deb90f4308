// Tests that mistakes are answered by a host compiler too, with a sentence.
//
// RUN: %clangxx -fsyntax-only -ferror-limit=0 -Wno-unused-value -Xclang -verify %s

// Expected messages stand on the line of their mistake, and are longer than it.
// clang-format off
void elementwise(rt_fl<64, 32> x, rt_fl<32, 64> y, rt_bf<64, 32> p, rt_fl<64, 32, col> turned,
                 col_vec<float, 64> v, row_vec<float, 32> w, col_vec<float, 32> v32,
                 row_vec<float, 64> w64, col_vec<bf16, 64> vb) {
  x + y; // expected-error@*:* {{both operands have as many rows}}
  // expected-error@*:* {{both operands have as many columns}}
  x + p;      // expected-error@*:* {{both operands have the same element type}}
  x *turned;  // expected-error@*:* {{both tiles have the same layout tag; 'swap_layout(x)' gives the other one}}
  x *vb;      // expected-error@*:* {{both operands have the same element type}}
  v + w64;    // expected-error@*:* {{both vectors are column vectors, or both are row vectors}}
  x - v32;    // expected-error@*:* {{both operands have as many rows}}
  x - w64;    // expected-error@*:* {{both operands have as many columns}}
  sub_row(x, w); // expected-error@*:* {{what works on rows needs a column vector, one value for each row}}
  div_col(x, v); // expected-error@*:* {{what works on columns needs a row vector, one value for each column}}
  p = x;         // expected-error {{no viable overloaded '='}}
  v = row_max(y);   // expected-error {{no viable overloaded '='}}
  exp(p, x);        // expected-error@*:* {{the destination has the type of the result}}
  // expected-error@*:* {{no viable overloaded '='}}
  x = v - x;        // expected-error {{invalid operands to binary expression}}
  row_max(x, w);    // expected-error@*:* {{initial values have the type of the result}}
  swap_layout(x, y); // expected-error@*:* {{the destination is the same tile with the other layout tag}}
  // expected-error@*:* {{no viable overloaded '='}}
  // expected-note@* 0+ {{}}
}

void moves(rt_fl<64, 32> x, st_bf<64, 32> s, sv_fl<32> sv, col_vec<float, 64> v, gl<bf16> A) {
  store(s, {0, 0}, rt_fl<48, 32>(0)); // expected-error@*:* {{a tile is a whole part of the one it is stored to}}
  rt_bf<128, 32> large = load(s);     // expected-error@*:* {{a tile is a whole part of the one it is loaded from}}
  store(sv, v); // expected-error@*:* {{a vector is a whole part of the one it is stored to}}
  store(sv, x); // expected-error@*:* {{a tile is stored to a shared tile, a vector to a shared vector}}
  gather<st_bf<32, 32>>(A, {0, 0}, iota<col_vec<int, 64>>()); // expected-error@*:* {{there is one index for each row of the tile}}
  slice<128, 32>(x, 0, 0); // expected-error@*:* {{a slice is not larger than its tile}}
}

void matmuls(rt_fl<64, 32> x, st_bf<64, 32> a, st_bf<64, 16> b) {
  mm_AB(a, b);      // expected-error@*:* {{the inner sizes of both operands are equal}}
  mm_AtB(x, b, a);  // expected-error@*:* {{the accumulator has as many rows as the product}}
}
