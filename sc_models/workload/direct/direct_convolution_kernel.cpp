#include "sc_models/workload/direct/direct_convolution_kernel.h"

#include <algorithm>
#include <limits>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_entries.h"

namespace tessera {
namespace {

constexpr std::uint8_t kSum = 0;           // register of the sums
constexpr std::uint8_t kFirstOperand = 2;  // two per element of an iteration
constexpr std::uint32_t kOtherRegisters = 16;

using Operand = LaneLayout::Operand;
using Tile = DirectConvolutionKernel::Tile;

class Program : public WarpProgram {
public:
    Program(const DirectConvolutionKernel& kernel, const Tile* tile)
        : kernel_(kernel), config_(kernel.config()), ended_(tile == nullptr) {
        if (ended_) return;
        tile_ = *tile;
        y_ = tile_.first_row;
        x_ = tile_.column;
    }

    std::size_t fill(WarpInstruction* out, std::size_t capacity) override {
        const WarpInstruction* const begin = out;
        const WarpInstruction* const end = out + capacity;
        while (computing_) {
            if (element_ == operation_.length) {
                close();
                continue;
            }
            const std::uint32_t elements = std::min(config_.unroll, operation_.length - element_);
            if (static_cast<std::size_t>(end - out) < 3 * elements + 1 + kReserve) {
                return static_cast<std::size_t>(out - begin);
            }
            out = iteration(out, elements);
        }
        if (commits_) out = commit(out);
        if (ended_) {
            *out++ = WarpInstruction(Opcode::kExit);
        } else {
            out = open(out);
        }
        return static_cast<std::size_t>(out - begin);
    }

    [[nodiscard]] const VectorOperation& vector_operation() const override { return operation_; }

    void resolve(VectorOutcome outcome) override {
        has_sums_ = summed_before_ || outcome != VectorOutcome::kAssigned;
        if (outcome == VectorOutcome::kNormal) return;
        element_ = operation_.length;
    }

private:
    /// Capacity for a commit and the next kVectorOp.
    static constexpr std::size_t kReserve = 2;

    WarpInstruction* open(WarpInstruction* out) {
        operation_ = kernel_.operation(tile_, y_, x_, r_, row_);
        computing_ = true;
        element_ = 0;
        summed_before_ = has_sums_;
        has_sums_ = true;
        *out = WarpInstruction(Opcode::kVectorOp);
        out->count = static_cast<std::uint16_t>(config_.overhead_instructions);
        out->memory().address = operation_.input;
        return out + 1;
    }

    WarpInstruction* iteration(WarpInstruction* out, std::uint32_t elements) {
        for (std::uint32_t i = 0; i < elements; ++i) {
            const Address offset = Address{element_ + i} * kFloatBytes;
            const auto reg = static_cast<std::uint8_t>(kFirstOperand + 2 * i);
            out = load(out, Operand::kInput, operation_.input + offset, reg);
            out = load(out, Operand::kWeights, operation_.weights + offset,
                       static_cast<std::uint8_t>(reg + 1));
        }
        for (std::uint32_t i = 0; i < elements; ++i) {
            *out = WarpInstruction(Opcode::kOperation);
            out->set_operation(Operation::kFp32);
            out->dst = kSum;
            out->src_a = static_cast<std::uint8_t>(kFirstOperand + 2 * i);
            out->src_b = static_cast<std::uint8_t>(kFirstOperand + 2 * i + 1);
            ++out;
        }
        if (config_.loop_instructions > 0) {
            *out = WarpInstruction{};
            out->count = static_cast<std::uint16_t>(config_.loop_instructions);
            ++out;
        }
        element_ += elements;
        return out;
    }

    WarpInstruction* load(WarpInstruction* out, Operand operand, Address address,
                          std::uint8_t reg) const {
        *out = WarpInstruction(Opcode::kLoadGlobal);
        out->dst = reg;
        out->memory().address = address;
        out->memory().lanes = operation_.layout->access(operand, address);
        return out + 1;
    }

    /// Ends the operation: advances to the next one, and commits the sums before it if needed.
    void close() {
        computing_ = false;
        const DirectGeometry& g = kernel_.geometry();
        const bool outer = config_.loop_order == DirectLoopOrder::kReductionOuter;
        bool window = false, output = false;
        if (++row_ == g.kernel_height) {
            row_ = 0;
            window = true;
            output = outer || r_ + 1 == g.reduction;
            outer ? next_window_first() : next_plane_first();
        }
        const bool due = config_.atomics == AtomicGranularity::kVectorOp ||
                         (config_.atomics == AtomicGranularity::kWindow && window) ||
                         (config_.atomics == AtomicGranularity::kOutput && output);
        commits_ = due && has_sums_;
        if (due) has_sums_ = false;
    }

    bool next_window() {
        if (++x_ < tile_.column + tile_.columns) return true;
        x_ = tile_.column;
        if (++y_ < tile_.end_row) return true;
        y_ = tile_.first_row;
        return false;
    }
    void next_plane_first() {
        if (++r_ < kernel_.geometry().reduction) return;
        r_ = 0;
        ended_ = !next_window();
    }
    void next_window_first() {
        if (next_window()) return;
        ended_ = ++r_ == kernel_.geometry().reduction;
    }

    WarpInstruction* commit(WarpInstruction* out) {
        commits_ = false;
        *out = WarpInstruction(Opcode::kAtomicGlobal);
        out->src_a = kSum;
        out->memory().address = operation_.output;
        out->memory().lanes = operation_.layout->access(Operand::kOutput, operation_.output);
        return out + 1;
    }

    const DirectConvolutionKernel& kernel_;
    const DirectConfig& config_;
    Tile tile_;
    std::uint32_t y_ = 0, x_ = 0, r_ = 0, row_ = 0;
    VectorOperation operation_;
    std::uint32_t element_ = 0;   ///< next of the operation's
    bool computing_ = false;      ///< a kVectorOp has been issued and is not complete
    bool commits_ = false;        ///< an atomic is due
    bool has_sums_ = false;       ///< there are sums to add to memory
    bool summed_before_ = false;  ///< has_sums_ before the current operation
    bool ended_;
};

}  // namespace

DirectConvolutionKernel::DirectConvolutionKernel(std::string name, const DirectGeometry& geometry,
                                                 const DirectConfig& config, const Regions& regions,
                                                 const AccessGranularity& granularity)
    : geometry_(geometry),
      config_(config),
      regions_(regions),
      tiling_(geometry, config, granularity) {
    const std::uint64_t tiles = tiling_.count();
    if (tiles > std::numeric_limits<std::uint32_t>::max() / 2) {
        throw ConfigError("workload.layer.batch: too many tiles for one launch");
    }
    tiles_ = static_cast<std::uint32_t>(tiles);
    info_.name = std::move(name);
    info_.ctas = ceil_div(tiles_, config.cta_warps);
    info_.warps_per_cta = config.cta_warps;
    info_.registers_per_thread = kOtherRegisters + 2 * config.unroll;
    info_.scoreboard_registers = kFirstOperand + 2 * config.unroll;
    info_.outputs = regions.output;
    info_.output_bytes = geometry.output_floats * kFloatBytes;
    info_.output_count = geometry.outputs();
    info_.operations_per_output = geometry.operations_per_output();
    for (std::uint32_t warp = 0; warp < config.cta_warps; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

std::unique_ptr<WarpProgram> DirectConvolutionKernel::program(CtaId cta, std::uint32_t warp) const {
    const std::uint64_t index = std::uint64_t{cta.value()} * config_.cta_warps + warp;
    if (index >= tiles_) return std::make_unique<Program>(*this, nullptr);
    const Tile mine = tile(static_cast<std::uint32_t>(index));
    return std::make_unique<Program>(*this, &mine);
}

VectorOperation DirectConvolutionKernel::operation(const Tile& tile, std::uint32_t y,
                                                   std::uint32_t x, std::uint32_t r,
                                                   std::uint32_t kh) const {
    const DirectGeometry& g = geometry_;
    VectorOperation op;
    op.input = regions_.input +
               kFloatBytes * (g.input_plane(tile.image, tile.plane, r) +
                              (std::uint64_t{y} * g.stride + kh) * g.in_width + x * g.stride);
    op.weights = regions_.weights + kFloatBytes * (g.weight_plane(tile.image, tile.plane, r) +
                                                   std::uint64_t{kh} * g.kernel_width);
    op.output = regions_.output + kFloatBytes * (g.output_plane(tile.image, tile.plane) +
                                                 std::uint64_t{y} * g.out_width + x);
    op.layout = tile.layout;
    op.length = g.kernel_width;
    op.window_row = kh;
    op.row_step = g.stride;
    op.windows_below = tile.end_row - 1 - y;
    op.weight_row_bytes = g.kernel_width * kFloatBytes;
    return op;
}

}  // namespace tessera
