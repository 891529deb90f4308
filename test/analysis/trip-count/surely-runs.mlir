// Tests which loops surely run: extents are at least 1, indices of a grid and numbers of warpgroups at least 0, and
// below its extents, and what conditions around a loop say is so.

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
    // expected-remark @below {{runs}}
    scf.for %k = %m to %tiles step %c1 : i32 {
    }
    %empty = arith.cmpi sle, %n, %c0 : i32
    scf.if %empty {
      // expected-remark @below {{may not run}}
      scf.for %k = %c0 to %n step %c1 : i32 {
      }
    } else {
      // expected-remark @below {{runs}}
      scf.for %k = %c0 to %n step %c1 : i32 {
      }
      // expected-remark @below {{may not run}}
      scf.for %k = %c1 to %n step %c1 : i32 {
      }
    }
    %true = arith.constant true
    %some = arith.xori %empty, %true : i1
    %early = arith.cmpi sgt, %tiles, %m : i32
    %both = arith.andi %some, %early : i1
    scf.if %both {
      // expected-remark @below {{runs}}
      scf.for %k = %c0 to %n step %c1 : i32 {
      }
      // expected-remark @below {{runs}}
      scf.for %k = %m to %tiles step %c1 : i32 {
      }
    }
    %either = arith.ori %some, %early : i1
    scf.if %either {
      // expected-remark @below {{may not run}}
      scf.for %k = %c0 to %n step %c1 : i32 {
      }
    }
    %at_least_one = arith.cmpi sge, %n, %c1 : i32
    scf.if %at_least_one {
      // expected-remark @below {{runs}}
      scf.for %k = %c0 to %n step %c1 : i32 {
      }
    }
    %not_negative = arith.cmpi sge, %n, %c0 : i32
    scf.if %not_negative {
      // expected-remark @below {{may not run}}
      scf.for %k = %c0 to %n step %c1 : i32 {
      }
    }
    %unsigned = arith.cmpi ugt, %n, %c0 : i32
    scf.if %unsigned {
      // expected-remark @below {{may not run}}
      scf.for %k = %c0 to %n step %c1 : i32 {
      }
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
