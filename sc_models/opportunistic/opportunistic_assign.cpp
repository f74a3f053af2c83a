// The unit's dealings with other SMs, and what it counts.
#include <fmt/format.h>
#include <algorithm>

#include "sc_models/opportunistic/operation_blocks.h"
#include "sc_models/opportunistic/opportunistic_unit.h"

namespace tessera {
namespace {

using Operand = LaneLayout::Operand;
constexpr std::uint32_t kAssignFlits = 2;
/// With fault lost_assignment one of so many is forgotten.
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
        });
    });
}

/// The one SM that has all pairs_.
SmId OpportunisticUnit::find_holder(Cycle now, Cycle& known) {
    SmId holder;
    for (const BlockPair& pair : pairs_) {
        SmId sm;
        if (config_.at_cost == AssignTableCost::kMessages) {
            MeshMessage message;
            message.input = pair.input;
            message.weight = pair.weights;
            send(MeshMessageKind::kLookup, around_.cluster->home(), message, now);
            sm = answer_;
            lookup_wait_cycles_ += answered_ > known ? answered_ - known : 0;
            known = std::max(known, answered_);
        } else {
            sm = around_.cluster->lookup(pair);
        }
        if (!sm.valid()) return sm;
        if (holder.valid() && sm != holder) return {};
        holder = sm;
    }
    return holder;
}

bool OpportunisticUnit::try_assign(WarpSums& warp, const VectorOperation& operation, Cycle now,
                                   Cycle& known) {
    if (operands_ready(operation, around_.cache) != kNever) return false;
    ++missing_;
    find_pairs(operation);
    const SmId holder = find_holder(now, known);
    if (holder.valid() && holder != place_.sm) {
        if (!around_.cluster->reserve(holder)) return false;
        send_assignment(holder, operation, known);
        return true;
    }
    if (holder.valid()) return false;
    warp.promised = pairs_;
    for (const BlockPair& pair : pairs_) {
        if (config_.at_cost == AssignTableCost::kMessages) {
            MeshMessage message;
            message.input = pair.input;
            message.weight = pair.weights;
            send(MeshMessageKind::kInsert, around_.cluster->home(), message, known);
        } else {
            around_.cluster->table().insert_if_absent(pair, place_.sm);
        }
    }
    return false;
}

void OpportunisticUnit::send_assignment(SmId to, const VectorOperation& operation, Cycle at) {
    ++totals_.sent;
    ++outstanding_;
    around_.cluster->remember(*operation.layout);
    MeshMessage message;
    message.id = next_id_++;
    message.input = operation.input;
    message.weight = operation.weights;
    message.output = operation.output;
    message.geometry = operation.layout->id();
    message.lanes = operation.layout->lanes();
    message.count = operation.length;
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
    around_.link->send(message, at);
}

VectorOperation OpportunisticUnit::operation_of(const MeshMessage& message) const {
    VectorOperation operation;
    operation.input = message.input;
    operation.weights = message.weight;
    operation.output = message.output;
    operation.layout = &around_.cluster->layout(message.geometry);
    operation.length = message.count;
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
    around_.host.wake_assistant();
}

void OpportunisticUnit::on_message(const MeshMessage& message, Cycle at) {
    const BlockPair pair{message.input, message.weight};
    switch (message.kind) {
        case MeshMessageKind::kAssign:
            return receive_assignment(message, at);
        case MeshMessageKind::kAcknowledge:
            ++totals_.acknowledged;
            --outstanding_;
            return around_.host.on_vector_activity(at);
        case MeshMessageKind::kRefuse:
            ++totals_.refused;
            work_.assign({operation_of(message), message.id, place_.sm, at});
            return around_.host.wake_assistant();
        case MeshMessageKind::kLookup: {
            MeshMessage reply;
            reply.holder = around_.cluster->lookup(pair);
            return send(MeshMessageKind::kLookupReply, message.source, reply, at + 1);
        }
        case MeshMessageKind::kLookupReply:
            answer_ = message.holder;
            answered_ = at;
            return;
        case MeshMessageKind::kInsert:
            return around_.cluster->table().insert_if_absent(pair, message.source);
        case MeshMessageKind::kInvalidate:
            around_.cluster->table().invalidate(message.input, message.source);
            return;
        case MeshMessageKind::kDrain:
            return;
    }
}

void OpportunisticUnit::on_line_lost(Address address) {
    if (around_.cluster == nullptr || config_.fault == OpportunisticFault::kStaleBlock) return;
    const BlockNumber block = address / place_.line_bytes;
    // The table changes at once, so that it never names an SM that has lost a block; the message
    // takes its room on the mesh.
    around_.cluster->table().invalidate(block, place_.sm);
}

void OpportunisticUnit::on_sector_missed(Address address) {
    work_.look_again();
    if (around_.sharing != nullptr) around_.sharing->on_miss(place_.sm, address);
}

void OpportunisticUnit::on_sector_filled() {
    work_.look_again();
    around_.host.wake_assistant();
}

bool OpportunisticUnit::holds(BlockNumber block) const {
    const Address begin = block * place_.line_bytes;
    const std::uint32_t sector = place_.sector_bytes;
    for (Address at = begin; at < begin + place_.line_bytes; at += sector) {
        if (around_.cache.sector_ready(at) != kNever) return true;
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
    observers_.wave->set(traces_.entries, now, table_.size());
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
    if (config_.intra()) {
        const PrecomputeTable::Counts& t = table_.counts();
        StatGroup& pt = s.child("precompute_table");
        pt.counter("inserted", t.inserted, "count", "predictions entered");
        pt.counter("completed", t.completed, "count", "predictions computed");
        pt.counter("used", t.used, "count", "results that were wanted");
        pt.counter("too_late", t.too_late, "count", "wanted before they were computed");
        pt.counter("replaced", t.replaced, "count", "entries that made room");
        pt.counter("eliminated", t.eliminated, "count", "entries dropped by the periodic policy");
        pt.counter("flushed", t.flushed, "count", "entries left at the end of a kernel");
        pt.counter("rejected", t.rejected, "count", "predictions without room");
        pt.counter("late_results", t.late_results, "count", "results whose entry was gone");
        pt.ratio("accuracy_percent", {"used"}, {"inserted"}, "percent",
                 "predictions that were used (opportunistic computing, Figure 9)", 100.0);
    }
    if (config_.inter()) {
        StatGroup& a = s.child("assignments");
        a.counter("missing", missing_, "count", "operations with an operand missing in the L1");
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
        traces_.entries = wave->add(scope, "table_entries", 16);
        traces_.warp = wave->add(scope, "warp", 8);
    }
    if (observers_.timeline != nullptr && has_assistant()) {
        traces_.track = observers_.timeline->add_track(fmt::format("SM {}", place_.sm.value()),
                                                       "assistant warp");
        if (traces_.track == TimelineRecorder::kNoTrack) observers_.timeline = nullptr;
    }
}

void OpportunisticUnit::check(std::vector<std::string>& violations) const {
    const PrecomputeTable::Counts& t = table_.counts();
    const std::uint64_t left = t.used + t.too_late + t.replaced + t.eliminated + t.flushed;
    if (t.inserted != left + table_.size()) {
        violations.push_back(fmt::format("SM {}: {} precompute entries came, {} went, {} are there",
                                         place_.sm.value(), t.inserted, left, table_.size()));
    }
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
}

}  // namespace tessera
