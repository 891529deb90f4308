// Tests which loops surely run: extents are at least 1, indices of a grid and numbers of warpgroups at least 0.

// RUN: %tk-opt %s --test-trip-count --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %cols = tk.extent %A, 1 : !tk.global<?x?xbf16>
  %tiles = arith.ceildivsi %cols, %c64 : i32
  %whole = arith.divsi %cols, %c64 : i32
  tk.grid (%m) in (%tiles) {
    // expected-remark @below {{runs}}
    scf.for %k = %c0 to %tiles step %c1 : i32 {
    }
    // expected-remark @below {{may not run}}
    scf.for %k = %c0 to %whole step %c1 : i32 {
    }
    // expected-remark @below {{may not run}}
    scf.for %k = %c0 to %n step %c1 : i32 {
    }
    %next = arith.addi %m, %c1 : i32
    // expected-remark @below {{runs}}
    scf.for %k = %c0 to %next step %c1 : i32 {
    }
    // expected-remark @below {{may not run}}
    scf.for %k = %m to %tiles step %c1 : i32 {
    }
    tk.each warpgroup of 2 (%w) {
      %above = arith.addi %w, %c1 : i32
      // expected-remark @below {{runs}}
      scf.for %k = %c0 to %above step %c1 : i32 {
      }
      // expected-remark @below {{may not run}}
      scf.for %k = %c0 to %w step %c1 : i32 {
      }
    }
  }
}
