// Mbarriers and named barriers: phases, counts, bytes, and how a deadlock is told.
#include "harness.h"

using namespace test;

namespace {

constexpr uint32_t base = emulator::shared_base;
int seen[64];

} // namespace

TEST(mbarrier_phases) {
  clean("a fresh barrier grants parity 1 and completes by its count", {.threads = 64}, [] {
    begin_barrier(base, 2);
    mbarrier_wait_parity(base, 1);
    __syncthreads(); // whoever came here later would wait for the phase after next
    if (threadIdx.x == 0 || threadIdx.x == 32)
      mbarrier_arrive(base);
    mbarrier_wait_parity(base, 0);
    __syncthreads();
    if (threadIdx.x == 33 || threadIdx.x == 34)
      mbarrier_arrive(base);
    mbarrier_wait_parity(base, 1);
  });
  clean(
      "a ring of one stage hands over 20 values", {.threads = 64},
      [] {
        if (threadIdx.x == 0) {
          mbarrier_init(base, 1);
          mbarrier_init(base + 8, 1);
        }
        __syncthreads();
        for (int i = 0; i < 20; ++i) {
          if (threadIdx.x == 0) {
            mbarrier_wait_parity(base + 8, i % 2 ^ 1);
            st_shared_v2_f32(base + 16, float(i), 0);
            mbarrier_arrive(base);
          } else if (threadIdx.x == 32) {
            float value, zero;
            mbarrier_wait_parity(base, i % 2);
            ld_shared_v2_f32(base + 16, value, zero);
            seen[i] = int(value);
            mbarrier_arrive(base + 8);
          }
        }
      },
      [] {
        for (int i = 0; i < 20; ++i)
          if (std::exchange(seen[i], -1) != i)
            return false;
        return true;
      });
  clean("try_wait may answer false, and then true", {.threads = 64}, [] {
    begin_barrier(base, 1);
    if (threadIdx.x == 0)
      mbarrier_arrive(base);
    while (!mbarrier_try_wait_parity(base, 0))
      ;
  });
}

TEST(mbarrier_misuse) {
  faulty(
      "used without initialisation", {}, [] { MISTAKE mbarrier_wait_parity(base, 0); },
      "none has been initialised there");
  faulty(
      "initialised by a thread nobody waited for", {.threads = 64},
      [] {
        if (threadIdx.x == 0)
          mbarrier_init(base, 1);
        named_barrier_sync(1 + threadIdx.x / 32, 32); // of each warp alone
        if (threadIdx.x >= 32)
          mbarrier_wait_parity(base, 1);
      },
      "initialised");
  faulty(
      "initialised twice", {},
      [] {
        if (threadIdx.x == 0) {
          mbarrier_init(base, 1);
          MISTAKE mbarrier_init(base, 1);
        }
      },
      "is initialised a second time");
  faulty("an odd address", {}, [] { MISTAKE mbarrier_init(base + 4, 1); }, "multiples of 8");
  faulty("a count of zero", {}, [] { MISTAKE mbarrier_init(base, 0); }, "takes a count of 1 to");
  faulty(
      "a store over a barrier", {},
      [] {
        begin_barrier(base, 1);
        if (threadIdx.x == 0)
          MISTAKE st_shared_v2_f32(base, 1, 2);
      },
      "where an mbarrier is");
  faulty(
      "more arrivals than the count while bytes are missing", {},
      [] {
        begin_barrier(base, 1);
        if (threadIdx.x == 0) {
          mbarrier_arrive_expect_tx(base, 16);
          MISTAKE mbarrier_arrive(base);
        }
      },
      "more than the 1 arrivals");
}

// A wait that may come before the phase before it has completed, and then does not wait.
TEST(early_waits) {
  tk_emulator_configure(0, "consumer_first", 0);
  expect("for the second phase, by who has not waited for the first",
         reported(
             {.threads = 256},
             [] {
               begin_barrier(base, 1);
               if (threadIdx.x == 128) {
                 mbarrier_arrive(base);
                 mbarrier_wait_parity(base, 0);
                 mbarrier_arrive(base);
               }
               if (threadIdx.x == 0)
                 mbarrier_wait_parity(base, 1);
             },
             "thread 0 may wait for phase 1 of"));
  clean("by who comes after a thread that has waited", {.threads = 64}, [] {
    begin_barrier(base, 1);
    if (threadIdx.x == 0) {
      mbarrier_arrive(base);
      mbarrier_wait_parity(base, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0)
      mbarrier_arrive(base);
    mbarrier_wait_parity(base, 1);
  });
}

// A wait that may come two phases late: the one in time shows it, too.
TEST(lapped_waits) {
  tk_emulator_configure(0, "consumer_first", 0);
  expect("by an arrival", reported(
                              {.threads = 256},
                              [] {
                                begin_barrier(base, 1);
                                if (threadIdx.x == 128)
                                  mbarrier_wait_parity(base, 1);
                                if (threadIdx.x == 0)
                                  mbarrier_arrive(base);
                              },
                              "may complete a phase before thread 128 has seen the one before"));
  expect("of one of two who wait", reported(
                                       {.threads = 256},
                                       [] {
                                         begin_barrier(base, 1);
                                         if (threadIdx.x == 0) {
                                           mbarrier_arrive(base);
                                           mbarrier_wait_parity(base, 0);
                                           mbarrier_arrive(base);
                                         }
                                         if (threadIdx.x == 128)
                                           mbarrier_wait_parity(base, 0);
                                       },
                                       "before thread 128 has seen the one before"));
  clean("by who knows of the wait, through a barrier", {.threads = 256}, [] {
    begin_barrier(base, 1);
    if (threadIdx.x == 128)
      mbarrier_wait_parity(base, 1);
    __syncthreads();
    if (threadIdx.x == 0)
      mbarrier_arrive(base);
  });
}

TEST(barriers_at_the_end) {
  faulty(
      "a signal that nobody waits for", {.threads = 64},
      [] {
        if (threadIdx.x < 32)
          named_barrier_arrive(3, 64);
      },
      "the block ends when 32 of 64 threads have come to named barrier 3");
}

TEST(deadlocks) {
  faulty(
      "an arrival that never comes", {},
      [] {
        begin_barrier(base, 2);
        if (threadIdx.x == 0)
          mbarrier_arrive(base);
        MISTAKE mbarrier_wait_parity(base, 0);
      },
      "threads 0-31 wait for the mbarrier at shared byte 0 to complete phase 0: 1 of 2 arrivals "
      "have come");
  faulty(
      "bytes that never come", {},
      [] {
        begin_barrier(base, 1);
        if (threadIdx.x == 0)
          mbarrier_arrive_expect_tx(base, 64);
        MISTAKE mbarrier_wait_parity(base, 0);
      },
      "1 of 1 arrivals have come, 0 of 64 expected bytes have landed");
  faulty(
      "a loop of try_wait", {},
      [] {
        begin_barrier(base, 1);
        while (!mbarrier_try_wait_parity(base, 0))
          ;
      },
      "deadlock");
  faulty(
      "a named barrier with a missing warp", {.threads = 64},
      [] {
        if (threadIdx.x < 32)
          MISTAKE named_barrier_sync(3, 64);
      },
      "threads 0-31 wait for named barrier 3: 32 of 64 threads are there");
  faulty(
      "__syncthreads in one branch", {.threads = 64},
      [] {
        if (threadIdx.x < 32)
          MISTAKE __syncthreads();
      },
      "32 of 64 threads are there");
  faulty(
      "an election of half a warp", {},
      [] {
        if (threadIdx.x < 16)
          MISTAKE elect_one();
      },
      "wait for the other 16 of 32 threads to execute elect.sync");
}

TEST(named_barriers) {
  clean(
      "one side arrives, the other waits, and sees what was written", {.threads = 64},
      [] {
        if (threadIdx.x < 32) {
          st_shared_v2_f32(base + 8 * threadIdx.x, float(threadIdx.x), 0);
          named_barrier_arrive(5, 64);
        } else {
          float value, zero;
          named_barrier_sync(5, 64);
          ld_shared_v2_f32(base + 8 * (threadIdx.x % 32), value, zero);
          seen[threadIdx.x] = int(value);
        }
      },
      [] {
        for (int i = 32; i < 64; ++i)
          if (std::exchange(seen[i], -1) != i - 32)
            return false;
        return true;
      });
  faulty(
      "two counts for one barrier", {.threads = 64},
      [] { named_barrier_sync(1, threadIdx.x < 32 ? 64 : 32); }, "named barrier 1 is given");
  faulty(
      "a count that is no multiple of a warp", {}, [] { MISTAKE named_barrier_sync(1, 20); },
      "multiple of 32");
  faulty(
      "a seventeenth barrier", {}, [] { MISTAKE named_barrier_sync(16, 32); },
      "there is no named barrier 16");
}
