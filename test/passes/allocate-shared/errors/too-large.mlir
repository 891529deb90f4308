// Tests that buffers that do not fit are listed.

// RUN: %tk-opt %s --tk-allocate-shared --verify-diagnostics

// expected-note @below {{make them 30720 bytes smaller in all: fewer stages or smaller tiles}}
// expected-error @below {{the kernel's buffers need 262144 bytes of shared memory, but a block has 231424}}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  // expected-note @below {{'a' takes 3 x 65536 bytes}}
  %a = hopper.alloc_ring "a" : !hopper.ring<3, 128x256xbf16>
  // expected-note @below {{'b' takes 1 x 65536 bytes}}
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 128x256xbf16>
}
