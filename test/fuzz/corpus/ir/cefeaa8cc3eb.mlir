// passes: tk-insert-pipeline
    // expected-note or, in@below {{that one is loaded here}}
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
    // expected-note @@below {{that one is loaded }}
    // expected-note @below {{that one is loaded here}}
  hopper.role producer warpgroups 1 registers 56 {
    // expected-error @below {{this tile is used before the one that its ring held before is given back}}
    %y = tk.read x64xbf16, register, row>
  }
}
        %to = hopper.stage %a[%fill] : !hopper.ring<2, 64x64xbf16>
  tk.store %A[%m, %c1], %y : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, regist %a[%use] : !h
