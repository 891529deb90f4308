// passes: tk-fuse-elementwise,cse
!tile = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register, column>
%s, %v = "test.shared"() : () -> (!tile, !column)
%a = tk.map (%x = %s : !tile) -> !tile {
  %0 = math.tanh %x : f32
  tk.yield %0 : f32
}
%w = tk.map (%x = %v : !column) -> !column {
  %0 = math.exp2 %x : f32
  tk.yield %0 : f32
}
%b = tk.map (%x = %a : !tile, %y = %w : !column) -> !tile {
  %0 = arith.mulf %x, %y : f32
  tk.yield %0 : f32
}
"test.use"(%a, %b) : (!tile, !tile) -> ()
