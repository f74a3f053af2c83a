// RTL precompute table inside the opportunistic computing unit.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/cosim/block_report.h"
#include "sc_models/cosim/contradiction.h"
#include "sc_models/cosim/lockstep.h"
#include "sc_models/cosim/precompute_table_rtl.h"
#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/opportunistic/precompute_port.h"
#include "sc_models/workload/direct/lane_layout.h"

namespace tessera {
namespace {

/// Precompute table of an SM in RTL, alone or compared with its model at every operation. The table
/// names entries by their keys; the other fields of their operations are kept here, by slot.
class RtlPrecompute : public PrecomputeDevice {
public:
    RtlPrecompute(const Config& config, const DevicePlace& place)
        : lockstep_(config, place, RtlBlock::kPrecomputeTable, Lockstep::kResults),
          report_(place, text_of(RtlBlock::kPrecomputeTable).name),
          entries_(config.opportunistic.pt_entries),
          lanes_(config.opportunistic.pt_granularity == PrecomputeGranularity::kWarp
                     ? LaneLayout::kMaxLanes
                     : 1),
          operations_(Rtl::kMaxEntries),
          rtl_(rtl_seed(config, place)) {
        static_assert(LaneLayout::kMaxLanes == Rtl::kLanes);
        if (config.impl.of(RtlBlock::kPrecomputeTable) == Implementation::kBoth) {
            model_.emplace(entries_, lanes_);
        }
        rtl_.program(entries_);
        rtl_.break_by(config.impl.fault_of(RtlBlock::kPrecomputeTable));
        if (place.wave != nullptr) {
            rtl_.trace(*place.wave, rtl_scope(place, RtlBlock::kPrecomputeTable));
        }
    }

    void at(Cycle now) override {
        now_ = now;
        rtl_.not_before(now);
    }
    PrecomputeHit take(const PrecomputeKey& key, float* results) override {
        note("look up input {:#x}, weights {:#x}, geometry {}", key.input, key.weights,
             key.geometry);
        Rtl::Inputs in;
        in.op = Op::kLookup;
        in.key = checked(key);
        const Rtl::Outputs out = call(in);
        if (model_) {
            const Index entry = model_->find(key);
            const bool found = entry != PrecomputeTable::kNone;
            const bool complete = found && model_->complete(entry);
            expect("hit", found ? 1 : 0, out.done);
            expect("complete", complete ? 1 : 0, out.complete);
            for (std::uint32_t lane = 0; complete && lane < lanes_; ++lane) {
                std::uint32_t bits = 0;
                std::memcpy(&bits, model_->results(entry) + lane, sizeof bits);
                lockstep_.at(now_).expect("result", lane, bits, out.results[lane]);
            }
            if (found) model_->use(entry);
        }
        finish_operation(out);
        if (out.done == 0) return PrecomputeHit::kNone;
        ++(out.complete != 0 ? counts_.used : counts_.too_late);
        if (out.complete == 0) return PrecomputeHit::kIncomplete;
        std::memcpy(results, out.results.data(), lanes_ * sizeof *results);
        return PrecomputeHit::kComplete;
    }
    Index insert_if_absent(const PrecomputeKey& key, const VectorOperation& operation) override {
        note("predict input {:#x}, weights {:#x}, geometry {}", key.input, key.weights,
             key.geometry);
        Rtl::Inputs in;
        in.op = Op::kPredict;
        in.key = checked(key);
        const Rtl::Outputs out = call(in);
        const Index slot = out.done != 0 ? out.slot : PrecomputeTable::kNone;
        if (model_) {
            const std::uint64_t replaced = model_->counts().replaced;
            expect("present", model_->find(key) != PrecomputeTable::kNone ? 1 : 0, out.present);
            expect("new slot", model_->insert_if_absent(key, operation), slot);
            expect("replaced", model_->counts().replaced - replaced, out.replaced);
        }
        finish_operation(out);
        if (out.done == 0) {
            counts_.rejected += out.present != 0 ? 0 : 1;
            return slot;
        }
        ++counts_.inserted;
        counts_.replaced += out.replaced;
        keep(slot, operation);
        return slot;
    }
    [[nodiscard]] bool some_wait() const override { return waiting_; }
    [[nodiscard]] Index first_pending() override { return search(PrecomputeTable::kNone); }
    [[nodiscard]] Index next_pending(Index index) override { return search(index); }
    [[nodiscard]] const VectorOperation& operation(Index index) const override {
        return operations_[index];
    }
    [[nodiscard]] std::uint32_t start(Index index) override {
        note("start slot {}", index);
        Rtl::Inputs in;
        in.op = Op::kStart;
        in.slot = index;
        const Rtl::Outputs out = call(in);
        if (model_) {
            expect("generation", model_->generation(index) % Rtl::kGenerations, out.generation);
            model_->start(index);
        }
        finish_operation(out);
        if (out.done == 0) contradict(fmt::format("slot {} does not wait", index));
        return out.generation;
    }
    void finish(Index index, std::uint32_t generation, const float* results) override {
        note("results for slot {}, generation {}", index, generation);
        Rtl::Inputs in;
        in.op = Op::kFinish;
        in.slot = index;
        in.generation = generation;
        if (results != nullptr) std::memcpy(in.results.data(), results, lanes_ * sizeof *results);
        const Rtl::Outputs out = call(in);
        if (model_) {
            const std::uint32_t now = model_->generation(index);
            const bool same = now % Rtl::kGenerations == generation;
            expect("stored", model_->finish(index, same ? now : now + 1, results) ? 1 : 0,
                   out.done);
        }
        finish_operation(out);
        ++(out.done != 0 ? counts_.completed : counts_.late_results);
    }
    void eliminate(std::uint32_t entries) override {
        counts_.eliminated += drop(
            entries, [](PrecomputeTable& model, std::uint32_t count) { model.eliminate(count); });
    }
    void flush() override {
        counts_.flushed +=
            drop(Rtl::kMaxEntries, [](PrecomputeTable& model, std::uint32_t) { model.flush(); });
    }
    [[nodiscard]] std::uint32_t size() const override { return size_; }
    [[nodiscard]] const PrecomputeTable::Counts& counts() const override { return counts_; }
    [[nodiscard]] std::uint64_t rtl_cycles() const override { return rtl_.clock_cycles(); }

private:
    using Rtl = PrecomputeTableRtl;
    using Op = Rtl::Op;

    void note(const char* format, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
        lockstep_.begin_operation();
        lockstep_.at(now_).note(format, a, b, c);
    }
    void expect(std::string_view signal, std::uint64_t expected, std::uint64_t got) {
        lockstep_.at(now_).expect(signal, expected, got);
    }
    Rtl::Outputs call(const Rtl::Inputs& in) {
        const Rtl::Outputs out = rtl_.call(in);
        size_ = out.size;
        waiting_ = out.waiting != 0;
        return out;
    }
    /// Throws ConfigError for a key that the RTL has too few pins for.
    static PrecomputeKey checked(const PrecomputeKey& key) {
        if (key.input >> Rtl::kAddressBits == 0 && key.weights >> Rtl::kAddressBits == 0 &&
            key.geometry >> Rtl::kGeometryBits == 0) {
            return key;
        }
        throw ConfigError(fmt::format(
            "impl.precompute_table: the RTL has addresses of {} bits and {} layouts of lanes, got "
            "input {:#x}, weights {:#x} and layout {}",
            Rtl::kAddressBits, 1U << Rtl::kGeometryBits, key.input, key.weights, key.geometry));
    }
    void keep(Index slot, const VectorOperation& operation) {
        if (slot >= entries_) {
            contradict(fmt::format("slot {} of {}", slot, entries_));
        } else {
            operations_[slot] = operation;
        }
    }
    /// The oldest waiting entry, or the next one behind `after`.
    Index search(Index after) {
        const bool behind = after != PrecomputeTable::kNone;
        note("search a waiting entry behind slot {} ({}: the oldest)", behind ? after : 0, !behind);
        Rtl::Inputs in;
        in.op = Op::kWaiting;
        in.after = behind;
        if (behind) in.slot = after;
        const Rtl::Outputs out = call(in);
        const Index slot = out.done != 0 ? out.slot : PrecomputeTable::kNone;
        if (model_) {
            const Index expected = behind ? model_->next_pending(after) : model_->first_pending();
            expect("waiting slot", expected, slot);
            if (expected != PrecomputeTable::kNone) {
                expect("waiting input", model_->key(expected).input, out.input);
                expect("waiting weights", model_->key(expected).weights, out.weights);
                expect("waiting geometry", model_->key(expected).geometry, out.geometry);
            }
        }
        finish_operation(out);
        if (out.done != 0 && (slot >= entries_ || operations_[slot].input != out.input ||
                              operations_[slot].weights != out.weights)) {
            contradict(fmt::format("slot {} waits with input {:#x} and weights {:#x}", slot,
                                   out.input, out.weights));
        }
        return slot;
    }
    template <class OfModel>
    std::uint32_t drop(std::uint32_t entries, const OfModel& of_model) {
        note("drop {} entries", entries);
        Rtl::Inputs in;
        in.op = Op::kDrop;
        in.count = std::min(entries, Rtl::kMaxEntries);
        const Rtl::Outputs out = call(in);
        if (model_) {
            const std::uint32_t before = model_->size();
            of_model(*model_, entries);
            expect("dropped", before - model_->size(), out.count);
        }
        finish_operation(out);
        return out.count;
    }
    /// Reports the answer to an operation, compares what follows from the entries, and ends the run
    /// if anything differed.
    void finish_operation(const Rtl::Outputs& out) {
        if (report_.wanted()) {
            report_.add(std::uint64_t{out.slot} << 3U | out.complete << 2U | out.present << 1U |
                        out.done);
            report_.add(std::uint64_t{out.count} << 32U | out.size);
            for (const std::uint32_t result : out.results) report_.add(result);
            report_.send(now_);
        }
        if (!model_) return;
        expect("size", model_->size(), out.size);
        expect("some wait", model_->first_pending() != PrecomputeTable::kNone ? 1 : 0, out.waiting);
        lockstep_.require_agreement();
    }
    /// Ends the run: the RTL's answer contradicts earlier ones.
    void contradict(const std::string& answer) {
        Contradiction contradiction;
        contradiction.report(answer);
        lockstep_.fail(contradiction.text());
    }

    Lockstep lockstep_;
    BlockReport report_;
    const std::uint32_t entries_, lanes_;
    std::vector<VectorOperation> operations_;  ///< by slot
    std::optional<PrecomputeTable> model_;
    PrecomputeTableRtl rtl_;
    PrecomputeTable::Counts counts_;
    std::uint32_t size_ = 0;
    bool waiting_ = false;
    Cycle now_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_rtl_precompute_table(const Config& config, const DevicePlace& place) {
    return std::make_unique<RtlPrecompute>(config, place);
}

}  // namespace tessera
