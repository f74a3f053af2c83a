// The parts of a machine as its configuration says.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/opportunistic/opportunistic_system.h"
#include "sc_models/sm/sm_parts.h"

namespace tessera {

/// Whether some block of the machine runs as RTL; no use of a key.
[[nodiscard]] bool has_rtl(const Config& config);

/// Makes what `config` asks for: models or RTL, Duplo, FEDP or outer-product tensor cores, the
/// units of opportunistic computing. Each make_...() throws ConfigError for what the RTL does not
/// support, and if this build has no RTL.
class MachineParts : public SmParts {
public:
    /// Keeps references. Statistics of what SMs share become children of `statistics`.
    MachineParts(const Config& config, StatGroup& statistics);

    [[nodiscard]] std::unique_ptr<Device> make_rtl(RtlBlock block,
                                                   const DevicePlace& place) override;
    [[nodiscard]] std::unique_ptr<LoadFilter> make_load_filter(const DevicePlace& place) override;
    [[nodiscard]] std::unique_ptr<Prefetcher> make_prefetcher() override;
    [[nodiscard]] std::unique_ptr<MatrixUnit> make_matrix_unit(const DevicePlace& place) override;
    [[nodiscard]] ProductReads product_reads() const override;
    [[nodiscard]] std::unique_ptr<SpwmmaUnit> make_spwmma_unit(const DevicePlace& place) override;
    [[nodiscard]] std::unique_ptr<VectorUnit> make_vector_unit(VectorUnitPlace place) override;

    [[nodiscard]] bool independent() const override;
    void start_kernel(const KernelInfo& kernel) override;
    void check(std::vector<std::string>& violations) const override;

private:
    const Config& config_;
    std::unique_ptr<OpportunisticSystem> opportunistic_;  ///< null: nothing for it in the workload
};

/// Makes the parts of a machine, as MachineParts or with parts of one's own. What it returns lives
/// as long as the machine.
using PartsFactory =
    std::function<std::unique_ptr<SmParts>(const Config& config, StatGroup& statistics)>;

}  // namespace tessera
