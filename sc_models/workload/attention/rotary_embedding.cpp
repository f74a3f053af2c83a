#include "sc_models/workload/attention/rotary_embedding.h"

#include <fmt/format.h>
#include <cmath>

#include "sc_models/workload/attention/cta_count.h"
#include "sc_models/workload/operators/tensor_math.h"
#include "sc_models/workload/value_generator.h"

namespace tessera {
namespace {

constexpr double kRotaryBase = 10000;  // of Llama 2; it changes values and no time

std::string rotary_name(const WorkloadConfig& config) {
    const AttentionConfig& a = config.attention;
    if (!config.layer.name.empty()) return config.layer.name;
    return fmt::format("rotary.{}x{}", std::uint64_t{a.batch} * a.tokens, a.heads);
}

}  // namespace

double rotary_angle(std::uint64_t position, std::uint32_t i, std::uint32_t head_size) {
    const double exponent = -2.0 * i / head_size;
    return static_cast<double>(position) * pow_of(kRotaryBase, exponent);
}

RotaryEmbedding::RotaryEmbedding(const WorkloadConfig& config, std::uint64_t seed, bool values,
                                 const AccessGranularity& granularity)
    : Workload(rotary_name(config), config, seed, values) {
    const AttentionConfig& a = config.attention;
    const std::uint64_t tokens = std::uint64_t{a.batch} * a.tokens;
    problem_.tokens = checked_ctas(tokens, "workload.attention.tokens");
    problem_.heads = a.heads;
    problem_.kv_heads = a.kv_heads;
    problem_.head_size = a.head_size;
    problem_.first_position = a.context;
    problem_.format = format_of(a.operands);
    problem_.tokens_of_sequence = a.tokens;
    problem_.rows = allocate("rows", tokens * problem_.row_elements() * sizeof(HalfBits));
    problem_.positions = allocate("positions", tokens * sizeof(std::uint64_t));
    problem_.cache =
        allocate("cache", (std::uint64_t{a.context} + a.tokens) * a.head_size * sizeof(HalfBits));
    add(std::make_unique<RotaryKernel>(name(), problem_, granularity, values));
}

std::vector<HalfBits> RotaryEmbedding::row(std::uint64_t token) const {
    const ValueGenerator generator =
        ValueGenerator(seed(), ValueGenerator::Tensor::kActivations, config().activations)
            .as_type(config().attention.operands, problem_.row_elements());
    return generator.range(token * problem_.row_elements(), problem_.row_elements());
}

void RotaryEmbedding::initialise(const MemoryWriter& write) const {
    if (!values()) return;
    for (std::uint64_t token = 0; token < problem_.tokens; ++token) {
        const std::vector<HalfBits> halves = row(token);
        write(problem_.rows + token * halves.size() * sizeof(HalfBits), halves.data(),
              halves.size() * sizeof(HalfBits));
        const std::uint64_t position = problem_.position(token);
        write(problem_.positions + token * sizeof position, &position, sizeof position);
    }
    const std::uint32_t half = problem_.head_size / 2;
    std::vector<HalfBits> line(problem_.head_size);
    const std::uint64_t end = problem_.first_position + std::uint64_t{problem_.tokens_of_sequence};
    for (std::uint64_t position = 0; position < end; ++position) {
        for (std::uint32_t i = 0; i < half; ++i) {
            const double angle = rotary_angle(position, i, problem_.head_size);
            line[i] = to_bits(static_cast<float>(cos_of(angle)), problem_.format);
            line[half + i] = to_bits(static_cast<float>(sin_of(angle)), problem_.format);
        }
        write(problem_.cache + position * line.size() * sizeof(HalfBits), line.data(),
              line.size() * sizeof(HalfBits));
    }
}

VerificationReport RotaryEmbedding::verify(const MemoryReader& read,
                                           TensorCoreKind /*kind*/) const {
    VerificationReport report;
    if (!values()) return report;
    report.checked = true;
    const Float16 format = problem_.format;
    const double half_ulp = format == Float16::kBf16 ? 0x1p-8 : 0x1p-11;
    constexpr double kSmallest = 0x1p-22;  // four roundings of subnormals
    const std::uint32_t half = problem_.head_size / 2;
    std::vector<HalfBits> got(problem_.row_elements());
    for (std::uint64_t token = 0; token < problem_.tokens; ++token) {
        const std::vector<HalfBits> before = row(token);
        read(problem_.rows + token * got.size() * sizeof(HalfBits), got.data(),
             got.size() * sizeof(HalfBits));
        const std::uint64_t rotated =
            std::uint64_t{problem_.heads + problem_.kv_heads} * problem_.head_size;
        for (std::uint64_t e = 0; e < got.size(); ++e) {
            float golden = to_float(before[e], format);
            double defined = golden, bound = 0;
            if (e < rotated) {
                const std::uint64_t within = e % problem_.head_size;
                const auto i = static_cast<std::uint32_t>(within % half);
                const std::uint64_t first = e - within + i;
                const float x = to_float(before[first], format);
                const float y = to_float(before[first + half], format);
                const double angle = rotary_angle(problem_.position(token), i, problem_.head_size);
                const double cosine = cos_of(angle), sine = sin_of(angle);
                const auto stored = [format](double value) {
                    return rounded(static_cast<float>(value), format);
                };
                const bool is_first = within < half;
                const RotaryPair pair{x, y, stored(cosine), stored(sine)};
                golden = is_first ? pair.first(format) : pair.second(format);
                defined = is_first ? x * cosine - y * sine : y * cosine + x * sine;
                const double terms = is_first ? std::fabs(x * cosine) + std::fabs(y * sine)
                                              : std::fabs(y * cosine) + std::fabs(x * sine);
                bound = half_ulp * (2.01 * terms + 1.01 * std::fabs(defined)) + kSmallest;
            }
            ++report.outputs;
            const bool same = got[e] == to_bits(golden, format);
            report.mismatches += same ? 0 : 1;
            ++report.scalar_samples;
            const bool near = std::fabs(golden - defined) <= bound;
            report.scalar_mismatches += near ? 0 : 1;
            if ((same && near) || !report.first_mismatch.empty()) continue;
            report.first_mismatch =
                fmt::format("rows[{}][{}]: expected {} ({} by definition), got {}", token, e,
                            golden, defined, to_float(got[e], format));
        }
    }
    return report;
}

}  // namespace tessera
