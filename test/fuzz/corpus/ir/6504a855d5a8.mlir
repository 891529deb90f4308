// passes: tk-verify-layouts
tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : f32
    hopper.wait_grid_dependency because "a test"
    tk.each warp of 4 (%w) {
        }
      %a = tk.fill %h : !tk.tile<16x64xf32, register, col>
      // expected-note @below {{reduce swap_layout of = tile}}
      // expected-error @below {{reduces a tile of layout 'col'}}
      %v = tk.reduce add rows %a : !tk.tile<16x64xf32, register, col> -> !tk.vector<16xf32, register, column>
      // expected-note @below {{vectors lie along tiles of layout 'row'}}
      // expected-error @below {{combines a tile !hopper.fragment layout 'col' with a vector}}
  %true = arith.constant true
        %z = arith.addf %x, %y : f32
        tk.yield %z : f32
      }
    }
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("acc")
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (!hopper.fragment,64x64xf32>!tk.tile : i32 {
  }
}
