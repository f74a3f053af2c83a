// SMs of ours, loosely timed, on somebody else's memory.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/gpu/machine_parts.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/sm/streaming_multiprocessor.h"
#include "testbenches/foreign_target/foreign_memory.h"

namespace tessera::foreign_target {

/// What a GPU keeps around its SMs: CTAs go to whichever SM has room. Runs a workload with values
/// and compares what it leaves in the memory with the golden model.
class ForeignGpu : private CtaListener {
public:
    ForeignGpu(const Config& config, vendor::Memory& memory, LinkBinder& binder)
        : config_(config),
          memory_(memory),
          clock_(config.gpu.core_clock_mhz),
          parts_(config, statistics_),
          workload_(make_workload(config.workload, config.seed, config.values)) {
        workload_->initialise([this](Address address, const void* data, std::size_t bytes) {
            std::memcpy(place(address, bytes), data, bytes);
        });
        CtaListener& listener = *this;
        for (std::uint32_t i = 0; i < config.gpu.sms; ++i) {
            sms_.push_back(std::make_unique<StreamingMultiprocessor>(
                fmt::format("sm_{}", i).c_str(), SmId(i), config,
                SmSurroundings{
                    clock_, listener, parts_, statistics_.instance("sm", i), {}, &binder}));
            binder.bind(sms_.back()->to_memory(), memory.sockets[i]);
        }
    }

    [[nodiscard]] std::vector<std::string> run() {
        std::vector<std::string> wrong;
        Cycle cycles = 0;
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        for (const auto& kernel : workload_->kernels()) cycles += run(*kernel, wrong);
        for (const auto& sm : sms_) sm->check(cycles, wrong);
        const VerificationReport report =
            workload_->verify([this](Address address, void* data, std::size_t bytes) {
                std::memcpy(data, place(address, bytes), bytes);
            });
        outputs_ = report.outputs;
        if (!report.checked || !report.passed()) {
            wrong.push_back(fmt::format("{} of {} results differ from the golden model",
                                        report.mismatches, report.outputs));
        }
        return wrong;
    }
    [[nodiscard]] std::uint64_t outputs() const { return outputs_; }
    [[nodiscard]] const StatGroup& statistics() const { return statistics_; }
    /// When the last kernel was over.
    [[nodiscard]] Cycle end() const { return end_; }

private:
    Cycle run(const Kernel& kernel, std::vector<std::string>& wrong) {
        const Cycle start = std::max(clock_.now(), end_);
        kernel_ = &kernel;
        next_cta_ = done_ = 0;
        for (const auto& sm : sms_) sm->start_kernel(kernel, kCtasPerSm, start);
        for (const auto& sm : sms_) fill(*sm, start);
        for (const auto& sm : sms_) sm->schedule();
        sc_core::sc_start();
        end_ = start;
        for (const auto& sm : sms_) end_ = std::max(end_, sm->last_activity());
        for (const auto& sm : sms_) sm->settle(end_);
        if (done_ != kernel.info().ctas) {
            wrong.push_back(fmt::format("{} of {} CTAs done", done_, kernel.info().ctas));
        }
        for (const auto& sm : sms_) sm->end_kernel();
        return end_ - start;
    }
    void on_cta_done(SmId sm, Cycle at) override {
        ++done_;
        fill(*sms_[sm.value()], at);
    }
    void fill(StreamingMultiprocessor& sm, Cycle at) {
        while (sm.has_room() && next_cta_ < kernel_->info().ctas) {
            sm.launch(CtaId(next_cta_++), at + config_.gpu.cta_launch_cycles);
        }
    }
    unsigned char* place(Address address, std::size_t bytes) {
        return &memory_.bytes().at(address + bytes - 1) - (bytes - 1);
    }

    static constexpr std::uint32_t kCtasPerSm = 2;
    const Config& config_;
    vendor::Memory& memory_;
    ClockDomain clock_;
    StatGroup statistics_{"gpu"};
    MachineParts parts_;
    std::unique_ptr<Workload> workload_;
    std::vector<std::unique_ptr<StreamingMultiprocessor>> sms_;
    const Kernel* kernel_ = nullptr;
    std::uint32_t next_cta_ = 0, done_ = 0;
    Cycle end_ = 0;
    std::uint64_t outputs_ = 0;
};

}  // namespace tessera::foreign_target
