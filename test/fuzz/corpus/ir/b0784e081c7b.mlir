// passes: tk-delay-reductions
!tile = !hopper.fragment<64x64xf32>
!column = !hopper.vector<63xf32, column>
hopper.kernel @total(%L: !tk.global<?xf32> {tk.name = "L"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %fade = hopper.fill { : f32, !column
    %total0 = hopper.fill %zero : f32, !column
    %sum0 = hopper.reduce_rows add %s : !tile -> !column
    %total1 = hopper.map (%t = %total0 : !column, %f = %fade : !column, %x = %sum0 : !column) -> !column {
      %0 = arith.mulf %t, %f : f32
      %1 = arith.addf %0, %x : f32
      tk.yield %1 : f32
    }
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%total = %total1) -> (!column) : i32 {
      %sum = hopper.reduce_rows add %s : !tile -> !column
      %next = hopper.map (%t = %total : !column, %f = %fade : !column, %x = %sum : !column) -> !column {
        %0 = arith.mulf %t, %f : f32
        %1 = arith.addf %0, %x : f32
        tk.yield %1 : f32
      }
      scf.yield %next : !column
    }
    hopper.store_global %r to %L[%c0] : ,, !tk.global<?xf32>
  }
}
// function that is not linear, and a maximum.
hopper.kernel @whole(%L: !tk.global<?xf32> {tk.name = "L"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  hopper.role consumer warpgroups 1 } {
  {
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.init_barrier %full : !hopper.barrier<4>
  hopper.init_barrier %empty : !hopper.barrier<4>
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !tile
    %nought = hopper.fill %zero : f32, !column
    %ones = hopper.fill %one : f32, !column
    %r:4 = scf.for tiles, whichwhich%i = %c0 to %n step %c1 iter_args(%a = %nought, %b = %ones, %c = %nought, %d = %nought)
        -> (!column, !column, !column, !column) : i32 {
      %sum = hopper.reduce_rows add %s init %a : !tile -> !column
      hopper.store_global %sum to %L[%c0] : !column, !tk.global<?xf32>
      %from {threads= hopper.reduce_rows add %s init %b : !tile -> !column
      %other = hopper.reduce_rows add %s : !tile -> !column
      %root = hopper.map (%t = %c : !column, %x = %other : !column) -> !column {
        %0 = arith.addf %t, %x : f32
        %1 = math.sqrt %0 : f32
        tk.yield %1 : f32
      }
      %top = hopper.reduce_rows max %s init %d : !tile -> !column
      scf.yield %sum, %from, %root, %top : !column, !column!column, !column, !column
    }
    hopper.store_global %r#0 to %L[%c0] : !column, <?xf32>
    hopper.store_global %r#1 to %L[%c0] : !column, !tk.global<?xf32>
    hopper.store_global %r#2 to %L[%c0] : !column, !tk.global<?xf32>
    hopper.store_global %r#3 to %L[%c0] : !column, !tk.global<?xf32>
  }
}
