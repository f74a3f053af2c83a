// The threads that run the turns of loosely-timed SMs.
#pragma once

#include <deque>
#include <memory>
#include <systemc>
#include <vector>

namespace tessera {

/// Something with a turn to be run in a thread.
class TurnTaker {
public:
    virtual void turn() = 0;

protected:
    ~TurnTaker() = default;
};

/// Runs turns in threads, because b_transport may wait and must not be called from a method (IEEE
/// 1666-2011, 11.1.1.4). A thread for each SM would cost a switch for each turn, on a stack of its
/// own that the host's caches no longer hold (7 % of a ResNet layer). Here one thread runs all
/// turns of a moment, in the order in which they came due. Another takes over what is left, in the
/// same moment, only when a target below waits in the midst of a turn.
class TurnCrew : public sc_core::sc_module {
public:
    explicit TurnCrew(const sc_core::sc_module_name& name);
    TurnCrew(const TurnCrew&) = delete;
    TurnCrew& operator=(const TurnCrew&) = delete;

    /// From a method: the turn is run in this phase of SystemC's scheduler.
    void start(TurnTaker& taker);

    SC_HAS_PROCESS(TurnCrew);

private:
    struct Worker {
        sc_core::sc_event called;
    };
    void call();
    void work(Worker& self);
    void relieve();

    std::deque<TurnTaker*> due_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Worker*> idle_;
    bool coming_ = false;       ///< a worker has been called and has not begun
    sc_core::sc_event relief_;  ///< turns are left when the worker stops, done or waiting
};

}  // namespace tessera
