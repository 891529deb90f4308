//===- ptx/mbarrier.h - Barriers in shared memory that also count bytes ---===//
//
// An mbarrier is 8 bytes of shared memory. A phase of it completes when the
// expected arrivals have come and all expected bytes have landed; then the
// phase flips and the counts reload. A waiter names the parity of the phase it
// waits for; on a fresh barrier waiting for parity 1 succeeds at once.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-mbarrier
//
//===----------------------------------------------------------------------===//
#ifndef TK_PTX_MBARRIER_H
#define TK_PTX_MBARRIER_H

#include <ptx/device.h>

namespace tk {

// mbarrier.init: `count` arrivals complete a phase.
TK_DEVICE void mbarrier_init(uint32_t barrier, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

// mbarrier.arrive: one arrival, with release semantics at block scope.
TK_DEVICE void mbarrier_arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// mbarrier.arrive, `count` arrivals at once.
TK_DEVICE void mbarrier_arrive(uint32_t barrier, uint32_t count) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

// mbarrier.arrive by the threads whose `predicate` is true. The predicate is inside the asm, so that the loop
// around it has no branch (with one, nvcc unrolls the loop and ptxas needs far more registers).
TK_DEVICE void mbarrier_arrive_if(uint32_t barrier, bool predicate) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "setp.ne.u32 p, %1, 0;\n"
               "@p mbarrier.arrive.shared::cta.b64 _, [%0];\n"
               "}" ::"r"(barrier),
               "r"(uint32_t(predicate))
               : "memory");
}

// mbarrier.expect_tx: the current phase also waits for `bytes` bytes of asynchronous copies.
TK_DEVICE void mbarrier_expect_tx(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// mbarrier.arrive.expect_tx: expect_tx, then one arrival, as one operation.
TK_DEVICE void mbarrier_arrive_expect_tx(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// mbarrier.try_wait.parity: true once the phase of this parity has completed; may sleep a while before it
// answers false.
TK_DEVICE bool mbarrier_try_wait_parity(uint32_t barrier, uint32_t parity) {
  uint32_t done;
  asm volatile("{\n"
               ".reg .pred p;\n"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
               "selp.u32 %0, 1, 0, p;\n"
               "}"
               : "=r"(done)
               : "r"(barrier), "r"(parity)
               : "memory");
  return done != 0;
}

// mbarrier.try_wait.parity until it answers true. The loop is inside the asm: its labels are local to the braces.
TK_DEVICE void mbarrier_wait_parity(uint32_t barrier, uint32_t parity) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "WAIT:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
               "@p bra DONE;\n"
               "bra WAIT;\n"
               "DONE:\n"
               "}" ::"r"(barrier),
               "r"(parity)
               : "memory");
}

} // namespace tk

#endif // TK_PTX_MBARRIER_H
