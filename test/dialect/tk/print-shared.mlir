// Tests that shared tiles, what they hold and what is read of them are printed as they are read.

// RUN: %tk-opt %s | %tk-opt | FileCheck %s

// CHECK-LABEL: tk.kernel @shared
// CHECK: %[[OWN:.+]] = tk.alloc : !tk.tile<64x64xbf16, shared>
// CHECK: %[[ALL:.+]] = tk.alloc common : !tk.tile<128x64xbf16, shared>
// CHECK: tk.write %{{.+}} to %[[OWN]] : !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
// CHECK: %[[BOTH:.+]] = tk.write %{{.+}} to %[[ALL]][%{{.+}}, %{{.+}}] : !tk.tile<64x64xbf16, register, row>, !tk.tile<128x64xbf16, shared>
// CHECK: tk.read %[[BOTH]][%{{.+}}, %{{.+}}] : !tk.tile<128x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
tk.kernel @shared(%n: i32) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : bf16
  tk.grid (%m) in (%n) {
    tk.each warpgroup of 2 (%w) {
      %x = tk.fill %zero : !tk.tile<64x64xbf16, register, row>
      %own = tk.alloc : !tk.tile<64x64xbf16, shared>
      %all = tk.alloc common : !tk.tile<128x64xbf16, shared>
      %p = tk.write %x to %own : !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      %q = tk.write %x to %all[%w, %c0] : !tk.tile<64x64xbf16, register, row>, !tk.tile<128x64xbf16, shared>
      %y = tk.read %q[%w, %c0] : !tk.tile<128x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    }
  }
}
