#include "testbenches/sub_core/sub_core_stimulus.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera::testbench {
namespace {

using test::Script;

enum : std::size_t { kWarp, kOperation, kDst, kSourceA, kSourceB, kCount };
enum Kind : std::uint64_t { kAlu, kFp32, kFp64, kSfu, kMma, kLoadShared, kLoad, kBarrier };
constexpr std::uint64_t kKinds = 8;
constexpr std::uint32_t kRegisters = 64;
constexpr std::uint32_t kMostRepeats = 32;

struct Draft {
    Kind kind = kAlu;
    std::uint8_t dst = kNoRegister, a = kNoRegister, b = kNoRegister;
    std::uint16_t count = 1;  ///< loads from shared memory: wavefronts
};

WarpInstruction instruction_of(const Draft& draft) {
    switch (draft.kind) {
        case kMma:
            return test::mma(draft.dst, draft.a, draft.b);
        case kLoadShared:  // words of one bank, each a wavefront
            return test::load_shared(draft.dst, draft.count, 128);
        case kLoad:
            return test::load(draft.dst, 0);
        case kBarrier:
            return test::barrier();
        case kAlu: {
            WarpInstruction alu = test::alu(draft.count, draft.dst, draft.a);
            alu.src_b = draft.b;
            return alu;
        }
        default:
            break;
    }
    WarpInstruction w(Opcode::kOperation);
    w.count = draft.count;
    w.dst = draft.dst;
    w.src_a = draft.a;
    w.src_b = draft.b;
    w.set_operation(draft.kind == kFp32   ? Operation::kFp32
                    : draft.kind == kFp64 ? Operation::kFp64
                                          : Operation::kSpecialFunction);
    return w;
}

std::uint8_t register_of(const Stimulus& file, const StimulusRow& row, std::size_t column,
                         bool needed) {
    const std::uint64_t value = row[column];
    const bool fragment = row[kOperation] == kMma;
    if (value == kNoRegister && !needed) return kNoRegister;
    if (value < kRegisters && (!fragment || value % kRegistersPerFragment == 0)) {
        return static_cast<std::uint8_t>(value);
    }
    file.fail(row, column,
              fmt::format("got {}, expected {}{}", value,
                          fragment ? "a multiple of 8 below 64" : "a register below 64",
                          needed ? "" : ", or 255: none"));
}

}  // namespace

std::vector<Column> program_columns() {
    return {{"warp", Column::Kind::kNumber, "warp of the CTA, 0 to 15; its rows are its program"},
            {"operation",
             Column::Kind::kChoice,
             "",
             {"alu", "fp32", "fp64", "sfu", "mma", "load_shared", "load", "barrier"}},
            {"dst", Column::Kind::kNumber, "register written; 255: none (alu, fp32, fp64, sfu)"},
            {"src_a", Column::Kind::kNumber, "register read; 255: none"},
            {"src_b", Column::Kind::kNumber, "register read; 255: none"},
            {"count", Column::Kind::kNumber,
             "instructions back to back, or wavefronts of load_shared; 1 to 32"}};
}

WarpPrograms programs_of(const Stimulus& stimulus) {
    WarpPrograms programs;
    for (const StimulusRow& row : stimulus.rows()) {
        stimulus.need_below(row, kWarp, kMostWarps);
        if (row[kCount] == 0 || row[kCount] > kMostRepeats) {
            stimulus.fail(row, kCount,
                          fmt::format("got {}, expected 1 to {}", row[kCount], kMostRepeats));
        }
        Draft draft;
        draft.kind = static_cast<Kind>(row[kOperation]);
        draft.count = static_cast<std::uint16_t>(row[kCount]);
        const bool product = draft.kind == kMma;
        const bool load = draft.kind == kLoad || draft.kind == kLoadShared;
        if (draft.kind != kBarrier) {
            draft.dst = register_of(stimulus, row, kDst, product || load);
            if (!load) draft.a = register_of(stimulus, row, kSourceA, product);
            if (!load) draft.b = register_of(stimulus, row, kSourceB, product);
        }
        if (programs.warps.size() <= row[kWarp]) programs.warps.resize(row[kWarp] + 1);
        programs.warps[row[kWarp]].push_back(instruction_of(draft));
    }
    return programs;
}

std::vector<WarpPrograms> directed_programs(const Config& config) {
    const SmConfig& sm = config.sm;
    const Cycle alu = sm.alu_latency_cycles, interval = sm.alu_initiation_cycles;
    const Cycle shared = sm.shared_memory_latency_cycles;
    const OperationConfig& hmma = sm.operation(Operation::kHmmaF32);
    const Cycle tensor = 16 * Cycle{hmma.initiation_cycles};
    const Cycle product = std::max(tensor, 4 * Cycle{hmma.latency_cycles});
    using test::mma;
    std::vector<WarpPrograms> programs;
    const auto one = [](std::uint8_t dst, std::uint8_t source = kNoRegister) {
        return test::alu(1, dst, source);
    };
    programs = {
        // A warp without instructions exits at once.
        {{Script{}}, {0}},
        // The second instruction waits for the result of the first, the exit for the second.
        {{{one(0), one(8, 0)}}, {0, alu, 2 * alu}},
        // Independent ones wait for the lanes.
        {{{one(0), one(8)}}, {0, interval, interval + alu}},
        // Three back to back take the lanes for three intervals.
        {{{test::alu(3, 0), one(8)}}, {0, 3 * interval, 3 * interval + alu}},
        // A product waits for loads of both operands, which the LDST unit takes one a cycle.
        {{{test::load_shared(0, 1, 128), test::load_shared(8, 1, 128), mma(16, 0, 8)}},
         {0, 1, 1 + shared, 1 + shared + product}},
        // Four wavefronts keep the LDST unit busy.
        {{{test::load_shared(0, 4, 128), test::load_shared(8, 1, 128)}}, {0, 4, 4 + shared}},
        // The next product waits for the tensor cores, a write of its operand until it is read.
        {{{mma(16, 0, 8), mma(24, 0, 8), one(0)}},
         {0, tensor, 2 * tensor, std::max(tensor + product, 2 * tensor + alu)}},
    };
    if (sm.issue_cycles != 1) {  // the issue port was not counted
        for (WarpPrograms& each : programs) each.issues.clear();
    }
    return programs;
}

WarpPrograms draw_programs(Session& session) {
    const auto reg = [&session] {
        return static_cast<std::uint8_t>(kRegistersPerFragment * session.below(6));
    };
    const auto maybe = [&] { return session.below(2) == 0 ? kNoRegister : reg(); };
    WarpPrograms programs;
    programs.warps.resize(1 + session.below(8));
    for (Script& script : programs.warps) {
        const std::uint64_t length = session.below(40);
        // Some programs have mostly one kind, so that its unit is busy.
        const std::uint64_t favourite = session.below(2 * kKinds);
        for (std::uint64_t i = 0; i < length; ++i) {
            Draft draft;
            std::uint64_t kind = session.below(kKinds);
            if (favourite < kBarrier && session.below(2) == 0) kind = favourite;
            draft.kind = static_cast<Kind>(kind);
            if (draft.kind == kBarrier && session.below(3) != 0) draft.kind = kAlu;
            const bool fixed =
                draft.kind == kMma || draft.kind == kLoad || draft.kind == kLoadShared;
            draft.dst = fixed ? reg() : maybe();
            draft.a = draft.kind == kMma ? reg() : maybe();
            draft.b = draft.kind == kMma ? reg() : maybe();
            if (session.below(4) == 0) {
                draft.count = static_cast<std::uint16_t>(1 + session.below(6));
            }
            script.push_back(instruction_of(draft));
        }
    }
    return programs;
}

std::uint64_t place_loads(WarpPrograms& programs, std::uint64_t next, std::uint32_t line_bytes) {
    for (Script& script : programs.warps) {
        for (WarpInstruction& instruction : script) {
            if (instruction.opcode() == Opcode::kLoadGlobal) {
                instruction.memory().address = next++ * line_bytes;
            }
        }
    }
    return next;
}

}  // namespace tessera::testbench
