#include "sc_models/workload/library/library_product.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/tensor_core/structured_sparsity.h"
#include "sc_models/workload/generated_operands.h"
#include "sc_models/workload/library/split_k_reduction.h"
#include "sc_models/workload/library/wgmma_kernel.h"

namespace tessera {
namespace {

constexpr std::uint64_t kHalfBytes = sizeof(HalfBits);

bool is_integer(const GemmShapeConfig& shape) {
    return is_integer(shape.operands);
}

/// Converts a product with a row-major result to the transposed one with a column-major result, and
/// k to units of 2 bytes. Integers have no C.
GemmShapeConfig by_columns(const GemmShapeConfig& shape) {
    GemmShapeConfig columns = shape;
    columns.k = halves_of(shape.operands, shape.k);
    if (is_integer(shape)) {
        columns.output = OutputType::kFp32;  // of four bytes, as INT32
        columns.read_c = false;
    }
    if (shape.order == ResultOrder::kColumns) return columns;
    columns.m = shape.n;
    columns.n = shape.m;
    const auto turned = [](Transpose t) {
        return t == Transpose::kN ? Transpose::kT : Transpose::kN;
    };
    columns.transpose_a = turned(shape.transpose_b);
    columns.transpose_b = turned(shape.transpose_a);
    return columns;
}

bool is_structured(const WorkloadConfig& config) {
    return config.structured_sparsity == StructuredSparsity::k2of4;
}

ValueGenerator operand(const WorkloadConfig& config, std::uint64_t seed, bool is_a, bool values) {
    const bool activations = is_a == (config.gemm.order == ResultOrder::kColumns);
    const ValueGenerator all = ValueGenerator::of(
        config, seed,
        activations ? ValueGenerator::Tensor::kActivations : ValueGenerator::Tensor::kWeights,
        values);
    const OperandType type = config.gemm.operands;
    if (type != OperandType::kFp16) {
        const bool is_signed = type == OperandType::kUint8 && !activations;
        return all.as_type(is_signed ? OperandType::kInt8 : type, config.gemm.k);
    }
    return is_a && is_structured(config) ? all.pruned_2of4() : all;
}

/// C, of the type of a D of halves.
ValueGenerator sums_of(const GemmShapeConfig& shape, std::uint64_t seed) {
    const ValueGenerator sums(seed, ValueGenerator::Tensor::kSums, ValuePattern::kUniform);
    return shape.output == OutputType::kBf16 ? sums.as_type(OperandType::kBf16, shape.n) : sums;
}

}  // namespace

DenseProblem problem_of_product(const WorkloadConfig& config) {
    return DenseProblem(by_columns(config.gemm), is_structured(config));
}

LibraryProduct::LibraryProduct(const WorkloadConfig& config, std::uint64_t seed, bool values,
                               const TargetMachine& machine)
    : Workload(product_name(config.gemm), config, seed, values),
      structured_(is_structured(config)),
      multicast_(config.kernel == ProductKernel::kWgmma && config.multicast),
      shape_(by_columns(config.gemm)),
      choice_(choose_dense_kernel(problem_of_product(config), config, machine)),
      a_(operand(config, seed, true, values)),
      b_(operand(config, seed, false, values)),
      c_(sums_of(config.gemm, seed)) {
    const GemmShapeConfig& shape = shape_;
    const DenseKernel& kernel = *choice_.kernel;
    StagedProduct product;
    product.m = shape.n;
    product.n = shape.m;
    product.k = std::uint64_t{k_tiles()} * kDepthTile;
    product.depth_tiles = kernel.step / kDepthTile;
    product.stages = kernel.stages;
    product.asynchronous = kernel.asynchronous;
    product.operands = shape.operands;
    product.halves = shape.output != OutputType::kFp32;
    product.reads_c = shape.read_c;
    product.values = values;
    product.tiling = dense_tiling(kernel);
    product.tiling.raster = with_sides_swapped(config.tiling.raster);

    std::unique_ptr<StagedOperand> a = place("a", side_a());
    std::unique_ptr<StagedOperand> b = place("b", side_b());
    const std::uint64_t elements = product.m * product.n;
    const PlacedRequantization& requantization = place_requantization(product.n, product.n);
    if (!requantization.empty() && !is_integer(shape)) {
        throw std::logic_error(name() + " has a requantization, but no integers");
    }
    const std::uint64_t element = !requantization.empty() ? 1
                                  : product.halves        ? kHalfBytes
                                                          : sizeof(float);
    product.c = allocate("c", elements * element);
    product.d = allocate("d", elements * element);
    const PlacedEpilogue& epilogue = place_epilogue(product.m, product.n, product.n);
    if (!epilogue.empty() && !product.halves) {
        throw std::logic_error(name() + " has an epilogue, but its result is not halves");
    }
    const auto steps = static_cast<std::uint32_t>(ceil_div(product.k, std::uint64_t{kernel.step}));
    const bool divided = choice_.parts > 1;
    ProductShape result;
    result.m = product.m;
    result.n = result.pitch = product.n;
    result.k = product.k;
    result.d = product.d;
    result.operands = product.operands;
    result.halves = product.halves;
    result.by_columns = shape.order == ResultOrder::kColumns;
    result.makes = [](std::uint64_t, std::uint64_t) { return true; };
    result.epilogue = golden_epilogue();
    SplitKSums sums{0,
                    choice_.parts,
                    elements,
                    product.c,
                    product.d,
                    product.reads_c,
                    product.halves,
                    epilogue,
                    shape.operands,
                    requantization};
    if (divided) {
        product.steps_per_part = ceil_div(steps, choice_.parts);
        result.part_k = std::uint64_t{product.steps_per_part} * kernel.step;
        sums.parts = product.d =
            allocate("parts", std::uint64_t{choice_.parts} * elements * sizeof(float));
        product.halves = product.reads_c = false;
    } else {
        product.epilogue = epilogue;
        product.requantization = requantization;
    }
    const std::string kernel_name =
        fmt::format("{}.{}{}{}{}{}", name(), structured_ ? "sp." : prefix_of(shape.operands),
                    kernel.name, shape.transpose_a == Transpose::kN ? ".n" : ".t",
                    shape.transpose_b == Transpose::kN ? "n" : "t",
                    divided ? fmt::format(".split{}", choice_.parts) : "");
    if (product.reads_c || sums.reads_c) {
        result.c = [this, pitch = result.pitch](std::uint64_t row, std::uint64_t column) {
            return c_at(row * pitch + column);
        };
        result.begins_with_c = !divided && !result.halves;
    }
    check_requantized(result);
    const auto add_kernel = [&](auto kernel_made) {
        if (!divided) {
            result.makes = [made = kernel_made.get()](std::uint64_t row, std::uint64_t column) {
                return made->makes(row, column);
            };
        }
        set_product(std::move(result));
        add(std::move(kernel_made));
    };
    if (kernel.kernel == ProductKernel::kWgmma) {
        if (!epilogue.empty()) {
            throw ConfigError(
                "workload.kernel: got wgmma, expected another for a product with an "
                "epilogue: its kernels have none");
        }
        add_kernel(std::make_unique<WgmmaKernel>(kernel_name, of_warpgroups(product)));
    } else {
        add_kernel(std::make_unique<StagedProductKernel>(kernel_name, product, std::move(b),
                                                         std::move(a)));
    }
    if (divided) add_completion(std::make_unique<SplitKReduction>(name() + ".reduction", sums));
}

/// Returns the product whose operands, result and parts are those of `staged`.
WgmmaProduct LibraryProduct::of_warpgroups(const StagedProduct& staged) const {
    WgmmaProduct product;
    product.first = side_a();
    product.first.base = region("a").base;
    product.second = side_b();
    product.second.base = region("b").base;
    product.k = staged.k;
    product.d = staged.d;
    product.halves = staged.halves;
    product.operands = staged.operands;
    product.steps_per_part = staged.steps_per_part;
    product.raster = staged.tiling.raster;
    product.kernel = choice_.kernel;
    product.multicast = multicast_;
    return product;
}

std::uint32_t LibraryProduct::k_tiles() const {
    const auto tiles = static_cast<std::uint32_t>(ceil_div<std::uint64_t>(shape_.k, kDepthTile));
    return structured_ ? round_up(tiles, CompressedLines::kTilesOfWord) : tiles;
}

DenseSide LibraryProduct::side_a() const {
    return {0,
            shape_.m,
            structured_ ? k_tiles() / CompressedLines::kTilesOfWord : k_tiles(),
            shape_.transpose_a == Transpose::kN,
            choice_.kernel->cta_m,
            choice_.kernel->asynchronous,
            structured_};
}

DenseSide LibraryProduct::side_b() const {
    return {0,
            shape_.n,
            k_tiles(),
            shape_.transpose_b == Transpose::kT,
            choice_.kernel->cta_n,
            choice_.kernel->asynchronous};
}

/// Allocates an operand; unwritten memory is zero.
std::unique_ptr<StagedOperand> LibraryProduct::place(const std::string& region, DenseSide side) {
    side.base = allocate(region, side.bytes());
    if (side.structured) side.metadata = allocate("metadata", side.metadata_place().bytes());
    return make_operand(side);
}

void LibraryProduct::write(const MemoryWriter& write, const std::string& region_name,
                           const DenseSide& side, const ValueGenerator& values) const {
    const std::uint64_t k = shape_.k;
    const Address base = region(region_name).base;
    const std::uint64_t rows = side.aside ? k : side.lines;
    std::vector<HalfBits> row(side.aside ? side.lines : k);
    for (std::uint64_t i = 0; i < rows; ++i) {
        for (std::uint64_t j = 0; j < row.size(); ++j) {
            row[j] = values(side.aside ? j * k + i : i * k + j);
        }
        write(base + i * side.pitch_bytes(), row.data(), row.size() * kHalfBytes);
    }
}

void LibraryProduct::initialise(const MemoryWriter& writer) const {
    if (!values()) return;
    if (structured_) {
        write_compressed(writer);
    } else {
        write(writer, "a", side_a(), a_);
    }
    write(writer, "b", side_b(), b_);
    if (shape_.read_c) write_c(writer);
    write_epilogue(writer);
    write_requantization(writer);
}

/// Writes the kept halves and the metadata of A.
void LibraryProduct::write_compressed(const MemoryWriter& write) const {
    const DenseSide side = side_a();
    const CompressedLines::Metadata place = side.metadata_place();
    const Address base = region("a").base;
    const Address metadata = region("metadata").base;
    std::array<HalfBits, kStructuredDepth> line{};
    std::array<HalfBits, kStructuredKept> kept{};
    for (std::uint64_t i = 0; i < side.lines; ++i) {
        for (std::uint64_t k = 0; k < shape_.k; k += kStructuredDepth) {
            const std::uint64_t some = std::min<std::uint64_t>(kStructuredDepth, shape_.k - k);
            line.fill(0);
            for (std::uint64_t j = 0; j < some; ++j) line[j] = a_(i * shape_.k + k + j);
            const std::uint32_t word = compress_2of4(line.data(), kept.data());
            const std::uint64_t block = k / kStructuredDepth;
            write(metadata + block * place.pitch_bytes() + i * CompressedLines::kWordBytes, &word,
                  sizeof word);
            const std::uint64_t first = block * kStructuredKept;
            if (!side.aside) {
                write(base + i * side.pitch_bytes() + first * kHalfBytes, kept.data(),
                      sizeof(kept));
                continue;
            }
            for (std::uint64_t j = 0; j < kStructuredKept; ++j) {
                write(base + (first + j) * side.pitch_bytes() + i * kHalfBytes, &kept[j],
                      kHalfBytes);
            }
        }
    }
}

void LibraryProduct::write_c(const MemoryWriter& write) const {
    const ProductShape& shape = product();
    std::vector<HalfBits> halves(shape.n);
    std::vector<float> floats(shape.n);
    for (std::uint64_t row = 0; row < shape.m; ++row) {
        for (std::uint64_t i = 0; i < shape.n; ++i) {
            halves[i] = c_(row * shape.n + i);
            floats[i] = c_at(row * shape.n + i);
        }
        const Address base = region("c").base;
        if (shape.halves) {
            write(base + row * shape.n * kHalfBytes, halves.data(), shape.n * kHalfBytes);
        } else {
            write(base + row * shape.n * sizeof(float), floats.data(), shape.n * sizeof(float));
        }
    }
}

float LibraryProduct::c_at(std::uint64_t element) const {
    const bool bf16 = shape_.output == OutputType::kBf16;
    return to_float(c_(element), bf16 ? Float16::kBf16 : Float16::kFp16);
}

std::unique_ptr<Operands> LibraryProduct::operands() const {
    return std::make_unique<GeneratedOperands>(b_, a_, shape_.k, product().k);
}

std::vector<Reference> LibraryProduct::references() const {
    if (is_integer(shape_)) return {};  // oneDNN's check is one of real numbers
    const GemmShapeConfig& shape = shape_;
    Reference reference;
    const std::uint64_t k = config().gemm.k;
    reference.source = [this, &shape, k] { return b_.rounded(shape.n * k); };
    reference.weights = [this, &shape, k] { return a_.rounded(shape.m * k); };
    reference.result = product();
    return {reference};
}

}  // namespace tessera
