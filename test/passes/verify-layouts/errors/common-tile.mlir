// Tests that what all warpgroups have in common is written in parts that they do not share.

// RUN: %tk-opt %s --split-input-file --tk-verify-layouts --verify-diagnostics

!part = !tk.tile<64x64xbf16, register, row>
!all = !tk.tile<128x64xbf16, shared>

tk.kernel @shared(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : bf16
  tk.grid (%m) in (%n) {
    tk.each warpgroup of 2 (%w) {
      %x = tk.fill %zero : !part
      %all = tk.alloc common : !all
      %turned = arith.subi %c1, %w : i32
      %good = tk.write %x to %all[%turned, %c0] : !part, !all
      // expected-error @below {{warpgroups 0 and 1 would write to the same part of this shared tile}}
      // expected-note @below {{compute the part's place from the number of the warpgroup, as in 'store(tile, {w, 0}, x)'}}
      %q = tk.write %x to %good[%c1, %c0] : !part, !all
      %half = arith.divsi %w, %c2 : i32
      // expected-error @below {{warpgroups 0 and 1 would write to the same part}}
      // expected-note @below {{compute the part's place}}
      %r = tk.write %x to %q[%half, %c0] : !part, !all
      // expected-error @below {{the part of the shared tile that each warpgroup writes is not computed from its number alone}}
      %s = tk.write %x to %r[%m, %c0] : !part, !all
      %whole = tk.fill %zero : !tk.tile<128x64xbf16, register, row>
      // expected-error @below {{warpgroups 0 and 1 would write to the same part}}
      // expected-note @below {{compute the part's place}}
      %t = tk.write %whole to %s : !tk.tile<128x64xbf16, register, row>, !all
    }
  }
}

// -----

// Parts whose place is known lie in the tile, whoever reads or writes them.
tk.kernel @outside(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : bf16
  tk.grid (%m) in (%n) {
    tk.each warpgroup of 2 (%w) {
      %x = tk.fill %zero : !tk.tile<64x64xbf16, register, row>
      %all = tk.alloc common : !tk.tile<128x64xbf16, shared>
      %next = arith.addi %w, %c1 : i32
      // expected-error @below {{takes part 2 of 2 where the number is 1}}
      // expected-note @below {{the place of a part counts parts of that size, from 0 on}}
      %p = tk.write %x to %all[%next, %c0] : !tk.tile<64x64xbf16, register, row>, !tk.tile<128x64xbf16, shared>
      %before = arith.subi %w, %c1 : i32
      // expected-error @below {{takes part -1 of 2 where the number is 0}}
      // expected-note @below {{the place of a part counts parts of that size, from 0 on}}
      %y = tk.read %p[%before, %c0] : !tk.tile<128x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    }
  }
}
