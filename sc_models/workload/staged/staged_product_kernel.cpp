#include "sc_models/workload/staged/staged_product_kernel.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/workload/staged/staged_program.h"

namespace tessera {
namespace {

void require_multiple(const char* key, std::uint32_t value, std::uint32_t of, const char* what) {
    if (value > 0 && value % of == 0) return;
    throw ConfigError(std::string("workload.tiling.") + key + ": got " + std::to_string(value) +
                      ", expected a multiple of " + what + " = " + std::to_string(of));
}

float float_at(const std::byte* from) {
    float value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
}

HalfBits half_at(const std::byte* from) {
    HalfBits value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
}

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> numbers{0};
    return ++numbers;
}

}  // namespace

void StagedEpilogue::apply(const WarpInstruction& w, std::byte* registers) const {
    const FunctionCall& call = w.call();
    if (call.variant == kRound || call.variant == kPack) return round(w, registers);
    if (call.variant == kRequantise) return requantise(w, registers);
    const std::uint32_t edge = registers_.sum_edge;
    const std::size_t step = call.variant - kStep;
    const bool adds_c = call.variant == kAddC;
    const ProductEpilogue::Operand* const operand =
        adds_c ? nullptr : product_.epilogue.epilogue->operand_of(step);
    const bool in_memory =
        adds_c || (operand != nullptr && operand->place != ProductEpilogue::OperandExtent::kScalar);
    const bool by_columns =
        operand != nullptr && operand->place == ProductEpilogue::OperandExtent::kColumns;
    const std::byte* const halves =
        registers + w.src_a * kWarpRegisterBytes + call.position * edge * sizeof(HalfBits);
    float other = operand != nullptr ? operand->scalar : 0;
    for (std::uint32_t row = 0; row < edge; ++row) {
        const std::byte* const more = halves + (by_columns ? 0 : row * registers_.slot_pitch_bytes);
        for (std::uint32_t i = 0; i < edge; ++i) {
            std::byte* const at =
                registers + w.dst * kWarpRegisterBytes + (row * edge + i) * sizeof(float);
            if (in_memory) {
                other = to_float(half_at(more + i * sizeof(HalfBits)), product_.format());
            }
            const float x = float_at(at);
            const float y =
                adds_c ? x + other : product_.epilogue.epilogue->apply_step(step, x, other);
            std::memcpy(at, &y, sizeof y);
        }
    }
}

void StagedEpilogue::requantise(const WarpInstruction& w, std::byte* registers) const {
    const std::uint32_t edge = registers_.sum_edge;
    const std::byte* const bias =
        registers + w.src_a * kWarpRegisterBytes + w.call().position * edge * sizeof(std::int32_t);
    const std::byte* const factors = bias + kAccessRegisters * kWarpRegisterBytes;
    for (std::uint32_t row = 0; row < edge; ++row) {
        tessera::requantise(
            *product_.requantization.rule, bias, factors, edge,
            registers + w.dst * kWarpRegisterBytes + row * edge * sizeof(std::int32_t));
    }
}

void StagedEpilogue::round(const WarpInstruction& w, std::byte* registers) const {
    const FunctionCall& call = w.call();
    const std::uint32_t edge = registers_.sum_edge;
    for (std::uint32_t tile = 0; tile < registers_.sums_n; ++tile) {
        const std::byte* const sums =
            registers + (w.src_a + tile * registers_.sum_registers()) * kWarpRegisterBytes;
        for (std::uint32_t row = 0; row < call.elements; ++row) {
            std::byte* const to = registers + w.dst * kWarpRegisterBytes +
                                  row * registers_.slot_pitch_bytes +
                                  tile * edge * product_.element_bytes();
            const std::byte* const from = sums + (call.position + row) * edge * sizeof(float);
            if (call.variant == kPack) {
                pack_bytes(from, edge, to);
                continue;
            }
            for (std::uint32_t i = 0; i < edge; ++i) {
                const HalfBits half =
                    to_bits(float_at(from + i * sizeof(float)), product_.format());
                std::memcpy(to + i * sizeof half, &half, sizeof half);
            }
        }
    }
}

void check_staged_tiling(const TilingConfig& t, bool sparse) {
    const std::uint32_t edge = sparse ? kLineTile : kFragmentRows;
    const char* const what = sparse ? "the rows of an SpWMMA" : "the rows of a fragment";
    require_multiple("warp_m", t.warp_m, edge, what);
    require_multiple("warp_n", t.warp_n, edge, what);
    require_multiple("cta_m", t.cta_m, t.warp_m, "warp_m");
    require_multiple("cta_n", t.cta_n, t.warp_n, "warp_n");
    require_multiple("cta_m", t.cta_m, kLineTile, "a line tile");
    require_multiple("cta_n", t.cta_n, kLineTile, "a line tile");
}

StagedProductKernel::StagedProductKernel(std::string name, const StagedProduct& product,
                                         std::unique_ptr<StagedOperand> a,
                                         std::unique_ptr<StagedOperand> b)
    : product_(product), a_(std::move(a)), b_(std::move(b)), number_(next_number()) {
    const auto* const sparse_a = dynamic_cast<const BitmapTiles*>(a_.get());
    const auto* const sparse_b = dynamic_cast<const BitmapTiles*>(b_.get());
    if ((sparse_a == nullptr) != (sparse_b == nullptr)) {
        throw std::logic_error("StagedProductKernel: operands of two kinds");
    }
    compressed_ = dynamic_cast<const CompressedLines*>(b_.get());
    if (dynamic_cast<const CompressedLines*>(a_.get()) != nullptr ||
        (compressed_ != nullptr && !product_.asynchronous)) {
        throw std::logic_error("StagedProductKernel: a compressed A, or without copies in stages");
    }
    const bool sparse = sparse_a != nullptr;
    if (sparse) sparse_ = {&sparse_a->matrix(), &sparse_b->matrix()};
    const TilingConfig& t = product_.tiling;
    check_staged_tiling(t, sparse);
    constexpr std::uint32_t kWidest = kAccessRegisters * kWarpRegisterBytes / sizeof(HalfBits);
    if (product_.halves && t.warp_n > kWidest) {
        throw ConfigError("workload.tiling.warp_n: got " + std::to_string(t.warp_n) +
                          ", expected at most " + std::to_string(kWidest) +
                          " where D has halves, whose rows one access holds");
    }
    if (!product_.asynchronous && product_.stages != 2) {
        throw std::logic_error("StagedProductKernel: other than two stages of synchronous copies");
    }
    if (product_.asynchronous &&
        (sparse || product_.a_lines != 0 || product_.convolution_packet != 0 ||
         product_.depth_tiles % 2 != 0 || product_.stages < 2 || t.fragment_buffers != 2)) {
        throw std::logic_error("StagedProductKernel: a product without asynchronous copies");
    }
    if (!product_.epilogue.empty() && (!product_.halves || product_.steps_per_part > 0)) {
        throw std::logic_error("StagedProductKernel: an epilogue on sums that stay FP32");
    }

    if (!product_.requantization.empty() &&
        (!is_integer(product_.operands) || product_.reads_c || !product_.epilogue.empty() ||
         product_.steps_per_part > 0)) {
        throw std::logic_error("StagedProductKernel: a requantization of other than whole sums");
    }

    members_ = product.members;
    if (members_.empty()) members_.push_back({product.m, product.k});
    tiles_n_ = ceil_div(product.n, std::uint64_t{t.cta_n});
    const std::uint64_t depth = ceil_div(product.k, std::uint64_t{kDepthTile});
    steps_ = static_cast<std::uint32_t>(ceil_div(depth, std::uint64_t{product.depth_tiles}));
    if (product.steps_per_part > 0) parts_ = ceil_div(steps_, product.steps_per_part);
    first_tile_.push_back(0);
    for (const StagedProduct::Member& member : members_) {
        first_tile_.push_back(first_tile_.back() +
                              ceil_div(member.m, std::uint64_t{t.cta_m}) * tiles_n_);
    }
    const std::uint64_t ctas = first_tile_.back() * parts_;
    if (ctas >= std::numeric_limits<std::uint32_t>::max()) {
        throw ConfigError("workload.tiling.cta_m: got " + std::to_string(t.cta_m) +
                          ", expected a tile that cuts D into less than 2^32 CTAs");
    }
    info_.name = std::move(name);
    info_.ctas = static_cast<std::uint32_t>(ctas);
    if (members_.size() == 1) {
        info_.row_ctas = static_cast<std::uint32_t>(order(0).period());
    }
    if (t.cta_limit > 0) info_.ctas = std::min(info_.ctas, t.cta_limit);
    const std::uint64_t sums = std::uint64_t{t.warp_m} * t.warp_n / 32;
    if (sums <= kMaxThreadRegisters) resources_ = StagedResources(product_, *a_, *b_);
    const std::uint64_t registers = std::max<std::uint64_t>(sums, resources_.registers_per_thread);
    if (registers > kMaxThreadRegisters) {
        throw ConfigError("workload.tiling.warp_m: got " + std::to_string(t.warp_m) +
                          ", expected a warp tile that needs at most 255 registers a thread (this "
                          "one, with what there is of operands and copies: " +
                          std::to_string(registers) + ")");
    }
    info_.warps_per_cta = resources_.warps;
    info_.registers_per_thread = resources_.registers_per_thread;
    info_.copies_in_flight = resources_.registers.copies_in_flight;
    info_.shared_memory_bytes = resources_.shared_memory_bytes;
    info_.forced_ctas_per_sm = t.ctas_per_sm;
    info_.convolution_packet = product_.convolution_packet;
    if (product_.a_lines != 0) {
        info_.first_a_register = resources_.registers.a_value(0);
        info_.a_fragments = resources_.registers.a_registers() / kRegistersPerFragment;
    } else if (product_.convolution_packet != 0) {
        info_.first_a_register = resources_.registers.first_copy();
        info_.a_fragments = resources_.registers.copies / kCopyRegisters;
        info_.registers_per_a_fragment = kCopyRegisters;
    }
    for (std::uint32_t warp = 0; warp < info_.warps_per_cta; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

StagedProductKernel::~StagedProductKernel() = default;

std::uint32_t StagedProductKernel::slot(std::uint32_t buffer, std::uint32_t tile) const {
    const std::uint32_t begin = buffer * (info_.shared_memory_bytes / product_.stages);
    return begin + std::min(tile, a_tiles()) * resources_.a_slot +
           (tile > a_tiles() ? (tile - a_tiles()) * resources_.b_slot : 0);
}

TileOrder StagedProductKernel::order(std::size_t member) const {
    const std::uint64_t tiles_m = (first_tile_[member + 1] - first_tile_[member]) / tiles_n_;
    return {product_.tiling.raster, tiles_m, tiles_n_};
}

StagedProductKernel::Tile StagedProductKernel::tile(CtaId cta) const {
    const TilingConfig& t = product_.tiling;
    const std::uint64_t of_part = cta.value() % first_tile_.back();
    const auto behind = std::upper_bound(first_tile_.begin(), first_tile_.end(), of_part);
    const auto member = static_cast<std::size_t>(behind - first_tile_.begin() - 1);
    const TileOrder::Tile at = order(member).tile(of_part - first_tile_[member]);
    return {at.m * t.cta_m, at.n * t.cta_n, static_cast<std::uint32_t>(member),
            static_cast<std::uint32_t>(cta.value() / first_tile_.back())};
}

bool StagedProductKernel::makes(std::uint64_t row, std::uint64_t column) const {
    const std::uint64_t m = row / product_.tiling.cta_m;
    const std::uint64_t n = column / product_.tiling.cta_n;
    const TileOrder whole(product_.tiling.raster, first_tile_.back() / tiles_n_, tiles_n_);
    return ran(whole.index(m, n));
}

std::unique_ptr<WarpProgram> StagedProductKernel::program(CtaId cta, std::uint32_t warp) const {
    if (fragments_.empty() && sparse() == nullptr && product_.a_lines == 0) {
        for (std::uint32_t w = 0; w < info_.warps_per_cta; ++w) {
            StagedProgram any(*this, cta, w);
            for (std::uint32_t buffer = 0; buffer < product_.stages; ++buffer) {
                fragments_.push_back(any.fragments_of(buffer));
            }
        }
    }
    return std::make_unique<StagedProgram>(*this, cta, warp);
}

}  // namespace tessera
