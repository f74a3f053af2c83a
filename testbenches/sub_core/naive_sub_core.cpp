#include "testbenches/sub_core/naive_sub_core.h"

#include <algorithm>

#include "sc_models/sm/execution_unit.h"

namespace tessera::testbench {

std::vector<IssueEvent> NaiveSubCore::run(const std::vector<test::Script>& scripts, Cycle launch) {
    warps_.clear();
    for (const test::Script& script : scripts) {
        Warp& warp = warps_.emplace_back();
        warp.script = script;
        warp.script.emplace_back(Opcode::kExit);
        warp.from = launch;
    }
    last_ = -1;
    std::vector<IssueEvent> issues;
    const auto all_ended = [this] {
        return std::all_of(warps_.begin(), warps_.end(), [](const Warp& w) { return w.ended; });
    };
    for (Cycle now = launch; !all_ended(); ++now) {
        if (port_free_ > now) {
            ++situations_.port_waits;
            continue;
        }
        int warp = choose(false, now);
        if (warp < 0) warp = choose(true, now);
        if (warp < 0) {
            note_idle(now);
            continue;
        }
        const auto index = static_cast<std::size_t>(warp);
        issues.push_back({now, static_cast<std::uint32_t>(warp),
                          warps_[index].script[warps_[index].next].opcode()});
        issue(index, now);
    }
    return issues;
}

/// Cycle at which the sources are written, and the destination is neither written nor read by
/// earlier instructions.
Cycle NaiveSubCore::operands(const Warp& warp) const {
    const WarpInstruction& next = warp.script[warp.next];
    Cycle ready = warp.from;
    for (const std::uint8_t source : {next.src_a, next.src_b}) {
        if (source != kNoRegister) ready = std::max(ready, warp.written[source]);
    }
    if (next.dst != kNoRegister) {
        ready = std::max({ready, warp.written[next.dst], warp.read_until[next.dst]});
        // The sums of a product may come from two loads.
        if (next.opcode() == Opcode::kMma) ready = std::max(ready, warp.written[next.dst + 4U]);
    }
    if (next.opcode() == Opcode::kExit) {
        ready = std::max(ready, *std::max_element(warp.written.begin(), warp.written.end()));
    }
    return ready;
}

bool NaiveSubCore::can_issue(const Warp& warp, bool memory, Cycle now) const {
    if (warp.ended || warp.waits) return false;
    const WarpInstruction& next = warp.script[warp.next];
    if (is_memory(next.opcode()) != memory) return false;
    const auto unit = static_cast<std::size_t>(unit_of(next));
    const bool unit_free = unit_of(next) == ExecutionUnit::kNone || unit_free_[unit] <= now;
    return unit_free && operands(warp) <= now;
}

/// Greedy-then-oldest: the warp that issued last, then the first one. Round robin: the next one.
int NaiveSubCore::choose(bool memory, Cycle now) {
    std::vector<int> able;
    const auto count = static_cast<int>(warps_.size());
    bool memory_ready = false;
    for (int i = 0; i < count; ++i) {
        const Warp& warp = warps_[static_cast<std::size_t>(i)];
        if (can_issue(warp, memory, now)) able.push_back(i);
        memory_ready = memory_ready || can_issue(warp, true, now);
    }
    if (able.empty()) return -1;
    situations_.choices += able.size() > 1 ? 1 : 0;
    situations_.memory_yields += !memory && memory_ready ? 1 : 0;
    int chosen = able.front();
    if (config_.sm.scheduler == SchedulerPolicy::kGreedyThenOldest) {
        if (std::find(able.begin(), able.end(), last_) != able.end()) chosen = last_;
    } else {
        const auto behind =
            std::find_if(able.begin(), able.end(), [&](int i) { return i > last_; });
        if (behind != able.end()) chosen = *behind;
    }
    situations_.repeats += able.size() > 1 && chosen == last_ ? 1 : 0;
    return chosen;
}

void NaiveSubCore::note_idle(Cycle now) {
    const bool operands_there = std::any_of(warps_.begin(), warps_.end(), [&](const Warp& warp) {
        return !warp.ended && !warp.waits && operands(warp) <= now;
    });
    ++(operands_there ? situations_.unit_waits : situations_.operand_waits);
}

void NaiveSubCore::issue(std::size_t index, Cycle now) {
    Warp& warp = warps_[index];
    const WarpInstruction instruction = warp.script[warp.next++];
    const bool repeats =
        instruction.opcode() == Opcode::kAlu || instruction.opcode() == Opcode::kOperation;
    port_free_ = now + config_.sm.issue_cycles * Cycle{repeats ? instruction.count : 1U};
    last_ = static_cast<int>(index);
    warp.from = now + 1;
    switch (instruction.opcode()) {
        case Opcode::kMma:
            multiply(warp, instruction, now);
            break;
        case Opcode::kBarrier:
            warp.waits = true;
            release_barrier(now);
            break;
        case Opcode::kExit:
            warp.ended = true;
            last_ = -1;
            situations_.exit_releases +=
                std::any_of(warps_.begin(), warps_.end(), [](const Warp& w) { return w.waits; })
                    ? 1
                    : 0;
            release_barrier(now);
            break;
        case Opcode::kLoadShared:
        case Opcode::kLoadGlobal:
            load(warp, instruction, now);
            break;
        default:
            operate(warp, instruction, now);
    }
}

/// `count` instructions, one every initiation interval; the last one writes the result.
void NaiveSubCore::operate(Warp& warp, const WarpInstruction& instruction, Cycle now) {
    const SmConfig& sm = config_.sm;
    const bool alu = instruction.opcode() == Opcode::kAlu;
    const Cycle interval =
        alu ? sm.alu_initiation_cycles : sm.operation(instruction.operation()).initiation_cycles;
    const Cycle latency =
        alu ? sm.alu_latency_cycles : sm.operation(instruction.operation()).latency_cycles;
    const Cycle last = now + (instruction.count - 1U) * interval;
    unit_free_[static_cast<std::size_t>(unit_of(instruction))] = last + interval;
    warp.from = alu ? last + interval : last + 1;
    if (instruction.dst == kNoRegister) return;
    warp.written[instruction.dst] = last + latency;
    warp.read_until[instruction.dst] = 0;
}

/// Four sets of four HMMAs: a set begins when the one before it has ended, or left the units.
void NaiveSubCore::multiply(Warp& warp, const WarpInstruction& instruction, Cycle now) {
    const OperationConfig& hmma = config_.sm.operation(Operation::kHmmaF32);
    constexpr Cycle kSets = 4, kHmmas = 4;
    const Cycle set = kHmmas * hmma.initiation_cycles;
    const Cycle free = now + kSets * set;
    unit_free_[static_cast<std::size_t>(ExecutionUnit::kTensor)] = free;
    warp.written[instruction.dst] = now + kSets * std::max<Cycle>(set, hmma.latency_cycles);
    warp.read_until[instruction.dst] = 0;
    for (const std::uint8_t source : {instruction.src_a, instruction.src_b}) {
        warp.read_until[source] = std::max(warp.read_until[source], free);
    }
}

/// Words of shared memory `row_pitch_bytes` apart, or one sector of a line that no other
/// instruction touches.
void NaiveSubCore::load(Warp& warp, const WarpInstruction& instruction, Cycle now) {
    Cycle cycles = 1, latency = config_.l1.miss_latency_cycles + below_;
    if (instruction.opcode() == Opcode::kLoadShared) {
        const std::uint32_t banks = config_.sm.shared_memory_banks;
        const MemoryAccess& rows = instruction.memory();
        std::vector<Cycle> words(banks);
        for (std::uint32_t row = 0; row < rows.rows; ++row) {
            ++words[row * rows.row_pitch_bytes / 4 % banks];
        }
        cycles = *std::max_element(words.begin(), words.end());
        latency = config_.sm.shared_memory_latency_cycles;
    }
    unit_free_[static_cast<std::size_t>(ExecutionUnit::kLdst)] = now + cycles;
    warp.written[instruction.dst] = now + cycles - 1 + latency;
    warp.read_until[instruction.dst] = 0;
}

/// All warps that have not exited wait: they continue after the barrier's latency.
void NaiveSubCore::release_barrier(Cycle now) {
    const bool all = std::all_of(warps_.begin(), warps_.end(),
                                 [](const Warp& warp) { return warp.ended || warp.waits; });
    if (!all) return;
    for (Warp& warp : warps_) {
        if (!warp.waits) continue;
        warp.waits = false;
        warp.from = now + config_.sm.barrier_latency_cycles;
    }
}

}  // namespace tessera::testbench
