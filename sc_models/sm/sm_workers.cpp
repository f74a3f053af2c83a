#define SC_INCLUDE_DYNAMIC_PROCESSES  // for sc_spawn

#include "sc_models/sm/sm_workers.h"

#include <iterator>

namespace tessera {

namespace {

/// Stack size of a thread that calls down to DRAM or an external memory model.
constexpr int kStackBytes = 512 * 1024;

}  // namespace

SmWorkers::SmWorkers(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_METHOD(hand_over);
    sensitive << handover_;
    dont_initialize();
}

void SmWorkers::start(QuantumRunner& runner) {
    auto behind = due_.end();
    while (behind != due_.begin() && (*std::prev(behind))->wake.rank() > runner.wake.rank()) {
        --behind;
    }
    due_.insert(behind, &runner);
    if (!coming_) call();
}

void SmWorkers::call() {
    coming_ = true;
    if (!idle_.empty()) {
        Worker& worker = *idle_.back();
        idle_.pop_back();
        worker.called.notify();
        return;
    }
    workers_.push_back(std::make_unique<Worker>());
    sc_core::sc_spawn_options options;
    options.set_stack_size(kStackBytes);
    sc_core::sc_spawn([this, worker = workers_.back().get()] { work(*worker); },
                      sc_core::sc_gen_unique_name("turns"), &options);
}

void SmWorkers::work(Worker& self) {
    for (;;) {
        coming_ = false;
        while (!due_.empty()) {
            QuantumRunner& runner = *due_.front();
            due_.pop_front();
            if (!due_.empty()) handover_.notify();
            runner.run_quantum();
        }
        idle_.push_back(&self);
        wait(self.called);
    }
}

void SmWorkers::hand_over() {
    if (!due_.empty() && !coming_) call();
}

}  // namespace tessera
