#include "sc_models/workload/depthwise/depthwise_program.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "sc_models/workload/batched_program.h"
#include "sc_models/workload/depthwise/depthwise_lanes.h"
#include "sc_models/workload/register_values.h"

namespace tessera {
namespace {

// Chosen as the cost of a compiled loop of this kind.
constexpr std::uint32_t kIndexInstructions = 20;  // image, row, strip and channels of a thread
constexpr std::uint32_t kRowInstructions = 4;     // addresses of the next row, bounds check
constexpr std::uint32_t kInputRows = DepthwiseRegisters::kInputRows;
constexpr std::uint32_t kResults = DepthwiseRegisters::kResults;

constexpr std::uint64_t kHalfBytes = sizeof(HalfBits);

using OperandExtent = ProductEpilogue::OperandExtent;

std::int64_t to_signed(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

/// Program of one warp: a block of lanes along a row of the output.
class DepthwiseProgram : public BatchedProgram, public RegisterFunction {
public:
    /// Creates the program for row `row` of image `image` and the lanes of `block`.
    DepthwiseProgram(const DepthwiseKernel& kernel, std::uint64_t image, std::int64_t row,
                     std::uint64_t block)
        : kernel_(kernel),
          task_(kernel.task()),
          pass_(*task_.pass),
          registers_(kernel.registers()),
          lanes_(kernel, image, row, block),
          row_(row) {}

    /// Creates a program without work.
    explicit DepthwiseProgram(const DepthwiseKernel& kernel)
        : DepthwiseProgram(kernel, 0, 0, std::numeric_limits<std::uint32_t>::max()) {}

    void apply(const WarpInstruction& w, std::byte* registers) const override {
        switch (static_cast<Function>(w.call().variant)) {
            case Function::kClear:
                for (std::uint32_t i = 0; i < task_.tile.strip * task_.tile.vector; ++i) {
                    std::memset(registers + (registers_.sums + i) * kWarpRegisterBytes, 0,
                                kWarpRegisterBytes);
                }
                return;
            case Function::kMultiply:
                return multiply(w, registers);
            case Function::kStep:
                return step(w, registers);
            case Function::kRound:
                return round(w, registers);
        }
    }

private:
    enum class Function : std::uint32_t { kClear, kMultiply, kStep, kRound };
    enum class Stage { kBegin, kRows, kPixels };

    void integer(std::uint32_t count) {
        emit(Opcode::kAlu).count = static_cast<std::uint16_t>(count);
    }
    /// Emits `count` instructions on the FP32 lanes that read `sources` registers from `src` on.
    FunctionCall& compute(std::uint32_t count, std::uint32_t dst, std::uint32_t src,
                          std::uint32_t sources, const RegisterFunction* function, Function which) {
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kFp32);
        w.count = static_cast<std::uint16_t>(count);
        w.dst = static_cast<std::uint8_t>(dst);
        w.src_a = static_cast<std::uint8_t>(src);
        FunctionCall& call = w.set_function(function, sources);
        call.variant = static_cast<std::uint32_t>(which);
        return call;
    }

    void make_batch() override {
        if (lanes_.active() == 0) return exit();
        switch (stage_) {
            case Stage::kBegin:
                return begin();
            case Stage::kRows:
                return next_row();
            case Stage::kPixels:
                return next_pixel();
        }
    }

    // Sums

    void begin() {
        const ConvolutionAxis& y = pass_.rows();
        integer(kIndexInstructions + registers_.columns);
        for (std::int64_t tap = 0; tap < y.filter; ++tap) {
            const std::int64_t from = row_ * y.stride - y.pad + tap * y.dilation;
            if (from >= 0 && from < y.size) rows_.emplace_back(tap, from);
        }
        if (!rows_.empty()) load_row(0);
        load_filter();
        compute(task_.tile.strip * task_.tile.vector, registers_.sums, registers_.sums, 1, this,
                Function::kClear);
        batch().back().set_operation(Operation::kMove);
        stage_ = Stage::kRows;
    }

    /// First register of the vectors of a tap of the filter.
    [[nodiscard]] std::uint32_t filter_register(std::int64_t y, std::uint32_t x) const {
        const auto tap = static_cast<std::uint32_t>(y * pass_.columns().filter + x);
        return registers_.filter + tap * registers_.of_vector;
    }
    [[nodiscard]] std::uint32_t input_register(std::size_t row, std::size_t column) const {
        const auto index = static_cast<std::uint32_t>(row % kInputRows) * registers_.columns +
                           static_cast<std::uint32_t>(column);
        return registers_.inputs + index * registers_.of_input;
    }

    void load_filter() {
        for (std::uint32_t tap = 0; tap < pass_.taps(); ++tap) {
            const auto at = [&](std::uint32_t lane) {
                return to_signed((tap * pass_.output_pitch() + lanes_.channel(lane)) * kHalfBytes);
            };
            load(task_.filters, registers_.filter + tap * registers_.of_vector, task_.tile.vector,
                 at, [](std::uint32_t) { return true; });
        }
    }

    void load_row(std::size_t row) {
        for (std::size_t column = 0; column < kernel_.columns().size(); ++column) {
            const auto at = [&](std::uint32_t lane) {
                return lanes_.input_offset(lane, rows_[row].second, column);
            };
            load(task_.input, input_register(row, column), registers_.inputs_of_lane, at,
                 [&](std::uint32_t lane) { return lanes_.is_inside(lane, column); });
        }
    }

    /// Loads `halves` for each lane for which `is_there` holds, from its offset `at`, into
    /// registers by lane.
    template <class At, class Is>
    void load(Address base, std::uint32_t to, std::uint32_t halves, const At& at,
              const Is& is_there) {
        LaneOffsets access;
        access.access_bytes = static_cast<std::uint32_t>(halves * kHalfBytes);
        std::vector<LaneAccess::Piece> wanted;
        for (std::uint32_t lane = 0; lane < lanes_.active(); ++lane) {
            if (!is_there(lane)) continue;
            access.mask |= 1U << lane;
            access.offset[lane] = at(lane);
            if (!task_.values) continue;
            wanted.push_back(
                {access.offset[lane], access.access_bytes, lane * access.access_bytes});
        }
        if (access.mask == 0) return;
        LaneAccess& kept = keep(coalesce_global(access, base, task_.granularity));
        kept.wanted = std::move(wanted);
        WarpInstruction& w = emit(Opcode::kLoadGlobal);
        w.dst = static_cast<std::uint8_t>(to);
        w.memory().address = base;
        w.memory().lanes = &kept;
    }

    /// Converts the filter's row, then processes the input's columns in order of arrival.
    void next_row() {
        if (at_ == rows_.size()) {
            stage_ = Stage::kPixels;
            return next_pixel();
        }
        integer(kRowInstructions);
        if (at_ + 1 < rows_.size()) load_row(at_ + 1);
        const std::uint32_t vector = task_.tile.vector;
        const auto taps = static_cast<std::uint32_t>(pass_.columns().filter);
        const std::uint32_t filter = filter_register(rows_[at_].first, 0);
        compute(taps * vector, kNoRegister, filter, taps * registers_.of_vector, nullptr,
                Function::kClear);
        for (std::size_t column = 0; column < kernel_.columns().size(); ++column) {
            if (!lanes_.is_any_inside(column)) continue;
            const auto products =
                static_cast<std::uint32_t>(kernel_.columns()[column].products.size());
            FunctionCall& call = compute(registers_.inputs_of_lane + products * vector,
                                         registers_.sums, input_register(at_, column),
                                         registers_.of_input, this, Function::kMultiply);
            call.position = at_ * kernel_.columns().size() + column;
        }
        ++at_;
    }

    void multiply(const WarpInstruction& w, std::byte* registers) const {
        const std::size_t columns = kernel_.columns().size();
        const std::size_t row = w.call().position / columns, column = w.call().position % columns;
        const std::uint32_t vector = task_.tile.vector;
        for (std::uint32_t lane = 0; lane < lanes_.active(); ++lane) {
            if (!lanes_.is_inside(lane, column)) continue;
            for (const auto& [pixel, tap] : kernel_.columns()[column].products) {
                const std::uint32_t filter = filter_register(rows_[row].first, tap);
                for (std::uint32_t e = 0; e < vector; ++e) {
                    const std::uint32_t from = e * registers_.inputs_of_lane / vector;
                    const float x = half_at(registers, w.src_a,
                                            lane * registers_.inputs_of_lane + from, task_.format);
                    const float weight =
                        half_at(registers, filter, lane * vector + e, task_.format);
                    const std::uint32_t sum = registers_.sums + pixel * vector + e;
                    set_single(registers, sum, lane, single(registers, sum, lane) + x * weight);
                }
            }
        }
    }

    // Results

    [[nodiscard]] std::uint32_t result_register(std::uint32_t pixel) const {
        return registers_.results + pixel % kResults * registers_.of_vector;
    }
    [[nodiscard]] const std::vector<ProductEpilogue::Operand>& operands() const {
        static const std::vector<ProductEpilogue::Operand> kNone;
        return task_.epilogue.empty() ? kNone : task_.epilogue.epilogue->operands();
    }
    /// Number of operands of this kind before `end`.
    [[nodiscard]] std::uint32_t number_of(OperandExtent place, std::size_t end) const {
        return static_cast<std::uint32_t>(
            std::count_if(operands().begin(), operands().begin() + static_cast<std::ptrdiff_t>(end),
                          [place](const auto& operand) { return operand.place == place; }));
    }
    /// Register of operand `i` in memory: the operands of columns come first, then those of two
    /// pixels.
    [[nodiscard]] std::uint32_t operand_register(std::size_t i, std::uint32_t pixel) const {
        std::uint32_t index = 0;
        if (operands()[i].place == OperandExtent::kColumns) {
            index = number_of(OperandExtent::kColumns, i);
        } else {
            index = number_of(OperandExtent::kColumns, operands().size()) +
                    pixel % kResults * number_of(OperandExtent::kElements, operands().size()) +
                    number_of(OperandExtent::kElements, i);
        }
        return registers_.operands + index * registers_.of_vector;
    }

    void load_operands(OperandExtent place, std::uint32_t pixel) {
        for (std::size_t i = 0; i < operands().size(); ++i) {
            if (operands()[i].place != place) continue;
            const auto at = [&](std::uint32_t lane) {
                return place == OperandExtent::kColumns
                           ? to_signed(lanes_.channel(lane) * kHalfBytes)
                           : lanes_.output_offset(lane, pixel);
            };
            load(task_.epilogue.operands[i], operand_register(i, pixel), task_.tile.vector, at,
                 [&](std::uint32_t lane) { return lanes_.is_made(lane, pixel); });
        }
    }

    /// Loads the operands of the next pixel while the epilogue of this one is computed.
    void next_pixel() {
        if (pixel_ == 0) {
            load_operands(OperandExtent::kColumns, 0);
            load_operands(OperandExtent::kElements, 0);
        }
        if (pixel_ + 1 < task_.tile.strip) load_operands(OperandExtent::kElements, pixel_ + 1);
        const std::uint32_t vector = task_.tile.vector;
        const std::uint32_t sums = registers_.sums + pixel_ * vector;
        if (!task_.epilogue.empty()) {
            for (std::size_t i = 0; i < task_.epilogue.epilogue->steps().size(); ++i) {
                add_step(i, sums);
            }
        }
        compute(vector, result_register(pixel_), sums, vector, this, Function::kRound);
        batch().back().src_b = static_cast<std::uint8_t>(registers_.sums);
        store();
        ++pixel_;
        const bool any = pixel_ < task_.tile.strip && lanes_.is_any_made(pixel_);
        if (!any) exit();
    }

    void add_step(std::size_t i, std::uint32_t sums) {
        const ProductEpilogue& epilogue = *task_.epilogue.epilogue;
        const ProductEpilogue::Operand* const operand = epilogue.operand_of(i);
        WarpInstruction made(Opcode::kOperation);
        made.dst = static_cast<std::uint8_t>(sums);
        made.src_a = static_cast<std::uint8_t>(sums);
        made.src_c = static_cast<std::uint8_t>(registers_.sums);
        FunctionCall& call = made.set_function(this, task_.tile.vector);
        call.variant = static_cast<std::uint32_t>(Function::kStep);
        call.position = i;
        if (operand != nullptr && operand->place != OperandExtent::kScalar) {
            const auto which = static_cast<std::size_t>(epilogue.steps()[i].operand);
            made.src_b = static_cast<std::uint8_t>(operand_register(which, pixel_));
        }
        append_step(epilogue, i, kWarpLanes * task_.tile.vector, made, batch());
    }

    void step(const WarpInstruction& w, std::byte* registers) const {
        const ProductEpilogue& epilogue = *task_.epilogue.epilogue;
        const auto which = static_cast<std::size_t>(w.call().position);
        const ProductEpilogue::Operand* const operand = epilogue.operand_of(which);
        const bool in_memory = operand != nullptr && operand->place != OperandExtent::kScalar;
        float other = operand != nullptr ? operand->scalar : 0;
        for (std::uint32_t lane = 0; lane < lanes_.active(); ++lane) {
            for (std::uint32_t e = 0; e < task_.tile.vector; ++e) {
                if (in_memory) {
                    other = half_at(registers, w.src_b, lane * task_.tile.vector + e, task_.format);
                }
                const std::uint32_t sum = w.dst + e;
                set_single(registers, sum, lane,
                           epilogue.apply_step(which, single(registers, sum, lane), other));
            }
        }
    }

    void round(const WarpInstruction& w, std::byte* registers) const {
        for (std::uint32_t lane = 0; lane < lanes_.active(); ++lane) {
            for (std::uint32_t e = 0; e < task_.tile.vector; ++e) {
                set_half(registers, w.dst, lane * task_.tile.vector + e,
                         single(registers, w.src_a + e, lane), task_.format);
            }
        }
    }

    void store() {
        LaneAccess pieces;
        pieces.has_places = true;
        const auto bytes = static_cast<std::uint32_t>(task_.tile.vector * kHalfBytes);
        for (std::uint32_t lane = 0; lane < lanes_.active(); ++lane) {
            if (!lanes_.is_made(lane, pixel_)) continue;
            const std::int64_t at = lanes_.output_offset(lane, pixel_);
            const bool joins =
                !pieces.pieces.empty() &&
                pieces.pieces.back().offset + pieces.pieces.back().bytes == at &&
                pieces.pieces.back().place + pieces.pieces.back().bytes == lane * bytes;
            if (joins) {
                pieces.pieces.back().bytes += bytes;
            } else {
                pieces.pieces.push_back({at, bytes, lane * bytes});
            }
            pieces.bytes += bytes;
        }
        if (pieces.pieces.empty()) return;
        WarpInstruction& w = emit(Opcode::kStoreGlobal);
        w.src_a = static_cast<std::uint8_t>(result_register(pixel_));
        w.memory().address = task_.output;
        w.memory().lanes = &keep(std::move(pieces));
    }

    const DepthwiseKernel& kernel_;
    const DepthwiseTask& task_;
    const ConvolutionPass& pass_;
    const DepthwiseRegisters& registers_;
    const DepthwiseLanes lanes_;
    const std::int64_t row_;

    Stage stage_ = Stage::kBegin;
    /// Pairs of a row of the filter and the row of the input under it.
    std::vector<std::pair<std::int64_t, std::int64_t>> rows_;
    std::size_t at_ = 0;       ///< of rows_
    std::uint32_t pixel_ = 0;  ///< of the strip
};

}  // namespace

std::unique_ptr<WarpProgram> make_depthwise_program(const DepthwiseKernel& kernel,
                                                    std::uint64_t image, std::int64_t row,
                                                    std::uint64_t block) {
    return std::make_unique<DepthwiseProgram>(kernel, image, row, block);
}

std::unique_ptr<WarpProgram> make_idle_depthwise_program(const DepthwiseKernel& kernel) {
    return std::make_unique<DepthwiseProgram>(kernel);
}

}  // namespace tessera
