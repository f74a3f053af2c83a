// SystemC threads that run the quanta of loosely-timed SMs.
#pragma once

#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "sc_models/sm/sm_wake_order.h"

namespace tessera {

/// Interface of an object whose quanta run in a thread.
class QuantumRunner {
public:
    virtual void run_quantum() = 0;
    /// Event that wakes the object's process.
    SmWake wake;

protected:
    ~QuantumRunner() = default;
};

/// Runs quanta in threads, because b_transport may wait and must not be called from a method (IEEE
/// 1666-2011, 11.1.1.4). One thread for each SM would cost a context switch for each quantum, onto
/// a stack that the host's caches no longer hold (7 % of a ResNet layer). Here one thread runs all
/// quanta that are due at the same time, in the order of SmWakeOrder. Only when a target
/// below waits within a quantum does another thread take over the remaining quanta at that time.
class SmWorkers : public sc_core::sc_module {
public:
    explicit SmWorkers(const sc_core::sc_module_name& name);
    SmWorkers(const SmWorkers&) = delete;
    SmWorkers& operator=(const SmWorkers&) = delete;

    /// Order of the runners' wakes; they are notified through it.
    [[nodiscard]] SmWakeOrder& order() { return order_; }
    /// Runs the quantum in this phase of SystemC's scheduler; call from a method process that was
    /// woken.
    void start(QuantumRunner& runner);

    SC_HAS_PROCESS(SmWorkers);

private:
    struct Worker {
        sc_core::sc_event called;
    };
    void call();
    void work(Worker& self);
    void hand_over();

    SmWakeOrder order_;
    std::deque<QuantumRunner*> due_;  ///< by rank of their wakes
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Worker*> idle_;
    bool coming_ = false;         ///< a worker has been called and has not begun
    sc_core::sc_event handover_;  ///< quanta remain when the worker ends or waits
};

}  // namespace tessera
