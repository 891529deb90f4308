//===- start.cpp - The program's first instructions, for old C libraries --===//
//
// The compiler's own refer to the newest version of __libc_start_main, glibc 2.34's, and then the
// wheel's program does not start on the older systems that it is for. So do dlopen and dlsym, which
// lay in libdl before. Arguments are those of the x86-64 ABI's process entry: the stack pointer at
// argc, rdx the loader's function to call at the end.
//
//===----------------------------------------------------------------------===//
__asm__(R"(
  .symver __libc_start_main, __libc_start_main@GLIBC_2.2.5
  .globl _start
  .type _start, @function
_start:
  .cfi_startproc
  .cfi_undefined rip
  xorl %ebp, %ebp
  movq %rdx, %r9
  popq %rsi
  movq %rsp, %rdx
  andq $-16, %rsp
  pushq %rax
  pushq %rsp
  xorl %r8d, %r8d
  xorl %ecx, %ecx
  leaq main(%rip), %rdi
  call *__libc_start_main@GOTPCREL(%rip)
  hlt
  .cfi_endproc
)");
