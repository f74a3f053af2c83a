#include "sc_models/workload/tensor/tensor_workload.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>

#include "sc_models/workload/given_layer.h"
#include "sc_models/workload/value_generator.h"

namespace tessera {
namespace {

using Op = TensorOperator;

/// Number of elements of a result that are also computed by definition, evenly spread; all if there
/// are fewer.
constexpr std::uint64_t kDefinitions = 1 << 17;

/// Compares bits; all NaNs are equal, because their bits are undefined.
bool same_bits(float a, float b) {
    return float_bits(a) == float_bits(b) || (a != a && b != b);
}

bool within_bound(const TensorOperation& o, const TensorReference& reference, float got) {
    constexpr double kMostHalf = 65504, kMostBf16 = 0x1.fep127, kMostFloat = 0x1.fffffep127;
    if (std::isnan(reference.value)) return std::isnan(got);
    if (double{got} == reference.value) return true;
    const double bound = tensor_bound(o, reference);
    if (std::isinf(got)) {
        const TensorType type = o.result_type();
        const double most = type == TensorType::kFp16   ? kMostHalf
                            : type == TensorType::kBf16 ? kMostBf16
                                                        : kMostFloat;
        return (got > 0) == (reference.value > 0) && std::fabs(reference.value) + bound > most;
    }
    return std::fabs(double{got} - reference.value) <= bound;
}

}  // namespace

void write_tensor(const MemoryWriter& write, Address base, TensorType type,
                  const std::vector<float>& elements) {
    if (type == TensorType::kFp32) {
        write(base, elements.data(), elements.size() * sizeof(float));
        return;
    }
    if (bytes_of(type) == 1) {
        std::vector<std::uint8_t> bytes(elements.size());
        std::transform(elements.begin(), elements.end(), bytes.begin(),
                       [](float x) { return static_cast<std::uint8_t>(static_cast<int>(x)); });
        write(base, bytes.data(), bytes.size());
        return;
    }
    std::vector<HalfBits> halves(elements.size());
    std::transform(elements.begin(), elements.end(), halves.begin(),
                   [format = format_of(type)](float x) { return to_bits(x, format); });
    write(base, halves.data(), halves.size() * sizeof(HalfBits));
}

std::vector<float> read_tensor(const MemoryReader& read, Address base, TensorType type,
                               std::uint64_t elements) {
    std::vector<float> values(elements);
    if (type == TensorType::kFp32) {
        read(base, values.data(), elements * sizeof(float));
        return values;
    }
    if (bytes_of(type) == 1) {
        std::vector<std::uint8_t> bytes(elements);
        read(base, bytes.data(), elements);
        std::transform(bytes.begin(), bytes.end(), values.begin(), [type](std::uint8_t byte) {
            return static_cast<float>(type == TensorType::kUint8 || byte < 128 ? byte : byte - 256);
        });
        return values;
    }
    std::vector<HalfBits> halves(elements);
    read(base, halves.data(), elements * sizeof(HalfBits));
    std::transform(halves.begin(), halves.end(), values.begin(),
                   [format = format_of(type)](HalfBits half) { return to_float(half, format); });
    return values;
}

VerificationReport verify_tensor(const TensorOperation& operation, const TensorPlan& plan,
                                 const TensorValues& operands, const std::vector<Address>& results,
                                 const MemoryReader& read) {
    const std::vector<TensorShape> shapes = result_shapes(operation);
    const TensorValues golden = tensor_golden(plan, operands, shapes);
    const TensorDefinition definition(operation, operands);
    VerificationReport report;
    report.checked = true;
    for (std::size_t i = 0; i < golden.size(); ++i) {
        const std::vector<float> got =
            read_tensor(read, results[i], operation.result_type(), golden[i].size());
        const std::uint64_t apart = ceil_div(std::uint64_t{got.size()}, kDefinitions);
        for (std::uint64_t e = 0; e < got.size(); ++e) {
            ++report.outputs;
            const bool same = same_bits(got[e], golden[i][e]);
            report.mismatches += same ? 0 : 1;
            if (same && e % apart != 0) continue;
            const TensorReference reference = definition.element(i, e);
            const bool near = within_bound(operation, reference, golden[i][e]);
            ++report.scalar_samples;
            report.scalar_mismatches += near ? 0 : 1;
            if ((same && near) || !report.first_mismatch.empty()) continue;
            report.first_mismatch =
                fmt::format("result{}[{}]: expected {} ({} by definition), got {}", i, e,
                            golden[i][e], reference.value, got[e]);
        }
    }
    return report;
}

namespace {

/// Turns a generated number of [-1, 1] into an operand of an operator on integers: a positive
/// scale, with which results saturate now and then, or an integer of 8 bits.
float quantization_value(const TensorOperation& o, std::size_t operand, float value) {
    constexpr float kLeastScale = 0x1p-8F, kScales = 0x1p-6F, kSteps = 127;
    if (operand == 1 && is_quantization(o.op)) return kLeastScale + kScales * std::fabs(value);
    if (bytes_of(o.operand_type(operand)) != 1) return value;
    const float whole = std::nearbyint(kSteps * value) + 0.0F;  // integers have no -0
    return o.operand_type(operand) == TensorType::kInt8 ? whole : std::fabs(whole);
}

/// vLLM's kernel needs compute capability 7.0 and is measured on 8.0: machines of that generation
/// have it, and older ones keep that of LayerNormalization.
RmsKernel rms_kernel(const TargetMachine& machine) {
    const auto has = [&](MmaShape shape) {
        return machine.mma_shapes[static_cast<std::size_t>(shape)];
    };
    const bool ampere = has(MmaShape::kHmma16816) && !has(MmaShape::kHmma884);
    return ampere ? RmsKernel::kVllm : RmsKernel::kLayerNorm;
}

}  // namespace

TensorWorkload::TensorWorkload(const WorkloadConfig& config, std::uint64_t seed, bool values,
                               const TargetMachine& machine)
    : TensorWorkload(config.given_layer != nullptr && config.given_layer->operation
                         ? *config.given_layer->operation
                         : operation_of(config.tensor),
                     config, seed, values, machine) {}

TensorWorkload::TensorWorkload(const TensorOperation& operation, const WorkloadConfig& config,
                               std::uint64_t seed, bool values, const TargetMachine& machine)
    : Workload(config.layer.name.empty() ? fmt::format("{}.{}", name_of(operation.op),
                                                       fmt::join(operation.operands[0], "x"))
                                         : config.layer.name,
               config, seed, values),
      operation_(operation),
      plan_(make_tensor_plan(operation, rms_kernel(machine))) {
    const auto place = [&](const std::string& name, const TensorShape& shape, TensorType type) {
        return allocate(name, elements_of(shape) * bytes_of(type));
    };
    for (std::size_t i = 0; i < operation_.operands.size(); ++i) {
        addresses_.operands.push_back(
            place(fmt::format("operand{}", i), operation_.operands[i], operation_.operand_type(i)));
    }
    if (gathers(operation_.op)) {
        addresses_.operands.push_back(
            allocate("indices", elements_of(operation_.sizes) * kIndexBytes));
    }
    const std::vector<TensorShape> results = result_shapes(operation_);
    for (std::size_t i = 0; i < results.size(); ++i) {
        addresses_.results.push_back(
            place(fmt::format("result{}", i), results[i], operation_.result_type()));
    }
    const std::uint64_t partials = partial_floats(plan_);
    if (partials > 0) addresses_.partials = allocate("partials", partials * sizeof(float));
    auto kernels = make_tensor_kernels({name(), plan_, addresses_, machine.granularity, values});
    for (auto& kernel : kernels) {
        const bool completes = kernel != kernels.front() && !plan_.formula.maps;
        completes ? add_completion(std::move(kernel)) : add(std::move(kernel));
    }
}

TensorValues TensorWorkload::operand_values() const {
    const Op op = operation_.op;
    TensorValues operands;
    if (config().given_layer != nullptr) {
        for (const GivenLayer::Elements& given : config().given_layer->operands) {
            operands.push_back(
                given_values(*GivenLayer::known(given), given_type(operation_, operands.size())));
        }
        return operands;
    }
    for (std::size_t i = 0; i < operation_.operands.size(); ++i) {
        const auto& pattern = i == 0 ? config().activations : config().weights;
        const auto tensor = static_cast<ValueGenerator::Tensor>(
            static_cast<std::uint64_t>(ValueGenerator::Tensor::kActivations) + i);
        const ValueGenerator generator(seed(), tensor, pattern);
        const bool positive = op == Op::kLog || op == Op::kSqrt || op == Op::kReduceLogSum ||
                              (op == Op::kPow && i == 0) ||
                              (op == Op::kBatchNormalization && i == 4);
        const bool chooses = op == Op::kWhere && i == 0;
        std::vector<float> elements(elements_of(operation_.operands[i]));
        for (std::uint64_t e = 0; e < elements.size(); ++e) {
            float value = generator.single(e);
            if (!operation_.types.empty()) value = quantization_value(operation_, i, value);
            const TensorType type = operation_.operand_type(i);
            if (is_half(type)) value = rounded(value, format_of(type));
            elements[e] = chooses ? (value > 0 ? 1.0F : 0.0F) : positive ? std::fabs(value) : value;
        }
        operands.push_back(std::move(elements));
    }
    return operands;
}

void TensorWorkload::initialise(const MemoryWriter& write) const {
    if (!values()) return;
    const TensorValues operands = operand_values();
    for (std::size_t i = 0; i < operands.size(); ++i) {
        write_tensor(write, addresses_.operands[i], operation_.operand_type(i), operands[i]);
    }
    if (!gathers(operation_.op)) return;
    std::vector<std::uint64_t> indices(elements_of(operation_.sizes));
    for (std::uint64_t i = 0; i < indices.size(); ++i) indices[i] = gathered_index(operation_, i);
    write(region("indices").base, indices.data(), indices.size() * kIndexBytes);
}

VerificationReport TensorWorkload::verify(const MemoryReader& read, TensorCoreKind /*kind*/) const {
    if (!values()) return {};
    return verify_tensor(operation_, plan_, operand_values(), addresses_.results, read);
}

}  // namespace tessera
