// Driver of a pair of tensor cores: sends payloads through its socket.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <map>
#include <memory>
#include <vector>

#include "sc_models/sm/tensor_core_pair.h"
#include "testbenches/harness/checked_links.h"
#include "testbenches/harness/operation_driver.h"
#include "testbenches/harness/session.h"
#include "testbenches/tensor_core/tensor_operation.h"

namespace tessera::testbench {

/// Answer of the pair.
struct TensorResult {
    Cycle done = 0;     ///< cycles from the request to the sums
    Cycle busy = 0;     ///< cycles from the request until the pair is free
    Cycle swapped = 0;  ///< cycles of these in which tiles are exchanged
    std::array<float, std::size_t{kDense} * kDense> d{};  ///< of a dense product
    bool ok = false;
};

/// Tile of sums of a warp, as its registers hold it.
using TileOfSums = std::array<float, std::size_t{kSparse} * kSparse>;

/// Pair with the initiator in front of it, and the registers of its warps.
class TensorDriver : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<TensorDriver> socket{"socket"};

    TensorDriver(const sc_core::sc_module_name& name, Session& session);
    /// Settings of SpWMMAs: the clocked blocks have the collector.
    [[nodiscard]] static SpwmmaConfig settings(const Session& session);
    [[nodiscard]] CoreDriver<TensorOperation, TensorResult>& operations() { return operations_; }
    [[nodiscard]] TileOfSums& sums(std::uint32_t warp) { return sums_[warp]; }
    [[nodiscard]] const StatGroup& statistics() const { return statistics_; }
    void check(std::vector<std::string>& violations) const { links_.check(violations); }

private:
    [[nodiscard]] TensorResult perform(const TensorOperation& operation);
    [[nodiscard]] TensorResult multiply_dense(const TensorValues& values);
    [[nodiscard]] TensorResult multiply_sparse(const TensorOperation& operation);
    template <class Operands>
    void send(Operands& operands, TensorResult& result);
    [[nodiscard]] TensorCoreUnits make_units();

    Session& session_;
    StatGroup statistics_{"tensor_core"};
    std::map<std::uint32_t, TileOfSums> sums_;
    std::unique_ptr<TensorCorePair> pair_;
    CheckedLinks links_;
    CoreDriver<TensorOperation, TensorResult> operations_;
};

}  // namespace tessera::testbench
