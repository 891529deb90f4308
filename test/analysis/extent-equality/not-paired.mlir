// Tests that other steps, other dimensions of a tensor and static extents that agree are not paired.
// A slow dimension is walked in single elements.

// RUN: %tk-opt %s --test-extent-equality --verify-diagnostics -o /dev/null

// expected-remark @below {{#hopper.equal_extent<[0, 0], [1, 0] by "" line}}
tk.kernel @other(%A: !tk.global<?x?x64xbf16>, %B: !tk.global<?x?x64xbf16>) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  tk.grid (%m, %b) in (%c4, %c4) {
    %x = tk.load %A[%b, %m, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %y = tk.load %B[%b, %c0, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<32x64xbf16, shared>
    %z = tk.load %B[%c0, %m, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<32x64xbf16, shared>
  }
}
