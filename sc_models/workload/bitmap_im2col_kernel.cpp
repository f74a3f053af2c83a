#include "sc_models/workload/bitmap_im2col_kernel.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::uint32_t kLoadRegisters = 4;
constexpr std::uint32_t kCopyBytes = kLoadRegisters * kWarpRegisterBytes;
constexpr std::uint32_t kTileRegisters =
    kSparseTileElements * std::uint32_t{sizeof(HalfBits)} / kWarpRegisterBytes;
// In registers: bitmaps, the values of a tile, what is loaded.
constexpr std::uint8_t kBitmaps = 0;
constexpr std::uint8_t kValues = 4;
constexpr std::uint8_t kLoaded = kValues + kTileRegisters;
constexpr std::uint32_t kAddressRegisters = 8;
constexpr std::uint32_t kLanes = 32;

}  // namespace

class BitmapIm2colProgram : public WarpProgram {
public:
    BitmapIm2colProgram(const BitmapIm2colKernel& kernel, std::uint64_t first, std::uint64_t end)
        : kernel_(kernel), group_(first), end_(end) {}

    std::size_t fill(WarpInstruction* out, std::size_t capacity) override {
        if (next_ == pending_.size()) {
            pending_.clear();
            next_ = 0;
            if (group_ < end_) {
                make_group(group_++);
            } else if (!exited_) {
                emit().opcode = Opcode::kExit;
                exited_ = true;
            }
        }
        const std::size_t count = std::min(capacity, pending_.size() - next_);
        std::copy_n(pending_.begin() + static_cast<std::ptrdiff_t>(next_), count, out);
        next_ += count;
        return count;
    }

private:
    WarpInstruction& emit() { return pending_.emplace_back(); }

    void make_group(std::uint64_t group) {
        const auto line_tile = static_cast<std::uint32_t>(group / kernel_.groups_of_lines_);
        const std::uint32_t first =
            static_cast<std::uint32_t>(group % kernel_.groups_of_lines_) * kernel_.group_tiles_;
        copies_.clear();
        kernel_.tiles_.copies(line_tile, first, kernel_.group_tiles_, 0, copies_);
        for (std::size_t i = 0; i < copies_.size(); ++i) {
            WarpInstruction& w = emit();
            w.opcode = Opcode::kLoadGlobal;
            w.dst = static_cast<std::uint8_t>(kLoaded + kLoadRegisters * i);
            w.rows = copies_[i].rows;
            w.row_bytes = copies_[i].row_bytes;
            w.row_pitch_bytes = copies_[i].global_pitch;
            w.register_pitch_bytes = copies_[i].row_bytes;
            w.address = copies_[i].global;
        }
        lower(ceil_div(kernel_.group_tiles_ * kDepthTile, kLanes));
        for (std::uint32_t t = 0; t < kernel_.group_tiles_; ++t) {
            store_tile(kernel_.lowered_.tile(line_tile, kernel_.order_[first + t]));
        }
    }

    /// The bitmaps of `instructions` x 32 columns.
    void lower(std::uint32_t instructions) {
        WarpInstruction& alu = emit();
        alu.src_a = kLoaded;
        alu.dst = kBitmaps;
        alu.count =
            static_cast<std::uint16_t>(BitmapIm2colKernel::kLoweringInstructions * instructions);
        for (std::uint32_t i = 0; i < BitmapIm2colKernel::kPopulationCounts * instructions; ++i) {
            WarpInstruction& w = emit();
            w.opcode = Opcode::kOperation;
            w.operation = Operation::kSpecialFunction;
            w.src_a = kBitmaps;
            w.dst = kBitmaps;
        }
    }

    void store_tile(std::uint64_t id) {
        const BitmapMatrix& lowered = kernel_.lowered_;
        store(kernel_.place_.descriptors + id * sizeof(std::uint32_t), sizeof(std::uint32_t),
              kBitmaps);
        if (lowered.tile_empty(id)) return;
        store(kernel_.place_.bitmaps + lowered.bitmap_offset_bytes(id), BitmapTiles::kBitmapBytes,
              kBitmaps);
        const std::uint32_t reads = ceil_div(std::uint32_t{lowered.tile_nnz(id)}, kLanes);
        for (std::uint32_t i = 0; i < reads; ++i) {
            WarpInstruction& w = emit();
            w.opcode = Opcode::kOperation;
            w.operation = Operation::kMove;
            w.src_a = kBitmaps;
            // The last loads too must have arrived.
            w.src_b = static_cast<std::uint8_t>(
                kLoaded + kLoadRegisters * (copies_.empty() ? 0 : copies_.size() - 1));
            w.dst = kValues;
        }
        const std::uint32_t bytes = kernel_.tiles_.value_bytes(id);
        for (std::uint32_t at = 0; at < bytes; at += kCopyBytes) {
            store(kernel_.place_.values + lowered.value_offset_bytes(id) + at,
                  std::min(kCopyBytes, bytes - at), kValues);
        }
    }

    void store(Address address, std::uint32_t bytes, std::uint8_t source) {
        WarpInstruction& w = emit();
        w.opcode = Opcode::kStoreGlobal;
        w.src_a = source;
        w.rows = 1;
        w.row_bytes = static_cast<std::uint16_t>(bytes);
        w.row_pitch_bytes = bytes;
        w.register_pitch_bytes = static_cast<std::uint16_t>(bytes);
        w.address = address;
    }

    const BitmapIm2colKernel& kernel_;
    std::uint64_t group_, end_;
    bool exited_ = false;
    std::vector<StagedCopy> copies_;
    std::vector<WarpInstruction> pending_;
    std::size_t next_ = 0;
};

BitmapIm2colKernel::BitmapIm2colKernel(std::string name, const LoweringShape& shape,
                                       const BitmapMatrix& map, const BitmapTiles::Place& map_place,
                                       const BitmapMatrix& lowered,
                                       const BitmapTiles::Place& lowered_place)
    : lowered_(lowered),
      place_(lowered_place),
      order_(taps_together(shape)),
      group_tiles_(taps_in_a_row(shape)),
      groups_of_lines_(lowered.k_tiles() / group_tiles_),
      groups_(std::uint64_t{lowered.line_tiles()} * groups_of_lines_),
      tiles_(lowered, map, map_place, shape, order_) {
    copies_ = tiles_.needs(group_tiles_).copies;
    const std::uint32_t registers =
        round_up(kLoaded + copies_ * kLoadRegisters + kAddressRegisters, 8U);
    if (registers > kMaxThreadRegisters) {
        throw ConfigError("workload.layer.filter_width: got " + std::to_string(shape.filter_width) +
                          ", expected a filter whose row of bitmap tiles fits 255 registers a "
                          "thread (this one: " +
                          std::to_string(registers) + ")");
    }
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

std::unique_ptr<WarpProgram> BitmapIm2colKernel::program(CtaId cta, std::uint32_t warp) const {
    const std::uint64_t first = (std::uint64_t{cta.value()} * kWarpsPerCta + warp) * kGroupsPerWarp;
    return std::make_unique<BitmapIm2colProgram>(*this, std::min(first, groups_),
                                                 std::min(first + kGroupsPerWarp, groups_));
}

}  // namespace tessera
