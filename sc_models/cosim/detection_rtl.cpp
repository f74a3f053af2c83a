// ID generator and load history buffer as RTL inside the detection unit.
#include <array>
#include <optional>

#include "sc_models/cosim/id_generator_rtl.h"
#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "sc_models/cosim/lockstep.h"
#include "sc_models/cosim/rtl_devices.h"

namespace tessera {
namespace {

class RtlIds : public IdDevice {
public:
    RtlIds(const Config& config, const DevicePlace& place)
        : rtl_(rtl_seed(config, place)), lockstep_(config, place, RtlBlock::kIdGenerator) {
        rtl_.break_by(config.impl.fault_of(RtlBlock::kIdGenerator));
        if (config.impl.of(RtlBlock::kIdGenerator) == Implementation::kBoth) model_.emplace();
        if (place.wave != nullptr)
            rtl_.trace(*place.wave, rtl_scope(place, RtlBlock::kIdGenerator));
    }

    void program(Cycle now, const ConvolutionPacket& packet, IdFormula formula) override {
        rtl_.not_before(now);
        if (model_) model_->program(packet, formula);
        rtl_.program(packet, formula);
    }
    void generate(Cycle now, Address address, std::uint32_t row_pitch_bytes,
                  std::uint32_t group_rows, DataId* out) override {
        rtl_.not_before(now);
        lockstep_.begin_operation();
        rtl_.generate(address, row_pitch_bytes, group_rows, out);
        if (!model_) return;
        std::array<DataId, kFragmentRows> expected;
        model_->generate(address, row_pitch_bytes, group_rows, expected.data());
        Scoreboard& scoreboard = lockstep_.at(now);
        scoreboard.note("load at {:#x}, pitch {} bytes, {} rows a group", address, row_pitch_bytes,
                        group_rows);
        for (std::uint32_t i = 0; i < kFragmentRows / group_rows; ++i) {
            compare(scoreboard, i, expected[i], out[i]);
        }
        lockstep_.require_agreement();
    }
    [[nodiscard]] std::uint64_t rtl_cycles() const override { return rtl_.clock_cycles(); }

private:
    static void compare(Scoreboard& scoreboard, std::uint32_t row, const DataId& expected,
                        const DataId& got) {
        scoreboard.expect("bypass", row, static_cast<std::uint64_t>(expected.bypass),
                          static_cast<std::uint64_t>(got.bypass));
        if (!expected.valid()) return;
        scoreboard.expect("element", row, expected.element, got.element);
        scoreboard.expect("batch", row, expected.batch, got.batch);
        scoreboard.expect("extra", row, expected.extra, got.extra);
        scoreboard.expect("zero", row, expected.zero ? 1 : 0, got.zero ? 1 : 0);
    }

    std::optional<IdGenerator> model_;
    IdGeneratorRtl rtl_;
    Lockstep lockstep_;
};

class RtlHistory : public HistoryDevice {
public:
    RtlHistory(const Config& config, const DevicePlace& place)
        : rtl_(config.duplo.lhb_entries, config.duplo.lhb_ways, config.duplo.lhb_fold,
               rtl_seed(config, place)),
          lockstep_(config, place, RtlBlock::kLoadHistoryBuffer) {
        rtl_.break_by(config.impl.fault_of(RtlBlock::kLoadHistoryBuffer));
        if (config.impl.of(RtlBlock::kLoadHistoryBuffer) == Implementation::kBoth) {
            model_.emplace(config.duplo.lhb_entries, config.duplo.lhb_ways, config.duplo.lhb_fold);
        }
        if (place.wave != nullptr)
            rtl_.trace(*place.wave, rtl_scope(place, RtlBlock::kLoadHistoryBuffer));
    }

    void at(Cycle now) override {
        now_ = now;
        rtl_.not_before(now);
    }
    void program(std::uint32_t shift, std::uint32_t registers) override {
        rtl_.program(shift, registers);
        if (model_) model_->program(shift, registers);
    }
    [[nodiscard]] PhysRegId find(const LhbKey& key) override {
        lockstep_.begin_operation();
        const PhysRegId found = rtl_.find(key);
        if (!model_) return found;
        note("look up element {:#x} image {} owner {:#x}", key);
        compare("hit", model_->find(key), found);
        return found;
    }
    LoadHistoryBuffer::Replaced insert(const LhbKey& key, PhysRegId phys) override {
        lockstep_.begin_operation();
        const LoadHistoryBuffer::Replaced replaced = rtl_.insert(key, phys);
        if (!model_) return replaced;
        const LoadHistoryBuffer::Replaced expected = model_->insert(key, phys);
        note("insert element {:#x} image {} owner {:#x} register {}", key, phys.value());
        lockstep_.at(now_).expect("same_key", expected.same_key ? 1 : 0, replaced.same_key ? 1 : 0);
        compare("replaced", expected.phys, replaced.phys);
        return replaced;
    }
    bool release(PhysRegId phys) override {
        lockstep_.begin_operation();
        const bool named = rtl_.release(phys);
        if (!model_) return named;
        Scoreboard& scoreboard = lockstep_.at(now_);
        scoreboard.note("release register {}", phys.value());
        scoreboard.expect("had_entry", model_->release(phys) ? 1 : 0, named ? 1 : 0);
        lockstep_.require_agreement();
        return named;
    }
    void clear() override {
        rtl_.clear();
        if (model_) model_->clear();
    }
    [[nodiscard]] std::size_t size() const override { return rtl_.size(); }
    [[nodiscard]] std::uint64_t rtl_cycles() const override { return rtl_.clock_cycles(); }

private:
    void note(const char* format, const LhbKey& key, std::uint64_t phys = 0) {
        lockstep_.at(now_).note(format, key.element(), key.batch(), key.high, phys);
    }
    void compare(std::string_view signal, PhysRegId expected, PhysRegId got) {
        lockstep_.at(now_).expect(signal, expected.value(), got.value());
        lockstep_.require_agreement();
    }

    std::optional<LoadHistoryBuffer> model_;
    LoadHistoryBufferRtl rtl_;
    Lockstep lockstep_;
    Cycle now_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_rtl_id_generator(const Config& config, const DevicePlace& place) {
    return std::make_unique<RtlIds>(config, place);
}

std::unique_ptr<Device> make_rtl_load_history_buffer(const Config& config,
                                                     const DevicePlace& place) {
    return std::make_unique<RtlHistory>(config, place);
}

}  // namespace tessera
