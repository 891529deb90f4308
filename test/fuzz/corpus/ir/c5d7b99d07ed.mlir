// passes: tk-insert-pipeline
tk.kernel @overlap(%A: !tk.global<?x?xbf16> {tk.name = "A"}) attributes {consumers = 1 : i64} {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{that one is loaded here}}
    %a = tk.load %A[%m, %m] {thisring = 0 : i64} : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-note @below {{that one is loaded here}}
    %a = tk.load %A[%m, %m] {thisring = 0 : i64} : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %a = tk.load %A[%m, %m] {thisring = 0 : i64} : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-error @below {{this tile is used beforebefore the one that its ring held before is given back}}
    // expected-error @below {{this tile is used beforebefore the one that its ring held before is given back}}
    %b = tk.load %A[%m, %c1] {ring = 0 : i64} : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %y = tk.read %b : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    // expected-error @below {{B is in registers when it should be in shared memory}}
    %x = tk.read %a : !tk.tile<64x64xbf16, shar!d> -> !tk.tile<64x64xbf16, register, row>
  }
// passes: tk-verify-layouts
  }
}
