// Messages between the unit and other SMs, and its statistics.
#include <fmt/format.h>
#include <algorithm>

#include "sc_models/opportunistic/operation_blocks.h"
#include "sc_models/opportunistic/opportunistic_unit.h"

namespace tessera {
namespace {

using Operand = LaneLayout::Operand;
constexpr std::uint32_t kAssignFlits = 2;
/// The faults lost_assignment and lost_answer drop one of kLostEvery messages.
constexpr std::uint64_t kLostEvery = 7;

}  // namespace

void OpportunisticUnit::find_pairs(const VectorOperation& operation) {
    pairs_.clear();
    if (config_.at_key == AssignKey::kDominant) {
        pairs_.push_back(dominant_pair(operation, place_.line_bytes));
        return;
    }
    for_each_piece(operation, Operand::kInput, place_.line_bytes, [&](Address input) {
        for_each_piece(operation, Operand::kWeights, place_.line_bytes, [&](Address weights) {
            const BlockPair pair{input, weights};
            if (std::find(pairs_.begin(), pairs_.end(), pair) == pairs_.end()) {
                pairs_.push_back(pair);
            }
            return true;
        });
        return true;
    });
}

/// Looks all `pairs_` up without cost, until one has no entry or another SM than those before.
void OpportunisticUnit::find_holder(PendingLookup& lookup) {
    context_.cluster->at(lookup.sent);
    for (const BlockPair& pair : pairs_) {
        lookup.add(context_.cluster->lookup(pair));
        if (!lookup.holder.valid()) return;
    }
}

void OpportunisticUnit::begin_lookup(WarpId warp, const VectorOperation& operation, Cycle now) {
    find_pairs(operation);
    PendingLookup& lookup = warps_[warp.value()].lookup;
    lookup = {};
    lookup.operation = operation;
    lookup.sent = lookup.answered = now;
    if (!by_messages()) {
        find_holder(lookup);
        return;
    }
    lookup.awaited = static_cast<std::uint32_t>(pairs_.size());
    // Answers may arrive before send() returns.
    for (const BlockPair& pair : std::vector<BlockPair>(pairs_)) {
        MeshMessage message;
        message.id = warp.value();
        message.input = pair.input;
        message.weight = pair.weights;
        send(MeshMessageKind::kLookup, context_.cluster->home(), message, now);
    }
}

void OpportunisticUnit::on_answer(const MeshMessage& message, Cycle at) {
    const WarpId warp(static_cast<std::uint32_t>(message.id));
    WarpSums& mine = warps_[warp.value()];
    PendingLookup& lookup = mine.lookup;
    lookup.add(message.holder);
    if (message.credits > 0) lookup.reserved.push_back(message.holder);
    lookup.answered = std::max(lookup.answered, at);
    if (--lookup.awaited > 0) return;
    lookup_wait_cycles_ += lookup.answered - lookup.sent;
    if (!lookup.deferred) return;
    const VectorOperation operation = lookup.operation;
    find_pairs(operation);
    Decision decision;
    decision.known = lookup.answered;
    if (try_assign(mine, operation, at)) decision.outcome = VectorOutcome::kAssigned;
    conclude(warp, operation, decision, at);
    context_.host.on_vector_decided(warp, decision);
}

bool OpportunisticUnit::try_assign(WarpSums& warp, const VectorOperation& operation, Cycle now) {
    PendingLookup& lookup = warp.lookup;
    const SmId holder = lookup.holder;
    const bool room = take_credit(lookup, now);
    if (holder.valid()) {
        if (!room) {
            ++(holder == place_.sm ? unassigned_.own : unassigned_.no_room);
            return false;
        }
        send_assignment(holder, operation, now);
        return true;
    }
    ++(lookup.absent ? unassigned_.absent : unassigned_.apart);
    warp.promised = pairs_;
    context_.cluster->at(now);
    for (const BlockPair& pair : pairs_) {
        if (!by_messages()) {
            context_.cluster->table().insert_if_absent(pair, place_.sm);
            continue;
        }
        MeshMessage message;
        message.input = pair.input;
        message.weight = pair.weights;
        send(MeshMessageKind::kInsert, context_.cluster->home(), message, now);
    }
    return false;
}

bool OpportunisticUnit::take_credit(PendingLookup& lookup, Cycle now) {
    const SmId holder = lookup.holder;
    const bool elsewhere = holder.valid() && holder != place_.sm;
    if (!by_messages() || !config_.credits) return elsewhere && context_.cluster->reserve(holder);
    std::vector<SmId>& reserved = lookup.reserved;
    const auto mine = std::find(reserved.begin(), reserved.end(), holder);
    const bool room = elsewhere && mine != reserved.end();
    if (room) reserved.erase(mine);
    for (const SmId other : reserved) give_credits(other, 1, now);
    reserved.clear();
    return room;
}

void OpportunisticUnit::give_credits(SmId holder, std::uint32_t credits, Cycle now) {
    if (!by_messages()) return context_.cluster->release(holder, credits);
    MeshMessage message;
    message.holder = holder;
    message.credits = credits;
    send(MeshMessageKind::kCredit, context_.cluster->home(), message, now);
}

void OpportunisticUnit::send_assignment(SmId to, const VectorOperation& operation, Cycle at) {
    ++totals_.sent;
    ++outstanding_;
    context_.cluster->remember(operation);
    MeshMessage message;
    message.id = next_id_++;
    flights_.sent(message.id, to, at);
    message.input = operation.input;
    message.weight = operation.weights;
    message.output = operation.output;
    message.geometry = operation.layout->id();
    message.lanes = operation.layout->lanes();
    message.count = operation.length;
    message.window_row = operation.window_row;
    message.windows_below = operation.windows_below;
    message.flits = kAssignFlits;
    send(MeshMessageKind::kAssign, to, message, at);
}

void OpportunisticUnit::send(MeshMessageKind kind, SmId to, const MeshMessage& fields, Cycle at) {
    MeshMessage message = fields;
    message.kind = kind;
    const bool answer = kind == MeshMessageKind::kLookupReply ||
                        kind == MeshMessageKind::kAcknowledge || kind == MeshMessageKind::kRefuse;
    message.network = answer ? MeshNetwork::kReply : MeshNetwork::kRequest;
    message.destination = to;
    ++totals_.messages_sent[static_cast<std::size_t>(kind)];
    context_.link->send(message, at);
}

VectorOperation OpportunisticUnit::operation_of(const MeshMessage& message) const {
    VectorOperation operation;
    operation.input = message.input;
    operation.weights = message.weight;
    operation.output = message.output;
    operation.layout = &context_.cluster->layout(message.geometry);
    operation.length = message.count;
    operation.window_row = message.window_row;
    operation.windows_below = message.windows_below;
    operation.row_step = context_.cluster->row_step();
    operation.weight_row_bytes = context_.cluster->weight_row_bytes();
    return operation;
}

void OpportunisticUnit::receive_assignment(const MeshMessage& message, Cycle at) {
    ++totals_.received;
    if (config_.fault == OpportunisticFault::kLostAssignment &&
        totals_.received % kLostEvery == 0) {
        return;
    }
    if (work_.full() && !config_.credits) {
        MeshMessage back = message;
        send(MeshMessageKind::kRefuse, message.source, back, at + 1);
        return;
    }
    work_.assign({operation_of(message), message.id, message.source, at});
    if (observers_.wave != nullptr) observers_.wave->pulse(traces_.received, at, 1);
    context_.host.wake_assistant();
}

void OpportunisticUnit::on_message(const MeshMessage& message, Cycle at) {
    ++totals_.messages_received[static_cast<std::size_t>(message.kind)];
    const BlockPair pair{message.input, message.weight};
    context_.cluster->at(at);
    switch (message.kind) {
        case MeshMessageKind::kAssign:
            return receive_assignment(message, at);
        case MeshMessageKind::kAcknowledge:
            ++totals_.acknowledged;
            context_.host.on_vector_activity(at);
            return end_assignment(message.id, at);
        case MeshMessageKind::kRefuse:
            ++totals_.refused;
            flights_.refused(message.id);
            work_.assign({operation_of(message), message.id, place_.sm, at});
            return context_.host.wake_assistant();
        case MeshMessageKind::kLookup:
            return answer(message, at);
        case MeshMessageKind::kLookupReply:
            return on_answer(message, at);
        case MeshMessageKind::kInsert:
            return context_.cluster->table().insert_if_absent(pair, message.source);
        case MeshMessageKind::kInvalidate:
            return context_.cluster->lose(message.input, message.source);
        case MeshMessageKind::kCredit:
            return context_.cluster->release(message.holder, message.credits);
        case MeshMessageKind::kDrain:
            context_.cluster->drain(message.source, message.count);
            return context_.host.on_vector_activity(at);
    }
}

/// Answers a lookup at the home of the assign table.
void OpportunisticUnit::answer(const MeshMessage& lookup, Cycle at) {
    MeshMessage reply;
    reply.id = lookup.id;
    reply.holder = context_.cluster->lookup({lookup.input, lookup.weight});
    const bool elsewhere = reply.holder.valid() && reply.holder != lookup.source;
    if (config_.credits && elsewhere && context_.cluster->reserve(reply.holder)) reply.credits = 1;
    if (config_.fault == OpportunisticFault::kLostAnswer &&
        totals_.messages_received[static_cast<std::size_t>(MeshMessageKind::kLookup)] %
                kLostEvery ==
            0) {
        return;
    }
    send(MeshMessageKind::kLookupReply, lookup.source, reply, at + 1);
}

void OpportunisticUnit::end_assignment(std::uint64_t id, Cycle at) {
    flights_.over(id, at);
    --outstanding_;
    if (!resident_ && outstanding_ == 0) report_drain(at + 1);
}

void OpportunisticUnit::report_drain(Cycle at) {
    MeshMessage message;
    message.count = static_cast<std::uint32_t>(outstanding_);
    send(MeshMessageKind::kDrain, context_.cluster->home(), message, at);
}

void OpportunisticUnit::on_line_lost(Address address) {
    if (context_.cluster == nullptr || config_.fault == OpportunisticFault::kStaleBlock) return;
    const BlockNumber block = address / place_.line_bytes;
    context_.cluster->expect_loss(block, place_.sm);
    if (!by_messages()) {
        context_.cluster->at(context_.host.present());
        return context_.cluster->lose(block, place_.sm);
    }
    MeshMessage message;
    message.input = block;
    send(MeshMessageKind::kInvalidate, context_.cluster->home(), message,
         context_.host.present() + 1);
}

void OpportunisticUnit::on_sector_missed(Address address) {
    work_.recheck();
    if (context_.sharing != nullptr) context_.sharing->on_miss(place_.sm, address);
}

void OpportunisticUnit::on_sector_filled() {
    work_.recheck();
    context_.host.wake_assistant();
}

bool OpportunisticUnit::holds(BlockNumber block) const {
    const Address begin = block * place_.line_bytes;
    const std::uint32_t sector = place_.sector_bytes;
    for (Address at = begin; at < begin + place_.line_bytes; at += sector) {
        if (context_.cache.sector_ready(at) != kNever) return true;
    }
    return std::any_of(warps_.begin(), warps_.end(), [block](const WarpSums& warp) {
        return std::any_of(warp.promised.begin(), warp.promised.end(), [block](const BlockPair& p) {
            return p.input == block || p.weights == block;
        });
    });
}

void OpportunisticUnit::count(VectorOutcome outcome, const VectorOperation& operation, WarpId warp,
                              Cycle now) {
    const auto kind = static_cast<std::size_t>(outcome);
    ++operations_[kind];
    operation_lanes_[kind] += operation.layout->lanes();
    if (observers_.wave == nullptr || outcome == VectorOutcome::kNormal) return;
    observers_.wave->pulse(
        outcome == VectorOutcome::kPredicted ? traces_.predicted : traces_.assigned, now, 1);
    observers_.wave->set(traces_.warp, now, warp.value());
}

void OpportunisticUnit::add_statistics(StatGroup& s) {
    constexpr std::array<const char*, kVectorOutcomes> kNames = {"normal", "predicted", "assigned"};
    constexpr std::array<const char*, kVectorOutcomes> kWho = {
        "by its own warp", "by the precompute table", "by another SM"};
    for (std::size_t i = 0; i < kVectorOutcomes; ++i) {
        s.counter(fmt::format("operations_{}", kNames[i]), operations_[i], "count",
                  fmt::format("vector operations computed {}", kWho[i]));
        s.counter(fmt::format("lanes_{}", kNames[i]), operation_lanes_[i], "count",
                  fmt::format("lanes of vector operations computed {}", kWho[i]));
    }
    s.counter("assistant_instructions", assistant_instructions_, "count",
              "instructions of the assistant warp");
    s.counter("assistant_cycles", assistant_cycles_, "cycles",
              "issue slots the assistant warp took");
    s.counter("assistant_operations", assistant_operations_, "count",
              "vector operations the assistant warp began");
    s.counter("abandoned", abandoned_, "count", "of them given up when the last warp had ended");
    if (config_.precomputes()) precompute_.add_statistics(s);
    if (config_.inter()) {
        StatGroup& a = s.child("assignments");
        a.counter("missing", missing_, "count", "operations with an operand missing in the L1");
        a.counter("absent", unassigned_.absent, "count", "of them: a pair had no entry");
        a.counter("apart", unassigned_.apart, "count", "of them: pairs at different SMs");
        a.counter("own", unassigned_.own, "count", "of them: all pairs at the asking SM");
        a.counter("no_room", unassigned_.no_room, "count", "of them: the other SM had no slot");
        a.counter("sent", totals_.sent, "count", "operations assigned to another SM");
        a.counter("received", totals_.received, "count", "operations assigned by another SM");
        a.counter("executed", totals_.executed, "count", "of which were carried out");
        a.counter("acknowledged", totals_.acknowledged, "count", "assignments known to be over");
        a.counter("refused", totals_.refused, "count", "assignments that came back");
        a.counter("precomputed", precomputed_assignments_, "count",
                  "assignments whose result the precompute table had");
        a.counter("lookup_wait_cycles", lookup_wait_cycles_, "cycles",
                  "warps waited for answers of the assign table");
    }
}

void OpportunisticUnit::add_traces() {
    const std::string scope = fmt::format("sm{}.opportunistic", place_.sm.value());
    if (WaveRecorder* wave = observers_.wave) {
        traces_.assistant = wave->add(scope, "assistant", 2);
        traces_.assistant_issue = wave->add(scope, "assistant_issue", 1);
        traces_.predicted = wave->add(scope, "predicted", 1);
        traces_.assigned = wave->add(scope, "assigned", 1);
        traces_.received = wave->add(scope, "received", 1);
        precompute_.watch(*wave, scope);
        traces_.warp = wave->add(scope, "warp", warp_signal_bits(place_.warps));
    }
    if (observers_.timeline != nullptr && has_assistant()) {
        traces_.track = observers_.timeline->add_track(fmt::format("SM {}", place_.sm.value()),
                                                       "assistant warp");
        if (traces_.track == TimelineRecorder::kNoTrack) observers_.timeline = nullptr;
        flights_ = {observers_.timeline, place_.sm};
    }
}

void OpportunisticUnit::check(std::vector<std::string>& violations) const {
    precompute_.check(fmt::format("SM {}", place_.sm.value()), violations);
    if (outstanding_ != 0 || work_.assigned() != 0) {
        violations.push_back(
            fmt::format("SM {}: {} assignments are not over and {} wait in its queue",
                        place_.sm.value(), outstanding_, work_.assigned()));
    }
}

void OpportunisticUnit::describe_waiting(std::vector<std::string>& lines) const {
    if (outstanding_ != 0 || work_.assigned() != 0) {
        lines.push_back(fmt::format("SM {}: {} assignments are not over, {} wait in its queue",
                                    place_.sm.value(), outstanding_, work_.assigned()));
    }
    for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
        const PendingLookup& lookup = warps_[warp].lookup;
        if (lookup.awaited == 0) continue;
        lines.push_back(fmt::format(
            "SM {}: warp {} waits since cycle {} for {} answers of the assign table, home SM {}",
            place_.sm.value(), warp, lookup.sent, lookup.awaited,
            context_.cluster->home().value()));
    }
}

}  // namespace tessera
