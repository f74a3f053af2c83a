// Waveform of both sides around a difference.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/align/align_report.h"
#include "sc_models/observe/wave_writer.h"

namespace tessera {
namespace {

constexpr std::uint64_t kCycleFemtoseconds = 1'000'000;

/// Collects the signals of both sides and writes them in order of time.
class AlignWave {
public:
    explicit AlignWave(Cycle half) : half_(half) {}

    /// Adds the rows of SM `sm` (kNoNumber: of all) and those of no SM.
    void add(const std::string& side, const Recording& recording, Cycle centre, std::uint32_t sm);
    void write(const std::string& file) {
        const std::unique_ptr<WaveWriter> writer = make_wave_writer(file);
        writer->declare(top_);
        Cycle last = kNever;
        for (const auto& [cycle, value] : values_) {
            if (cycle != last) writer->time(cycle * kCycleFemtoseconds);
            last = cycle;
            writer->value(value.first, value.second);
        }
        writer->time((2 * half_ + 1) * kCycleFemtoseconds);
        writer->commit();
    }

private:
    /// Signals of a link.
    struct LinkSignals {
        WaveVariable pending, address, command, cta, warp, instruction;
    };

    WaveVariable declare(const std::string& scope, const std::string& name, std::uint32_t bits) {
        top_.inside(scope).signals.push_back({name_with_range(name, bits), bits, count_});
        return count_++;
    }
    LinkSignals declare_link(const std::string& scope) {
        return {declare(scope, "pending", 8), declare(scope, "address", 64),
                declare(scope, "command", 8), declare(scope, "cta", 32),
                declare(scope, "warp", 32),   declare(scope, "instruction", 32)};
    }
    void set(Cycle at, WaveVariable variable, std::uint64_t value) {
        values_.emplace(at, std::pair(variable, value));
    }
    /// Whether a transaction belongs to the SM, or to none.
    [[nodiscard]] static bool shows(const Recording& recording, const RecordedTransaction& t,
                                    std::uint32_t sm) {
        return sm == kNoNumber || t.instruction == kNoNumber ||
               recording.instructions[t.instruction].sm == sm;
    }

    const Cycle half_;
    WaveScope top_;
    WaveVariable count_ = 0;
    std::multimap<Cycle, std::pair<WaveVariable, std::uint64_t>> values_;
};

void AlignWave::add(const std::string& side, const Recording& recording, Cycle centre,
                    std::uint32_t sm) {
    const Cycle begin = centre - std::min(centre, half_);
    const Cycle shift = half_ - (centre - begin);  // of a difference in the first cycles
    const Cycle end = centre + half_;
    const WaveVariable cycle = declare(side, "cycle", 64);
    for (Cycle at = begin; at <= end; ++at) set(at - begin + shift, cycle, at);

    struct Entry {
        const Exchange* exchange;
        const RecordedInstruction* instruction;
        std::uint32_t command;
    };
    std::map<std::string, std::vector<Entry>> links;
    const auto inside = [&](const Exchange& e) {
        const Cycle done = e.done == kNever ? e.asked : std::max(e.done, e.asked);
        return e.asked <= end && done >= begin;
    };
    for (const RecordedInstruction& i : recording.instructions) {
        if (!inside(i) || (sm != kNoNumber && i.sm != sm)) continue;
        links["sm" + std::to_string(i.sm) + ".instructions"].push_back({&i, &i, i.opcode});
    }
    for (const RecordedTransaction& t : recording.transactions) {
        if (!inside(t) || !shows(recording, t, sm)) continue;
        const RecordedInstruction* instruction =
            t.instruction == kNoNumber ? nullptr : &recording.instructions[t.instruction];
        links[recording.links.name(t.link)].push_back({&t, instruction, t.command});
    }
    for (const auto& [name, entries] : links) {
        const LinkSignals signals = declare_link(side + "." + name);
        std::map<Cycle, std::int64_t> steps;
        for (const Entry& entry : entries) {
            const Exchange& e = *entry.exchange;
            const Cycle done = e.done == kNever ? e.asked + 1 : std::max(e.done, e.asked + 1);
            ++steps[std::max(e.asked, begin)];
            if (done <= end) --steps[done];
            if (e.asked < begin) continue;
            const Cycle at = e.asked - begin + shift;
            set(at, signals.address, e.address);
            set(at, signals.command, entry.command);
            if (entry.instruction == nullptr) continue;
            set(at, signals.cta, entry.instruction->cta);
            set(at, signals.warp, entry.instruction->warp);
            set(at, signals.instruction, entry.instruction->index);
        }
        std::int64_t pending = 0;
        for (const auto& [at, step] : steps) {
            pending += step;
            set(at - begin + shift, signals.pending,
                static_cast<std::uint64_t>(std::clamp<std::int64_t>(pending, 0, 255)));
        }
    }
}

}  // namespace

void write_align_wave(const std::string& file, const Recording& a, const Recording& b,
                      const Divergence& divergence, Cycle half) {
    const DivergenceCycles cycles = divergence_cycles(a, b, divergence);
    std::uint32_t sm_a = kNoNumber;
    if (divergence.instruction_a != Divergence::kNone) {
        sm_a = a.instructions[divergence.instruction_a].sm;
    }
    std::uint32_t sm_b = kNoNumber;
    if (divergence.instruction_b != Divergence::kNone) {
        sm_b = b.instructions[divergence.instruction_b].sm;
    }
    AlignWave wave(half);
    wave.add("a", a, cycles.a, sm_a == kNoNumber ? sm_b : sm_a);
    wave.add("b", b, cycles.b, sm_b == kNoNumber ? sm_a : sm_b);
    wave.write(file);
}

}  // namespace tessera
