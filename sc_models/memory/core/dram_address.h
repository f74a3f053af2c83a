// Mapping of addresses of a DRAM channel to banks and rows.
#pragma once

#include "sc_models/common/types.h"
#include "sc_models/common/xor_fold.h"
#include "sc_models/config/memory_config.h"

namespace tessera {

/// Splits channel-local addresses: column bits lowest, then bank, then row; the bank is hashed with
/// the row.
class DramAddressMap {
public:
    /// `banks` and `row_bytes` are powers of two.
    explicit DramAddressMap(const DramConfig& config)
        : row_bits_(index_bits(config.row_bytes)),
          bank_bits_(index_bits(config.banks)),
          fold_(bank_bits_) {}

    struct RowOfBank {
        std::uint64_t row;
        std::uint32_t bank;
    };
    [[nodiscard]] RowOfBank locate(Address channel_local) const {
        const std::uint64_t page = channel_local >> row_bits_;
        const std::uint64_t row = page >> bank_bits_;
        const std::uint64_t bank = (page ^ fold_(row)) & ((std::uint64_t{1} << bank_bits_) - 1);
        return {row, static_cast<std::uint32_t>(bank)};
    }

private:
    std::uint32_t row_bits_, bank_bits_;
    XorFold fold_;
};

}  // namespace tessera
