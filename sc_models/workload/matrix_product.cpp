#include "sc_models/workload/matrix_product.h"

#include <algorithm>
#include <vector>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::uint64_t kHalfBytes = sizeof(HalfBits);

class MatrixOperands : public Operands {
public:
    explicit MatrixOperands(const MatrixProduct& product)
        : product_(product), k_(product.config().gemm.k), k_pitch_(product.gemm().operands().k) {}

    void a_row(std::uint64_t row, HalfBits* out) const override { fill(product_.a(), row, out); }
    void b_column(std::uint64_t column, HalfBits* out) const override {
        fill(product_.b(), column, out);
    }

private:
    void fill(const ValueGenerator& values, std::uint64_t line, HalfBits* out) const {
        for (std::uint64_t i = 0; i < k_; ++i) out[i] = values(line * k_ + i);
        std::fill(out + k_, out + k_pitch_, HalfBits{0});
    }

    const MatrixProduct& product_;
    std::uint64_t k_, k_pitch_;
};

std::string shape_name(const GemmShapeConfig& shape) {
    return "gemm." + std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" +
           std::to_string(shape.k);
}

}  // namespace

MatrixProduct::MatrixProduct(const WorkloadConfig& config, std::uint64_t seed, bool values)
    : Workload(shape_name(config.gemm), config, seed, values),
      a_(seed, ValueGenerator::Tensor::kActivations, pattern_of(config.activations, values)),
      b_(seed, ValueGenerator::Tensor::kWeights, pattern_of(config.weights, values)) {
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
    const MatrixOperands matrices(*this);
    const GemmOperands& shape = gemm().operands();
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
    return std::make_unique<MatrixOperands>(*this);
}

std::vector<Reference> MatrixProduct::references() const {
    const GemmShapeConfig& shape = config().gemm;
    Reference reference;
    reference.source = [this, &shape] { return a_.halves(std::uint64_t{shape.m} * shape.k); };
    reference.weights = [this, &shape] { return b_.halves(std::uint64_t{shape.n} * shape.k); };
    reference.result = product();
    return {reference};
}

}  // namespace tessera
