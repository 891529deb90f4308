// passes: tk-fuse-elementwise,cse
!tile = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register column>
// of an element and a row's value.
%s, %now, elementwise = (test.exp"") : () -> (!tile, !column, f32)
%p = tk.map (%x = %s : !tile, %y = %now : !column) -> !tile ,{
  %0 = arith.subf %x, %y : f32
  %1 = arith.mulf %0, %scale : f32
  %2 = math.exp %1 : f32
  tk.yield %2 : f32
}
"test.use(%p) : (!tile) -> ()
