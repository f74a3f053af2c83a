#include <array>
#include <string>

#include "sc_models/workload/microbenchmarks/microbenchmark_bodies.h"
#include "sc_models/workload/microbenchmarks/microbenchmark_families.h"

// Microbenchmarks of warpgroups' products and bulk copies.

namespace tessera {

using namespace microbenchmark;

namespace {

constexpr std::uint32_t kWarpgroup = 4;  // warps

WarpInstruction warpgroup_product(MmaShape shape, std::uint32_t columns) {
    constexpr std::uint16_t kPitch = 128;
    constexpr std::uint32_t kSecond = 16 << 10;
    WarpInstruction w(Opcode::kWarpgroupMma);
    w.dst = 8;
    w.warpgroup() = {{0, kSecond, kPitch, kPitch, false, false, false},
                     static_cast<std::uint16_t>(columns),
                     shape};
    return w;
}

WarpInstruction expect(std::uint32_t barrier, std::uint32_t bytes) {
    WarpInstruction w(Opcode::kArrive);
    w.arrival() = {static_cast<std::uint16_t>(barrier), bytes};
    return w;
}

WarpInstruction await(std::uint32_t barrier, std::uint32_t phase) {
    WarpInstruction w(Opcode::kAwaitPhase);
    w.wait() = {static_cast<std::uint16_t>(barrier), phase};
    return w;
}

/// Copies rows of 128 bytes.
WarpInstruction bulk_copy(std::uint32_t barrier, std::uint32_t bytes) {
    constexpr std::uint16_t kRow = 128;
    WarpInstruction w(Opcode::kBulkCopy);
    w.memory().set_rows(kData, bytes / kRow, kRow, kRow);
    w.shared().set_rows(0, kRow);
    w.shared().barrier = static_cast<std::uint8_t>(barrier);
    w.shared().bypass_l1 = true;
    return w;
}

void add_warpgroup_product(MicrobenchmarkBuilder& builder, MmaShape shape, std::uint32_t columns) {
    constexpr std::uint32_t kPeriod = 3, kColumns = 8;
    constexpr std::uint32_t kOperandBytes = 64 << 10;
    constexpr std::uint32_t kRegisters = 168;
    const MmaShapeText& text = text_of(shape);
    const std::string name = std::string(text.key) + "_n" + std::to_string(columns);
    const std::string instruction(text.mnemonic);
    const std::string keys = "sm.tensor_rates." + std::string(text.key) + ".";
    const auto body = [shape, columns](const MicrobenchmarkPosition& at) {
        if (at.i % kPeriod == 0) return warpgroup_product(shape, columns);
        return WarpInstruction(at.i % kPeriod == 1 ? Opcode::kCommitProducts
                                                   : Opcode::kWaitProducts);
    };
    builder.measure({name + "_latency",
                     "cycles",
                     instruction + " of one warpgroup, each waited for",
                     keys + "latency_cycles",
                     {},
                     0,
                     1.0 / kPeriod,
                     false},
                    {1, kWarpgroup, kOperandBytes, {}, kRegisters}, kFew * kPeriod, kMany * kPeriod,
                    body);
    const double products = 2.0 * kWarpgroup * text.products * columns / kColumns;
    builder.measure({name + "_throughput",
                     "FMA_per_cycle_per_SM",
                     "two warpgroups of them",
                     keys + "products_per_cycle",
                     {},
                     0,
                     products / kPeriod,
                     true},
                    {1, 2 * kWarpgroup, kOperandBytes, {}, kRegisters}, kFew * kPeriod,
                    kMany * kPeriod, body);
}

}  // namespace

void add_warpgroup_products(MicrobenchmarkBuilder& builder, const TargetMachine& machine) {
    const auto has = [&](MmaShape shape) {
        return machine.mma_shapes[static_cast<std::size_t>(shape)];
    };
    if (has(MmaShape::kHgmma16)) {
        for (const std::uint32_t columns : {64U, 128U, 256U}) {
            add_warpgroup_product(builder, MmaShape::kHgmma16, columns);
        }
    }
    for (const MmaShape shape : {MmaShape::kHgmma16Bf16, MmaShape::kQgmma32}) {
        if (has(shape)) add_warpgroup_product(builder, shape, 256);
    }
}

void add_bulk_copies(MicrobenchmarkBuilder& builder, const TargetMachine& /*machine*/) {
    constexpr std::uint32_t kPeriod = 3;
    constexpr std::uint32_t kMostBytes = 16 << 10;
    for (const std::uint32_t bytes : {128U, 1024U, 4096U, kMostBytes}) {
        builder.measure(
            {"bulk_copy_" + std::to_string(bytes) + "_latency",
             "cycles",
             "UTMALDG of " + std::to_string(bytes) + " bytes that hits L2, each waited for",
             "sm.bulk_copy_latency_cycles",
             {},
             0,
             1.0 / kPeriod,
             false},
            {1, 1, kMostBytes, {1}}, kFew * kPeriod, kMany * kPeriod,
            [bytes](const MicrobenchmarkPosition& at) {
                if (at.i % kPeriod == 0) return expect(0, bytes);
                if (at.i % kPeriod == 1) return bulk_copy(0, bytes);
                return await(0, at.i / kPeriod);
            });
    }
    constexpr std::uint32_t kBarriers = 4;  // a copy waits for the one four before it
    builder.measure({"bulk_copy_bandwidth",
                     "bytes_per_cycle_per_SM",
                     "UTMALDG of 16 KiB that hit L2, four under way",
                     "noc.response_bytes_per_cycle",
                     {},
                     0,
                     static_cast<double>(kMostBytes) / kPeriod,
                     true},
                    {1, 1, kMostBytes, std::vector<std::uint32_t>(kBarriers, 1)}, kFew * kPeriod,
                    kMany * kPeriod, [](const MicrobenchmarkPosition& at) {
                        const std::uint32_t copy = at.i / kPeriod;
                        const std::uint32_t barrier = copy % kBarriers;
                        if (at.i % kPeriod == 1) return expect(barrier, kMostBytes);
                        if (at.i % kPeriod == 2) return bulk_copy(barrier, kMostBytes);
                        return copy < kBarriers ? WarpInstruction()
                                                : await(barrier, copy / kBarriers - 1);
                    });
}

}  // namespace tessera
