// RTL assign table inside a cluster of SMs.
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

#include "sc_models/cosim/assign_table_rtl.h"
#include "sc_models/cosim/block_report.h"
#include "sc_models/cosim/contradiction.h"
#include "sc_models/cosim/lockstep.h"
#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/opportunistic/assign_port.h"

namespace tessera {
namespace {

/// Assign table of a cluster in RTL, alone or compared with its model at every operation. The place
/// is that of the cluster's first SM. The RTL has numbers of SMs within the cluster.
class RtlAssign : public AssignDevice {
public:
    RtlAssign(const Config& config, const DevicePlace& place)
        : lockstep_(config, place, RtlBlock::kAssignTable, Lockstep::kResults),
          sms_(config.opportunistic.cluster_sms),
          first_(place.number),
          rtl_(rtl_seed(config, place)) {
        const std::uint32_t entries = config.opportunistic.at_entries;
        if (config.impl.of(RtlBlock::kAssignTable) == Implementation::kBoth) {
            model_.emplace(entries);
        }
        rtl_.program(entries);
        rtl_.break_by(config.impl.fault_of(RtlBlock::kAssignTable));
    }

    void record(const DevicePlace& place) override {
        report_.emplace(place, text_of(RtlBlock::kAssignTable).name);
        if (place.wave != nullptr) {
            rtl_.trace(*place.wave, rtl_scope(place, RtlBlock::kAssignTable));
        }
    }

    void at(Cycle now) override {
        now_ = now;
        rtl_.not_before(now);
    }
    [[nodiscard]] SmId find(const BlockPair& pair) override {
        const Rtl::Outputs out = call(Op::kLookup, pair, 0);
        if (model_) {
            const SmId sm = model_->find(pair);
            expect("hit", sm.valid() ? 1 : 0, out.done);
            if (sm.valid()) expect("SM", sm.value() - first_, out.sm);
        }
        finish_operation(out);
        ++counts_.lookups;
        if (out.done == 0) return {};
        ++counts_.hits;
        if (out.sm >= sms_) contradict(fmt::format("SM {} of a cluster of {}", out.sm, sms_));
        return SmId(first_ + out.sm);
    }
    void insert_if_absent(const BlockPair& pair, SmId sm) override {
        const Rtl::Outputs out = call(Op::kInsert, pair, sm.value() - first_);
        if (model_) {
            const std::uint64_t replaced = model_->counts().replaced;
            expect("new entry", model_->insert_if_absent(pair, sm) ? 1 : 0, out.done);
            expect("replaced", model_->counts().replaced - replaced, out.replaced);
        }
        counts_.inserted += out.done;
        counts_.replaced += out.replaced;
        finish_operation(out);
    }
    void invalidate(BlockNumber block, SmId sm) override {
        const Rtl::Outputs out = call(Op::kInvalidate, {block, 0}, sm.value() - first_);
        if (model_) expect("invalidated", model_->invalidate(block, sm), out.count);
        counts_.invalidated += out.count;
        finish_operation(out);
    }
    void flush() override {
        const Rtl::Outputs out = call(Op::kFlush, {}, 0);
        if (model_) {
            expect("flushed", model_->size(), out.count);
            model_->flush();
        }
        counts_.flushed += out.count;
        finish_operation(out);
    }
    [[nodiscard]] std::uint32_t size() const override { return size_; }
    [[nodiscard]] const AssignTable::Counts& counts() const override { return counts_; }
    [[nodiscard]] std::uint64_t rtl_cycles() const override { return rtl_.clock_cycles(); }

private:
    using Rtl = AssignTableRtl;
    using Op = Rtl::Op;

    void expect(std::string_view signal, std::uint64_t expected, std::uint64_t got) {
        lockstep_.at(now_).expect(signal, expected, got);
    }
    /// Passes an operation; throws ConfigError for a block that the RTL has too few pins for.
    Rtl::Outputs call(Op op, const BlockPair& pair, std::uint32_t sm) {
        if (pair.input >> Rtl::kBlockBits != 0 || pair.weights >> Rtl::kBlockBits != 0) {
            throw ConfigError(
                fmt::format("impl.assign_table: the RTL has blocks of {} bits, got "
                            "input block {:#x} and weight block {:#x}",
                            Rtl::kBlockBits, pair.input, pair.weights));
        }
        lockstep_.begin_operation();
        lockstep_.at(now_).note(
            "operation {} (0 look-up, 1 insert, 2 invalidate, 3 flush): input block {:#x}, weight "
            "block {:#x}, SM {} of the cluster",
            static_cast<std::uint64_t>(op), pair.input, pair.weights, sm);
        Rtl::Inputs in;
        in.op = op;
        in.pair = pair;
        in.sm = sm;
        return rtl_.call(in);
    }
    /// Reports the answer to an operation, compares what follows from the entries, and ends the run
    /// if anything differed, or if entries came from nowhere.
    void finish_operation(const Rtl::Outputs& out) {
        size_ = out.size;
        if (report_ && report_->wanted()) {
            report_->add(std::uint64_t{out.sm} << 2U | out.replaced << 1U | out.done);
            report_->add(std::uint64_t{out.count} << 32U | out.size);
            report_->send(now_);
        }
        if (model_) {
            expect("size", model_->size(), out.size);
            lockstep_.require_agreement();
        }
        const std::uint64_t left = counts_.replaced + counts_.invalidated + counts_.flushed;
        if (counts_.inserted != left + size_) {
            contradict(fmt::format("{} entries came, {} left, {} are there", counts_.inserted, left,
                                   size_));
        }
    }
    /// Ends the run: the RTL's answer contradicts earlier ones.
    void contradict(const std::string& answer) {
        Contradiction contradiction;
        contradiction.report(answer);
        lockstep_.fail(contradiction.text());
    }

    Lockstep lockstep_;
    std::optional<BlockReport> report_;
    const std::uint32_t sms_, first_;
    std::optional<AssignTable> model_;
    AssignTableRtl rtl_;
    AssignTable::Counts counts_;
    std::uint32_t size_ = 0;
    Cycle now_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_rtl_assign_table(const Config& config, const DevicePlace& place) {
    return std::make_unique<RtlAssign>(config, place);
}

}  // namespace tessera
