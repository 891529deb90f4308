// Tests where parts of shared tiles may begin: inside, for every worker; at a place that only a worker's number decides; and
// with whole swizzle-atom columns, or in one.

// RUN: %tk-opt %s --split-input-file --tk-verify-layouts --verify-diagnostics

tk.kernel @across(%A: !tk.global<?x128xbf16> {tk.name = "A"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  tk.grid (%m) in (%n) {
    // expected-note @below {{is declared here}}
    %a = tk.load %A[%m, %c0] : <?x128xbf16> -> !tk.tile<64x128xbf16, shared>
    // expected-error @below {{takes columns 32 to 95 of 128}}
    // expected-note @below {{in swizzle-atom columns of 64 columns; take whole swizzle-atom columns, or columns of one swizzle-atom column whose number divides 64}}
    %p = tk.slice %a[0, 32] : !tk.tile<64x128xbf16, shared> -> !tk.tile<64x64xbf16, shared>
    // The same, as a part of a part.
    %half = tk.slice %a[0, 64] : !tk.tile<64x128xbf16, shared> -> !tk.tile<64x64xbf16, shared>
    // expected-error @below {{takes columns 16 to 63 of 64}}
    // expected-note @below {{in swizzle-atom columns of 64 columns}}
    %q = tk.slice %half[0, 16] : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x48xbf16, shared>
    %good = tk.slice %half[0, 32] : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x32xbf16, shared>
  }
}

// -----

tk.kernel @outside(%A: !tk.global<?x128xbf16> {tk.name = "A"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c8 = arith.constant 8 : i32
  tk.grid (%m) in (%n) {
    // expected-note @below {{is declared here}}
    %a = tk.load %A[%m, %c0] : <?x128xbf16> -> !tk.tile<64x128xbf16, shared>
    tk.each warpgroup of 3 (%w) {
      %j = arith.muli %w, %c64 : i32
      // expected-error @below {{takes columns 128 to 191 of 128 where the number is 2}}
      // expected-note @below {{begin at multiples of 16, and end within the tile}}
      %p = tk.slice %a[0, 0] plus(%c0, %j) : !tk.tile<64x128xbf16, shared> -> !tk.tile<64x64xbf16, shared>
      %i = arith.muli %w, %c8 : i32
      // expected-error @below {{takes rows 8 to 23 of 64 where the number is 1}}
      // expected-note @below {{begin at multiples of 16, and end within the tile}}
      %r = tk.slice %a[0, 0] plus(%i, %c0) : !tk.tile<64x128xbf16, shared> -> !tk.tile<16x128xbf16, shared>
    }
  }
}

// -----

tk.kernel @unknown(%A: !tk.global<?x128xbf16> {tk.name = "A"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  tk.grid (%m) in (%n) {
    // expected-note @below {{is declared here}}
    %a = tk.load %A[%m, %c0] : <?x128xbf16> -> !tk.tile<64x128xbf16, shared>
    %j = arith.muli %m, %c64 : i32
    // expected-error @below {{the column at which a part of a shared tile begins is neither a constant nor computed from the number of a warpgroup or warp}}
    // expected-note @below {{where the part begins must be known for each of them when the kernel is compiled}}
    %p = tk.slice %a[0, 0] plus(%c0, %j) : !tk.tile<64x128xbf16, shared> -> !tk.tile<64x64xbf16, shared>
  }
}
