#include "sc_models/record/payload_row.h"

#include "sc_models/align/recording.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/tensor_core/matrix_unit.h"
#include "sc_models/tlm/memory_port.h"

namespace tessera {
namespace {

std::uint32_t sparse_hash(const SpwmmaOperands& operands) {
    std::uint32_t hash = value_hash(&operands.accumulators, sizeof operands.accumulators);
    for (const SpwmmaTile* tile : {&operands.a, &operands.b}) {
        if (tile->masks == nullptr) continue;
        hash = value_hash(tile->masks, kSpwmmaDepth * sizeof(*tile->masks), hash);
        if (tile->values == nullptr) continue;
        std::size_t count = 0;
        for (std::size_t k = 0; k < kSpwmmaDepth; ++k) {
            count += static_cast<std::size_t>(__builtin_popcount(tile->masks[k]));
        }
        hash = value_hash(tile->values, count * sizeof(HalfBits), hash);
    }
    return hash;
}

}  // namespace

std::string_view command_of(const tlm::tlm_generic_payload& payload) {
    const auto* const info = payload.get_extension<AccessInfo>();
    if (info != nullptr && info->atomic != AtomicKind::kNone) return "atomic";
    if (payload.is_write()) return "write";
    if (!payload.is_read()) return "message";
    return info != nullptr && info->bypass_l1 ? "bypass" : "read";
}

std::uint32_t sent_hash(const tlm::tlm_generic_payload& payload) {
    if (const auto* product = payload.get_extension<MmaOperands>()) {
        if (product->c == nullptr) return 0;
        constexpr std::size_t kHalves = kMatrixElements * sizeof(HalfBits);
        std::uint32_t hash = value_hash(product->a[0], kHalves);
        hash = value_hash(product->a[1], kHalves, hash);
        hash = value_hash(product->b, kHalves, hash);
        if (product->product == FragmentProduct::kStructured) {
            hash = value_hash(product->metadata, kMatrixSize * sizeof(std::uint32_t), hash);
        }
        return value_hash(product->c, kMatrixElements * sizeof(float), hash);
    }
    if (const auto* sparse = payload.get_extension<SpwmmaOperands>()) {
        return sparse_hash(*sparse);
    }
    const auto* const info = payload.get_extension<AccessInfo>();
    if (info == nullptr || !payload.is_write() || !moves_bytes(info)) return 0;
    return value_hash(payload.get_data_ptr(), payload.get_data_length());
}

std::uint32_t returned_hash(const tlm::tlm_generic_payload& payload) {
    if (const auto* product = payload.get_extension<MmaOperands>()) {
        if (product->c == nullptr) return 0;
        return value_hash(product->c, kMatrixElements * sizeof(float));
    }
    if (const auto* sparse = payload.get_extension<SpwmmaOperands>()) {
        constexpr std::size_t kSums = 4 * kMatrixElements * sizeof(float);
        if (sparse->sums == nullptr) return 0;
        return value_hash(sparse->sums, kSums);
    }
    const auto* const info = payload.get_extension<AccessInfo>();
    const bool returns = info != nullptr && moves_bytes(info) &&
                         (payload.is_read() || info->atomic == AtomicKind::kFetchAdd);
    if (!returns) return 0;
    return value_hash(payload.get_data_ptr(), payload.get_data_length());
}

}  // namespace tessera
