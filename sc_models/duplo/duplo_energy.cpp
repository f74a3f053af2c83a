#include "sc_models/duplo/duplo_energy.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sc_models/duplo/duplo_metrics.h"
#include "sc_models/duplo/rename_units.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {
namespace {

constexpr std::uint64_t kFragmentCopyRows = 32;  ///< with both octets' copies
constexpr std::string_view kBufferArea = "lhb";

/// Whether Duplo's detection is present; a program may have installed another filter instead.
bool is_present(const CountedKernel& kernel) {
    return kernel.config.duplo.enabled && kernel.machine.has("sm.ldst.detection.loads");
}

EnergyStructure load_history_buffers(const Config& config) {
    return {config.gpu.sms, config.duplo.lhb_entries};
}

/// Register bytes of an SM's spare units. A fragment takes kFragmentBytes, whatever units it is
/// split into.
double spare_register_bytes(const DuploConfig& duplo) {
    return 1.0 * duplo.spare_units * kFragmentBytes / units_of(duplo).count();
}

class DuploEnergy : public MechanismEnergy {
public:
    [[nodiscard]] std::vector<const EnergyEvent*> events() const override {
        return {&energy_event::kDuploId,      &energy_event::kLhbLookup,
                &energy_event::kLhbWrite,     &energy_event::kRenameRead,
                &energy_event::kRenameWrite,  &energy_event::kLhbLeakage,
                &energy_event::kRenameLeakage};
    }

    void count(const CountedKernel& kernel, const EventCounter& add) const override {
        if (!is_present(kernel)) return;
        const Config& config = kernel.config;
        const DetectionCounts detection(kernel.machine);
        const std::uint64_t entries = config.duplo.lhb_entries;
        const std::uint64_t units = detection.units();
        const std::uint64_t loads = kernel.sum("sm.ldst.detection.loads");
        const std::uint64_t units_of_load = loads == 0 ? 0 : units / loads;
        // A hit also probes the L1, whose lookup is then cancelled (V-H); the second octet's copy
        // of a row shares the access of the first.
        const std::uint64_t hits =
            detection.all_hits - detection.hits[static_cast<std::size_t>(HitClass::kOctetCopy)];
        const std::uint64_t rows = kFragmentRows * config.duplo.octet_copies;
        add(energy_event::kL1Probe,
            config.duplo.hit_frees_slot || units_of_load == 0 ? 0 : hits * rows / units_of_load, 0);
        add(energy_event::kDuploId, units, 0);
        add(energy_event::kLhbLookup, kernel.sum("sm.ldst.detection.lookups"), entries);
        add(energy_event::kLhbWrite, detection.misses, entries);
        add(energy_event::kRenameRead, kernel.sum("sm.sub_core.mmas") * units_of_load, 0);
        add(energy_event::kRenameWrite, units, 0);

        const EnergyStructure buffers = load_history_buffers(config);
        add(energy_event::kLhbLeakage, buffers.instances * kernel.cycles, buffers.size);
        add(energy_event::kRenameLeakage,
            std::uint64_t{config.gpu.sms} * config.sm.sub_cores * kernel.cycles, 0);
    }

    [[nodiscard]] MechanismWork work(const CountedKernel& kernel) const override {
        MechanismWork work;
        if (!is_present(kernel)) return work;
        const DetectionCounts detection(kernel.machine);
        const std::uint64_t loads = kernel.sum("sm.ldst.detection.loads");
        const std::uint64_t units = std::max<std::uint64_t>(detection.units(), 1);
        work.rows_not_loaded = detection.all_hits * kFragmentCopyRows * loads / units;
        return work;
    }

    [[nodiscard]] std::vector<std::string_view> areas() const override { return {kBufferArea}; }

    void add_metrics(const Config& config, const EnergyFigures& figures,
                     nlohmann::ordered_json& metrics) const override {
        if (!config.duplo.enabled) return;
        const auto buffers = figures.area_mm2(kBufferArea, load_history_buffers(config));
        const auto registers = figures.register_files_mm2();
        if (!buffers || !registers || *registers <= 0) return;
        // Registers beyond the architectural ones are as large as others.
        const double spare =
            spare_register_bytes(config.duplo) / (1024.0 * config.sm.register_file_kib);
        metrics["duplo_area_of_register_file_percent"] = 100 * (*buffers / *registers + spare);
    }
};

}  // namespace

const MechanismEnergy& duplo_energy() {
    static const DuploEnergy kEnergy;
    return kEnergy;
}

}  // namespace tessera
