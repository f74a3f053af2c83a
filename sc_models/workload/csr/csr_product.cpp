#include "sc_models/workload/csr/csr_product.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <map>

#include "sc_models/common/error.h"
#include "sc_models/sparse/sparsity.h"

namespace tessera {
namespace {

constexpr std::uint64_t kWord = 4;
constexpr std::uint32_t kLeastEntries = 256;  // of a table: chosen

std::uint32_t power_of_two_from(std::uint64_t least) {
    std::uint32_t power = kLeastEntries;
    while (power < least) power *= 2;
    return power;
}

BitmapMatrix operand(const WorkloadConfig& config, std::uint64_t seed, SparseOperand which,
                     bool values) {
    const bool is_a = which == SparseOperand::kA;
    const SparsityConfig& zeros = is_a ? config.sparse.a : config.sparse.b;
    MatrixFileOptions options{FileNumbers::kFinite};
    if (!zeros.file.empty()) options.values = config.sparse.file_values;
    return make_sparse_operand(zeros, seed, which, is_a ? config.gemm.m : config.gemm.n,
                               config.gemm.k, values, options);
}

/// Sizes of the rows of a product.
struct ProductRows {
    std::vector<std::uint32_t> begin{0};  ///< row pointers
    std::uint64_t most_products = 0, most_elements = 0;

    ProductRows(const CsrMatrix& a, const CsrMatrix& b) {
        std::vector<std::uint64_t> seen(b.columns, ~std::uint64_t{0});
        for (std::uint64_t row = 0; row < a.rows(); ++row) {
            std::uint64_t products = 0;
            std::uint32_t elements = 0;
            for (std::uint32_t i = a.begin[row]; i < a.begin[row + 1]; ++i) {
                const std::uint32_t k = a.column[i];
                for (std::uint32_t j = b.begin[k]; j < b.begin[k + 1]; ++j, ++products) {
                    if (seen[b.column[j]] == row) continue;
                    seen[b.column[j]] = row;
                    ++elements;
                }
            }
            begin.push_back(begin.back() + elements);
            most_products = std::max(most_products, products);
            most_elements = std::max<std::uint64_t>(most_elements, elements);
        }
    }
};

}  // namespace

CsrProduct::CsrProduct(const WorkloadConfig& config, std::uint64_t seed, bool values,
                       const TargetMachine& machine)
    : Workload(fmt::format("gemm.{}x{}x{}.csr", config.gemm.m, config.gemm.n, config.gemm.k),
               config, seed, values),
      a_bits_(operand(config, seed, SparseOperand::kA, values)),
      b_bits_(operand(config, seed, SparseOperand::kB, values)),
      a_(CsrMatrix::of(a_bits_, false)),
      b_(CsrMatrix::of(b_bits_, true)) {
    const ProductRows rows(a_, b_);
    c_rows_ = rows.begin;
    const std::uint32_t of_columns = power_of_two_from(b_.columns);
    const std::uint32_t symbolic =
        std::min(of_columns, power_of_two_from(2 * std::min(rows.most_products, b_.columns)));
    const std::uint32_t numeric = std::min(of_columns, power_of_two_from(2 * rows.most_elements));
    if (std::max(symbolic, 2 * numeric) * kWord > machine.shared_memory_bytes) {
        throw ConfigError(fmt::format(
            "workload.gemm.n: got '{}', expected rows of the result whose hash table fits the "
            "shared memory of an SM ({} bytes) with workload.kernel simt",
            config.gemm.n, machine.shared_memory_bytes));
    }
    CsrProductTask task;
    task.name = name();
    task.a = &a_;
    task.b = &b_;
    task.a_begin = allocate("a.begin", a_.begin.size() * kWord);
    task.a_column = allocate("a.column", a_.elements() * kWord);
    task.a_values = allocate("a.values", a_.elements() * kWord);
    task.b_begin = allocate("b.begin", b_.begin.size() * kWord);
    task.b_column = allocate("b.column", b_.elements() * kWord);
    task.b_values = allocate("b.values", b_.elements() * kWord);
    task.counts = allocate("counts", a_.rows() * kWord);
    task.c_begin = allocate("c.begin", (a_.rows() + 1) * kWord);
    task.c_column = allocate("c.column", c_rows_.back() * kWord);
    task.c_values = allocate("c.values", c_rows_.back() * kWord);
    task.c_rows = &c_rows_;
    task.granularity = machine.granularity;
    task.values = values;
    add(std::make_unique<CsrPhaseKernel>(task, CsrPhaseKernel::Phase::kSymbolic, symbolic));
    add(std::make_unique<CsrScanKernel>(task));
    add(std::make_unique<CsrPhaseKernel>(task, CsrPhaseKernel::Phase::kNumeric, numeric));
}

void CsrProduct::initialise(const MemoryWriter& write) const {
    if (!values()) return;
    const auto put = [&](const char* name, const auto& elements) {
        if (!elements.empty()) write(region(name).base, elements.data(), elements.size() * kWord);
    };
    put("a.begin", a_.begin);
    put("a.column", a_.column);
    put("a.values", a_.values);
    put("b.begin", b_.begin);
    put("b.column", b_.column);
    put("b.values", b_.values);
}

VerificationReport CsrProduct::verify(const MemoryReader& read, TensorCoreKind /*kind*/) const {
    VerificationReport report;
    if (!values()) return report;
    report.checked = true;
    const auto note = [&report](const std::string& text) {
        if (report.mismatches++ == 0) report.first_mismatch = text;
    };
    // From the operands' bitmaps and not from what the kernels read.
    std::vector<std::vector<std::pair<std::uint32_t, float>>> rows_of_b(b_bits_.k());
    for (std::uint64_t k = 0; k < b_bits_.k(); ++k) {
        for (std::uint64_t n = 0; n < b_bits_.lines(); ++n) {
            if (!b_bits_.stored(n, k)) continue;
            rows_of_b[k].emplace_back(static_cast<std::uint32_t>(n),
                                      half_to_float(b_bits_.at(n, k)));
        }
    }
    std::uint32_t begin = 0;
    for (std::uint64_t row = 0; row < a_bits_.lines(); ++row) {
        std::map<std::uint32_t, float> expected;
        for (std::uint64_t k = 0; k < a_bits_.k(); ++k) {
            if (!a_bits_.stored(row, k)) continue;
            const float a = half_to_float(a_bits_.at(row, k));
            for (const auto& [column, b] : rows_of_b[k]) expected[column] += a * b;
        }
        std::uint32_t bounds[2] = {};
        read(region("c.begin").base + row * kWord, bounds, sizeof bounds);
        const auto end = static_cast<std::uint32_t>(begin + expected.size());
        report.outputs += 1 + expected.size();
        if (bounds[0] != begin || bounds[1] != end) {
            note(fmt::format("row {}: expected elements {} to {}, got {} to {}", row, begin, end,
                             bounds[0], bounds[1]));
        }
        for (std::uint32_t i = begin; i < end; ++i) {
            std::uint32_t column = 0;
            float value = 0;
            read(region("c.column").base + i * kWord, &column, sizeof column);
            read(region("c.values").base + i * kWord, &value, sizeof value);
            const auto found = expected.find(column);
            if (found == expected.end()) {
                note(fmt::format("row {}: column {} is there twice or should not be", row, column));
                continue;
            }
            if (std::memcmp(&found->second, &value, sizeof value) != 0) {
                note(fmt::format("C[{}][{}]: expected {}, got {}", row, column, found->second,
                                 value));
            }
            expected.erase(found);
        }
        begin = end;
    }
    return report;
}

}  // namespace tessera
