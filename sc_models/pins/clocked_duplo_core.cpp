#include "sc_models/pins/clocked_duplo_core.h"

namespace tessera {

namespace {

using RenameOp = RenameTableRtl::Op;
using HistoryOp = LoadHistoryBufferRtl::Op;

LoadHistoryBufferRtl::Parameters history_parameters(const DuploCoreRtl::Parameters& core) {
    LoadHistoryBufferRtl::Parameters parameters;
    parameters.phys_bits = core.phys_bits;
    return parameters;
}

}  // namespace

ClockedDuploCore::ClockedDuploCore(const Parameters& parameters)
    : history_(history_parameters(parameters)),
      table_({parameters.unit_bits, parameters.phys_bits}) {}

ClockedDuploCore::Decisions ClockedDuploCore::evaluate(const Inputs& in) const {
    Decisions c;
    const ClockedIdGenerator::Outputs ids = ids_.outputs({});
    decide_setup(in, ids, c);
    decide_answer(c);
    decide_leaving(ids, c);
    decide_operation(c);

    // A unit enters when the pipe moves and nothing else is offered.
    const bool open = ready() && !in.setup_valid && !in.clear_valid;
    c.out.in_ready = open && c.advance && ids.busy == 0 ? 1 : 0;
    c.take = in.in_valid && c.out.in_ready != 0;
    c.ids.in_valid = c.take;
    c.ids.address = in.address;
    c.ids.out_ready = c.leave;
    return c;
}

/// Set-up and clear wait until nothing is under way.
void ClockedDuploCore::decide_setup(const Inputs& in, const ClockedIdGenerator::Outputs& ids,
                                    Decisions& c) const {
    const ClockedLoadHistoryBuffer::Outputs history = history_.outputs({});
    const ClockedRenameTable::Outputs table = table_.outputs({});
    c.idle = ids.program_ready != 0 && history.setup_ready != 0 && table.setup_ready != 0 &&
             !left_.valid && !answered_.valid && !insertion_ && !release_;
    const bool ready = c.idle && !settling_;
    const bool error = ids.packet_error != 0 || history.setup_error != 0 || table.setup_error != 0;
    c.out.setup_ready = ready ? 1 : 0;
    c.out.clear_ready = ready && !in.setup_valid ? 1 : 0;
    c.out.setup_error = !settling_ && error ? 1 : 0;
    c.set_up = in.setup_valid && ready;
    c.clear = in.clear_valid && c.out.clear_ready != 0;

    c.ids.program_valid = c.set_up;
    c.ids.packet = in.setup.packet;
    c.history.setup_valid = c.set_up || c.clear;
    c.history.setup_keep = c.clear;
    c.history.setup_log_sets = in.setup.log_sets;
    c.history.setup_log_ways = in.setup.log_ways;
    c.history.setup_shift = in.setup.shift;
    c.history.setup_fold = in.setup.fold;
    c.table.setup_valid = c.set_up;
    c.table.setup_units = in.setup.units;
    c.table.setup_registers = in.setup.registers;
}

/// The unit that left two cycles before gets its register. If it finds the register that it gave
/// up itself, it has missed if that died.
void ClockedDuploCore::decide_answer(Decisions& c) const {
    const ClockedLoadHistoryBuffer::Outputs found = history_.outputs({});
    const bool hit = answered_.valid && answered_.looks_up && found.found != 0 &&
                     !(answered_.died && found.phys == answered_.old);
    c.misses = answered_.valid && answered_.looks_up && !hit;
    c.table.map_valid = answered_.valid;
    c.table.map_unit = answered_.unit;
    c.table.map_phys = found.phys;
    const bool without = answered_.kind == Kind::kZero || answered_.kind == Kind::kEnded;
    c.table.map_op = hit ? RenameOp::kShare : without ? RenameOp::kUnmapped : RenameOp::kNew;
    const ClockedRenameTable::Outputs table = table_.outputs(c.table);
    c.died = table.died != 0;
    c.map_phys = table.map_phys;
    c.leaving.old = table.old;
    c.release_wanted = c.died || release_;
    c.release_phys = release_ ? release_phys_ : table.died_phys;
    if (!answered_.valid) return;
    c.out.out_valid = 1;
    c.out.kind = static_cast<std::uint32_t>(hit ? Kind::kHit : answered_.kind);
    c.out.bypass = answered_.bypass;
    c.out.unit = answered_.unit;
    c.out.phys = table.map_phys;
}

/// The unit at the end of the ID generator leaves with its look-up, if the buffer is free for it.
void ClockedDuploCore::decide_leaving(const ClockedIdGenerator::Outputs& ids, Decisions& c) const {
    const Entered& head = stage(kDepth);
    Answer& unit = c.leaving;
    unit.unit = head.unit;
    if (head.op == PipeUnit::Op::kLoad) {
        unit.bypass = ids.bypass;
        unit.looks_up = ids.bypass == 0 && ids.zero == 0;
        unit.kind = ids.bypass != 0 ? Kind::kBypass : ids.zero != 0 ? Kind::kZero : Kind::kMiss;
    } else if (head.op == PipeUnit::Op::kFresh) {
        unit.bypass = static_cast<std::uint32_t>(BypassReason::kOff);
        unit.kind = Kind::kBypass;
    }
    unit.key.low =
        ids.element_low | std::uint64_t{ids.element_high} << 32U | std::uint64_t{ids.batch} << 48U;
    unit.key.high = std::uint64_t{tag_} << 56U | std::uint64_t{head.domain} << 32U;

    c.inserts = insertion_ && !(c.release_wanted && insertion_behind_);
    c.releases = c.release_wanted && !c.inserts;
    const bool buffer_free = !insertion_ && !c.release_wanted;
    c.leave =
        ids.out_valid != 0 && (!c.release_wanted || c.releases) && (!unit.looks_up || buffer_free);
    c.advance = c.leave || ids.out_valid == 0;
    unit.valid = c.leave;
}

/// The buffer executes an insertion, a release or a look-up; the table reads an old register.
void ClockedDuploCore::decide_operation(Decisions& c) const {
    c.history.in_valid = c.inserts || c.releases || (c.leave && c.leaving.looks_up);
    c.history.op = c.inserts    ? HistoryOp::kInsert
                   : c.releases ? HistoryOp::kRelease
                                : HistoryOp::kLookup;
    c.history.key = c.inserts ? insertion_key_ : c.leaving.key;
    c.history.phys = c.inserts ? insertion_phys_ : c.release_phys;
    c.table.in_valid = stage(kEarly).valid;
    c.table.unit = stage(kEarly).unit;
    c.table.out_ready = c.leave;
}

bool ClockedDuploCore::finds_own_dead() const {
    if (!answered_.valid || !answered_.looks_up || !answered_.died) return false;
    const ClockedLoadHistoryBuffer::Outputs found = history_.outputs({});
    return found.found != 0 && found.phys == answered_.old;
}

ClockedDuploCore::Outputs ClockedDuploCore::step(const Inputs& in) {
    const Decisions c = evaluate(in);
    if (c.set_up || c.clear) {
        settling_ = true;
        ready_ = ready_ || c.set_up;
    } else if (settling_ && c.idle) {
        settling_ = false;
        ready_ = ready_ && ids_.outputs({}).packet_error == 0 &&
                 history_.outputs({}).setup_error == 0 && table_.outputs({}).setup_error == 0;
    }
    if (c.set_up) tag_ = in.setup.kernel_tag;

    insertion_ = insertion_ && !c.inserts;
    insertion_behind_ = insertion_behind_ && !c.releases;
    if (c.misses) {
        insertion_ = true;
        insertion_behind_ = release_ && !c.releases;
        insertion_key_ = answered_.key;
        insertion_phys_ = c.map_phys;
    }
    release_ = c.release_wanted && !c.releases;
    release_phys_ = c.release_phys;
    answered_ = left_;
    answered_.died = c.died;
    left_ = c.leaving;

    ids_.edge(c.ids);
    history_.edge(c.history);
    table_.edge(c.table);
    if (c.advance) {
        newest_ = (newest_ + kDepth - 1) % kDepth;
        entered_[newest_] = {c.take, in.op, in.unit, in.domain};
    }
    return c.out;
}

void ClockedDuploCore::reset() {
    ids_.reset();
    history_.reset();
    table_.reset();
    settling_ = ready_ = insertion_ = release_ = false;
    left_ = answered_ = {};
    entered_ = {};
}

}  // namespace tessera
