// Factory of the exchangeable parts of an SM.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_models/common/device.h"
#include "sc_models/common/device_place.h"
#include "sc_models/common/observer.h"
#include "sc_models/common/statistics.h"
#include "sc_models/common/types.h"
#include "sc_models/config/impl_config.h"
#include "sc_models/isa/register_reads.h"
#include "sc_models/memory/core/block_watch.h"
#include "sc_models/memory/core/prefetcher.h"
#include "sc_models/noc/core/mesh_port.h"
#include "sc_models/sm/load_filter.h"
#include "sc_models/sm/vector_unit.h"
#include "sc_models/tensor_core/shell/outer_product_blocks.h"

namespace tessera {

class Workload;

/// Context of a vector unit: the services of the SM it belongs to.
struct VectorUnitPlace {
    SmId sm;
    VectorUnitHost& host;
    BlockPresence& cache;  ///< the SM's L1
    /// Reads the contents of memory, without time.
    std::function<void(Address address, void* data, std::size_t bytes)> read;
    MeshPort* mesh_port;    ///< mesh port of the SM; null with a crossbar
    StatGroup& statistics;  ///< statistics of the SM
    Observers observers;
};

/// Factory of the parts of SMs: models or RTL, with or without a mechanism.
class SmParts {
public:
    virtual ~SmParts() = default;
    /// Makes the RTL of a block, alone or beside its model; null: model only. device_or_model()
    /// turns the result into a part.
    [[nodiscard]] virtual std::unique_ptr<Device> make_rtl(RtlBlock block,
                                                           const DevicePlace& place) = 0;
    /// Makes the load filter of an SM, in the constructor of the LDST unit; null: none. A filter
    /// that is a module becomes a child of the unit.
    [[nodiscard]] virtual std::unique_ptr<LoadFilter> make_load_filter(
        const DevicePlace& place) = 0;
    /// Makes the L1 prefetcher of an SM; null: none.
    [[nodiscard]] virtual std::unique_ptr<Prefetcher> make_prefetcher() = 0;
    /// Makes the tensor cores of a sub-core, in the constructor of their module.
    [[nodiscard]] virtual TensorCoreUnits make_tensor_cores(const DevicePlace& place) = 0;
    /// Register-file reads of one product of the matrix unit.
    [[nodiscard]] virtual ProductReads product_reads() const { return kHmmaProductReads; }
    /// Makes the vector unit of an SM, in its constructor and in ascending SM order; null: none.
    [[nodiscard]] virtual std::unique_ptr<VectorUnit> make_vector_unit(VectorUnitPlace place) = 0;

    /// Returns whether the parts of SMs share state only through the memory: host threads may then
    /// run SMs in parallel (host.threads).
    [[nodiscard]] virtual bool independent() const { return false; }
    /// Starts `kernel` on all SMs.
    virtual void start_kernel(const KernelInfo& kernel) = 0;
    /// Appends inconsistencies between kernels.
    virtual void check(std::vector<std::string>& violations) const = 0;
    /// Adds key figures of the parts for a kernel of `cycles` cycles, computed from statistics of
    /// the whole machine.
    virtual void add_metrics(const Workload& /*workload*/, const StatGroup& /*machine*/,
                             Cycle /*cycles*/, nlohmann::ordered_json& /*metrics*/) const {}
};

}  // namespace tessera
