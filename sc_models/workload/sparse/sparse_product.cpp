#include "sc_models/workload/sparse/sparse_product.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/workload/given_layer.h"

namespace tessera {
namespace {

// The vector-wise sparse tensor core keeps 4 of 16 k: halves, and 4 bits each for their positions.
constexpr std::uint32_t kVectorWiseTileBytes = 4 * sizeof(HalfBits) + 2;
// The vector-wise sparse tensor core reads the kept k at half the rate of dense ones.
constexpr std::uint32_t kVectorWiseSkip = 2;

class SparseOperandLines : public Operands {
public:
    explicit SparseOperandLines(const SparseProduct& product) : product_(product) {}

    [[nodiscard]] ZeroSkipping skipping() const override {
        const bool shows = product_.a().nonfinite_tiles() + product_.b().nonfinite_tiles() > 0 &&
                           product_.config().sparse.nonfinite == NonfiniteNumbers::kSkipHides;
        const ProductMethod method = product_.config().sparse.method;
        if (!shows || (method != ProductMethod::kDual && method != ProductMethod::kSingle)) {
            return ZeroSkipping::kNone;
        }
        return method == ProductMethod::kDual ? ZeroSkipping::kOfBoth : ZeroSkipping::kOfB;
    }

    void a_row(std::uint64_t row, HalfBits* out) const override { line(product_.a(), row, out); }
    void b_column(std::uint64_t column, HalfBits* out) const override {
        line(product_.b(), column, out);
    }

private:
    static void line(const BitmapMatrix& matrix, std::uint64_t line, HalfBits* out) {
        const std::uint64_t padded = std::uint64_t{matrix.k_tiles()} * kDepthTile;
        for (std::uint64_t k = 0; k < padded; ++k)
            out[k] = k < matrix.k() ? matrix.at(line, k) : HalfBits{0};
    }

    const SparseProduct& product_;
};

constexpr std::uint32_t kEnoughWarps = 16;  // per SM, four per sub-core

/// Depth tiles of the longest step that leaves enough warps per SM, or as many as the shortest step
/// does.
std::uint32_t longest_step(StagedProduct product, const StagedOperand& a, const StagedOperand& b,
                           const TargetMachine& machine) {
    std::uint32_t most = 0;
    std::uint32_t longest = product.fragment_skip;
    for (const std::uint32_t depth : {1U, 2U, 4U, 8U}) {
        if (depth < product.fragment_skip) continue;
        product.depth_tiles = depth;
        const StagedResources resources(product, a, b);
        const std::uint32_t ctas =
            std::min(machine.warp_registers / (resources.registers_per_thread * resources.warps),
                     machine.shared_memory_bytes / resources.shared_memory_bytes);
        const std::uint32_t enough = ceil_div(kEnoughWarps, resources.warps);
        if (depth > 1 && (ctas < std::min(most, enough) ||
                          resources.registers_per_thread > kMaxThreadRegisters)) {
            break;
        }
        if (depth == 1) most = ctas;
        longest = depth;
    }
    return longest;
}

std::string sparse_name(const WorkloadConfig& config) {
    constexpr std::string_view kMethods[] = {"dense", "vector_wise", "single", "dual"};
    const GemmShapeConfig& shape = config.gemm;
    return fmt::format("gemm.{}x{}x{}.{}", shape.m, shape.n, shape.k,
                       kMethods[static_cast<std::size_t>(config.sparse.method)]);
}

}  // namespace

SparseProduct::SparseProduct(const WorkloadConfig& config, std::uint64_t seed, bool values,
                             const TargetMachine& machine)
    : SparseProduct(sparse_name(config), config, seed, values) {
    const GemmShapeConfig& shape = config.gemm;
    const SparseConfig& sparse = config.sparse;
    if (sparse.a_fragments) {
        throw ConfigError(
            "workload.sparse.a_fragments: got on, expected off with workload.kind sparse_gemm: "
            "there is no lowered feature map");
    }
    const FileNumbers numbers =
        sparse.nonfinite == NonfiniteNumbers::kStrict ? FileNumbers::kFinite : FileNumbers::kAny;
    const bool explicit_zeros = sparse.nonfinite == NonfiniteNumbers::kExplicit &&
                                !(sparse.a.file.empty() && sparse.b.file.empty());
    // Only values show which elements are opposite an infinity or a NaN.
    const auto make = [&](SparseOperand which, std::uint64_t lines) {
        return make_operand(which, lines, shape.k, values || explicit_zeros, numbers);
    };
    set_operands(make(SparseOperand::kA, shape.m), make(SparseOperand::kB, shape.n));
    if (explicit_zeros) store_explicit_zeros();
    add_product(name(), place_a(), machine);
}

SparseProduct::SparseProduct(std::string name, const WorkloadConfig& config, std::uint64_t seed,
                             bool values)
    : Workload(std::move(name), config, seed, values) {
    const SparseConfig& sparse = config.sparse;
    if (values && sparse.method == ProductMethod::kVectorWise) {
        throw ConfigError(
            "workload.sparse.method: got vector_wise, expected another method when values are on: "
            "this tensor core is modelled by its traffic and time only");
    }
    if (sparse.k_step % kDepthTile != 0) {
        throw ConfigError(
            fmt::format("workload.sparse.k_step: got {}, expected auto or a multiple of {}",
                        sparse.k_step, kDepthTile));
    }
    if (sparse.method == ProductMethod::kVectorWise &&
        sparse.k_step % (kVectorWiseSkip * kDepthTile) != 0) {
        throw ConfigError(
            fmt::format("workload.sparse.k_step: got {}, expected auto or a multiple of {} with "
                        "workload.sparse.method vector_wise, which skips every second tile",
                        sparse.k_step, kVectorWiseSkip * kDepthTile));
    }
    check_staged_tiling(config.tiling, !fragments());
}

BitmapMatrix SparseProduct::make_operand(SparseOperand which, std::uint64_t lines, std::uint64_t k,
                                         bool values, FileNumbers numbers) const {
    const bool is_a = which == SparseOperand::kA;
    if (config().given_layer == nullptr) {
        const SparsityConfig& zeros = is_a ? config().sparse.a : config().sparse.b;
        MatrixFileOptions options{numbers};
        if (!zeros.file.empty()) options.values = config().sparse.file_values;
        return make_sparse_operand(zeros, seed(), which, lines, k, values, options);
    }
    const GivenLayer& layer = *config().given_layer;
    const auto& elements = *(is_a ? layer.known_activations() : layer.known_weights());
    const auto source = [&elements, k](std::uint64_t line, HalfBits* out) {
        std::copy_n(elements.begin() + static_cast<std::ptrdiff_t>(line * k), k, out);
    };
    return BitmapMatrix::encode(lines, k, source, values);
}

void SparseProduct::store_explicit_zeros() {
    if (a_.nonfinite_tiles() + b_.nonfinite_tiles() == 0) return;
    SparseOperands both = strict_operands(a_, b_);
    set_operands(std::move(both.a), std::move(both.b));
}

void SparseProduct::add_product(const std::string& kernel, std::unique_ptr<StagedOperand> a,
                                const TargetMachine& machine) {
    const SparseConfig& sparse = config().sparse;
    StagedProduct product;
    product.m = a_.lines();
    product.n = b_.lines();
    product.k = std::uint64_t{a_.k_tiles()} * kDepthTile;
    product.tiling = config().tiling;
    product.writes_d = config().tiling.c_traffic;
    product.reads_c = config().tiling.c_traffic && sparse.read_c;
    product.values = values();
    product.a_lines = unstaged_a_.base;
    product.a_line_bytes = unstaged_a_.line_bytes;
    product.convolution_packet = unstaged_a_.packet;
    product.fragment_skip = sparse.method == ProductMethod::kVectorWise ? kVectorWiseSkip : 1;
    std::unique_ptr<StagedOperand> b;
    if (fragments()) {
        b = place_lines(
            "b", b_,
            sparse.method == ProductMethod::kVectorWise ? kVectorWiseTileBytes : kFragmentRowBytes);
    } else {
        product.skip_unmet_tiles =
            static_cast<const BitmapTiles&>(*a).tells_needed() && sparse.skip_unmet_tiles;
        BitmapTiles::TilePlace place = allocate_bitmaps("b", b_);
        place.descriptors_apart = product.skip_unmet_tiles;
        b = std::make_unique<BitmapTiles>(b_, place);
    }
    product.halves = config().epilogue != nullptr && config().epilogue->halves_result();
    product.epilogue = place_epilogue(product.m, product.n, product.n);
    product.depth_tiles = sparse.k_step != SparseConfig::kAutoStep
                              ? sparse.k_step / kDepthTile
                              : longest_step(product, *a, *b, machine);
    const std::uint64_t result_bytes =
        product.m * product.n * (product.halves ? sizeof(HalfBits) : sizeof(float));
    product.c = allocate("c", result_bytes);
    product.d = allocate("d", result_bytes);
    auto made = std::make_unique<StagedProductKernel>(kernel, product, std::move(a), std::move(b));
    ProductShape result{product.m,
                        product.n,
                        product.k,
                        product.d,
                        product.n,
                        [kernel = made.get()](std::uint64_t row, std::uint64_t column) {
                            return kernel->makes(row, column);
                        }};
    result.halves = product.halves;
    result.epilogue = golden_epilogue();
    set_product(std::move(result));
    add(std::move(made));
}

const BitmapMatrix& SparseProduct::make_full_a(std::uint64_t k) {
    full_a_ = BitmapMatrix::pattern(a_.lines(), k,
                                    [](std::uint32_t, std::uint32_t, std::uint32_t* masks) {
                                        std::fill_n(masks, kSparseTileK, ~0U);
                                    });
    return full_a_;
}

std::unique_ptr<StagedOperand> SparseProduct::place_a() {
    if (fragments()) return place_lines("a", a_, kFragmentRowBytes);
    if (a_in_bitmaps()) return std::make_unique<BitmapTiles>(a_, allocate_bitmaps("a", a_));
    const BitmapMatrix& full = make_full_a(a_.k());
    BitmapTiles::TilePlace place;
    place.with_bitmaps = false;
    place.values = allocate("a.values", full.values_bytes());
    return std::make_unique<BitmapTiles>(full, place);
}

std::unique_ptr<StagedOperand> SparseProduct::place_lines(const std::string& name,
                                                          const BitmapMatrix& matrix,
                                                          std::uint32_t tile_bytes) {
    const std::uint64_t lines = std::uint64_t{matrix.line_tiles()} * kLineTile;
    const Address base = allocate(name, lines * matrix.k_tiles() * tile_bytes);
    return std::make_unique<DenseLines>(base, matrix.k_tiles(), tile_bytes);
}

BitmapTiles::TilePlace SparseProduct::allocate_bitmaps(const std::string& name,
                                                       const BitmapMatrix& matrix) {
    BitmapTiles::TilePlace place;
    place.descriptors = allocate(name + ".descriptors", matrix.tile_desc_bytes());
    place.bitmaps = allocate(name + ".bitmaps", matrix.elem_bitmap_bytes());
    place.values = allocate(name + ".values", matrix.values_bytes());
    return place;
}

void SparseProduct::initialise(const MemoryWriter& write) const {
    if (!values()) return;
    write_a(write);
    write_b(write);
    write_epilogue(write);
}

void SparseProduct::write_a(const MemoryWriter& write) const {
    if (fragments() || unstaged_a_.base != 0) {
        write_lines(write, "a", a_);
    } else {
        write_tiles(write, "a", a_, a_in_bitmaps() ? a_ : full_a_);
    }
}

void SparseProduct::write_b(const MemoryWriter& write) const {
    if (fragments()) {
        write_lines(write, "b", b_);
    } else {
        write_tiles(write, "b", b_, b_);
    }
}

void SparseProduct::write_lines(const MemoryWriter& write, const std::string& name,
                                const BitmapMatrix& matrix) const {
    const std::uint64_t pitch = std::uint64_t{matrix.k_tiles()} * kDepthTile;
    std::vector<HalfBits> line(pitch);
    const SparseOperandLines lines(*this);
    for (std::uint64_t i = 0; i < matrix.lines(); ++i) {
        name == "a" ? lines.a_row(i, line.data()) : lines.b_column(i, line.data());
        write(region(name).base + i * pitch * sizeof(HalfBits), line.data(),
              pitch * sizeof(HalfBits));
    }
}

void SparseProduct::write_descriptors(const MemoryWriter& write, const std::string& name,
                                      const BitmapMatrix& matrix) const {
    write(region(name + ".descriptors").base, matrix.arrays().tile_desc.data(),
          matrix.tile_desc_bytes());
}

void SparseProduct::write_tiles(const MemoryWriter& write, const std::string& name,
                                const BitmapMatrix& matrix, const BitmapMatrix& stored) const {
    if (&matrix == &stored) {
        const BitmapArrays& arrays = matrix.arrays();
        write_descriptors(write, name, matrix);
        write(region(name + ".bitmaps").base, arrays.elem_bitmap.data(),
              matrix.elem_bitmap_bytes());
        write(region(name + ".values").base, arrays.values.data(), matrix.values_bytes());
        return;
    }
    std::vector<HalfBits> values;
    for (std::uint32_t line_tile = 0; line_tile < stored.line_tiles(); ++line_tile) {
        for (std::uint32_t k_tile = 0; k_tile < stored.k_tiles(); ++k_tile) {
            const std::uint64_t id = stored.tile(line_tile, k_tile);
            values.clear();
            for (std::uint32_t k = 0; k < kSparseTileK; ++k) {
                for (std::uint32_t bits = stored.masks(id)[k]; bits != 0; bits &= bits - 1) {
                    values.push_back(matrix.at(std::uint64_t{line_tile} * kLineTile +
                                                   static_cast<std::uint32_t>(__builtin_ctz(bits)),
                                               std::uint64_t{k_tile} * kSparseTileK + k));
                }
            }
            write(region(name + ".values").base + stored.value_offset_bytes(id), values.data(),
                  values.size() * sizeof(HalfBits));
        }
    }
}

std::unique_ptr<Operands> SparseProduct::operands() const {
    return std::make_unique<SparseOperandLines>(*this);
}

std::vector<Reference> SparseProduct::references() const {
    Reference reference;
    reference.source = [this] { return a_.floats(); };
    reference.weights = [this] { return b_.floats(); };
    reference.result = product();
    return {reference};
}

}  // namespace tessera
