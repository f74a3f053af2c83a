// Base class of a Verilated block: pins, clock, reset and dump. Include from wrappers only, before
// <systemc>.
#pragma once

#include <verilated.h>
#include <verilated_vcd_c.h>
#include <memory>
#include <string>
#if VM_COVERAGE
#include <verilated_cov.h>
#endif

#include "sc_models/common/error.h"
#include "sc_models/common/observer.h"
#include "sc_models/cosim/rtl_coverage.h"
#include "sc_models/cosim/rtl_mutant.h"
#include "sc_models/cosim/rtl_reset.h"

namespace tessera {

/// A Verilated `--cc` model `Top` with pins clk_i and rst_ni. Registers start with random values
/// from `seed`. A clock cycle is: set the inputs, `settle`, read the outputs, `edge`.
template <class Top>
class RtlModel {
public:
    RtlModel(const char* name, std::uint32_t seed) : name_(name) {
        context_.threads(1);
        context_.randReset(2);
        context_.randSeed(static_cast<int>(seed & 0x3fffffffU) +
                          1);  // 0 would take the time of day
        context_.traceEverOn(true);
        top_ = std::make_unique<Top>(&context_, "top");
        choose_mutant(*top_, name_);
    }
    ~RtlModel() {
        // The model's parts deregister from the thread's context, which may already be destroyed.
        Verilated::threadContextp(&context_);
        close_dump();
        top_->final();
#if VM_COVERAGE
        if (!rtl_coverage_directory().empty()) {
            context_.coveragep()->write(next_coverage_file(name_).c_str());
        }
#endif
        top_.reset();
    }
    RtlModel(const RtlModel&) = delete;
    RtlModel& operator=(const RtlModel&) = delete;

    Top& operator*() {
        return *top_;
    }
    Top* operator->() {
        return top_.get();
    }

    /// Dumps all signals of the block into the waveform, under `scope`. The next clock cycle is
    /// cycle 0 of the dump, so a reset before this call is not in it.
    void trace(WaveRecorder& wave, const std::string& scope) {
        const std::weak_ptr<bool> here = alive_;  // the recorder may outlive the block
        dump_cycle_ = 0;
        plan_ = wave.add_dump(scope, [this, here] {
            if (!here.expired()) close_dump();
        });
        if (plan_.file.empty()) return;
        vcd_ = std::make_unique<VerilatedVcdC>();
        vcd_->set_time_unit("1fs");
        vcd_->set_time_resolution("1fs");
        constexpr int kAllLevels = 99;
        top_->trace(vcd_.get(), kAllLevels);
        vcd_->open(plan_.file.c_str());
    }
    /// Places the next clock cycle at core cycle `at` or later in the dump. A loosely timed machine
    /// runs all clock cycles of an operation at one moment; the dump starts them at that moment, or
    /// behind those of the operation before.
    void not_before(Cycle at) {
        if (at > dump_cycle_) dump_cycle_ = at;
    }

    /// Asserts the reset for kRtlResetCycles clock cycles, which the dump shows.
    void reset() {
        top_->rst_ni = 1;
        settle();
        top_->rst_ni = 0;
        settle();
        for (Cycle i = 0; i < kRtlResetCycles; ++i) {
            edge();
            settle();
        }
        top_->rst_ni = 1;
        settle();
    }
    /// Evaluates the outputs with the clock low.
    void settle() {
        top_->clk_i = 0;
        top_->eval();
    }
    /// Applies the rising edge that ends the cycle.
    void edge() {
        if (vcd_) dump_cycle();
        top_->clk_i = 1;
        top_->eval();
        ++cycles_;
        ++dump_cycle_;
    }
    /// Number of clock cycles, resets included.
    [[nodiscard]] std::uint64_t cycles() const {
        return cycles_;
    }

private:
    /// Dumps the settled pins and signals for the whole cycle: they change where it begins, with
    /// the rising edge, as a model's signals do. Only the clock falls in its middle.
    void dump_cycle() {
        if (dump_cycle_ < plan_.span->begin || dump_cycle_ >= plan_.span->end) return;
        dumped_ = true;
        top_->clk_i = 1;  // drawn, not evaluated
        vcd_->dump(dump_cycle_ * plan_.period_fs);
        top_->clk_i = 0;
        top_->eval();  // changes nothing; a dump omits what no evaluation precedes
        vcd_->dump(dump_cycle_ * plan_.period_fs + plan_.period_fs / 2);
    }

    void close_dump() {
        if (!vcd_) return;
        // Verilator writes the declarations with the first values.
        const Cycle begin = plan_.span->begin;
        if (!dumped_) vcd_->dump(begin == kNever ? 0 : begin * plan_.period_fs);
        vcd_->close();
        vcd_.reset();
    }

    const char* name_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    bool dumped_ = false;
    VerilatedContext context_;
    std::unique_ptr<Top> top_;
    std::unique_ptr<VerilatedVcdC> vcd_;
    WaveRecorder::DumpPlan plan_;
    Cycle dump_cycle_ = 0;
    std::uint64_t cycles_ = 0;
};

/// Limit of clock cycles for loops that wait for a block's answer.
class AnswerLimit {
public:
    explicit AnswerLimit(const char* block) : block_(block) {}
    /// Counts a cycle; throws CheckError beyond the longest possible operation.
    void spend() {
        if (++spent_ < kCycles) return;
        throw CheckError(std::string(block_) + ": the RTL gives no answer after " +
                         std::to_string(kCycles) + " clock cycles");
    }

private:
    static constexpr std::uint32_t kCycles = 10'000;
    const char* block_;
    std::uint32_t spent_ = 0;
};

/// Passes an operation to a wrapper's block with the pins in_valid, in_ready and out_valid. Returns
/// the outputs of the clock cycle with its answer. Throws CheckError if there is none.
template <class Rtl>
typename Rtl::Outputs answer_of(Rtl& rtl, typename Rtl::Inputs operation, const char* block) {
    AnswerLimit limit(block);
    operation.in_valid = true;
    operation.out_ready = true;
    while (rtl.step(operation).in_ready == 0) limit.spend();
    operation.in_valid = false;
    for (;; limit.spend()) {
        const typename Rtl::Outputs outputs = rtl.step(operation);
        if (outputs.out_valid != 0) return outputs;
    }
}

/// Passes a set-up to a wrapper's block with the pins setup_valid and setup_ready, and waits until
/// the block has done it. Throws CheckError if it does not.
template <class Rtl>
void pass_set_up(Rtl& rtl, typename Rtl::Inputs setup, const char* block) {
    AnswerLimit limit(block);
    setup.setup_valid = true;
    while (rtl.step(setup).setup_ready == 0) limit.spend();
    setup.setup_valid = false;
    while (rtl.step(setup).setup_ready == 0) limit.spend();
}

}  // namespace tessera
