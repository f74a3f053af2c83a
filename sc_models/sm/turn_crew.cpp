#define SC_INCLUDE_DYNAMIC_PROCESSES  // for sc_spawn

#include "sc_models/sm/turn_crew.h"

namespace tessera {

namespace {

/// Stack size of a thread that calls down to DRAM or an external memory model.
constexpr int kStackBytes = 512 * 1024;

}  // namespace

TurnCrew::TurnCrew(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_METHOD(relieve);
    sensitive << relief_;
    dont_initialize();
}

void TurnCrew::start(TurnTaker& taker) {
    due_.push_back(&taker);
    if (!coming_) call();
}

void TurnCrew::call() {
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

void TurnCrew::work(Worker& self) {
    for (;;) {
        coming_ = false;
        while (!due_.empty()) {
            TurnTaker& taker = *due_.front();
            due_.pop_front();
            if (!due_.empty()) relief_.notify();
            taker.turn();
        }
        idle_.push_back(&self);
        wait(self.called);
    }
}

void TurnCrew::relieve() {
    if (!due_.empty() && !coming_) call();
}

}  // namespace tessera
