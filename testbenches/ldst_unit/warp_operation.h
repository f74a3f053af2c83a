// Stimulus of the LDST unit: warp memory instructions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/isa/coalescer.h"
#include "sc_models/isa/warp_instruction.h"
#include "testbenches/harness/stimulus.h"

namespace tessera::testbench {

inline constexpr std::uint32_t kWarpsPerSubCore = 16;   ///< that a stimulus may name
inline constexpr std::uint32_t kDrawnWarps = 4;         ///< of them, in the built-in stimulus
inline constexpr std::uint32_t kSharedBytes = 0x18000;  ///< shared memory of a CTA slot
inline constexpr std::uint32_t kCtaSlots = 2;           ///< a warp's slot is its number modulo this
inline constexpr std::uint32_t kRegistersPerWarp = 256;  ///< warp registers
inline constexpr std::uint32_t kSharedWordBytes = 4;
inline constexpr Address kData = 0x10000;  ///< rows and lanes of the built-in stimulus
inline constexpr std::uint32_t kDataBytes = 0x8000;
inline constexpr Address kSums = 0x40000;  ///< words of its atomics
inline constexpr std::uint32_t kSumBytes = 0x400;

/// Kind of a warp memory instruction, in the order of the words of a stimulus file.
enum class WarpOperationKind : std::uint8_t {
    kFragmentA,    ///< wmma.load of an A fragment
    kFragmentB,    ///< wmma.load of a B fragment
    kLoad,         ///< LDG of rows
    kStore,        ///< STG of rows
    kLanes,        ///< LDG of coalesced lane addresses
    kLoadLanes,    ///< LDG of each lane's bytes as a piece of its own
    kStoreLanes,   ///< STG of each lane's bytes as a piece of its own
    kAdd,          ///< RED: adds rows of FP32 words
    kFetchAdd,     ///< ATOM: adds rows of FP32 words and returns the old ones
    kLoadShared,   ///< LDS of rows
    kStoreShared,  ///< STS of rows
    kSharedLanes,  ///< LDS of lane addresses, without data
};
inline constexpr std::size_t kWarpOperationKinds = 12;

/// Word of a kind in stimulus files.
[[nodiscard]] const std::string& word_of(WarpOperationKind kind);

/// One warp memory instruction. A row of operations by lanes is a lane.
struct WarpOperation {
    Cycle at = 0;  ///< earliest cycle of issue
    std::uint32_t sub_core = 0;
    std::uint32_t warp = 0;  ///< within the sub-core
    WarpOperationKind kind = WarpOperationKind::kLoad;
    Address address = 0;
    std::uint32_t rows = 1;
    std::uint32_t row_bytes = 32;
    std::uint32_t pitch_bytes = 32;
    std::uint32_t reg = 0;  ///< first warp register of the data

    [[nodiscard]] bool is_fragment() const { return kind <= WarpOperationKind::kFragmentB; }
    [[nodiscard]] bool is_store() const {
        return kind == WarpOperationKind::kStore || kind == WarpOperationKind::kStoreLanes ||
               kind == WarpOperationKind::kStoreShared || is_atomic();
    }
    [[nodiscard]] bool is_atomic() const {
        return kind == WarpOperationKind::kAdd || kind == WarpOperationKind::kFetchAdd;
    }
    [[nodiscard]] bool is_shared() const { return kind >= WarpOperationKind::kLoadShared; }
    [[nodiscard]] bool has_lanes() const {
        return kind == WarpOperationKind::kLanes || kind == WarpOperationKind::kLoadLanes ||
               kind == WarpOperationKind::kStoreLanes || kind == WarpOperationKind::kSharedLanes;
    }
    /// Returns whether registers receive data.
    [[nodiscard]] bool writes_registers() const {
        return !is_store() || kind == WarpOperationKind::kFetchAdd;
    }
    /// Returns the first register that receives data; fetched words come four registers before or
    /// behind their addends.
    [[nodiscard]] std::uint32_t target() const {
        if (kind != WarpOperationKind::kFetchAdd) return reg;
        return reg + 2 * kAccessRegisters <= kRegistersPerWarp ? reg + kAccessRegisters
                                                               : reg - kAccessRegisters;
    }
    /// Returns the number of warp registers of the data.
    [[nodiscard]] std::uint32_t registers() const {
        return is_fragment() ? kRegistersPerFragment
                             : ceil_div(rows * row_bytes, kWarpRegisterBytes);
    }
    [[nodiscard]] std::string describe() const;
};

/// Columns of a stimulus file.
[[nodiscard]] std::vector<Column> warp_columns();

/// Operations of a file with warp_columns(), each checked. Throws ConfigError that names file, line
/// and column.
[[nodiscard]] std::vector<WarpOperation> warp_operations(const Stimulus& stimulus,
                                                         std::uint32_t sub_cores);

/// An operation as the instruction record that the unit receives. Lane addresses are coalesced by
/// the library's coalescer, as the machine does it.
class WarpMemoryInstruction {
public:
    WarpMemoryInstruction(const WarpOperation& operation, const AccessGranularity& granularity);
    WarpMemoryInstruction(const WarpMemoryInstruction&) = delete;
    WarpMemoryInstruction& operator=(const WarpMemoryInstruction&) = delete;
    [[nodiscard]] const WarpInstruction& record() const { return record_; }

private:
    void add_lanes(const WarpOperation& operation, const AccessGranularity& granularity);

    WarpInstruction record_;
    LaneAccess lanes_;
};

}  // namespace tessera::testbench
