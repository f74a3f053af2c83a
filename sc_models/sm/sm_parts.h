// The parts of an SM that come in kinds, made by whoever builds the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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
#include "sc_models/tensor_core/matrix_unit.h"
#include "sc_models/tensor_core/spwmma_unit.h"

namespace tessera {

/// What an SM offers the unit that takes vector operations off its warps.
struct VectorUnitPlace {
    SmId sm;
    VectorUnitHost& host;
    BlockPresence& cache;  ///< the SM's L1
    /// Contents of memory, without time.
    std::function<void(Address address, void* data, std::size_t bytes)> read;
    MeshPort* mesh_port;    ///< the SM's end of the mesh; null with a crossbar
    StatGroup& statistics;  ///< of the SM
    Observers observers;
};

/// Makes the parts of SMs: models or RTL, with a mechanism or without.
class SmParts {
public:
    virtual ~SmParts() = default;
    /// The RTL of a block, alone or beside its model; null: the model serves. device_or_model()
    /// makes a part of it.
    [[nodiscard]] virtual std::unique_ptr<Device> make_rtl(RtlBlock block,
                                                           const DevicePlace& place) = 0;
    /// What stands in front of an SM's L1; null: nothing does.
    [[nodiscard]] virtual std::unique_ptr<LoadFilter> make_load_filter(
        const DevicePlace& place) = 0;
    /// What has an SM's L1 fetch sectors ahead; null: nothing does.
    [[nodiscard]] virtual std::unique_ptr<Prefetcher> make_prefetcher() = 0;
    /// The matrix unit of a sub-core.
    [[nodiscard]] virtual std::unique_ptr<MatrixUnit> make_matrix_unit(
        const DevicePlace& place) = 0;
    /// What a product of that unit reads of the register file.
    [[nodiscard]] virtual ProductReads product_reads() const { return kHmmaProductReads; }
    /// What executes SpWMMAs in a sub-core; null: nothing does.
    [[nodiscard]] virtual std::unique_ptr<SpwmmaUnit> make_spwmma_unit(
        const DevicePlace& place) = 0;
    /// What takes vector operations off an SM's warps; null: nobody does. SMs in ascending order.
    [[nodiscard]] virtual std::unique_ptr<VectorUnit> make_vector_unit(VectorUnitPlace place) = 0;

    /// Whether no part of an SM shares anything with those of others or with what is outside, but
    /// through the memory: then threads of the host may run SMs side by side (host.threads).
    [[nodiscard]] virtual bool independent() const { return false; }
    /// `kernel` starts, on all SMs.
    virtual void start_kernel(const KernelInfo& kernel) = 0;
    /// Appends what is inconsistent between kernels.
    virtual void check(std::vector<std::string>& violations) const = 0;
};

}  // namespace tessera
