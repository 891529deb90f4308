// Tests that a row vector that does not fit the registers is refused, with the length that would.

// RUN: %tk-opt %s --tk-distribute --verify-diagnostics -o /dev/null

tk.kernel @k(%L: !tk.global<?xf32>, %x: f32) {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{a vector of at most 864 elements fits}}
    // expected-note-re @below {{a tile holds 2048 from here to line {{[0-9]+}}}}
    // expected-error @below {{register tiles alive here need 2048 registers per thread, but with 1 compute warpgroup a thread has 230 for tiles}}
    %v = tk.fill %x : !tk.vector<8192xf32, register, row>
    tk.store %L[%m], %v : !tk.global<?xf32>, !tk.vector<8192xf32, register, row>
  }
}
