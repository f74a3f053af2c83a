#include <algorithm>
#include <utility>

#include "sc_models/workload/tensor/tensor_kernels.h"

namespace tessera {
namespace {

constexpr std::uint32_t kWarps = 8;           // of a CTA: chosen
constexpr std::uint32_t kTileRowBytes = 128;  // a line
constexpr std::uint32_t kBankBytes = 4;
constexpr std::uint32_t kSharedPitch = kTileRowBytes + kBankBytes;
constexpr std::uint32_t kRowsAtOnce = 4;  // tile rows of a 512-byte access
constexpr std::uint32_t kRegistersPerThread = 32;
constexpr std::uint32_t kIndexInstructions = 24;  // of both sides: chosen
// Registers as the scoreboard counts them: one set per group of rows that a warp loads.
constexpr std::uint32_t kMostGroups = 2;
constexpr std::uint32_t kScoreboard = 2 * kMostGroups * kChunkRegisters;

/// The tile of a CTA: `rows` along the result's last axis, `columns` along the operand's.
struct Tile {
    Address from = 0, to = 0;  ///< of its first element
    std::uint32_t rows = 0, columns = 0;
    std::uint64_t from_pitch = 0,
                  to_pitch = 0;  ///< between neighbours along the other tensor's last axis, bytes
    std::uint32_t element = 2;   ///< bytes
};

class TileProgram : public WarpProgram {
public:
    TileProgram(const Tile& tile, std::uint32_t warp) : tile_(tile), warp_(warp) {}

    std::size_t fill(WarpInstruction* out, std::size_t capacity) override {
        if (out_.empty()) make();
        const std::size_t count = std::min(capacity, out_.size() - next_);
        std::copy_n(out_.begin() + static_cast<std::ptrdiff_t>(next_), count, out);
        next_ += count;
        return count;
    }

private:
    WarpInstruction& emit(Opcode opcode) { return out_.emplace_back(opcode); }

    void make() {
        emit(Opcode::kAlu).count = kIndexInstructions;
        const std::uint32_t side = kTileRowBytes / tile_.element;
        const std::uint32_t a_warp = ceil_div(side, kWarps);  // tile rows
        const std::uint32_t first = warp_ * a_warp;
        const auto groups = [&](std::uint32_t most, const auto& what) {
            const std::uint32_t end = std::min(first + a_warp, most);
            for (std::uint32_t row = first, group = 0; row < end; row += kRowsAtOnce, ++group) {
                what(row, std::min(kRowsAtOnce, end - row),
                     static_cast<std::uint8_t>(group * kChunkRegisters));
            }
        };
        groups(tile_.rows, [&](std::uint32_t row, std::uint32_t n, std::uint8_t reg) {
            rows(Opcode::kLoadGlobal, reg, tile_.from + row * tile_.from_pitch, tile_.from_pitch, n,
                 tile_.columns);
        });
        groups(tile_.rows, [&](std::uint32_t row, std::uint32_t n, std::uint8_t reg) {
            rows(Opcode::kStoreShared, reg, Address{row} * kSharedPitch, kSharedPitch, n,
                 tile_.columns);
        });
        emit(Opcode::kBarrier);
        constexpr std::uint32_t kBehind = kMostGroups * kChunkRegisters;
        groups(tile_.columns, [&](std::uint32_t column, std::uint32_t n, std::uint8_t reg) {
            for (std::uint32_t i = 0; i < n; ++i) {
                gather(column + i, static_cast<std::uint8_t>(kBehind + reg + i));
            }
            // Waits for all of them before the first store.
            WarpInstruction& wait = emit(Opcode::kOperation);
            wait.set_operation(Operation::kMove);
            wait.src_a = static_cast<std::uint8_t>(kBehind + reg);
            wait.set_function(nullptr, n);
            rows(Opcode::kStoreGlobal, static_cast<std::uint8_t>(kBehind + reg),
                 tile_.to + column * tile_.to_pitch, tile_.to_pitch, n, tile_.rows);
        });
        emit(Opcode::kExit);
    }

    void rows(Opcode opcode, std::uint8_t reg, Address address, std::uint64_t pitch,
              std::uint32_t n, std::uint32_t elements) {
        WarpInstruction w(opcode);
        (opcode == Opcode::kLoadGlobal ? w.dst : w.src_a) = reg;
        w.memory().set_rows(address, n, elements * tile_.element, pitch);
        w.registers().pitch_bytes = kTileRowBytes;
        if (w.memory().row_pitch_bytes == pitch && aligned(address, pitch)) {
            out_.push_back(w);
            return;
        }
        // With narrower lanes each row is separate, and in halves if lanes take two bytes.
        const bool shared = opcode == Opcode::kStoreShared;
        const bool narrow = !shared && (address % kBankBytes != 0 || pitch % kBankBytes != 0);
        const std::uint32_t most = narrow ? kTileRowBytes / 2 : kTileRowBytes;
        const std::uint32_t bytes = elements * tile_.element;
        for (std::uint32_t i = 0; i < n; ++i) {
            for (std::uint32_t at = 0; at < bytes; at += most) {
                WarpInstruction& row = out_.emplace_back(w);
                (opcode == Opcode::kLoadGlobal ? row.dst : row.src_a) =
                    static_cast<std::uint8_t>(reg + i);
                row.memory().set_rows(address + i * pitch + at, 1, std::min(most, bytes - at),
                                      pitch);
                row.registers().offset_bytes = static_cast<std::uint16_t>(at);
            }
        }
    }

    /// Whether lanes can have 128 bits, which four rows at once need.
    [[nodiscard]] static bool aligned(Address address, std::uint64_t pitch) {
        return address % kVectorBytes == 0 && pitch % kVectorBytes == 0;
    }

    /// Reads a column of the tile, 32 elements at a time.
    void gather(std::uint32_t column, std::uint8_t reg) {
        for (std::uint32_t row = 0; row < tile_.rows; row += kWarpLanes) {
            WarpInstruction& w = emit(Opcode::kLoadShared);
            w.dst = reg;
            w.memory().set_rows(Address{row} * kSharedPitch + column * tile_.element,
                                std::min(kWarpLanes, tile_.rows - row), tile_.element,
                                kSharedPitch);
            w.registers().offset_bytes = static_cast<std::uint16_t>(row * tile_.element);
            w.registers().pitch_bytes = w.memory().row_bytes;
        }
    }

    const Tile tile_;
    const std::uint32_t warp_;
    std::vector<WarpInstruction> out_;
    std::size_t next_ = 0;
};

constexpr std::size_t kNone = ~std::size_t{0};

/// The axis, other than the last, that is contiguous in the operand.
std::size_t operand_axis(const TensorPart& part) {
    for (std::size_t d = 0; d + 1 < part.kept.size(); ++d) {
        if (part.operands[0].axes[d].kept == 1 && part.kept[d] > 1) return d;
    }
    return kNone;
}

std::uint32_t tile_side(const TensorPlan& plan) {
    return kTileRowBytes / (plan.type == TensorType::kFp32 ? 4U : 2U);
}

}  // namespace

bool TensorTileKernel::suits(const TensorPlan& plan) {
    constexpr std::uint64_t kLeast = 8;  // of both axes; the caches handle smaller ones: chosen
    const TensorFormula& f = plan.formula;
    if (!plan.types.empty()) return false;  // tiles are of halves or FP32
    if (plan.parts.size() != 1 || f.operands != 1 || !f.passes.empty() || f.cost.fp32 != 0) {
        return false;
    }
    const TensorPart& part = plan.parts[0];
    const TensorView& view = part.operands[0];
    const auto has_table = [](const TensorAxis& axis) { return !axis.table.empty(); };
    const auto goes_back = [](const TensorAxis& axis) { return axis.kept <= 0; };
    if (std::any_of(view.axes.begin(), view.axes.end(), has_table) ||
        std::any_of(view.axes.begin(), view.axes.end(), goes_back)) {
        return false;
    }
    const std::size_t along = operand_axis(part);
    return along != kNone && part.result.axes.back().kept == 1 && view.axes.back().kept > 1 &&
           part.kept[along] >= kLeast && part.kept.back() >= kLeast;
}

TensorTileKernel::TensorTileKernel(TensorTask task)
    : TensorKernel(std::move(task)), along_(operand_axis(plan().parts[0])) {
    const TensorPart& part = plan().parts[0];
    const std::uint64_t side = tile_side(plan());
    std::uint64_t ctas = 1;
    for (std::size_t d = 0; d < part.kept.size(); ++d) {
        const bool tiled = d == along_ || d + 1 == part.kept.size();
        ctas *= tiled ? ceil_div(part.kept[d], side) : part.kept[d];
    }
    set_grid(ctas, kWarps);
    info_.registers_per_thread = kRegistersPerThread;
    info_.scoreboard_registers = kScoreboard;
    info_.shared_memory_bytes = static_cast<std::uint32_t>(side) * kSharedPitch;
}

std::unique_ptr<WarpProgram> TensorTileKernel::program(CtaId cta, std::uint32_t warp) const {
    const TensorPart& part = plan().parts[0];
    const TensorView& from = part.operands[0];
    const std::size_t last = part.kept.size() - 1;
    const std::uint64_t side = tile_side(plan());
    const std::uint64_t bytes = kTileRowBytes / side;
    Tile tile;
    tile.element = static_cast<std::uint32_t>(bytes);
    std::uint64_t index = cta.value();
    auto from_offset = static_cast<std::uint64_t>(from.start);
    auto to_offset = static_cast<std::uint64_t>(part.result.start);
    for (std::size_t d = last + 1; d-- > 0;) {
        const bool tiled = d == along_ || d == last;
        const std::uint64_t count = tiled ? ceil_div(part.kept[d], side) : part.kept[d];
        std::uint64_t at = index % count;
        index /= count;
        if (tiled) {
            at *= side;
            (d == last ? tile.rows : tile.columns) =
                static_cast<std::uint32_t>(std::min(side, part.kept[d] - at));
        }
        from_offset += at * static_cast<std::uint64_t>(from.axes[d].kept);
        to_offset += at * static_cast<std::uint64_t>(part.result.axes[d].kept);
    }
    tile.from = task_.addresses.operands[from.tensor] + from_offset * bytes;
    tile.to = task_.addresses.results[part.result.tensor] + to_offset * bytes;
    tile.from_pitch = static_cast<std::uint64_t>(from.axes[last].kept) * bytes;
    tile.to_pitch = static_cast<std::uint64_t>(part.result.axes[along_].kept) * bytes;
    return std::make_unique<TileProgram>(tile, warp);
}

}  // namespace tessera
