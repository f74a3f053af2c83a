#include "testbenches/assign_table/assign_rig.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/noc/at/mesh_at.h"
#include "sc_models/noc/lt/mesh.h"
#include "sc_models/opportunistic/assign_link.h"

namespace tessera::testbench {
namespace {

constexpr std::uint32_t kLength = 3;  ///< words of a vector
constexpr Cycle kMemory = 100;

L2Config l2_config(std::uint32_t controllers) {
    L2Config config;
    config.slices = controllers;
    return config;
}

DramConfig dram_config(std::uint32_t controllers) {
    DramConfig config;
    config.channels = controllers;
    return config;
}

}  // namespace

/// An SM: host of its unit, with observers between the unit and the mesh.
class AssignRig::Sm final : public VectorUnitHost, private AssignLink, private ClusterMember {
public:
    Sm(AssignRig& rig, std::uint32_t sm, const OpportunisticConfig& config, AssignCluster& cluster,
       std::size_t l1_blocks)
        : l1(l1_blocks, rig.line_bytes_),
          port(fmt::format("port_{}", sm).c_str(), SmId(sm), rig.session_.clock,
               rig.session_.approximately_timed() ? &rig.ticker_ : nullptr,
               rig.statistics_.instance("port", sm)),
          rig_(rig),
          sm_(sm),
          link_(port, cluster),
          unit_(fmt::format("unit_{}", sm).c_str(), config,
                {SmId(sm), kWarps, rig.line_bytes_, rig.sector_bytes_, true},
                {*this, l1, rig.ledger_, &cluster, this, nullptr, &read},
                rig.statistics_.instance("unit", sm), rig.session_.observers()),
          cluster_(cluster),
          member_(cluster.member(SmId(sm))) {
        cluster.join(SmId(sm), *this);  // in front of the unit
        add_traces();
    }
    [[nodiscard]] OpportunisticUnit& unit() { return unit_; }

    ToyL1 l1;
    MeshPort port;
    bool assistant_busy = false;

private:
    static void read(Address address, void* data, std::size_t bytes) {
        auto* const floats = static_cast<float*>(data);
        for (std::size_t i = 0; i < bytes / sizeof(float); ++i) {
            floats[i] = word(address + i * sizeof(float));
        }
    }
    [[nodiscard]] Cycle present() const override { return rig_.now(); }
    void on_vector_decided(WarpId warp, const VectorDecision& decision) override {
        rig_.observer_.on_decided(sm_, warp.value(), decision);
    }
    void wake_assistant() override {
        rig_.schedule(rig_.now(), [this] { rig_.poll_assistant(sm_); });
    }
    void on_vector_activity(Cycle /*at*/) override {}
    void send(const MeshMessage& message, Cycle at) override {
        rig_.observer_.on_sent(sm_, message, at);
        link_.send(message, at);
    }
    [[nodiscard]] bool holds(BlockNumber block) const override { return member_.holds(block); }
    void on_message(const MeshMessage& message, Cycle at) override {
        rig_.observer_.on_arrival(sm_, message, at);
        member_.on_message(message, at);
        rig_.observer_.on_processed(sm_, message);
        record(message, at);
    }
    void add_traces() {
        WaveRecorder* const wave = rig_.session_.observers().wave;
        if (wave == nullptr) return;
        for (std::size_t kind = 0; kind < kMeshMessageKinds; ++kind) {
            arrivals_[kind] =
                wave->add(fmt::format("sm{}.arrivals", sm_), kMeshMessageNames[kind], 1);
        }
        if (sm_ % rig_.configs_.front().cluster_sms != 0) return;
        entries_ = wave->add(fmt::format("sm{}.assign_table", sm_), "entries", 16);
    }
    /// Shows the arrival of a message, and the entries of a table that is here.
    void record(const MeshMessage& message, Cycle at) {
        WaveRecorder* const wave = rig_.session_.observers().wave;
        if (wave == nullptr) return;
        wave->pulse(arrivals_[static_cast<std::size_t>(message.kind)], at, 1);
        if (entries_ == WaveRecorder::kNoSignal) return;
        wave->set(entries_, at, cluster_.table().size());
    }

    AssignRig& rig_;
    const std::uint32_t sm_;
    MeshLink link_;
    OpportunisticUnit unit_;
    AssignCluster& cluster_;
    ClusterMember& member_;  ///< the unit
    std::array<WaveRecorder::Signal, kMeshMessageKinds> arrivals_{};
    WaveRecorder::Signal entries_ = WaveRecorder::kNoSignal;
};

AssignRig::AssignRig(const sc_core::sc_module_name& name, Session& session,
                     const std::vector<OpportunisticConfig>& clusters, std::size_t l1_blocks,
                     AssignObserver& observer)
    : sc_module(name),
      session_(session),
      observer_(observer),
      configs_(clusters),
      line_bytes_(session.config().l1.line_bytes),
      sector_bytes_(session.config().l1.sector_bytes),
      map_(l2_config(session.config().noc.mesh.height),
           dram_config(session.config().noc.mesh.height)),
      ticker_("ticker", session.clock),
      memory_("memory", map_.slices(), session.clock, kMemory),
      layout_(0, 1, {}) {
    const std::uint32_t members = configs_.front().cluster_sms;
    make_mesh(members * static_cast<std::uint32_t>(configs_.size()));
    for (std::uint32_t i = 0; i < configs_.size(); ++i) {
        clusters_.push_back(std::make_unique<AssignCluster>(
            "cluster", configs_[i], SmId(i * members), statistics_.instance("assign_table", i)));
        for (std::uint32_t sm = i * members; sm < (i + 1) * members; ++sm) {
            sms_.push_back(
                std::make_unique<Sm>(*this, sm, configs_[i], *clusters_.back(), l1_blocks));
            MeshPort& port = sms_.back()->port;
            links_.bind(port.to_mesh, mesh_->messages()->message_target(SmId(sm)));
            links_.bind_any(mesh_->messages()->message_initiator(SmId(sm)), port.from_mesh);
        }
    }
    SC_THREAD(run);
}

AssignRig::~AssignRig() = default;

/// Makes the mesh; its memory links are bound and stay idle.
void AssignRig::make_mesh(std::uint32_t sms) {
    const NocConfig& noc = session_.config().noc;
    const MeshContext context{noc, sms, map_.channels(), map_, statistics_.child("mesh")};
    const bool at = session_.approximately_timed();
    if (at) {
        mesh_ = std::make_unique<MeshAt>("mesh", context, ticker_, session_.observers());
    } else {
        mesh_ = std::make_unique<Mesh>("mesh", context, session_.clock, session_.observers());
    }
    for (std::uint32_t sm = 0; sm < sms; ++sm) {
        const std::string name = fmt::format("sm_{}", sm);
        if (at) {
            initiators_.push_back(std::make_unique<AtInitiator>(name.c_str(), ticker_, pool_));
        } else {
            initiators_.push_back(std::make_unique<LtInitiator>(name.c_str(), session_.clock));
        }
        links_.bind(initiators_.back()->to_target(), mesh_->sm_socket(SmId(sm)));
    }
    for (std::uint32_t slice = 0; slice < map_.slices(); ++slice) {
        links_.bind(mesh_->slice_socket(slice), memory_.sockets[slice]);
    }
}

ToyL1& AssignRig::l1(std::uint32_t sm) {
    return sms_[sm]->l1;
}

OpportunisticUnit& AssignRig::unit(std::uint32_t sm) {
    return sms_[sm]->unit();
}

void AssignRig::start_kernel(std::uint64_t operations) {
    KernelInfo info;
    info.name = "testbench";
    info.outputs = kOutputs;
    info.output_bytes = operations * sizeof(float);
    info.output_count = operations;
    info.operations_per_output = 1;
    ledger_.start_kernel(info);
    for (const auto& cluster : clusters_) cluster->start_kernel();
    for (const auto& sm : sms_) {
        sm->unit().start_kernel(now());
        sm->unit().begin_work();
    }
}

VectorOperation AssignRig::operation(Address input, Address weights, std::uint64_t output) const {
    VectorOperation operation;
    operation.input = input;
    operation.weights = weights;
    operation.output = kOutputs + output * sizeof(float);
    operation.layout = &layout_;
    operation.length = kLength;
    return operation;
}

void AssignRig::schedule(Cycle at, std::function<void()> action) {
    actions_.emplace(std::max(at, now()), std::move(action));
    scheduled_.notify(sc_core::SC_ZERO_TIME);
}

void AssignRig::run() {
    for (;;) {
        if (actions_.empty()) {
            wait(scheduled_);
            continue;
        }
        const Cycle at = actions_.begin()->first;
        if (at > now()) {
            wait(session_.clock.span(at) - sc_core::sc_time_stamp(), scheduled_);
            continue;
        }
        const std::function<void()> action = std::move(actions_.begin()->second);
        actions_.erase(actions_.begin());
        action();
    }
}

void AssignRig::issue(std::uint32_t sm, std::uint32_t warp, const VectorOperation& operation) {
    const VectorDecision decision = unit(sm).decode(WarpId(warp), operation, now());
    if (!decision.pending) observer_.on_decided(sm, warp, decision);
}

void AssignRig::store(std::uint32_t sm, std::uint32_t warp) {
    unit(sm).take_sums(WarpId(warp), now());
}

/// Starts the assistant warp if it is idle and has work.
void AssignRig::poll_assistant(std::uint32_t sm) {
    Sm& self = *sms_[sm];
    OpportunisticUnit& unit = self.unit();
    if (self.assistant_busy) return;
    const Cycle needed = unit.assistant_needed(now());
    if (needed == kNever) return;
    if (needed > now()) return schedule(needed, [this, sm] { poll_assistant(sm); });
    if (!unit.start_assistant(now())) return;
    self.assistant_busy = true;
    // The instructions of the assistant warp show its operands and its output.
    std::array<WarpInstruction, 64> instructions;
    const std::size_t count =
        unit.assistant_program()->fill(instructions.data(), instructions.size());
    AssignObserver::Execution execution;
    std::vector<Address> loads;
    for (std::size_t i = 0; i < count; ++i) {
        const WarpInstruction& instruction = instructions[i];
        if (instruction.opcode() == Opcode::kAtomicGlobal) execution.output = instruction.address();
        if (instruction.opcode() == Opcode::kLoadGlobal) loads.push_back(instruction.address());
    }
    if (loads.size() > 1) {
        execution.input = loads[0];
        execution.weights = loads[1];
    }
    if (execution.output != 0) {
        execution.result = *unit.take_assistant_sums(now());
        observer_.on_execution(sm, execution);
    }
    schedule(now() + kAssistantCycles, [this, sm] {
        sms_[sm]->assistant_busy = false;
        sms_[sm]->unit().finish_assistant(now());
        poll_assistant(sm);
    });
}

void AssignRig::check(std::vector<std::string>& violations) const {
    ledger_.check(violations);
    for (const auto& cluster : clusters_) cluster->check(violations);
    for (const auto& sm : sms_) {
        sm->unit().check(violations);
        sm->unit().describe_waiting(violations);
        sm->port.describe_waiting(violations);
    }
    mesh_->check(violations);
    links_.check(violations);
}

}  // namespace tessera::testbench
