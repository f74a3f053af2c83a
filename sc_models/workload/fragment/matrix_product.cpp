#include "sc_models/workload/fragment/matrix_product.h"

#include <algorithm>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/workload/generated_operands.h"

namespace tessera {
namespace {

constexpr std::uint64_t kHalfBytes = sizeof(HalfBits);

}  // namespace

MatrixProduct::MatrixProduct(const WorkloadConfig& config, std::uint64_t seed, bool values)
    : Workload(product_name(config.gemm), config, seed, values),
      a_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kActivations, values)),
      b_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kWeights, values)) {
    const GemmShapeConfig& shape = config.gemm;
    const TilingConfig& tiling = config.tiling;
    check_tiling(tiling);
    const auto positive = [](const char* key, std::uint32_t value) {
        if (value == 0) {
            throw ConfigError(std::string("workload.gemm.") + key + ": got 0, expected at least 1");
        }
    };
    positive("m", shape.m);
    positive("n", shape.n);
    positive("k", shape.k);
    GemmOperands operands;
    operands.m = shape.m;
    operands.n = shape.n;
    operands.k = round_up(std::uint64_t{shape.k}, std::uint64_t{kFragmentRows});
    if (operands.k * kHalfBytes > ~std::uint32_t{0}) {
        throw ConfigError("workload.gemm.k: got " + std::to_string(shape.k) +
                          ", expected less than 2^31");
    }
    const std::uint64_t pitch = operands.k * kHalfBytes;
    const std::uint64_t elements = operands.m * operands.n;
    operands.a_pitch_bytes = operands.b_pitch_bytes = static_cast<std::uint32_t>(pitch);
    operands.a = allocate("a", operands.allocated_rows(tiling) * pitch);
    operands.b = allocate("b", operands.allocated_columns(tiling) * pitch);
    operands.c = allocate("c", elements * sizeof(float));
    operands.d = allocate("d", elements * sizeof(float));
    add_gemm(std::make_unique<GemmKernel>(name(), operands, tiling));
}

void MatrixProduct::initialise(const MemoryWriter& write) const {
    if (!values()) return;
    const GemmOperands& shape = gemm().operands();
    const GeneratedOperands matrices(a_, b_, config().gemm.k, shape.k);
    std::vector<HalfBits> line(shape.k);
    for (std::uint64_t row = 0; row < shape.m; ++row) {
        matrices.a_row(row, line.data());
        write(shape.a + row * shape.a_pitch_bytes, line.data(), line.size() * kHalfBytes);
    }
    for (std::uint64_t column = 0; column < shape.n; ++column) {
        matrices.b_column(column, line.data());
        write(shape.b + column * shape.b_pitch_bytes, line.data(), line.size() * kHalfBytes);
    }
}

std::unique_ptr<Operands> MatrixProduct::operands() const {
    return std::make_unique<GeneratedOperands>(a_, b_, config().gemm.k, gemm().operands().k);
}

std::vector<Reference> MatrixProduct::references() const {
    const GemmShapeConfig& shape = config().gemm;
    Reference reference;
    reference.source = [this, &shape] { return a_.rounded(std::uint64_t{shape.m} * shape.k); };
    reference.weights = [this, &shape] { return b_.rounded(std::uint64_t{shape.n} * shape.k); };
    reference.result = product();
    return {reference};
}

}  // namespace tessera
