// How scalars are spelled. What the user named is a constant of that name; the rest stands where it is used, with
// parentheses only where C++ or a host compiler's -Wparentheses asks for them.
//
// RUN: %tk-translate --hopper-to-cuda %s | FileCheck %s

hopper.kernel @k(%x: i32 {tk.name = "x"}, %y: i32 {tk.name = "y"}, %p: i1 {tk.name = "p"}, %q: i1 {tk.name = "q"},
                 %f: f32 {tk.name = "f"}) attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %minus4 = arith.constant -4 : i32
  %least = arith.constant -2147483648 : i32
  %true = arith.constant true

  // Tests that operators of one tightness are grouped from the left, and integer sums need no grouping.
  // CHECK: const int left = x - y - 3;
  %l0 = arith.subi %x, %y : i32
  %left = arith.subi %l0, %c3 : i32 loc("left")
  // CHECK: const int right = x - (y - 3);
  %r0 = arith.subi %y, %c3 : i32
  %right = arith.subi %x, %r0 : i32 loc("right")
  // CHECK: const int sum = x + y + 3;
  %s0 = arith.addi %y, %c3 : i32
  %sum = arith.addi %x, %s0 : i32 loc("sum")

  // Tests that tighter operators need no parentheses and looser ones do.
  // CHECK: const int tight = x * 3 + y % 3;
  %t0 = arith.muli %x, %c3 : i32
  %t1 = arith.remsi %y, %c3 : i32
  %tight = arith.addi %t0, %t1 : i32 loc("tight")
  // CHECK: const int loose = (x + y) * (x - y);
  %o0 = arith.addi %x, %y : i32
  %o1 = arith.subi %x, %y : i32
  %loose = arith.muli %o0, %o1 : i32 loc("loose")
  // CHECK: const int quotient = x / (y * 3);
  %q0 = arith.muli %y, %c3 : i32
  %quotient = arith.divsi %x, %q0 : i32 loc("quotient")

  // Tests that a negative addend is subtracted, and that the least integer, which is no literal, is.
  // CHECK: const int less = x - 4;
  %less = arith.addi %x, %minus4 : i32 loc("less")
  // CHECK: const int negative = x * -4;
  %negative = arith.muli %x, %minus4 : i32 loc("negative")
  // CHECK: const int lowest = x + INT32_MIN;
  %lowest = arith.addi %x, %least : i32 loc("lowest")

  // CHECK: const int tiles = ceil_div(x + y, 3);
  %u0 = arith.addi %x, %y : i32
  %tiles = arith.ceildivsi %u0, %c3 : i32 loc("tiles")
  // CHECK: const int nearest = min(x, max(y, 3));
  %n0 = arith.maxsi %y, %c3 : i32
  %nearest = arith.minsi %x, %n0 : i32 loc("nearest")

  // Tests that bits and shifts, whose order people misremember, are grouped visibly.
  // CHECK: const int bits = (x & 3) << (y + 3);
  %b0 = arith.andi %x, %c3 : i32
  %b1 = arith.addi %y, %c3 : i32
  %bits = arith.shli %b0, %b1 : i32 loc("bits")
  // CHECK: const int mixed = (x >> 3) | (y ^ 3);
  %m0 = arith.shrsi %x, %c3 : i32
  %m1 = arith.xori %y, %c3 : i32
  %mixed = arith.ori %m0, %m1 : i32 loc("mixed")

  // Tests that truth values take the logical operators.
  // CHECK: const bool both = p && x > y && !q;
  %d0 = arith.cmpi sgt, %x, %y : i32
  %d1 = arith.xori %q, %true : i1
  %d2 = arith.andi %d0, %d1 : i1
  %both = arith.andi %p, %d2 : i1 loc("both")
  // CHECK: const bool either = (p && q) || x == y;
  %e0 = arith.andi %p, %q : i1
  %e1 = arith.cmpi eq, %x, %y : i32
  %either = arith.ori %e0, %e1 : i1 loc("either")
  // CHECK: const bool differ = p != q;
  %differ = arith.xori %p, %q : i1 loc("differ")
  // CHECK: const bool odd = (x < y) == (y < 3);
  %f0 = arith.cmpi slt, %x, %y : i32
  %f1 = arith.cmpi slt, %y, %c3 : i32
  %odd = arith.cmpi eq, %f0, %f1 : i1 loc("odd")

  // CHECK: const int chosen = p || q ? x : y + 3;
  %g0 = arith.ori %p, %q : i1
  %g1 = arith.addi %y, %c3 : i32
  %chosen = arith.select %g0, %x, %g1 : i32 loc("chosen")
  // CHECK: const int nested = p ? x : (q ? y : 3);
  %h0 = arith.select %q, %y, %c3 : i32
  %nested = arith.select %p, %x, %h0 : i32 loc("nested")

  // Tests that float literals are floats.
  %half = arith.constant 0.5 : f32
  %two = arith.constant 2.0 : f32
  %big = arith.constant 1.0e+20 : f32
  %inf = arith.constant 0xFF800000 : f32
  // CHECK: const float a = f * 0.5f + 2.0f;
  %i0 = arith.mulf %f, %half : f32
  %a = arith.addf %i0, %two : f32 loc("a")
  // CHECK: const float b = fmaxf(-(f + 1e+20f), -INFINITY);
  %j0 = arith.addf %f, %big : f32
  %j1 = arith.negf %j0 : f32
  %b = arith.maxnumf %j1, %inf : f32 loc("b")
  // CHECK: const float c = f + (f + 0.5f);
  %k0 = arith.addf %f, %half : f32
  %c = arith.addf %f, %k0 : f32 loc("c")
  // CHECK: const float d = float(x) / float(y + 3);
  %v0 = arith.addi %y, %c3 : i32
  %v1 = arith.sitofp %x : i32 to f32
  %v2 = arith.sitofp %v0 : i32 to f32
  %d = arith.divf %v1, %v2 : f32 loc("d")
  // CHECK: const bool small = f <= 0.5f;
  %small = arith.cmpf ole, %f, %half : f32 loc("small")

  // Tests that an expression repeated is named after its use, while a short one is repeated.
  // CHECK: const int i_end = x * 3 + y * 3 + 3;
  %w0 = arith.muli %x, %c3 : i32
  %w1 = arith.muli %y, %c3 : i32
  %w2 = arith.addi %w0, %w1 : i32
  %long = arith.addi %w2, %c3 : i32
  %short = arith.addi %x, %c3 : i32
  // Tests that what nobody reads is not printed.
  // CHECK-NOT: dead
  %dead = arith.addi %x, %y : i32 loc("dead")

  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %c0 = arith.constant 0 : i32
    hopper.tile_loop (%z0) in (%left) { scf.if %both {} }
    hopper.tile_loop (%z0) in (%right) { scf.if %either {} }
    hopper.tile_loop (%z0, %z1, %z2, %z3) in (%sum, %tight, %loose, %quotient) { scf.if %differ {} }
    hopper.tile_loop (%z0, %z1, %z2, %z3) in (%less, %negative, %lowest, %tiles) { scf.if %odd {} }
    hopper.tile_loop (%z0, %z1, %z2, %z3) in (%nearest, %bits, %mixed, %chosen) { scf.if %small {} }
    %any = arith.cmpf one, %a, %b : f32
    %ordered0 = arith.cmpf olt, %a, %b : f32
    scf.if %ordered0 {}
    %ordered1 = arith.cmpf oge, %c, %d : f32
    scf.if %ordered1 {}
    // CHECK: for (int i = 0; i < i_end; ++i)
    "scf.for"(%c0, %long, %c1) ({
    ^bb0(%i: i32 loc("i")):
      scf.yield
    }) : (i32, i32, i32) -> ()
    // CHECK: for (int i = 0; i < i_end; i += 3)
    "scf.for"(%c0, %long, %c3) ({
    ^bb0(%i: i32 loc("i")):
      scf.yield
    }) : (i32, i32, i32) -> ()
    // CHECK: for (int i = nested; i < x + 3; ++i)
    "scf.for"(%nested, %short, %c1) ({
    ^bb0(%i: i32 loc("i")):
      scf.yield
    }) : (i32, i32, i32) -> ()
    // CHECK: for (int i = 0; i < x + 3; ++i)
    "scf.for"(%c0, %short, %c1) ({
    ^bb0(%i: i32 loc("i")):
      scf.yield
    }) : (i32, i32, i32) -> ()
  }
}
