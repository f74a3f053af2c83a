#include "sc_models/duplo/duplo_mechanism.h"

#include <fmt/format.h>

#include "sc_models/duplo/duplo_energy.h"
#include "sc_models/duplo/duplo_figures.h"
#include "sc_models/duplo/duplo_rules.h"
#include "sc_models/workload/workload.h"

namespace tessera {
namespace {

/// Measured with 2^20 entries.
constexpr std::uint64_t kHistoryEntryBytes = 24;

constexpr KeyCondition kEnabled = {"duplo.enabled on",
                                   [](const Config& c) { return bool{c.duplo.enabled}; }};

class DuploMechanism : public Mechanism {
public:
    [[nodiscard]] const MechanismKinds& kinds() const override {
        static constexpr MechanismKinds kKinds = {
            "duplo",
            {"convolution", "sparse_convolution", "gemm"},
            "",
            "",
            "",
            "",
            "sparse_convolution",
            "workload.sparse.a_fragments",
            " unless workload.sparse.a_fragments is on, as in single_unstaged"};
        return kKinds;
    }

    [[nodiscard]] std::vector<KeyCondition> conditions_of(std::string_view key) const override {
        const bool own = has_prefix(key, "duplo.") && key != "duplo.enabled";
        if (own || key == "sm.register_file.renamed_rows") return {kEnabled};
        return {};
    }

    void check_machine(const Config& config, const ConfigSource& source) const override {
        check_duplo_machine(config, source);
    }
    void check_workload(const Config& config, const ConfigSource& source) const override {
        check_duplo_workload(config, source);
    }

    void reset_idle_keys(Config& config, const SectionIsSet& is_set) const override {
        if (!config.duplo.enabled && !is_set("duplo.")) config.duplo = DuploConfig{};
    }

    [[nodiscard]] std::vector<HostTable> host_tables(const Config& config) const override {
        const DuploConfig& duplo = config.duplo;
        if (!duplo.enabled || duplo.lhb_entries == DuploConfig::kInfiniteEntries) return {};
        const std::uint64_t bytes =
            std::uint64_t{config.gpu.sms} * duplo.lhb_entries * kHistoryEntryBytes;
        return {{bytes,
                 {"duplo.lhb.entries", "gpu.sms"},
                 fmt::format("the load history buffers (gpu.sms {} x duplo.lhb.entries {})",
                             config.gpu.sms, duplo.lhb_entries)}};
    }

    void request_packet(const Config& config, PacketOptions& packet) const override {
        if (!config.duplo.enabled) return;
        packet.wanted = true;
        packet.zero_rule = config.duplo.zero_rule;
        if (config.duplo.lhb_shift_bits != DuploConfig::kAutoShift) {
            packet.index_shift = config.duplo.lhb_shift_bits;
        }
    }

    [[nodiscard]] const MechanismFigures* figures() const override { return &duplo_figures(); }
    [[nodiscard]] const MechanismEnergy* energy() const override { return &duplo_energy(); }
};

}  // namespace

const Mechanism& duplo_mechanism() {
    static const DuploMechanism kDuplo;
    return kDuplo;
}

}  // namespace tessera
