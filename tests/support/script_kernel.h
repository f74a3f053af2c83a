// Kernels written down instruction by instruction, and a machine of one SM to run them on.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/gpu/gpu.h"

namespace tessera::test {

/// The instructions of one warp without its exit, which ScriptKernel adds.
using Script = std::vector<WarpInstruction>;

/// `count` ALU instructions back to back.
inline WarpInstruction alu(std::uint16_t count = 1, std::uint8_t dst = kNoRegister,
                           std::uint8_t source = kNoRegister) {
    WarpInstruction w(Opcode::kAlu);
    w.count = count;
    w.dst = dst;
    w.src_a = source;
    return w;
}

inline WarpInstruction mma(std::uint8_t d, std::uint8_t a, std::uint8_t b) {
    WarpInstruction w(Opcode::kMma);
    w.dst = d;
    w.src_a = a;
    w.src_b = b;
    return w;
}

inline WarpInstruction barrier(std::uint16_t which = 0) {
    WarpInstruction w(Opcode::kBarrier);
    w.set_barrier(which);
    return w;
}

/// `rows` pieces of `row_bytes` bytes, `pitch` apart, one behind the other in registers or, of a
/// copy, in shared memory.
inline WarpInstruction access(Opcode opcode, std::uint8_t reg, Address address, std::uint16_t rows,
                              std::uint16_t row_bytes, std::uint32_t pitch) {
    WarpInstruction w(opcode);
    (opcode == Opcode::kStoreGlobal || opcode == Opcode::kStoreShared ? w.src_a : w.dst) = reg;
    w.memory().set_rows(address, rows, row_bytes, pitch);
    if (copies_to_shared(opcode)) {
        w.shared().set_rows(0, row_bytes);
    } else {
        w.registers().pitch_bytes = row_bytes;
    }
    return w;
}

/// LDG of one contiguous piece.
inline WarpInstruction load(std::uint8_t dst, Address address, std::uint16_t bytes = 32) {
    return access(Opcode::kLoadGlobal, dst, address, 1, bytes, bytes);
}
inline WarpInstruction store(std::uint8_t source, Address address, std::uint16_t bytes = 32) {
    return access(Opcode::kStoreGlobal, source, address, 1, bytes, bytes);
}
/// wmma.load of 16 rows of 32 bytes.
inline WarpInstruction load_fragment(FragmentRole role, std::uint8_t dst, Address address,
                                     std::uint32_t pitch = kFragmentRowBytes) {
    WarpInstruction w =
        access(Opcode::kLoadFragment, dst, address, kFragmentRows, kFragmentRowBytes, pitch);
    w.registers().role = role;
    return w;
}
/// LDS of `rows` words of 4 bytes.
inline WarpInstruction load_shared(std::uint8_t dst, std::uint16_t rows, std::uint32_t pitch) {
    return access(Opcode::kLoadShared, dst, 0, rows, 4, pitch);
}

/// A kernel whose warps execute the given instructions and exit; every CTA does the same. Warp w
/// runs on sub-core w unless set otherwise.
class ScriptKernel : public Kernel {
public:
    explicit ScriptKernel(std::vector<Script> warps) : scripts_(std::move(warps)) {
        WarpInstruction exit(Opcode::kExit);
        for (Script& script : scripts_) script.push_back(exit);
        info_.name = "script";
        info_.ctas = 1;
        info_.warps_per_cta = static_cast<std::uint32_t>(scripts_.size());
        info_.registers_per_thread = 64;
        for (std::uint32_t w = 0; w < info_.warps_per_cta; ++w) info_.sub_core_of_warp.push_back(w);
    }
    explicit ScriptKernel(Script warp) : ScriptKernel(std::vector<Script>{std::move(warp)}) {}

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    /// For tests of what a kernel asks of the machine.
    [[nodiscard]] KernelInfo& edit() { return info_; }
    /// All warps on sub-core 0.
    ScriptKernel& on_one_sub_core() {
        std::fill(info_.sub_core_of_warp.begin(), info_.sub_core_of_warp.end(), 0U);
        return *this;
    }

    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId, std::uint32_t warp) const override {
        return std::make_unique<Program>(&scripts_[warp]);
    }

private:
    class Program : public WarpProgram {
    public:
        explicit Program(const Script* script) : script_(*script) {}
        std::size_t fill(WarpInstruction* out, std::size_t capacity) override {
            const std::size_t count = std::min(capacity, script_.size() - next_);
            std::copy_n(script_.begin() + static_cast<std::ptrdiff_t>(next_), count, out);
            next_ += count;
            return count;
        }

    private:
        const Script& script_;
        std::size_t next_ = 0;
    };

    std::vector<Script> scripts_;
    KernelInfo info_;
};

/// A GPU of its own; several live in one process if all are made before the first runs.
class ScriptMachine {
public:
    explicit ScriptMachine(Config config)
        : config_(std::move(config)),
          gpu_(sc_core::sc_gen_unique_name("machine"), config_, statistics_, {}) {}

    /// Runs a kernel; statistics() then counts it alone.
    KernelResult run(const Kernel& kernel) {
        statistics_.mark();
        return gpu_.run(kernel);
    }
    [[nodiscard]] std::uint64_t sum(const std::string& path) const { return statistics_.sum(path); }
    [[nodiscard]] std::vector<std::string> violations() const {
        std::vector<std::string> found;
        gpu_.check(found);
        return found;
    }
    Gpu& gpu() { return gpu_; }

private:
    Config config_;
    StatGroup statistics_{"gpu"};
    Gpu gpu_;
};

/// Timing of an HMMA; a 16x16x16 product takes four times its latency, or 16 times its initiation.
inline OperationConfig& hmma(Config& config) {
    return config.sm.operations[static_cast<std::size_t>(Operation::kHmmaF32)];
}

/// One SM; both clocks at 1 GHz, so that DRAM cycles count as core cycles, and a sector a DRAM
/// cycle. Every latency a test counts is set, so that a new default of the machine moves none.
inline Config one_sm(const std::function<void(Config&)>& change = {}) {
    Config config;
    config.gpu.sms = 1;
    config.gpu.core_clock_mhz = config.dram.clock_mhz = 1000;
    config.dram.bytes_per_clock = 32;
    config.dram.row_bytes = 2048;
    config.dram.controller_latency_cycles = 196;
    config.dram.t_rcd_cycles = config.dram.t_rp_cycles = config.dram.t_cl_cycles = 12;
    config.dram.t_ras_cycles = 28;
    config.dram.t_ccd_cycles = 1;
    config.l2.hit_latency_cycles = 80;
    config.noc.latency_cycles = 14;
    config.noc.request_bytes_per_cycle = config.noc.slice_bytes_per_cycle = 32;
    config.noc.response_bytes_per_cycle = 64;
    config.l1.hit_latency_cycles = 28;
    config.l1.miss_latency_cycles = 12;
    config.l1.banks = 4;
    config.l1.bank_interleave_bytes = 32;
    config.l1.bank_hash = BankHash::kNone;
    config.ldst.sectors_per_cycle = 4;
    config.ldst.octet_l1_accesses = 1;
    config.sm.alu_latency_cycles = 4;
    config.sm.alu_initiation_cycles = 2;
    hmma(config) = {8, 2};
    config.sm.shared_memory_latency_cycles = 27;
    config.sm.barrier_latency_cycles = 2;
    config.gpu.cta_launch_cycles = 20;
    config.duplo.latency_cycles = 2;
    config.duplo.wake_cycles = 160;
    if (change) change(config);
    return config;
}

}  // namespace tessera::test
