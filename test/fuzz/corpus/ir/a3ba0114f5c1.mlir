// passes: tk-check-protocol
hopper.kernel @scalars(%x: i7) attributes {threads = 128 : i64} {
// passes: tk-check-protocol
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
        // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
}

      hopper.wait_wgmma 0 because "a test128 "
// passes: tk-check-protocol
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
