// Configuration of a streaming multiprocessor.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sc_models/config/engine/config_visitor.h"
#include "sc_models/config/engine/recorded_parameter.h"
#include "sc_models/config/tensor_rates_config.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

enum class SchedulerPolicy { kGreedyThenOldest, kLooseRoundRobin };

/// Addressing of a bank of the register file.
enum class RegisterAddress {
    kWarp,  ///< one row for all lanes
    kLane   ///< a row for each lane
};

/// Read path of warp registers; with `banks` 0, reads take no time.
struct RegisterFileConfig {
    static constexpr std::uint32_t kMaxBanks = 32;
    std::uint32_t banks = 0;  ///< per sub-core
    std::uint32_t reads_per_bank_cycle = 1;
    std::uint32_t collectors = 2;  ///< per sub-core
    bool reuse_cache = true;
    RegisterAddress renamed_rows = RegisterAddress::kWarp;
};

/// Timing of one kind of SASS instruction.
struct OperationConfig {
    RecordedParameter<std::uint32_t>
        latency_cycles;  ///< from issue to issue of a dependent instruction
    RecordedParameter<std::uint32_t> initiation_cycles;  ///< from issue to issue of the next one on
                                                         ///< the same lanes
};

/// Timing of a tensor-core instruction of a sub-core.
struct TensorTiming {
    static constexpr std::uint64_t kUnit = 1024;  ///< fractions of a cycle
    std::uint64_t initiation = 0;                 ///< of the next one, in 1/kUnit cycles
    std::uint32_t latency = 0;                    ///< of a dependent one, in cycles
};

/// Streaming multiprocessor (Duplo Table III; Volta where the paper gives no value).
struct SmConfig {
    std::uint32_t sub_cores = 4;
    std::uint32_t issue_cycles = 1;
    std::uint32_t max_warps = 64;
    std::uint32_t max_ctas = 32;
    SchedulerPolicy scheduler = SchedulerPolicy::kGreedyThenOldest;
    std::uint32_t register_file_kib = 256;
    RegisterFileConfig register_file;
    std::uint32_t unified_l1_kib = 128;
    std::uint32_t shared_memory_kib = 96;
    bool adaptive_shared_memory = false;
    RecordedParameter<std::uint32_t> alu_latency_cycles = 4;
    RecordedParameter<std::uint32_t> alu_initiation_cycles = 2;
    std::uint32_t shared_memory_latency_cycles = 27;
    std::uint32_t shared_memory_banks = 32;
    std::uint32_t barrier_latency_cycles = 2;
    std::uint32_t bulk_copy_latency_cycles = 0;  ///< 0: no bulk copies
    /// Timing by Operation.
    std::array<OperationConfig, kOperations> operations = {
        {{4, 2}, {4, 2}, {6, 2}, {8, 4}, {21, 8}, {8, 2}, {8, 4}, {4, 2}, {4, 2}}};

    TensorRatesConfig tensor_rates;

    /// Timing of a shape that the machine has.
    [[nodiscard]] TensorTiming tensor_timing(MmaShape shape) const;
    /// Timing of a 16x16x16 product of FP16 with FP32 sums as wmma.mma compiles to: the largest of
    /// two HMMA.16816, four HMMA.1688 and 16 HMMA.884 that has a rate of its own or, without one,
    /// HMMA.884 steps. `initiation` is rounded up to a cycle.
    [[nodiscard]] TensorTiming product_timing() const;
    /// Timing of a product of fragments: product_timing(), two HMMA.SP.16832, or two IMMA.16832.
    /// Nothing if the machine has no rate for them. `initiation` is rounded up to a cycle.
    [[nodiscard]] std::optional<TensorTiming> fragment_timing(FragmentProduct product) const;
    /// Timing of a warp's share of a product of a warpgroup with `columns` columns, a multiple of
    /// eight: `latency` goes from its last cycle on. Nothing if the machine has no rate for it.
    [[nodiscard]] std::optional<TensorTiming> warpgroup_timing(MmaShape shape,
                                                               std::uint32_t columns) const;
    /// Bytes of the unified L1 that remain for the cache while the resident CTAs of a kernel need
    /// `shared_bytes` of shared memory.
    [[nodiscard]] std::uint32_t l1_cache_bytes(std::uint32_t shared_bytes = 0) const;
    /// Capacity of the file in warp registers (32-bit registers x 32 threads).
    [[nodiscard]] std::uint32_t warp_registers() const { return register_file_kib * 1024 / 128; }
    [[nodiscard]] const OperationConfig& operation(Operation kind) const {
        return operations[static_cast<std::size_t>(kind)];
    }

    void bind(ConfigVisitor& v);

private:
    /// Timing of `chain` dependent instructions over k on each half of 16 columns.
    [[nodiscard]] TensorTiming chain_timing(MmaShape shape, std::uint32_t chain) const;
};

}  // namespace tessera
