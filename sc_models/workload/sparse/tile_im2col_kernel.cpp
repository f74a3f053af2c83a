#include "sc_models/workload/sparse/tile_im2col_kernel.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <stdexcept>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::uint32_t kCopyBytes = kCopyRegisters * kWarpRegisterBytes;
constexpr std::uint32_t kTileRegisters =
    kSparseTileElements * std::uint32_t{sizeof(HalfBits)} / kWarpRegisterBytes;
constexpr std::uint32_t kAddressRegisters = 8;
constexpr std::uint32_t kLanes = 32;
constexpr std::uint32_t kByte = 8;
constexpr std::uint32_t kHalfBits = sizeof(HalfBits) * kByte;
/// Number of values in a store of kCopyBytes.
constexpr std::uint32_t kStoredValues = kCopyBytes / sizeof(HalfBits);

}  // namespace

class TileIm2colProgram : public WarpProgram {
public:
    TileIm2colProgram(const TileIm2colKernel& kernel, std::uint64_t first, std::uint64_t end)
        : kernel_(kernel), bitmaps_(kernel.place_.with_bitmaps), group_(first), end_(end) {}

    std::size_t fill(WarpInstruction* out, std::size_t capacity) override {
        if (next_ == pending_.size()) {
            pending_.clear();
            gathers_.clear();
            next_ = 0;
            if (group_ < end_) {
                make_group(group_++);
            } else if (!exited_) {
                emit(Opcode::kExit);
                exited_ = true;
            }
        }
        const std::size_t count = std::min(capacity, pending_.size() - next_);
        std::copy_n(pending_.begin() + static_cast<std::ptrdiff_t>(next_), count, out);
        next_ += count;
        return count;
    }

private:
    WarpInstruction& emit(Opcode opcode) { return pending_.emplace_back(opcode); }

    void make_group(std::uint64_t group) {
        const auto line_tile = static_cast<std::uint32_t>(group / kernel_.groups_of_lines_);
        const std::uint32_t first =
            static_cast<std::uint32_t>(group % kernel_.groups_of_lines_) * kernel_.group_tiles_;
        const auto lowered_tile = [&](std::uint32_t t) {
            return kernel_.lowered_.tile(line_tile, kernel_.order_[first + t]);
        };
        if (bitmaps_) {
            load_descriptors(lowered_tile(0), kernel_.group_tiles_ > 1 ? lowered_tile(1) : 0);
        }
        load_inputs(line_tile, first);
        emit(Opcode::kFence);
        const auto elements = [&](bool bitmaps) {
            moves_.clear();
            if (!kernel_.values_) return;
            kernel_.map_->gather(line_tile, first, kernel_.group_tiles_, bitmaps, moves_);
            for (BitGather::Move& move : moves_) move.from = in_registers(move.from);
        };
        if (bitmaps_) {
            elements(true);
            lower();
        }
        elements(false);
        std::size_t move = 0;
        for (std::uint32_t t = 0; t < kernel_.group_tiles_; ++t) {
            const std::uint64_t id = lowered_tile(t);
            if (bitmaps_ && !kernel_.lowered_.tile_empty(id)) {
                const std::uint32_t at = t * BitmapTiles::kBitmapBytes;
                store(kernel_.place_.bitmaps + kernel_.lowered_.bitmap_offset_bytes(id),
                      BitmapTiles::kBitmapBytes, at / kWarpRegisterBytes, at % kWarpRegisterBytes);
            }
            move = store_values(id, move);
        }
    }

    /// Loads the descriptors of the group's tiles, which are equidistant.
    void load_descriptors(std::uint64_t first, std::uint64_t second) {
        WarpInstruction& w = emit(Opcode::kLoadGlobal);
        w.dst = kernel_.descriptor_register_;
        const std::uint64_t pitch = kernel_.group_tiles_ > 1 ? second - first : 0;
        w.memory().set_rows(kernel_.place_.descriptors + first * sizeof(std::uint32_t),
                            kernel_.group_tiles_, sizeof(std::uint32_t),
                            pitch * sizeof(std::uint32_t));
        w.registers().pitch_bytes = sizeof(std::uint32_t);
    }

    void load_inputs(std::uint32_t line_tile, std::uint32_t first) {
        copies_.clear();
        kernel_.map_->copies(line_tile, first, kernel_.group_tiles_, 0, copies_);
        std::uint32_t reg = kernel_.loaded_register_;
        for (const StagedCopy& copy : copies_) {
            pending_.push_back(copy.load_to(static_cast<std::uint8_t>(reg)));
            reg += copy.registers();
        }
    }

    /// Maps a bit of the slot that the group's copies would have to the registers that they were
    /// loaded to.
    [[nodiscard]] std::uint32_t in_registers(std::uint32_t slot_bit) const {
        std::uint32_t reg = kernel_.loaded_register_;
        for (const StagedCopy& copy : copies_) {
            const std::uint32_t pitch = std::max(copy.shared_pitch, copy.stored_row_bytes());
            const std::uint32_t byte = slot_bit / kByte;
            if (byte >= copy.shared) {
                const std::uint32_t row = (byte - copy.shared) / pitch;
                const std::uint32_t column = (byte - copy.shared) % pitch;
                if (row < copy.stored_rows() && column < copy.stored_row_bytes()) {
                    return (reg * kWarpRegisterBytes + row * copy.stored_row_bytes() + column) *
                               kByte +
                           slot_bit % kByte;
                }
            }
            reg += copy.registers();
        }
        throw std::logic_error("TileIm2colKernel: an input of a group is in none of its copies");
    }

    /// Lowers the bitmaps of the group, 32 columns per instruction.
    void lower() {
        const std::uint32_t instructions = ceil_div(kernel_.group_tiles_ * kDepthTile, kLanes);
        WarpInstruction& alu = emit(Opcode::kAlu);
        alu.dst = 0;
        alu.moves().zero_fill = kernel_.value_register_;
        alu.count =
            static_cast<std::uint16_t>(TileIm2colKernel::kLoweringInstructions * instructions);
        if (kernel_.values_) {
            alu.moves().gather = &gathers_.emplace_back(BitGather{1, moves_});
        }
        for (std::uint32_t i = 0; i < TileIm2colKernel::kPopulationCounts * instructions; ++i) {
            WarpInstruction& w = emit(Opcode::kOperation);
            w.set_operation(Operation::kSpecialFunction);
            w.src_a = w.dst = 0;
        }
    }

    /// Stores the values of a tile whose moves begin with `move`; returns the first move of the
    /// next tile.
    std::size_t store_values(std::uint64_t id, std::size_t move) {
        const std::uint32_t count = kernel_.lowered_.tile_nnz(id);
        const std::uint32_t bytes =
            round_up(count * std::uint32_t{sizeof(HalfBits)}, kValueAlignmentBytes);
        for (std::uint32_t first = 0; first < count; first += kStoredValues) {
            const std::uint32_t begin = first * std::uint32_t{sizeof(HalfBits)};
            const std::uint32_t reg = kernel_.value_register_ + begin / kWarpRegisterBytes;
            const std::uint32_t end = std::min(count, first + kStoredValues);
            for (std::uint32_t i = first; i < end; i += kLanes) {
                WarpInstruction& w = emit(Opcode::kOperation);
                w.set_operation(Operation::kMove);
                if (bitmaps_) w.src_a = 0;
                w.dst = static_cast<std::uint8_t>(reg);
                if (i == first) w.moves().zero_fill = kCopyRegisters;
                if (!kernel_.values_) continue;
                BitGather& gather = gathers_.emplace_back();
                gather.unit_bits = kHalfBits;
                w.moves().gather = &gather;
                for (std::uint32_t at = i; at < std::min(i + kLanes, end); ++at) {
                    gather.moves.push_back({moves_.at(move++).from, (at - first) * kHalfBits});
                }
            }
            store(kernel_.place_.values + kernel_.lowered_.value_offset_bytes(id) + begin,
                  std::min(kCopyBytes, bytes - begin), reg, 0);
        }
        return move;
    }

    void store(Address address, std::uint32_t bytes, std::uint32_t source, std::uint32_t offset) {
        WarpInstruction& w = emit(Opcode::kStoreGlobal);
        w.src_a = static_cast<std::uint8_t>(source);
        w.memory().set_rows(address, 1, bytes, bytes);
        w.registers().offset_bytes = static_cast<std::uint16_t>(offset);
        w.registers().pitch_bytes = static_cast<std::uint16_t>(bytes);
    }

    const TileIm2colKernel& kernel_;
    const bool bitmaps_;
    std::uint64_t group_, end_;
    bool exited_ = false;
    std::vector<StagedCopy> copies_;
    std::vector<BitGather::Move> moves_;
    std::deque<BitGather> gathers_;  ///< of the instructions returned last
    std::vector<WarpInstruction> pending_;
    std::size_t next_ = 0;
};

TileIm2colKernel::TileIm2colKernel(std::string name, std::unique_ptr<BitmapTiles> map,
                                   const PlacedTiles& lowered, TileGroups groups, bool values)
    : map_(std::move(map)),
      lowered_(lowered.matrix),
      place_(lowered.place),
      order_(std::move(groups.order)),
      group_tiles_(groups.tiles),
      values_(values),
      groups_of_lines_(lowered_.k_tiles() / group_tiles_),
      groups_(std::uint64_t{lowered_.line_tiles()} * groups_of_lines_) {
    // Registers in order: bitmaps, values of a tile, descriptors, loaded data.
    const std::uint32_t bitmaps =
        place_.with_bitmaps ? ceil_div(group_tiles_ * BitmapTiles::kBitmapBytes, kWarpRegisterBytes)
                            : 0;
    const std::uint32_t descriptors =
        place_.with_bitmaps
            ? ceil_div(group_tiles_ * std::uint32_t{sizeof(std::uint32_t)}, kWarpRegisterBytes)
            : 0;
    const std::uint32_t loaded = bitmaps + kTileRegisters + descriptors;
    const std::uint32_t registers =
        round_up(loaded + map_->needs(group_tiles_).copy_registers + kAddressRegisters, 8U);
    if (registers > kMaxThreadRegisters) {
        throw ConfigError("workload.layer.filter_width: got " + std::to_string(group_tiles_) +
                          ", expected a filter whose row of tiles fits 255 registers a thread "
                          "(this one: " +
                          std::to_string(registers) + ")");
    }
    value_register_ = static_cast<std::uint8_t>(bitmaps);
    descriptor_register_ = static_cast<std::uint8_t>(bitmaps + kTileRegisters);
    loaded_register_ = static_cast<std::uint8_t>(loaded);
    const std::uint64_t ctas = ceil_div(groups_, std::uint64_t{kWarpsPerCta} * kGroupsPerWarp);
    if (ctas >= std::numeric_limits<std::uint32_t>::max()) {
        throw ConfigError("workload.layer.batch: feature map too large");
    }
    info_.name = std::move(name);
    info_.ctas = static_cast<std::uint32_t>(ctas);
    info_.warps_per_cta = kWarpsPerCta;
    info_.registers_per_thread = registers;
    for (std::uint32_t warp = 0; warp < kWarpsPerCta; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

std::unique_ptr<WarpProgram> TileIm2colKernel::program(CtaId cta, std::uint32_t warp) const {
    const std::uint64_t first = (std::uint64_t{cta.value()} * kWarpsPerCta + warp) * kGroupsPerWarp;
    return std::make_unique<TileIm2colProgram>(*this, std::min(first, groups_),
                                               std::min(first + kGroupsPerWarp, groups_));
}

}  // namespace tessera
