// SystemC threads that run the turns of loosely-timed SMs.
#pragma once

#include <deque>
#include <memory>
#include <systemc>
#include <vector>

namespace tessera {

/// Interface of an object whose turn runs in a thread.
class TurnTaker {
public:
    virtual void turn() = 0;

protected:
    ~TurnTaker() = default;
};

/// Runs turns in threads, because b_transport may wait and must not be called from a method (IEEE
/// 1666-2011, 11.1.1.4). One thread for each SM would cost a context switch for each turn, onto a
/// stack that the host's caches no longer hold (7 % of a ResNet layer). Here one thread runs all
/// turns that are due at the same time, in the order in which they came due. Only when a target
/// below waits within a turn does another thread take over the remaining turns at that time.
class TurnCrew : public sc_core::sc_module {
public:
    explicit TurnCrew(const sc_core::sc_module_name& name);
    TurnCrew(const TurnCrew&) = delete;
    TurnCrew& operator=(const TurnCrew&) = delete;

    /// Runs the turn in this phase of SystemC's scheduler; call from a method process.
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
    sc_core::sc_event relief_;  ///< turns remain when the worker ends or waits
};

}  // namespace tessera
