#include "sc_models/sm/tensor_core_pair.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "sc_models/tensor_core/fedp.h"
#include "sc_models/tensor_core/integer_product.h"
#include "sc_models/tensor_core/structured_sparsity.h"

namespace tessera {

TensorCorePair::TensorCorePair(sc_core::sc_module_name name, const UnitMaker& make,
                               const ClockDomain& clock, StatGroup& statistics)
    : sc_module(name), units_(make()), time_(clock) {
    timings_.front() = units_.matrix->timing();
    from_sub_core.serve_with(*this);
    statistics.counter("operations", operations_, "count", "16x16x16 multiply-accumulates");
    statistics.counter("busy_cycles", busy_cycles_, "cycles", "cycles the pair was occupied");
    statistics.counter("rtl_cycles", rtl_cycles_, "cycles",
                       "clock cycles of RTL in the pair (impl)");
    if (units_.sparse) register_sparse(statistics);
}

// NOLINTNEXTLINE(readability-make-member-function-const): statistics keep references to members
void TensorCorePair::register_sparse(StatGroup& statistics) {
    if (!units_.blocks || !units_.blocks->bitmap) {
        throw std::logic_error("TensorCorePair: an SpWMMA unit without its blocks");
    }
    CounterList list;
    list.add("spwmmas", spwmmas_, "count", "32x32x16 sparse multiply-accumulates");
    list.add("nonfinite_tiles", nonfinite_tiles_, "count",
             "SpWMMAs with infinities or NaNs among their values");
    units_.blocks->register_sparse(std::move(list), statistics);
}

void TensorCorePair::b_transport(int /*port*/, tlm::tlm_generic_payload& payload,
                                 sc_core::sc_time& delay) {
    const Cycle start = std::max(time_.arrive(delay), free_at_);
    Cycle done = 0;
    if (auto* sparse = units_.sparse ? payload.get_extension<SpwmmaOperands>() : nullptr) {
        done = multiply_sparse(start, *sparse);
    } else if (auto* operands = payload.get_extension<MmaOperands>();
               operands != nullptr && has_product(operands->product)) {
        done = multiply_dense(start, *operands);
    } else if (auto* lines = payload.get_extension<WarpgroupOperands>();
               lines != nullptr && has_warpgroup(*lines)) {
        done = multiply_warpgroup(start, *lines);
    } else {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay = time_.delay_to(done);
}

/// Returns whether the unit has such products; their timing is asked for once one comes.
bool TensorCorePair::has_product(FragmentProduct product) {
    MatrixTiming& timing = timings_[static_cast<std::size_t>(product)];
    if (timing.initiation == 0) timing = units_.matrix->timing_of(product);
    return timing.initiation > 0;
}

namespace {

/// Multiplies fragments of single copies by `multiply`.
template <class Bits>
void multiply_fragments(const MmaOperands& operands,
                        void (*multiply)(const Bits*, const Bits*, const float*, float*)) {
    constexpr std::size_t kElements = kFragmentRows * kFragmentRowBytes / sizeof(Bits);
    std::array<Bits, kElements> a{};
    std::array<Bits, kElements> b{};
    std::array<float, kMatrixElements> d{};
    std::memcpy(a.data(), operands.a[0], sizeof(a));
    std::memcpy(b.data(), operands.b, sizeof(b));
    std::memcpy(d.data(), operands.c, sizeof(d));
    multiply(a.data(), b.data(), d.data(), d.data());
    std::memcpy(operands.c, d.data(), sizeof(d));
}

}  // namespace

Cycle TensorCorePair::multiply_dense(Cycle start, MmaOperands& operands) {
    MatrixTiming takes = timings_[static_cast<std::size_t>(operands.product)];
    if (operands.c != nullptr) {
        switch (operands.product) {
            case FragmentProduct::kHalf:
                takes = multiply(start, operands);
                break;
            case FragmentProduct::kStructured:
                multiply_structured(start, operands);
                break;
            case FragmentProduct::kInteger:
                multiply_integer(operands);
                break;
            case FragmentProduct::kBf16:
                multiply_fragments<HalfBits>(operands, mma_16x16x16_bf16);
                break;
            case FragmentProduct::kTf32:
                multiply_fragments<std::uint32_t>(operands, mma_16x16x8_tf32);
                break;
        }
    }
    free_at_ = start + takes.initiation;
    operands.free_at = free_at_;
    ++operations_;
    busy_cycles_ += takes.initiation;
    return start + takes.latency;
}

Cycle TensorCorePair::multiply_sparse(Cycle start, SpwmmaOperands& operands) {
    SpwmmaUnit& unit = *units_.sparse;
    AccumulationBufferModule& buffer = units_.blocks->buffer;
    const SpwmmaConfig& config = unit.config();
    const bool flush = operands.a.counts == nullptr;
    const bool resident = buffer.holds(operands.warp, operands.accumulators);
    unit.at(start);
    operands.swapped = 0;
    if (flush ? resident : !resident) {
        operands.swapped = buffer.give_back(start, config.swap_cycles, unit);
    }
    Cycle busy = operands.swapped;
    if (!flush) {
        if (!resident) {
            buffer.take({operands.warp, operands.accumulators, operands.sums}, unit);
        }
        const Cycle begin = start + busy;
        SpwmmaWork work;
        busy += unit.run(operands.a, operands.b, work);
        units_.blocks->count(work);
        nonfinite_tiles_ += work.nonfinite_tiles;
        if (watched_) units_.blocks->trace(begin, start + busy, sets_);
        ++spwmmas_;
    }
    free_at_ = start + busy;
    operands.free_at = free_at_;
    busy_cycles_ += busy;
    rtl_cycles_ = units_.matrix->rtl_cycles() + unit.rtl_cycles();
    return free_at_ + config.latency_cycles;
}

void TensorCorePair::watch(WaveRecorder& wave, std::string_view scope) {
    if (!units_.sparse) return;
    watched_ = true;
    units_.blocks->watch(wave, scope);
    units_.sparse->watch(&sets_);
}

/// Multiplies the two halves of k with B expanded: a dropped element counts as a zero.
void TensorCorePair::multiply_structured(Cycle start, const MmaOperands& operands) {
    std::array<HalfBits, kMatrixElements> kept{};
    std::array<std::uint32_t, kMatrixSize> metadata{};
    std::memcpy(kept.data(), operands.b, sizeof(kept));
    std::memcpy(metadata.data(), operands.metadata, sizeof(metadata));
    std::array<std::array<HalfBits, kMatrixElements>, 2> b{};
    for (std::size_t column = 0; column < kMatrixSize; ++column) {
        std::array<HalfBits, kStructuredDepth> line{};
        expand_2of4(kept.data() + column * kStructuredKept, metadata[column], line.data());
        for (std::size_t half = 0; half < b.size(); ++half) {
            std::copy_n(line.data() + half * kMatrixSize, kMatrixSize,
                        b[half].data() + column * kMatrixSize);
        }
    }
    std::array<HalfBits, kMatrixElements> a{};
    std::array<float, kMatrixElements> d{};
    std::memcpy(d.data(), operands.c, sizeof(d));
    for (std::size_t half = 0; half < b.size(); ++half) {
        std::memcpy(a.data(), operands.a[half], sizeof(a));
        units_.matrix->multiply(start, a.data(), b[half].data(), d.data(), d.data());
    }
    std::memcpy(operands.c, d.data(), sizeof(d));
    rtl_cycles_ = units_.matrix->rtl_cycles();
}

void TensorCorePair::multiply_integer(const MmaOperands& operands) {
    std::array<std::uint8_t, 2 * kMatrixElements> a{};
    std::array<std::int8_t, 2 * kMatrixElements> b{};
    std::array<std::int32_t, kMatrixElements> d{};
    std::memcpy(a.data(), operands.a[0], sizeof(a));
    std::memcpy(b.data(), operands.b, sizeof(b));
    std::memcpy(d.data(), operands.c, sizeof(d));
    imma_16x16x32(a.data(), operands.is_unsigned, b.data(), d.data(), d.data());
    std::memcpy(operands.c, d.data(), sizeof(d));
}

bool TensorCorePair::has_warpgroup(const WarpgroupOperands& operands) {
    if (operands.columns != warpgroup_columns_ || operands.shape != warpgroup_shape_) {
        warpgroup_shape_ = operands.shape;
        warpgroup_columns_ = operands.columns;
        warpgroup_ = units_.matrix->warpgroup_timing(operands.shape, operands.columns);
    }
    return warpgroup_.initiation > 0;
}

Cycle TensorCorePair::multiply_warpgroup(Cycle start, WarpgroupOperands& operands) {
    if (operands.sums != nullptr) multiply_lines(start, operands);
    free_at_ = std::max(start + warpgroup_.initiation, operands.read_by);
    operands.free_at = free_at_;
    ++operations_;
    busy_cycles_ += free_at_ - start;
    return free_at_ + warpgroup_.latency;
}

/// Multiplies 16 lines of the second operand at a time, as rows of the result.
void TensorCorePair::multiply_lines(Cycle start, const WarpgroupOperands& operands) {
    const WarpgroupSources& from = operands.sources;
    const auto gather = [](const std::byte* lines, std::uint32_t pitch, bool aside,
                           std::array<HalfBits, kMatrixElements>& out) {
        for (std::size_t line = 0; line < kMatrixSize; ++line) {
            for (std::size_t k = 0; k < kMatrixSize; ++k) {
                const std::size_t place = aside ? k * pitch + line * sizeof(HalfBits)
                                                : line * pitch + k * sizeof(HalfBits);
                std::memcpy(&out[line * kMatrixSize + k], lines + place, sizeof(HalfBits));
            }
        }
    };
    std::array<HalfBits, kMatrixElements> a{};
    std::array<HalfBits, kMatrixElements> b{};
    std::array<float, kMatrixElements> d{};
    std::array<Fp8Bits, 2 * kMatrixElements> bytes_a{};
    std::array<Fp8Bits, 2 * kMatrixElements> bytes_b{};
    gather(operands.first, from.first_pitch_bytes, from.first_aside, b);
    for (std::uint32_t line = 0; line < operands.columns; line += kMatrixSize) {
        const std::size_t skipped = from.second_aside ? line * sizeof(HalfBits)
                                                      : std::size_t{line} * from.second_pitch_bytes;
        gather(operands.second + skipped, from.second_pitch_bytes, from.second_aside, a);
        std::byte* const sums = operands.sums + std::size_t{line} * kMatrixSize * sizeof(float);
        d.fill(0);
        if (!from.from_zero) std::memcpy(d.data(), sums, sizeof(d));
        switch (operands.shape) {
            case MmaShape::kHgmma16Bf16:
                mma_16x16x16_bf16(a.data(), b.data(), d.data(), d.data());
                break;
            case MmaShape::kQgmma32:
                std::memcpy(bytes_a.data(), a.data(), sizeof(a));
                std::memcpy(bytes_b.data(), b.data(), sizeof(b));
                mma_16x16x32_fp8(bytes_a.data(), bytes_b.data(), d.data(), d.data());
                break;
            default:
                units_.matrix->multiply(start, a.data(), b.data(), d.data(), d.data());
        }
        std::memcpy(sums, d.data(), sizeof(d));
    }
    rtl_cycles_ = units_.matrix->rtl_cycles();
}

MatrixTiming TensorCorePair::multiply(Cycle start, const MmaOperands& operands) {
    constexpr std::size_t kCopyBytes = kMatrixElements * sizeof(HalfBits);
    std::array<HalfBits, kMatrixElements> a{};
    std::array<HalfBits, kMatrixElements> b{};
    std::array<float, kMatrixElements> c{};
    std::memcpy(a.data(), operands.a[0], kCopyBytes);
    std::memcpy(b.data(), operands.b, kCopyBytes);
    std::memcpy(c.data(), operands.c, sizeof(c));
    std::array<float, kMatrixElements> d{};
    const MatrixTiming takes =
        units_.matrix->multiply(start, a.data(), b.data(), c.data(), d.data());
    if (operands.a[1] != operands.a[0] &&
        std::memcmp(operands.a[1], operands.a[0], kCopyBytes) != 0) {
        // The octets of the right half read their own copy of A.
        std::array<float, kMatrixElements> right{};
        std::memcpy(a.data(), operands.a[1], kCopyBytes);
        units_.matrix->multiply(start, a.data(), b.data(), c.data(), right.data());
        constexpr std::ptrdiff_t kHalf = kMatrixSize / 2;
        for (std::ptrdiff_t row = 0; row < std::ptrdiff_t{kMatrixSize}; ++row) {
            const std::ptrdiff_t first = row * kMatrixSize + kHalf;
            std::copy_n(right.begin() + first, kHalf, d.begin() + first);
        }
    }
    std::memcpy(operands.c, d.data(), sizeof(d));
    rtl_cycles_ = units_.matrix->rtl_cycles();
    return takes;
}

}  // namespace tessera
