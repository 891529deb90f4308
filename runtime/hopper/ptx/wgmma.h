//===- ptx/wgmma.h - Asynchronous MMAs of a warpgroup ---------------------===//
//
// D = A B + D, where D is 64 x N in registers (N / 2 per thread), B and either
// A are tiles in shared memory named by 64-bit descriptors, or A is a fragment
// in registers. All 128 threads of the warpgroup issue the same instruction; it
// runs later, and neither its registers nor its tiles may be touched before a
// wait covers it. So pass fragments where they live, not copies: the emulator
// watches the variables that it is given.
//
// There are 32 widths, eleven pairs of types and two forms. The array type of the
// accumulator chooses the width: float[4] is N = 8, float[128] is N = 256. nvcc
// has no %[name] operands, so the registers of a width are listed twice, as text
// and as operands; each width extends the one before by four registers, which
// makes it three lines, and no MMA is written more than once.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#asynchronous-warpgroup-level-matrix-instructions-wgmma-mma-async
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_WGMMA_H
#define TK_PTX_WGMMA_H

#include <ptx/device.h>

namespace tk {

// Which dimension of a shared operand is contiguous: K, or the other one (M of A, N of B).
enum wgmma_major : int { k_major = 0, mn_major = 1 };

// wgmma.fence: registers this thread has written pass to the tensor cores. Needed before the first MMA and
// whenever the thread has touched the registers of the next one; MMAs that chain on one accumulator need none.
TK_DEVICE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

// wgmma.commit_group: the MMAs issued since the last commit become a group.
TK_DEVICE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// wgmma.wait_group: at most `pending` groups are still running.
template <int pending> TK_DEVICE void wgmma_wait() {
  static_assert(pending >= 0 && pending <= 7, "wgmma_wait leaves at most 7 groups pending: wait for fewer");
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// The same number, moved in the order of the statements around it.
TK_DEVICE float move_here(float value) {
  float moved;
  asm volatile("mov.b32 %0, %1;" : "=f"(moved) : "f"(value));
  return moved;
}
TK_DEVICE int move_here(int value) {
  int moved;
  asm volatile("mov.b32 %0, %1;" : "=r"(moved) : "r"(value));
  return moved;
}

// Registers of an accumulator at a wait or fence. For nvcc they change here, so each has its value by now, and is read
// here or later; it sees nothing in a wait or fence that would keep it from moving either. No instruction.
TK_DEVICE void fence_operand(float (&d)[4]) { asm volatile("" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])); }
TK_DEVICE void fence_operand(int (&d)[4]) { asm volatile("" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])); }

// Reads the registers of a left operand for nobody: a store that no block does, since no grid is empty.
TK_DEVICE void keep_operand_alive(const uint32_t (&a)[4]) {
  asm volatile("{\n.reg .pred p;\n.reg .b32 blocks;\nmov.u32 blocks, %%nctaid.x;\nsetp.eq.u32 p, blocks, 0;\n"
               "@p st.shared.v4.b32 [blocks], {%0, %1, %2, %3};\n}" ::"r"(a[0]),
               "r"(a[1]), "r"(a[2]), "r"(a[3]));
}

// A descriptor of its two words. It is made where it is used, so that a loop keeps neither the constant high word nor
// pairs of registers: nvcc would compute them all before the loop.
TK_DEVICE uint64_t wgmma_descriptor(uint32_t low, uint32_t high) {
  uint64_t descriptor;
  asm volatile("mov.b64 %0, {%1, %2};" : "=l"(descriptor) : "r"(low), "r"(high));
  return descriptor;
}

// The MMAs, for T in {bf16, f16}:
//
//   template <wgmma_major a_major, wgmma_major b_major>
//   void wgmma_f32_T(float (&d)[N / 2], uint64_t a, uint64_t b, bool accumulate);
//
//   template <wgmma_major b_major>
//   void wgmma_f32_T(float (&d)[N / 2], const uint32_t (&a)[4], uint64_t b, bool accumulate);
//
// The other types have operands with contiguous K only. T is tf32, e4m3, e5m2, e4m3_e5m2 (A, then B) or e5m2_e4m3;
// U is s8, u8, s8_u8 or u8_s8, and N is up to 32 in steps of 8, above that in steps of 16:
//
//   void wgmma_f32_T(float (&d)[N / 2], uint64_t a, uint64_t b, bool accumulate);
//   void wgmma_f32_T(float (&d)[N / 2], const uint32_t (&a)[4], uint64_t b, bool accumulate);
//   void wgmma_s32_U(int (&d)[N / 2], uint64_t a, uint64_t b, bool accumulate);
//   void wgmma_s32_U(int (&d)[N / 2], const uint32_t (&a)[4], uint64_t b, bool accumulate);
//
// K is 32 bytes of the operands' type. `accumulate` is scale-d: if false, D = A B and the old D is not read.
// A last template parameter `sign` of -1 negates A (imm-scale-a); integers have none.

// The types of an instruction, as it ends after the shape, and a struct of each that chooses its functions.
#define TK_WGMMA_TYPES_bf16 "k16.f32.bf16.bf16"
#define TK_WGMMA_TYPES_f16 "k16.f32.f16.f16"
#define TK_WGMMA_TYPES_tf32 "k8.f32.tf32.tf32"
#define TK_WGMMA_TYPES_e4m3 "k32.f32.e4m3.e4m3"
#define TK_WGMMA_TYPES_e4m3_e5m2 "k32.f32.e4m3.e5m2"
#define TK_WGMMA_TYPES_e5m2_e4m3 "k32.f32.e5m2.e4m3"
#define TK_WGMMA_TYPES_e5m2 "k32.f32.e5m2.e5m2"
#define TK_WGMMA_TYPES_s8 "k32.s32.s8.s8"
#define TK_WGMMA_TYPES_s8_u8 "k32.s32.s8.u8"
#define TK_WGMMA_TYPES_u8_s8 "k32.s32.u8.s8"
#define TK_WGMMA_TYPES_u8 "k32.s32.u8.u8"

#define TK_WGMMA_TYPES(T)                                                                                              \
  struct wgmma_##T {                                                                                                   \
    static constexpr char text[] = TK_WGMMA_TYPES_##T;                                                                 \
  };
TK_WGMMA_TYPES(bf16)
TK_WGMMA_TYPES(f16)
TK_WGMMA_TYPES(tf32)
TK_WGMMA_TYPES(e4m3)
TK_WGMMA_TYPES(e4m3_e5m2)
TK_WGMMA_TYPES(e5m2_e4m3)
TK_WGMMA_TYPES(e5m2)
TK_WGMMA_TYPES(s8)
TK_WGMMA_TYPES(s8_u8)
TK_WGMMA_TYPES(u8_s8)
TK_WGMMA_TYPES(u8)

// Compilers from CUDA 12.6 on take the types as a text among an asm's operands ("C"): a width has its functions once, as
// templates. Older ones need them once for each type. Those eleven lists of registers are a quarter of the time that
// NVRTC takes for gemm.tk.
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 6)
#define TK_WGMMA_TYPENAME(T) , typename wgmma_##T
#define TK_WGMMA_TEXT_OF(T, o) "%" #o
#define TK_WGMMA_TEXT_OPERAND(T) , "C"(wgmma_##T::text)
#define TK_WGMMA_16_BITS(...) TK_WGMMA_16_BIT(types, __VA_ARGS__)
#define TK_WGMMA_FLOATS(...) TK_WGMMA_FLOAT(types, __VA_ARGS__)
#define TK_WGMMA_INTEGERS(...) TK_WGMMA_INTEGER(types, __VA_ARGS__)
#else
#define TK_WGMMA_TYPENAME(T)
#define TK_WGMMA_TEXT_OF(T, o) TK_WGMMA_TYPES_##T
#define TK_WGMMA_TEXT_OPERAND(T)
#define TK_WGMMA_16_BITS(...)                                                                                          \
  TK_WGMMA_16_BIT(bf16, __VA_ARGS__)                                                                                   \
  TK_WGMMA_16_BIT(f16, __VA_ARGS__)
#define TK_WGMMA_FLOATS(...)                                                                                           \
  TK_WGMMA_FLOAT(tf32, __VA_ARGS__)                                                                                    \
  TK_WGMMA_FLOAT(e4m3, __VA_ARGS__)                                                                                    \
  TK_WGMMA_FLOAT(e4m3_e5m2, __VA_ARGS__)                                                                               \
  TK_WGMMA_FLOAT(e5m2_e4m3, __VA_ARGS__)                                                                               \
  TK_WGMMA_FLOAT(e5m2, __VA_ARGS__)
#define TK_WGMMA_INTEGERS(...)                                                                                         \
  TK_WGMMA_INTEGER(s8, __VA_ARGS__)                                                                                    \
  TK_WGMMA_INTEGER(s8_u8, __VA_ARGS__)                                                                                 \
  TK_WGMMA_INTEGER(u8_s8, __VA_ARGS__)                                                                                 \
  TK_WGMMA_INTEGER(u8, __VA_ARGS__)
#endif

// Both forms of one width, for 16-bit types. o0 to o8 are the numbers of the operands after the N / 2 registers of D.
#define TK_WGMMA_16_BIT(T, n, registers, o0, o1, o2, o3, o4, o5, o6, o7, o8)                                           \
  template <wgmma_major a_major, wgmma_major b_major, int sign TK_WGMMA_TYPENAME(T)>                                   \
  TK_DEVICE void wgmma_16_bit(wgmma_##T, float(&d)[registers], uint64_t a, uint64_t b, bool accumulate) {              \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #o2 ", 0;\n"                                                     \
                 "wgmma.mma_async.sync.aligned.m64n" #n TK_WGMMA_TEXT_OF(T, o6)                                        \
                 " {" TK_WGMMA_TEXT_##n "}, %" #o0 ", %" #o1                                                           \
                 ", p, %" #o5 ", 1, %" #o3 ", %" #o4 ";\n}"                                                            \
                 : TK_WGMMA_OPERANDS_##n(TK_WGMMA_F4)                                                                  \
                 : "l"(a), "l"(b), "r"(int(accumulate)), "n"(int(a_major)), "n"(int(b_major)),                         \
                   "n"(sign) TK_WGMMA_TEXT_OPERAND(T));                                                                \
  }                                                                                                                    \
  template <wgmma_major b_major, int sign TK_WGMMA_TYPENAME(T)>                                                        \
  TK_DEVICE void wgmma_16_bit(wgmma_##T, float(&d)[registers], const uint32_t(&a)[4], uint64_t b, bool accumulate) {   \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #o5 ", 0;\n"                                                     \
                 "wgmma.mma_async.sync.aligned.m64n" #n TK_WGMMA_TEXT_OF(T, o8)                                        \
                 " {" TK_WGMMA_TEXT_##n "}, {%" #o0 ", %" #o1 ", %" #o2                                                \
                 ", %" #o3 "}, %" #o4 ", p, %" #o7 ", 1, %" #o6 ";\n}"                                                 \
                 : TK_WGMMA_OPERANDS_##n(TK_WGMMA_F4)                                                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int(accumulate)), "n"(int(b_major)),        \
                   "n"(sign) TK_WGMMA_TEXT_OPERAND(T));                                                                \
  }

// The same for types that have no transposed operands. `scales` gives the instruction's operands after the predicate.
#define TK_WGMMA_K_MAJOR(name, D, D4, scales, T, n, registers, o0, o1, o2, o3, o4, o5, o6, o7, o8)                     \
  template <int sign TK_WGMMA_TYPENAME(T)>                                                                             \
  TK_DEVICE void name(wgmma_##T, D(&d)[registers], uint64_t a, uint64_t b, bool accumulate) {                          \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #o2 ", 0;\n"                                                     \
                 "wgmma.mma_async.sync.aligned.m64n" #n TK_WGMMA_TEXT_OF(T, o4)                                        \
                 " {" TK_WGMMA_TEXT_##n "}, %" #o0 ", %" #o1                                                           \
                 ", p" scales(o3) ";\n}"                                                                               \
                 : TK_WGMMA_OPERANDS_##n(D4)                                                                           \
                 : "l"(a), "l"(b), "r"(int(accumulate)), "n"(sign) TK_WGMMA_TEXT_OPERAND(T));                          \
  }                                                                                                                    \
  template <int sign TK_WGMMA_TYPENAME(T)>                                                                             \
  TK_DEVICE void name(wgmma_##T, D(&d)[registers], const uint32_t(&a)[4], uint64_t b, bool accumulate) {               \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #o5 ", 0;\n"                                                     \
                 "wgmma.mma_async.sync.aligned.m64n" #n TK_WGMMA_TEXT_OF(T, o7)                                        \
                 " {" TK_WGMMA_TEXT_##n "}, {%" #o0 ", %" #o1 ", %" #o2                                                \
                 ", %" #o3 "}, %" #o4 ", p" scales(o6) ";\n}"                                                          \
                 : TK_WGMMA_OPERANDS_##n(D4)                                                                           \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int(accumulate)),                           \
                   "n"(sign) TK_WGMMA_TEXT_OPERAND(T));                                                                \
  }

#define TK_WGMMA_F4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define TK_WGMMA_R4(i) "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3])

// Integers have no signs of operands.
#define TK_WGMMA_SIGN(o) ", %" #o ", 1"
#define TK_WGMMA_NO_SIGN(o) ""

#define TK_WGMMA_FLOAT(...) TK_WGMMA_K_MAJOR(wgmma_float, float, TK_WGMMA_F4, TK_WGMMA_SIGN, __VA_ARGS__)
#define TK_WGMMA_INTEGER(...) TK_WGMMA_K_MAJOR(wgmma_integer, int, TK_WGMMA_R4, TK_WGMMA_NO_SIGN, __VA_ARGS__)

// One width of float accumulators, and of all.
#define TK_WGMMA(...) TK_WGMMA_16_BITS(__VA_ARGS__) TK_WGMMA_FLOATS(__VA_ARGS__)
#define TK_WGMMA_ALL(...) TK_WGMMA(__VA_ARGS__) TK_WGMMA_INTEGERS(__VA_ARGS__)

#define TK_WGMMA_TEXT_8 "%0, %1, %2, %3"
#define TK_WGMMA_OPERANDS_8(D4) D4(0)
TK_WGMMA_ALL(8, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12)

#define TK_WGMMA_TEXT_16 TK_WGMMA_TEXT_8 ", %4, %5, %6, %7"
#define TK_WGMMA_OPERANDS_16(D4) TK_WGMMA_OPERANDS_8(D4), D4(4)
TK_WGMMA_ALL(16, 8, 8, 9, 10, 11, 12, 13, 14, 15, 16)

#define TK_WGMMA_TEXT_24 TK_WGMMA_TEXT_16 ", %8, %9, %10, %11"
#define TK_WGMMA_OPERANDS_24(D4) TK_WGMMA_OPERANDS_16(D4), D4(8)
TK_WGMMA_ALL(24, 12, 12, 13, 14, 15, 16, 17, 18, 19, 20)

#define TK_WGMMA_TEXT_32 TK_WGMMA_TEXT_24 ", %12, %13, %14, %15"
#define TK_WGMMA_OPERANDS_32(D4) TK_WGMMA_OPERANDS_24(D4), D4(12)
TK_WGMMA_ALL(32, 16, 16, 17, 18, 19, 20, 21, 22, 23, 24)

#define TK_WGMMA_TEXT_40 TK_WGMMA_TEXT_32 ", %16, %17, %18, %19"
#define TK_WGMMA_OPERANDS_40(D4) TK_WGMMA_OPERANDS_32(D4), D4(16)
TK_WGMMA(40, 20, 20, 21, 22, 23, 24, 25, 26, 27, 28)

#define TK_WGMMA_TEXT_48 TK_WGMMA_TEXT_40 ", %20, %21, %22, %23"
#define TK_WGMMA_OPERANDS_48(D4) TK_WGMMA_OPERANDS_40(D4), D4(20)
TK_WGMMA_ALL(48, 24, 24, 25, 26, 27, 28, 29, 30, 31, 32)

#define TK_WGMMA_TEXT_56 TK_WGMMA_TEXT_48 ", %24, %25, %26, %27"
#define TK_WGMMA_OPERANDS_56(D4) TK_WGMMA_OPERANDS_48(D4), D4(24)
TK_WGMMA(56, 28, 28, 29, 30, 31, 32, 33, 34, 35, 36)

#define TK_WGMMA_TEXT_64 TK_WGMMA_TEXT_56 ", %28, %29, %30, %31"
#define TK_WGMMA_OPERANDS_64(D4) TK_WGMMA_OPERANDS_56(D4), D4(28)
TK_WGMMA_ALL(64, 32, 32, 33, 34, 35, 36, 37, 38, 39, 40)

#define TK_WGMMA_TEXT_72 TK_WGMMA_TEXT_64 ", %32, %33, %34, %35"
#define TK_WGMMA_OPERANDS_72(D4) TK_WGMMA_OPERANDS_64(D4), D4(32)
TK_WGMMA(72, 36, 36, 37, 38, 39, 40, 41, 42, 43, 44)

#define TK_WGMMA_TEXT_80 TK_WGMMA_TEXT_72 ", %36, %37, %38, %39"
#define TK_WGMMA_OPERANDS_80(D4) TK_WGMMA_OPERANDS_72(D4), D4(36)
TK_WGMMA_ALL(80, 40, 40, 41, 42, 43, 44, 45, 46, 47, 48)

#define TK_WGMMA_TEXT_88 TK_WGMMA_TEXT_80 ", %40, %41, %42, %43"
#define TK_WGMMA_OPERANDS_88(D4) TK_WGMMA_OPERANDS_80(D4), D4(40)
TK_WGMMA(88, 44, 44, 45, 46, 47, 48, 49, 50, 51, 52)

#define TK_WGMMA_TEXT_96 TK_WGMMA_TEXT_88 ", %44, %45, %46, %47"
#define TK_WGMMA_OPERANDS_96(D4) TK_WGMMA_OPERANDS_88(D4), D4(44)
TK_WGMMA_ALL(96, 48, 48, 49, 50, 51, 52, 53, 54, 55, 56)

#define TK_WGMMA_TEXT_104 TK_WGMMA_TEXT_96 ", %48, %49, %50, %51"
#define TK_WGMMA_OPERANDS_104(D4) TK_WGMMA_OPERANDS_96(D4), D4(48)
TK_WGMMA(104, 52, 52, 53, 54, 55, 56, 57, 58, 59, 60)

#define TK_WGMMA_TEXT_112 TK_WGMMA_TEXT_104 ", %52, %53, %54, %55"
#define TK_WGMMA_OPERANDS_112(D4) TK_WGMMA_OPERANDS_104(D4), D4(52)
TK_WGMMA_ALL(112, 56, 56, 57, 58, 59, 60, 61, 62, 63, 64)

#define TK_WGMMA_TEXT_120 TK_WGMMA_TEXT_112 ", %56, %57, %58, %59"
#define TK_WGMMA_OPERANDS_120(D4) TK_WGMMA_OPERANDS_112(D4), D4(56)
TK_WGMMA(120, 60, 60, 61, 62, 63, 64, 65, 66, 67, 68)

#define TK_WGMMA_TEXT_128 TK_WGMMA_TEXT_120 ", %60, %61, %62, %63"
#define TK_WGMMA_OPERANDS_128(D4) TK_WGMMA_OPERANDS_120(D4), D4(60)
TK_WGMMA_ALL(128, 64, 64, 65, 66, 67, 68, 69, 70, 71, 72)

#define TK_WGMMA_TEXT_136 TK_WGMMA_TEXT_128 ", %64, %65, %66, %67"
#define TK_WGMMA_OPERANDS_136(D4) TK_WGMMA_OPERANDS_128(D4), D4(64)
TK_WGMMA(136, 68, 68, 69, 70, 71, 72, 73, 74, 75, 76)

#define TK_WGMMA_TEXT_144 TK_WGMMA_TEXT_136 ", %68, %69, %70, %71"
#define TK_WGMMA_OPERANDS_144(D4) TK_WGMMA_OPERANDS_136(D4), D4(68)
TK_WGMMA_ALL(144, 72, 72, 73, 74, 75, 76, 77, 78, 79, 80)

#define TK_WGMMA_TEXT_152 TK_WGMMA_TEXT_144 ", %72, %73, %74, %75"
#define TK_WGMMA_OPERANDS_152(D4) TK_WGMMA_OPERANDS_144(D4), D4(72)
TK_WGMMA(152, 76, 76, 77, 78, 79, 80, 81, 82, 83, 84)

#define TK_WGMMA_TEXT_160 TK_WGMMA_TEXT_152 ", %76, %77, %78, %79"
#define TK_WGMMA_OPERANDS_160(D4) TK_WGMMA_OPERANDS_152(D4), D4(76)
TK_WGMMA_ALL(160, 80, 80, 81, 82, 83, 84, 85, 86, 87, 88)

#define TK_WGMMA_TEXT_168 TK_WGMMA_TEXT_160 ", %80, %81, %82, %83"
#define TK_WGMMA_OPERANDS_168(D4) TK_WGMMA_OPERANDS_160(D4), D4(80)
TK_WGMMA(168, 84, 84, 85, 86, 87, 88, 89, 90, 91, 92)

#define TK_WGMMA_TEXT_176 TK_WGMMA_TEXT_168 ", %84, %85, %86, %87"
#define TK_WGMMA_OPERANDS_176(D4) TK_WGMMA_OPERANDS_168(D4), D4(84)
TK_WGMMA_ALL(176, 88, 88, 89, 90, 91, 92, 93, 94, 95, 96)

#define TK_WGMMA_TEXT_184 TK_WGMMA_TEXT_176 ", %88, %89, %90, %91"
#define TK_WGMMA_OPERANDS_184(D4) TK_WGMMA_OPERANDS_176(D4), D4(88)
TK_WGMMA(184, 92, 92, 93, 94, 95, 96, 97, 98, 99, 100)

#define TK_WGMMA_TEXT_192 TK_WGMMA_TEXT_184 ", %92, %93, %94, %95"
#define TK_WGMMA_OPERANDS_192(D4) TK_WGMMA_OPERANDS_184(D4), D4(92)
TK_WGMMA_ALL(192, 96, 96, 97, 98, 99, 100, 101, 102, 103, 104)

#define TK_WGMMA_TEXT_200 TK_WGMMA_TEXT_192 ", %96, %97, %98, %99"
#define TK_WGMMA_OPERANDS_200(D4) TK_WGMMA_OPERANDS_192(D4), D4(96)
TK_WGMMA(200, 100, 100, 101, 102, 103, 104, 105, 106, 107, 108)

#define TK_WGMMA_TEXT_208 TK_WGMMA_TEXT_200 ", %100, %101, %102, %103"
#define TK_WGMMA_OPERANDS_208(D4) TK_WGMMA_OPERANDS_200(D4), D4(100)
TK_WGMMA_ALL(208, 104, 104, 105, 106, 107, 108, 109, 110, 111, 112)

#define TK_WGMMA_TEXT_216 TK_WGMMA_TEXT_208 ", %104, %105, %106, %107"
#define TK_WGMMA_OPERANDS_216(D4) TK_WGMMA_OPERANDS_208(D4), D4(104)
TK_WGMMA(216, 108, 108, 109, 110, 111, 112, 113, 114, 115, 116)

#define TK_WGMMA_TEXT_224 TK_WGMMA_TEXT_216 ", %108, %109, %110, %111"
#define TK_WGMMA_OPERANDS_224(D4) TK_WGMMA_OPERANDS_216(D4), D4(108)
TK_WGMMA_ALL(224, 112, 112, 113, 114, 115, 116, 117, 118, 119, 120)

#define TK_WGMMA_TEXT_232 TK_WGMMA_TEXT_224 ", %112, %113, %114, %115"
#define TK_WGMMA_OPERANDS_232(D4) TK_WGMMA_OPERANDS_224(D4), D4(112)
TK_WGMMA(232, 116, 116, 117, 118, 119, 120, 121, 122, 123, 124)

#define TK_WGMMA_TEXT_240 TK_WGMMA_TEXT_232 ", %116, %117, %118, %119"
#define TK_WGMMA_OPERANDS_240(D4) TK_WGMMA_OPERANDS_232(D4), D4(116)
TK_WGMMA_ALL(240, 120, 120, 121, 122, 123, 124, 125, 126, 127, 128)

#define TK_WGMMA_TEXT_248 TK_WGMMA_TEXT_240 ", %120, %121, %122, %123"
#define TK_WGMMA_OPERANDS_248(D4) TK_WGMMA_OPERANDS_240(D4), D4(120)
TK_WGMMA(248, 124, 124, 125, 126, 127, 128, 129, 130, 131, 132)

#define TK_WGMMA_TEXT_256 TK_WGMMA_TEXT_248 ", %124, %125, %126, %127"
#define TK_WGMMA_OPERANDS_256(D4) TK_WGMMA_OPERANDS_248(D4), D4(124)
TK_WGMMA_ALL(256, 128, 128, 129, 130, 131, 132, 133, 134, 135, 136)

#define TK_WGMMA_NAME_16_BIT(T)                                                                                        \
  template <wgmma_major a_major, wgmma_major b_major, int sign = 1, int registers>                                     \
  TK_DEVICE void wgmma_f32_##T(float(&d)[registers], uint64_t a, uint64_t b, bool accumulate) {                        \
    wgmma_16_bit<a_major, b_major, sign>(wgmma_##T(), d, a, b, accumulate);                                            \
  }                                                                                                                    \
  template <wgmma_major b_major, int sign = 1, int registers>                                                          \
  TK_DEVICE void wgmma_f32_##T(float(&d)[registers], const uint32_t(&a)[4], uint64_t b, bool accumulate) {             \
    wgmma_16_bit<b_major, sign>(wgmma_##T(), d, a, b, accumulate);                                                     \
  }
TK_WGMMA_NAME_16_BIT(bf16)
TK_WGMMA_NAME_16_BIT(f16)

#define TK_WGMMA_NAME_FLOAT(T)                                                                                         \
  template <int sign = 1, int registers, typename operand>                                                             \
  TK_DEVICE void wgmma_f32_##T(float(&d)[registers], const operand &a, uint64_t b, bool accumulate) {                  \
    wgmma_float<sign>(wgmma_##T(), d, a, b, accumulate);                                                               \
  }
TK_WGMMA_NAME_FLOAT(tf32)
TK_WGMMA_NAME_FLOAT(e4m3)
TK_WGMMA_NAME_FLOAT(e4m3_e5m2)
TK_WGMMA_NAME_FLOAT(e5m2_e4m3)
TK_WGMMA_NAME_FLOAT(e5m2)

#define TK_WGMMA_NAME_INTEGER(U)                                                                                       \
  template <int registers, typename operand>                                                                           \
  TK_DEVICE void wgmma_s32_##U(int(&d)[registers], const operand &a, uint64_t b, bool accumulate) {                    \
    wgmma_integer<1>(wgmma_##U(), d, a, b, accumulate);                                                                \
  }
TK_WGMMA_NAME_INTEGER(s8)
TK_WGMMA_NAME_INTEGER(s8_u8)
TK_WGMMA_NAME_INTEGER(u8_s8)
TK_WGMMA_NAME_INTEGER(u8)

} // namespace tk

#endif // TK_PTX_WGMMA_H
