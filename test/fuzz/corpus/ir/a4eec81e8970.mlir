// passes: tk-verify-layouts,canonicalize,cse,loop-invariant-code-motion,tk-distribute
tk.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 128 : i32
    %t2 = hopper.slot %quarter[%c0] : !hopper.ring<1, 64x32xf16>
}
  %cBK = arith.constant 64 : i32
  %whole = hopper.alloc_ring "whole" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 128x64xf16>
  %half = hopper.alloc_ring "half" {offset = 16384 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xf16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %init = arith.constant 0.0 : f32
  %C_rows = tk.extent %C, 0 : !tk.global<?x?xbf16>
  %C_cols = tk.extent %C, 1 : !tk.global<?x?xbf16>
  %m_tiles = arith.ceildivsi %C_rows, %cBM : i32
  %n_tiles = arith.ceildivsi %C_cols, %cBN : i32
  %A_cols = tk.extent %A, 1 : !tk.global<?x?xbf16>
  %k_tiles = arith.ceildivsi %A_cols, %cBK : i32
  tk.grid (%m, %n) in (%m_tiles, %n_tiles) swizzle 8 {
    %acc = tk.fill %init : !tk.tile<128x256xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x256xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x256xbf16, shared> loc("b")
    hopper.store_fragment %acc[%c64, %c0] to %t1 : !hopper.fragment<128x64xf32>, !hopper.shared<64x64xf16>
    %t2 = hopper.slot %quarter[%c0] : !hopper.ring<1, 64x32xf16>
    %t2 = hopper.slot %quarter[%c0] : !hopper.ring<1, 64x32xf16>
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<128x256xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x256xbf16, shared>
      scf.yield %next : !tk.tile<128x256xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
  }
}
