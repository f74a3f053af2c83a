#include "sc_models/workload/workload.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/workload/given_layer.h"

namespace tessera {
namespace {

bool has_epilogues(const WorkloadConfig& config) {
    const bool product =
        config.kind == WorkloadKind::kGemm || config.kind == WorkloadKind::kConvolution;
    return is_sparse(config.kind) ||
           (product && config.kernel != ProductKernel::kFragments && !is_fp32(config.kernel));
}

}  // namespace

Workload::Workload(std::string name, const WorkloadConfig& config, std::uint64_t seed, bool values)
    : name_(std::move(name)), config_(config), seed_(seed), values_(values) {
    if (config.epilogue != nullptr && !has_epilogues(config)) {
        throw std::logic_error("workload " + name_ + " is of a kind without epilogues");
    }
    const bool tiled = config.kind != WorkloadKind::kDirectConvolution &&
                       config.kind != WorkloadKind::kTensor &&
                       config.kind != WorkloadKind::kAttention;
    if (values && tiled && !config.tiling.c_traffic) {
        throw ConfigError(
            "workload.tiling.c_traffic: got off, expected on when values are on: without it the "
            "kernel stores no result");
    }
}

const MemoryRegion& Workload::region(const std::string& name) const {
    for (const MemoryRegion& candidate : regions_) {
        if (candidate.name == name) return candidate;
    }
    throw std::logic_error("workload " + name_ + " has no region '" + name + "'");
}

Address Workload::allocate(const std::string& region, std::uint64_t bytes) {
    const Address free =
        regions_.empty() ? config_.first_address : regions_.back().base + regions_.back().bytes;
    regions_.push_back({region, round_up(free, kAlignment), bytes});
    return regions_.back().base;
}

const PlacedEpilogue& Workload::place_epilogue(std::uint64_t rows, std::uint64_t n,
                                               std::uint64_t pitch) {
    epilogue_ = {};
    if (config_.epilogue == nullptr || config_.epilogue->empty()) return epilogue_;
    epilogue_.epilogue = config_.epilogue;
    epilogue_.pitch = pitch;
    epilogue_rows_ = rows;
    epilogue_columns_ = n;
    for (const ProductEpilogue::Operand& operand : config_.epilogue->operands()) {
        Address at = 0;
        if (operand.place != ProductEpilogue::OperandExtent::kScalar) {
            const bool of_columns = operand.place == ProductEpilogue::OperandExtent::kColumns;
            at = allocate("epilogue" + std::to_string(epilogue_.operands.size()),
                          (of_columns ? 1 : rows) * pitch * sizeof(HalfBits));
        }
        epilogue_.operands.push_back(at);
    }
    return epilogue_;
}

std::function<float(float, std::uint64_t, std::uint64_t)> Workload::golden_epilogue(
    std::function<std::uint64_t(std::uint64_t)> element) const {
    if (epilogue_.empty()) return nullptr;
    return
        [this, element = std::move(element)](float sum, std::uint64_t row, std::uint64_t column) {
            const std::uint64_t begin = element ? element(row) : row * epilogue_.pitch;
            const std::uint64_t at = begin + column;
            return epilogue_.epilogue->apply(sum, at / epilogue_.pitch, at % epilogue_.pitch,
                                             epilogue_columns_);
        };
}

const PlacedRequantization& Workload::place_requantization(std::uint64_t n, std::uint64_t pitch) {
    requantization_ = {};
    if (config_.requantization == nullptr) return requantization_;
    requantization_.rule = config_.requantization;
    requantization_.pitch = pitch;
    requantized_columns_ = n;
    requantization_.bias = allocate("bias", pitch * sizeof(std::int32_t));
    requantization_.factors = allocate("factors", pitch * sizeof(float));
    return requantization_;
}

void Workload::check_requantized(ProductShape& shape) const {
    if (requantization_.empty()) return;
    const std::uint64_t pitch = requantization_.pitch, n = requantized_columns_;
    const auto at = [element = shape.element, pitch](std::uint64_t row, std::uint64_t column) {
        return (element ? element(row) : row * pitch) + column;
    };
    shape.has_unsigned_bytes = requantization_.rule->is_unsigned;
    shape.requantization = [rule = requantization_.rule, at, pitch](
                               std::uint32_t sum, std::uint64_t row, std::uint64_t column) {
        return rule->result_of(sum, at(row, column) % pitch);
    };
    if (config_.given_layer == nullptr || config_.given_layer->result == nullptr) return;
    shape.known = [known = config_.given_layer->result, at, pitch, n](
                      std::uint64_t row, std::uint64_t column) -> std::optional<std::int32_t> {
        const std::uint64_t element = at(row, column);
        if (element % pitch >= n) return std::nullopt;
        return static_cast<std::int32_t>(
            half_to_float(known->at(element / pitch * n + element % pitch)));
    };
}

void Workload::add_gemm(std::unique_ptr<GemmKernel> kernel) {
    gemm_ = kernel.get();
    const GemmOperands& shape = kernel->operands();
    product_ = {shape.m,
                shape.d_columns(),
                shape.k,
                shape.d,
                shape.d_columns(),
                [gemm = gemm_](std::uint64_t row, std::uint64_t column) {
                    return gemm->makes(row, column);
                }};
    add(std::move(kernel));
}

std::unique_ptr<Operands> Workload::operands() const {
    throw std::logic_error("workload " + name_ + " is no product of two matrices");
}

VerificationReport Workload::verify(const MemoryReader& read, TensorCoreKind kind) const {
    if (!values_ || !product_) return {};
    return compare_with_golden(kind, *product_, *operands(), read, seed_);
}

}  // namespace tessera
