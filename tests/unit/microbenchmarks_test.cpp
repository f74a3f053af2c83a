// Do the microbenchmarks execute the stated instructions, and do they find the configured values?
#include "sc_models/workload/microbenchmarks/microbenchmarks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_entries.h"
#include "sc_models/report/hardware_reference.h"
#include "tests/support/script_kernel.h"

namespace tessera {
namespace {

constexpr std::uint32_t kSms = 2;

std::unique_ptr<MicrobenchmarkWorkload> microbenchmarks(bool outer_product = false) {
    TargetMachine machine;
    machine.sms = kSms;
    machine.sparse_tensor_cores = outer_product;
    return std::make_unique<MicrobenchmarkWorkload>(WorkloadConfig{}, 1, machine);
}

/// Returns the benchmarks of a machine with all shapes but HMMA.884, as Ampere and Hopper have
/// them.
std::unique_ptr<MicrobenchmarkWorkload> ampere_microbenchmarks() {
    TargetMachine machine;
    machine.sms = kSms;
    for (const MmaShape volta : {MmaShape::kHmma884, MmaShape::kHmma884F16}) {
        machine.mma_shapes.reset(static_cast<std::size_t>(volta));
    }
    machine.bulk_copies = true;  // and Hopper
    return std::make_unique<MicrobenchmarkWorkload>(WorkloadConfig{}, 1, machine);
}

const Microbenchmark& find(const MicrobenchmarkWorkload& workload, const std::string& name) {
    const auto& all = workload.benchmarks();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&name](const Microbenchmark& b) { return b.name == name; });
    if (found == all.end()) throw std::logic_error("no benchmark " + name);
    return *found;
}

/// All instructions of a warp, the exit included.
std::vector<WarpInstruction> executed(const Kernel& kernel, std::uint32_t cta = 0,
                                      std::uint32_t warp = 0) {
    const auto program = kernel.program(CtaId(cta), warp);
    std::vector<WarpInstruction> all;
    std::array<WarpInstruction, kFillCapacity> batch;
    while (const std::size_t count = program->fill(batch.data(), batch.size())) {
        all.insert(all.end(), batch.begin(), batch.begin() + static_cast<long>(count));
    }
    return all;
}

TEST(Microbenchmarks, NamesAreThoseOfTheReference) {
    const auto figures = read_hardware_reference(std::string(TESSERA_SOURCE_DIR) +
                                                 "/configs/reference/titan_v_hardware.yaml");
    std::set<std::string> measured;
    for (const HardwareFigure& figure : figures) measured.insert(figure.name);
    const auto workload = microbenchmarks();
    std::set<std::string> names;
    for (const Microbenchmark& b : workload->benchmarks()) {
        EXPECT_TRUE(names.insert(b.name).second) << b.name << " twice";
    }
    for (const std::string& name : measured) {
        EXPECT_EQ(names.count(name), 1U) << name << " is measured, but not here";
    }
}

TEST(Microbenchmarks, LongAndShortKernelsDifferInLengthOnly) {
    const auto workload = microbenchmarks(true);
    for (const Microbenchmark& b : workload->benchmarks()) {
        ASSERT_LT(b.long_kernel, workload->kernels().size());
        const Kernel& longer = *workload->kernels()[b.long_kernel];
        if (!b.short_kernel) {
            EXPECT_EQ(b.name, "kernel_launch_latency");
            EXPECT_EQ(executed(longer).size(), 1U) << "nothing but its exit";
            continue;
        }
        const Kernel& shorter = *workload->kernels()[*b.short_kernel];
        EXPECT_EQ(longer.info().name, b.name + ".long");
        EXPECT_EQ(shorter.info().name, b.name + ".short");
        EXPECT_EQ(longer.info().ctas, shorter.info().ctas);
        EXPECT_EQ(longer.info().warps_per_cta, shorter.info().warps_per_cta);
        const auto few = executed(shorter);
        const auto many = executed(longer);
        ASSERT_LT(few.size(), many.size());
        EXPECT_GT(b.work, 0);
        EXPECT_EQ(many.back().opcode(), Opcode::kExit);
        EXPECT_EQ(few.back().opcode(), Opcode::kExit);
        for (std::size_t i = 0; i + 1 < many.size(); ++i) {
            const WarpInstruction& w = many[i];
            EXPECT_EQ(w.opcode(), many[i % 2].opcode()) << b.name;
            if (i + 1 < few.size()) {
                EXPECT_EQ(w.opcode(), few[i].opcode()) << b.name;
                EXPECT_EQ(w.dst, few[i].dst) << b.name;
            }
        }
    }
}

/// Whatever kernels and traces can issue has a row, which names a key of the machine.
TEST(Microbenchmarks, EveryInstructionHasOne) {
    std::set<Opcode> opcodes;
    std::set<Operation> operations;
    std::set<MmaShape> shapes;
    std::set<std::string> parameters;
    const std::unique_ptr<MicrobenchmarkWorkload> workloads[] = {
        microbenchmarks(false), microbenchmarks(true), ampere_microbenchmarks()};
    for (const auto& workload : workloads) {
        for (const Microbenchmark& b : workload->benchmarks()) {
            parameters.insert(b.parameter);
            for (const WarpInstruction& w : executed(*workload->kernels()[b.long_kernel])) {
                opcodes.insert(w.opcode());
                if (w.opcode() == Opcode::kWarpgroupMma) shapes.insert(w.warpgroup().shape);
                if (w.opcode() != Opcode::kOperation) continue;
                operations.insert(w.operation());
                if (w.on_tensor_cores()) shapes.insert(w.mma_shape());
            }
        }
    }
    EXPECT_EQ(opcodes.size(), kOpcodes);
    EXPECT_EQ(operations.size(), kOperations);
    EXPECT_EQ(shapes.size(), kMmaShapes);

    std::set<std::string> keys;
    const Config defaults;
    for (const ConfigEntry& entry : config_entries_of(defaults)) keys.insert(entry.path);
    for (const std::string& parameter : parameters)
        EXPECT_EQ(keys.count(parameter), 1U) << parameter;
    for (const std::string& key : keys) {  // of every instruction, both are measured
        if (key.rfind("sm.operations.", 0) != 0 || key.find("hmma") != std::string::npos) continue;
        if (key.find("_cycles") == std::string::npos) continue;
        EXPECT_EQ(parameters.count(key), 1U) << key;
    }
}

TEST(Microbenchmarks, ChainsDependOnThemselves) {
    const auto workload = microbenchmarks();
    for (const char* name :
         {"l1_hit_latency", "l2_hit_latency", "dram_latency", "shared_memory_latency",
          "fp32_dependent_issue", "int32_dependent_issue", "sfu_sqrt_latency",
          "half_dependent_issue", "fp64_dependent_issue", "branch_dependent_issue",
          "move_dependent_issue", "alu_dependent_issue", "fragment_load_latency", "atomic_latency",
          "shared_pieces_latency", "shared_gathered_latency"}) {
        const auto all = executed(*workload->kernels()[find(*workload, name).long_kernel]);
        for (std::size_t i = 0; i + 1 < all.size(); ++i) {
            ASSERT_EQ(all[i].src_a, all[0].dst) << name << " " << i;
            ASSERT_EQ(all[i].dst, all[0].dst) << name << " " << i;
        }
    }
}

TEST(Microbenchmarks, DramIsReadWhereNothingWasReadBefore) {
    const auto workload = microbenchmarks();
    for (const char* name : {"dram_latency", "dram_read_bandwidth"}) {
        const Microbenchmark& b = find(*workload, name);
        std::set<Address> sectors;
        for (const std::size_t k : {*b.short_kernel - 1, *b.short_kernel, b.long_kernel}) {
            const Kernel& kernel = *workload->kernels()[k];
            for (std::uint32_t warp = 0; warp < kernel.info().warps_per_cta; ++warp) {
                for (const WarpInstruction& w : executed(kernel, kernel.info().ctas - 1, warp)) {
                    if (w.opcode() != Opcode::kLoadGlobal) continue;
                    for (const LaneAccess::Piece& piece : w.lanes().pieces) {
                        const Address at = w.address() + static_cast<Address>(piece.offset);
                        for (Address sector = at; sector < at + piece.bytes; sector += 32) {
                            ASSERT_TRUE(sectors.insert(sector).second) << name << " " << sector;
                        }
                    }
                }
            }
        }
    }
}

TEST(Microbenchmarks, ValueIsTheDifferenceOfTheTwo) {
    Microbenchmark latency;
    latency.work = 128;
    EXPECT_DOUBLE_EQ(latency.value(1000, 1000 + 128 * 28), 28.0);
    Microbenchmark throughput;
    throughput.work = 65536;
    throughput.is_throughput = true;
    EXPECT_DOUBLE_EQ(throughput.value(500, 500 + 1024), 64.0);
}

TEST(Microbenchmarks, HaveNoValues) {
    EXPECT_THROW((void)microbenchmarks()->operands(), std::logic_error);
    EXPECT_FALSE(microbenchmarks()->values());
    EXPECT_FALSE(microbenchmarks()->has_gemm());
}

/// A machine with a configured latency, and the benchmark that should find it.
struct Told {
    const char* benchmark;
    double value;
    std::function<void(Config&)> change;
};

/// The value that a benchmark measures on the machine.
double measured(test::ScriptMachine& machine, const Config& config, const std::string& name) {
    TargetMachine target;
    target.granularity.shared_memory_banks = config.sm.shared_memory_banks;
    target.sparse_tensor_cores = config.tensor_core.kind == TensorCoreKind::kOuterProduct;
    const MicrobenchmarkWorkload workload({}, 1, target);
    const Microbenchmark& b = find(workload, name);
    Cycle cycles[3];
    for (std::size_t k = 0; k < 3; ++k) {
        cycles[k] = machine.run(*workload.kernels()[*b.short_kernel - 1 + k]).cycles;
    }
    return b.value(cycles[1], cycles[2]);
}

TEST(Microbenchmarks, FindTheConfiguredValues) {
    const auto closing_rows_is_free = [](Config& c) {
        c.dram.t_rp_cycles = c.dram.t_ras_cycles = 0;
    };
    const auto told = [](Operation kind, OperationConfig takes) {
        return [=](Config& c) { c.sm.operations[static_cast<std::size_t>(kind)] = takes; };
    };
    const auto outer_product = [](const std::function<void(Config&)>& change) {
        return [change](Config& c) {
            c.tensor_core.kind = TensorCoreKind::kOuterProduct;
            c.workload.kind = WorkloadKind::kMicrobenchmarks;
            c.tensor_core.spwmma.accumulation = AccumulationDetail::kCount;
            if (change) change(c);
        };
    };
    const std::vector<Told> all = {
        {"l1_hit_latency", 28, {}},
        {"l1_hit_latency", 27, [](Config& c) { c.l1.hit_latency_cycles = 27; }},
        {"l2_hit_latency", 120, {}},  // 12 L1, twice 14 crossbar, 80 L2
        {"l2_hit_latency", 119, [](Config& c) { c.l2.hit_latency_cycles = 79; }},
        {"dram_latency", 341, closing_rows_is_free},
        {"dram_latency", 340,
         [&](Config& c) {
             closing_rows_is_free(c);
             --c.dram.controller_latency_cycles;
         }},
        {"shared_memory_latency", 27, {}},
        {"shared_memory_latency", 26, [](Config& c) { c.sm.shared_memory_latency_cycles = 26; }},
        {"fp32_dependent_issue", 11,
         [](Config& c) {
             c.sm.operations[static_cast<std::size_t>(Operation::kFp32)] = {11, 2};
         }},
        {"int32_dependent_issue", 10,
         [](Config& c) {
             c.sm.operations[static_cast<std::size_t>(Operation::kInteger)] = {10, 2};
         }},
        {"sfu_sqrt_latency", 30,
         [](Config& c) {
             c.sm.operations[static_cast<std::size_t>(Operation::kSpecialFunction)] = {30, 8};
         }},
        // Four dependent sets of four steps: the latency four times, or the steps' own time.
        {"wmma_16x16x16_f32_acc", 44,
         [](Config& c) {
             c.sm.operations[static_cast<std::size_t>(Operation::kHmmaF32)] = {11, 2};
         }},
        {"wmma_16x16x16_f32_acc", 48,
         [](Config& c) {
             c.sm.operations[static_cast<std::size_t>(Operation::kHmmaF32)] = {11, 3};
         }},
        {"tensor_throughput_f32_acc", 512, {}},
        {"tensor_throughput_f32_acc", 256,
         [](Config& c) {
             c.sm.operations[static_cast<std::size_t>(Operation::kHmmaF32)] = {9, 4};
         }},
        {"tensor_throughput_f32_acc", 256,
         [](Config& c) {
             test::hmma(c) = {8, 4};
         }},
        {"alu_dependent_issue", 9, [](Config& c) { c.sm.alu_latency_cycles = 9; }},
        {"alu_throughput", 32, [](Config& c) { c.sm.alu_initiation_cycles = 4; }},
        {"float_rows_throughput", 32, told(Operation::kFp32, {12, 4})},
        {"vector_op_issue", 4, [](Config& c) { c.sm.alu_initiation_cycles = 4; }},
        {"half_dependent_issue", 12, told(Operation::kHalf, {12, 2})},
        {"half_throughput", 16, told(Operation::kHalf, {12, 8})},
        {"fp64_dependent_issue", 13, told(Operation::kFp64, {13, 4})},
        {"fp64_throughput", 16, told(Operation::kFp64, {13, 8})},
        {"branch_dependent_issue", 14, told(Operation::kBranch, {14, 2})},
        {"move_throughput", 16, told(Operation::kMove, {4, 8})},
        {"sfu_throughput", 32, told(Operation::kSpecialFunction, {21, 4})},
        {"fp32_throughput", 32, told(Operation::kFp32, {4, 4})},
        {"int32_throughput", 16, told(Operation::kInteger, {4, 8})},
        {"barrier_latency", 7, [](Config& c) { c.sm.barrier_latency_cycles = 7; }},
        {"fence_issue", 1, {}},
        {"fence_issue", 4, [](Config& c) { c.sm.issue_cycles = 4; }},
        {"shared_pieces_latency", 27 + 1, {}},  // 256 bytes in two turns of the banks
        {"shared_pieces_latency", 40 + 1,
         [](Config& c) { c.sm.shared_memory_latency_cycles = 40; }},
        {"shared_gathered_latency", 27 + 1, {}},
        {"shared_store_bandwidth", 64, [](Config& c) { c.sm.shared_memory_banks = 16; }},
        {"fragment_load_bandwidth", 128, {}},
        {"fragment_load_bandwidth", 64, [](Config& c) { c.ldst.sectors_per_cycle = 2; }},
        {"global_store_bandwidth", 16, [](Config& c) { c.noc.request_bytes_per_cycle = 16; }},
        {"atomic_latency", 120, {}},
        {"atomic_throughput", 2, [](Config& c) { c.l2.atomic_words_per_cycle = 2; }},
        {"ohmma", 2, outer_product([](Config& c) { c.tensor_core.spwmma.ohmma_cycles = 2; })},
        {"bohmma", 4, outer_product([](Config& c) { c.tensor_core.spwmma.bohmma_cycles = 3; })},
        {"spwmma_swap", 9, outer_product({})},  // the buffer's 8 and an OHMMA
        {"spwmma_swap", 12,
         outer_product([](Config& c) { c.tensor_core.spwmma.swap_cycles = 11; })},
        {"wmma_16x16x16_f32_acc", 35, outer_product({})},  // 31 OHMMAs behind the first, 2 + 2
        {"shared_memory_bandwidth", 128, {}},
        {"shared_memory_bandwidth", 64, [](Config& c) { c.sm.shared_memory_banks = 16; }},
    };
    std::vector<std::unique_ptr<test::ScriptMachine>> machines;
    machines.reserve(all.size());
    for (const Told& one : all) {
        machines.push_back(std::make_unique<test::ScriptMachine>(test::one_sm(one.change)));
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Config config = test::one_sm(all[i].change);
        EXPECT_DOUBLE_EQ(measured(*machines[i], config, all[i].benchmark), all[i].value)
            << all[i].benchmark;
    }
}

/// One parameter for both: a kernel's product takes what the HMMAs of a trace's take.
TEST(Microbenchmarks, ProductsOfKernelsAndTracesTakeTheSame) {
    const OperationConfig hmmas[] = {{8, 2}, {9, 2}, {7, 2}, {11, 3}, {8, 4}, {30, 1}};
    std::vector<Config> configs;
    std::vector<std::unique_ptr<test::ScriptMachine>> machines;
    for (const OperationConfig& takes : hmmas) {
        configs.push_back(test::one_sm([&](Config& c) { test::hmma(c) = takes; }));
        machines.push_back(std::make_unique<test::ScriptMachine>(configs.back()));
    }
    for (std::size_t i = 0; i < configs.size(); ++i) {
        EXPECT_EQ(measured(*machines[i], configs[i], "wmma_16x16x16_f32_acc"),
                  measured(*machines[i], configs[i], "hmma_16x16x16_f32_acc"))
            << i;
        EXPECT_EQ(measured(*machines[i], configs[i], "tensor_throughput_f32_acc"),
                  measured(*machines[i], configs[i], "hmma_throughput_f32_acc"))
            << i;
    }
}

}  // namespace
}  // namespace tessera
