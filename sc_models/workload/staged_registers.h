// What a staged product is, and the registers of its warps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/workload/product_epilogue.h"
#include "sc_models/workload/staged_operand.h"

namespace tessera {

/// Where the results of a batch of products lie.
class ResultPlaces {
public:
    virtual ~ResultPlaces() = default;
    /// The element of the whole result at which row `row` of member `member` begins.
    [[nodiscard]] virtual std::uint64_t element(std::uint32_t member, std::uint64_t row) const = 0;
};

/// What a staged product computes and how.
struct StagedProduct {
    std::uint64_t m = 0, n = 0, k = 0;  ///< k as both operands store it, a multiple of 16
    /// Of a batch of products, each with lines of A and B and rows of D of its own: as many rows
    /// and k. m and k are then those of the largest, n is that of all. Empty: one product.
    struct Member {
        std::uint64_t m = 0, k = 0;
    };
    std::vector<Member> members;
    /// Of a batch, which has no C; must live as long. D has `elements` elements.
    const ResultPlaces* places = nullptr;
    std::uint64_t elements = 0;
    Address c = 0, d = 0;  ///< m rows of n floats, or halves
    /// C and D are halves: C is added to the sums behind the last step, which are then rounded.
    bool halves = false;
    /// Steps of a CTA, of a product whose k is divided among CTAs; each part has its D, m x n
    /// floats (of a batch, as many as it has elements) behind that of the part before. 0: not
    /// divided.
    std::uint32_t steps_per_part = 0;
    TilingConfig tiling;
    bool reads_c = true, writes_d = true;
    bool values = false;  ///< loads that gather must say where from
    /// 0, or where A's lines lie in global memory, from which warps load fragments themselves.
    Address a_lines = 0;
    std::uint32_t a_line_bytes = 0;
    /// Of these lines; or, where A is staged, of the tensor it is gathered from: its copies then
    /// say that they are A's, and are loads even where all lanes are predicated off.
    Address convolution_packet = 0;
    std::uint32_t depth_tiles = 2;  ///< 16 k each, of a step
    /// Copies of tiles of A that meet only empty tiles of B are left out (A and B BitmapTiles, B
    /// with descriptors_apart).
    bool skip_unmet_tiles = false;
    /// Multiplies of 16x16x16 fragments (dense operands) take this share of a full one's cycles:
    /// each stands for `dense_depth` of them.
    std::uint32_t fragment_skip = 1;
    /// On the sums, behind C; of products with halves.
    PlacedEpilogue epilogue{};

    /// Operands of the epilogue that lie as D does, and C.
    [[nodiscard]] std::uint32_t strip_operands() const {
        if (!halves) return 0;
        return (reads_c ? 1 : 0) +
               (epilogue.empty()
                    ? 0
                    : epilogue.epilogue->operands_at(ProductEpilogue::Place::kElements));
    }
    [[nodiscard]] std::uint32_t column_operands() const {
        return !halves || epilogue.empty()
                   ? 0
                   : epilogue.epilogue->operands_at(ProductEpilogue::Place::kColumns);
    }
};

/// Where a warp of a staged product keeps what: sums from register 0 on, then operands, then what
/// copies have under way.
struct StagedRegisters {
    std::uint32_t sum_edge = 0;  ///< sums lie in square tiles of so many rows
    std::uint32_t sums_m = 0, sums_n = 0;
    std::uint32_t buffers = 1;                 ///< sets of operands
    std::uint32_t a_values = 0, b_values = 0;  ///< fragments, or line tiles of a step, of all sets
    std::uint32_t a_each = 0, b_each = 0;      ///< registers of one of them
    /// Registers of a line tile's bitmaps of a step, and, where the warp lowers them itself, of
    /// those of its neighbour.
    std::uint32_t a_bitmaps = 0, b_bitmaps = 0;
    std::uint32_t copies = 0;       ///< registers of what copies have under way
    std::uint32_t descriptors = 0;  ///< of B's descriptors, where they say what to copy of A
    /// Behind the last step, in the place of operands: values of columns, then slots of what lies
    /// as D does, 16 rows of the warp's tile each (or 32), and so is written.
    std::uint32_t column_operands = 0;
    std::uint32_t slots = 0, slots_of_strip = 0;
    std::uint32_t halves_pitch_bytes = 0;  ///< from row to row of a slot

    StagedRegisters() = default;
    /// Of a warp whose kernel's steps need this.
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
    /// Of line tile `i` of the warp, in set `set`.
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
        return sum_edge * halves_pitch_bytes / kWarpRegisterBytes;
    }
    /// Strips of the warp's tile that have slots at a time.
    [[nodiscard]] std::uint32_t strips_ahead() const { return slots / slots_of_strip; }
    /// Of operand `operand` of strip `i`; the result takes that of the first.
    [[nodiscard]] std::uint8_t slot(std::uint32_t i, std::uint32_t operand) const {
        return reg(all_sums() + column_operands * kAccessRegisters +
                   (i % strips_ahead() * slots_of_strip + operand) * slot_registers());
    }
    [[nodiscard]] std::uint8_t column_value(std::uint32_t i) const {
        return reg(all_sums() + i * kAccessRegisters);
    }

private:
    void set_slots(const StagedProduct& product);
    /// What steps need besides sums.
    [[nodiscard]] std::uint32_t of_steps() const {
        return a_values * a_each + b_values * b_each +
               buffers * (sums_m * a_bitmaps + sums_n * b_bitmaps) + copies + descriptors;
    }
    static std::uint8_t reg(std::uint32_t index) { return static_cast<std::uint8_t>(index); }
    [[nodiscard]] std::uint32_t all_sums() const { return sums_m * sums_n * sum_registers(); }
};

inline constexpr std::uint32_t kMaxThreadRegisters = 255;

/// What a CTA of a staged product takes of an SM.
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
