// RUN: %tk-opt %s --split-input-file --verify-diagnostics

// Tests that only the last two dimensions have parts.

tk.kernel @k(%A: !tk.global<4x?x64xbf16>) {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{cuts one of a tensor's last two dimensions, not number 0 of 3}}
  %a = tk.part %A[%c1, %c1] along 0 : !tk.global<4x?x64xbf16> -> !tk.global<?x?x64xbf16>
}

// -----

// Tests that the extent of a part is not known.

tk.kernel @k(%A: !tk.global<4x8x64xbf16>) {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{gives '!tk.global<4x?x64xbf16>', not '!tk.global<4x8x64xbf16>'}}
  %a = tk.part %A[%c1, %c1] along 1 : !tk.global<4x8x64xbf16> -> !tk.global<4x8x64xbf16>
}
