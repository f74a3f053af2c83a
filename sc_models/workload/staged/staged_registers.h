// Description of a staged product and the registers of its warps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/workload/product_epilogue.h"
#include "sc_models/workload/requantization.h"
#include "sc_models/workload/staged/staged_operand.h"

namespace tessera {

/// Positions of the results of a batch of products.
class ResultPlaces {
public:
    virtual ~ResultPlaces() = default;
    /// The element of the whole result at which row `row` of member `member` begins.
    [[nodiscard]] virtual std::uint64_t element(std::uint32_t member, std::uint64_t row) const = 0;
};

/// Operands, sizes and options of a staged product.
struct StagedProduct {
    std::uint64_t m = 0, n = 0, k = 0;  ///< k as both operands store it, a multiple of 16
    /// Members of a batch of products, each with its own lines of A, rows of D and k. m and k of
    /// the product are those of the largest member, n is common to all. Empty: one product.
    struct Member {
        std::uint64_t m = 0, k = 0;
    };
    std::vector<Member> members;
    /// Result positions of a batch, which has no C; must outlive this. D has `elements` elements.
    const ResultPlaces* places = nullptr;
    std::uint64_t elements = 0;
    Address c = 0, d = 0;  ///< m rows of n floats, or halves
    /// C and D are halves of format(): C is added to the sums after the last step, which are then
    /// rounded.
    bool halves = false;
    /// Others than FP16 for asynchronous products only. k counts units of 2 bytes; sums of integers
    /// are INT32.
    OperandType operands = OperandType::kFp16;
    /// Steps per CTA of a product whose k is divided among CTAs; each part has its own D, m x n
    /// floats (for a batch, `elements` floats) behind that of the preceding part. 0: not divided.
    std::uint32_t steps_per_part = 0;
    TilingConfig tiling;
    bool reads_c = true, writes_d = true;
    bool values = false;  ///< gathering loads must provide their sources
    /// Address of A's lines in global memory if warps load fragments from there themselves; 0: A is
    /// staged.
    Address a_lines = 0;
    std::uint32_t a_line_bytes = 0;
    /// Packet of these lines, or, if A is staged, of the tensor it is gathered from: its copies are
    /// then marked as A's, and are loads even if all lanes are predicated off.
    Address convolution_packet = 0;
    std::uint32_t depth_tiles = 2;  ///< of a step, 16 k each
    /// Buffers of a step's operands in shared memory. Without `asynchronous` two.
    std::uint32_t stages = 2;
    /// Copies are asynchronous (LDGSTS), stages - 1 steps ahead; fragments come by LDSM, and those
    /// of the next 16 k are loaded during the products. Dense operands only.
    bool asynchronous = false;
    /// Copies of tiles of A that meet only empty tiles of B are omitted (A and B are BitmapTiles, B
    /// with descriptors_apart).
    bool skip_unmet_tiles = false;
    /// Only every fragment_skip-th depth tile of 16x16x16 fragments (dense operands) is multiplied:
    /// one multiply stands for fragment_skip of them.
    std::uint32_t fragment_skip = 1;
    /// Applied to the sums after C; for products with halves.
    PlacedEpilogue epilogue{};
    /// Sums of INT32 become bytes of D by it; for products of integers, without C.
    PlacedRequantization requantization{};

    [[nodiscard]] Float16 format() const { return format_of(operands); }
    /// Whether elements of D are narrower than sums.
    [[nodiscard]] bool is_narrow() const { return halves || !requantization.empty(); }
    [[nodiscard]] std::uint32_t element_bytes() const {
        return static_cast<std::uint32_t>(!requantization.empty() ? sizeof(std::uint8_t)
                                          : halves                ? sizeof(HalfBits)
                                                                  : sizeof(float));
    }

    /// Number of operands with the layout of D: those of the epilogue, and C.
    [[nodiscard]] std::uint32_t strip_operands() const {
        if (!halves) return 0;
        return (reads_c ? 1 : 0) +
               (epilogue.empty()
                    ? 0
                    : epilogue.epilogue->operands_at(ProductEpilogue::OperandExtent::kElements));
    }
    [[nodiscard]] std::uint32_t column_operands() const {
        if (!requantization.empty()) return 2;  // bias and factors
        return !halves || epilogue.empty()
                   ? 0
                   : epilogue.epilogue->operands_at(ProductEpilogue::OperandExtent::kColumns);
    }
};

/// Register allocation of a warp of a staged product: sums from register 0 on, then operands, then
/// copies in flight.
struct StagedRegisters {
    std::uint32_t sum_edge = 0;  ///< rows of the square tiles of sums
    std::uint32_t sums_m = 0, sums_n = 0;
    std::uint32_t buffers = 1;                 ///< sets of operands
    std::uint32_t a_values = 0, b_values = 0;  ///< fragments, or line tiles of a step, of all sets
    std::uint32_t a_each = 0, b_each = 0;      ///< registers of one of them
    /// Registers of a line tile's bitmaps of a step, and, if the warp lowers them itself, of the
    /// adjacent tile's bitmaps.
    std::uint32_t a_bitmaps = 0, b_bitmaps = 0;
    std::uint32_t copies = 0;            ///< registers of copies in flight
    std::uint32_t copies_in_flight = 0;  ///< asynchronous copies of a warp
    std::uint32_t descriptors = 0;       ///< of B's descriptors, if they select the copies of A
    /// Fragments of A that a product multiplies, and registers of the metadata of a set of B's
    /// fragments: 2 and some if B is compressed (CompressedLines).
    std::uint32_t a_depth = 1, metadata = 0;
    /// After the last step, in place of the operands: values of columns, then slots of data with
    /// the layout of D, 16 rows of the warp's tile each (or 32), which are written in that layout.
    std::uint32_t column_operands = 0;
    std::uint32_t slots = 0, slots_of_strip = 0;
    std::uint32_t slot_pitch_bytes = 0;  ///< between rows of a slot

    StagedRegisters() = default;
    /// Allocates the registers of a warp of a kernel with these needs per step.
    StagedRegisters(const StagedProduct& product, const StagedOperand& a, const StagedOperand& b,
                    const StagedOperand::Needs& a_needs, const StagedOperand::Needs& b_needs,
                    std::uint32_t copy_registers);

    /// Registers of a tile of sums.
    [[nodiscard]] std::uint32_t sum_registers() const {
        return sum_edge * sum_edge * std::uint32_t{sizeof(float)} / kWarpRegisterBytes;
    }
    [[nodiscard]] std::uint8_t sum(std::uint32_t i, std::uint32_t j) const {
        return reg((i * sums_n + j) * sum_registers());
    }
    [[nodiscard]] std::uint8_t a_value(std::uint32_t i) const {
        return reg(all_sums() + i * a_each);
    }
    [[nodiscard]] std::uint8_t b_value(std::uint32_t i) const {
        return reg(a_value(a_values) + i * b_each);
    }
    /// Metadata of the fragments of B in set `set`.
    [[nodiscard]] std::uint8_t metadata_value(std::uint32_t set) const {
        return reg(first_copy() + copies + descriptors + set * metadata);
    }
    /// Bitmaps of line tile `i` of the warp, in set `set`.
    [[nodiscard]] std::uint8_t a_bitmap(std::uint32_t set, std::uint32_t i) const {
        return reg(b_value(b_values) + (set * sums_m + i) * a_bitmaps);
    }
    [[nodiscard]] std::uint8_t b_bitmap(std::uint32_t set, std::uint32_t i) const {
        return reg(a_bitmap(buffers, 0) + (set * sums_n + i) * b_bitmaps);
    }
    /// Registers of all fragments of A, or of its line tiles' values.
    [[nodiscard]] std::uint32_t a_registers() const { return a_values * a_each; }
    [[nodiscard]] std::uint8_t first_copy() const { return reg(b_bitmap(buffers, 0)); }
    [[nodiscard]] std::uint8_t first_descriptor() const { return reg(first_copy() + copies); }
    [[nodiscard]] std::uint32_t total() const {
        return all_sums() +
               std::max(of_steps(), column_operands * kAccessRegisters + slots * slot_registers());
    }

    [[nodiscard]] std::uint32_t slot_registers() const {
        return sum_edge * slot_pitch_bytes / kWarpRegisterBytes;
    }
    /// Number of strips of the warp's tile that have slots at a time.
    [[nodiscard]] std::uint32_t strips_ahead() const { return slots / slots_of_strip; }
    /// Slot of operand `operand` of strip `i`; the result reuses that of the first operand.
    [[nodiscard]] std::uint8_t slot(std::uint32_t i, std::uint32_t operand) const {
        return reg(all_sums() + column_operands * kAccessRegisters +
                   (i % strips_ahead() * slots_of_strip + operand) * slot_registers());
    }
    [[nodiscard]] std::uint8_t column_value(std::uint32_t i) const {
        return reg(all_sums() + i * kAccessRegisters);
    }

private:
    void set_slots(const StagedProduct& product);
    /// Registers that steps need besides sums.
    [[nodiscard]] std::uint32_t of_steps() const {
        return a_values * a_each + b_values * b_each +
               buffers * (sums_m * a_bitmaps + sums_n * b_bitmaps) + copies + descriptors +
               buffers * metadata;
    }
    static std::uint8_t reg(std::uint32_t index) { return static_cast<std::uint8_t>(index); }
    [[nodiscard]] std::uint32_t all_sums() const { return sums_m * sums_n * sum_registers(); }
};

inline constexpr std::uint32_t kMaxThreadRegisters = 255;

/// Resources of an SM that a CTA of a staged product occupies.
struct StagedResources {
    bool sparse = false;
    std::uint32_t warps = 0;
    std::uint32_t a_tiles = 0, b_tiles = 0;  ///< line tiles
    std::uint32_t a_slot = 0, b_slot = 0;    ///< bytes of their slots
    StagedRegisters registers;
    std::uint32_t registers_per_thread = 0;
    std::uint32_t shared_memory_bytes = 0;

    StagedResources() = default;
    StagedResources(const StagedProduct& product, const StagedOperand& a, const StagedOperand& b);
};

}  // namespace tessera
