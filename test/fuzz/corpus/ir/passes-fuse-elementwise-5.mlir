// passes: tk-fuse-elementwise,cse
!tile = !tk.tile<128x64xi32, register, row>
!row = !tk.vector<64xi32, register, row>
"test.coordinates"() : () -> ()
%w = tk.map () at (%i) -> !row {
  tk.yield %i : i32
}
%t = tk.map (%x = %w : !row) at (%r, %c) -> !tile {
  %0 = arith.addi %x, %r : i32
  tk.yield %0 : i32
}
"test.use"(%t) : (!tile) -> ()
