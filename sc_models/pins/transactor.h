// Transactor between operations of a block and its pins.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <type_traits>
#include <utility>

#include "sc_models/pins/pin_module.h"

namespace tessera::pins {

/// Whether a block reads values of operations that it has taken: whether it has give_values().
template <class Block, class = void>
struct ReadsValues : std::false_type {};
template <class Block>
struct ReadsValues<Block, std::void_t<decltype(&Block::give_values)>> : std::true_type {};

/// Drives the inputs of a block with the operations that it is given, in order, and turns its
/// outputs into results. Besides what pin_module.h lists, `Block` has
///   Operation, Result     plain structs with a member `tag`; a result has its operation's
///   offer(operation, in)  puts an operation on the input pins; withdraw(in) clears all valids
///   set_ready(in, ready)  sets the ready pins of the output side
///   accepted(operation, out)  whether the block takes the offered operation in this cycle
///   answered(operation)   whether results follow
///   collect(in, out, waiting, emit)  calls emit(result) for each result taken in this cycle, and
///                         removes from `waiting` the operations whose last result that was
///   give_values(out, waiting, in)  may be absent: answers a read of values
template <class Block>
class Transactor final : public sc_core::sc_module,
                         public Block::template Ports<sc_core::sc_out, sc_core::sc_in> {
public:
    using Operation = typename Block::Operation;
    using Result = typename Block::Result;
    using Inputs = typename Block::Inputs;

    sc_core::sc_in<bool> clk_i{"clk_i"};
    sc_core::sc_in<bool> rst_ni{"rst_ni"};

    explicit Transactor(const sc_core::sc_module_name& name) : sc_module(name) {
        SC_HAS_PROCESS(Transactor);
        SC_METHOD(clock);
        sensitive << clk_i.pos();
        dont_initialize();
        Block::withdraw(in_);
        Block::set_ready(in_, false);
    }

    /// Queues an operation. It is offered, after those before it, until the block takes it.
    void send(Operation operation) { queue_.push_back(std::move(operation)); }
    /// Calls `handler` with each operation in the cycle in which the block takes it.
    void on_accept(std::function<void(const Operation&)> handler) {
        accept_handler_ = std::move(handler);
    }
    /// Calls `handler` with each result in the cycle in which it is taken.
    void on_result(std::function<void(const Result&)> handler) {
        result_handler_ = std::move(handler);
    }
    /// Sets the functions that are called once per cycle to choose whether a new operation may be
    /// offered, and whether results are taken; without them, always. For random stalls.
    void stall_by(std::function<bool()> may_offer, std::function<bool()> may_take) {
        may_offer_ = std::move(may_offer);
        may_take_ = std::move(may_take);
    }
    /// Number of operations that the block has not taken.
    [[nodiscard]] std::size_t queued() const { return queue_.size(); }
    /// Whether every operation was taken and has all its results. A reset drops all of them.
    [[nodiscard]] bool idle() const { return queue_.empty() && waiting_.empty(); }

private:
    void clock() {
        if (!rst_ni.read()) {
            queue_.clear();
            waiting_.clear();
            offered_ = false;
            Block::withdraw(in_);
        } else {
            finish_cycle();
            begin_cycle();
        }
        write_inputs<Block>(*this, in_);
    }
    /// Handles the handshakes of the cycle that ends with this edge.
    void finish_cycle() {
        const typename Block::Outputs out = read_outputs<Block>(*this);
        if constexpr (ReadsValues<Block>::value) Block::give_values(out, waiting_, in_);
        Block::collect(in_, out, waiting_, [this](const Result& result) {
            if (result_handler_) result_handler_(result);
        });
        if (!offered_ || !Block::accepted(queue_.front(), out)) return;
        if (accept_handler_) accept_handler_(queue_.front());
        if (Block::answered(queue_.front())) waiting_.push_back(queue_.front());
        queue_.pop_front();
        offered_ = false;
    }
    void begin_cycle() {
        const bool may_offer = !may_offer_ || may_offer_();
        if (!offered_) {
            Block::withdraw(in_);
            offered_ = !queue_.empty() && may_offer;
            if (offered_) Block::offer(queue_.front(), in_);
        }
        Block::set_ready(in_, !may_take_ || may_take_());
    }

    std::deque<Operation> queue_;    ///< the first one may be offered
    std::deque<Operation> waiting_;  ///< taken, results are missing
    bool offered_ = false;
    Inputs in_;
    std::function<void(const Operation&)> accept_handler_;
    std::function<void(const Result&)> result_handler_;
    std::function<bool()> may_offer_, may_take_;
};

}  // namespace tessera::pins
