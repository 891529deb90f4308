// passes: canonicalize,tk-allocate-registers
hopper.kernel @branches(%a: i32 {tk.name = "a"}, %p: i1 {tk.name = "p"}) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    scf.if %p {
      hopper.wait_stores_read 0 because "why"
    } else {
    }
    %positive = arith.cmpi sgt, %a, %c0 : i32
    %first = scf.if %positive -> i32 {
      scf.yield %a : i32
    } else {
      scf.yield %c0 : i32
    }
  }
}
