#include "sc_models/gpu/gpu.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "sc_models/common/conservation.h"
#include "sc_models/common/error.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/common/logging.h"
#include "sc_models/common/splitmix.h"
#include "sc_models/gpu/machine_parts.h"
#include "sc_models/gpu/memory_system_at.h"
#include "sc_models/gpu/memory_system_lt.h"

namespace tessera {
namespace {

constexpr std::uint64_t kLaunchStream =
    0x63746173;  // distinct from the streams of generated values

/// Environment variable of tests: host threads run all quanta ahead (WorkerPool).
constexpr const char* kRunAllQuanta = "TESSERA_TAKE_ALL_TURNS";

/// Returns the latency of a read below the L1 in an idle machine, without mesh traversal.
Cycle least_below_cycles(const Config& config) {
    const Cycle crossbar =
        config.noc.kind == NocKind::kCrossbar ? 2 * config.noc.latency_cycles : 0;
    return crossbar + config.l2.hit_latency_cycles;
}

}  // namespace

Gpu::Gpu(sc_core::sc_module_name name, const Config& config, StatGroup& statistics,
         const RunObservers& observers, ProgressListener* progress, const MachineSeams& seams)
    : sc_module(name),
      config_(config),
      clock_(config.gpu.core_clock_mhz),
      observers_(observers),
      progress_(progress),
      links_(seams.links) {
    LinkBinder& binder = *this;
    const bool foreign = seams.memory.make != nullptr;
    if (foreign && seams.memory.place == MemoryPlace::kBelowL1 &&
        config.noc.kind == NocKind::kMesh) {
        throw ConfigError(
            "noc.kind: got 'mesh', expected 'crossbar': a foreign memory below the L1 caches "
            "leaves no network between SMs and L2");
    }
    const MemorySystemPlan plan{config.gpu.sms,   config.noc,    config.l2,
                                config.dram,      config.values, statistics.child("memory"),
                                observers.blocks, &binder,       foreign ? &seams.memory : nullptr};
    if (config.timing == Timing::kApproximatelyTimed) {
        ticker_ = std::make_unique<CycleTicker>("ticker", clock_);
        memory_ = std::make_unique<MemorySystemAt>("memory", plan, *ticker_);
    } else {
        memory_ = std::make_unique<MemorySystemLt>("memory", plan, clock_);
        sm_workers_ = std::make_unique<SmWorkers>("sm_workers");
    }
    if (config.protocol_check) {
        statistics.child("protocol_check")
            .counter("calls", checked_calls_, "count", "transport calls on the links watched");
    }
    parts_ = seams.make_parts ? seams.make_parts(config, statistics)
                              : std::make_unique<MachineParts>(config, statistics);
    start_workers(foreign);
    CtaListener& self = *this;
    const SmPlan sm_plan{config.sm,     config.ldst,          config.l1,
                         config.tlb,    config.l2.line_bytes, config.gpu.quantum_cycles,
                         config.values, config.gpu.sms};
    for (std::uint32_t i = 0; i < config.gpu.sms; ++i) {
        if (config.noc.kind == NocKind::kMesh) add_mesh_port(SmId(i), statistics.instance("sm", i));
        sms_.push_back(std::make_unique<StreamingMultiprocessor>(
            fmt::format("sm{}", i).c_str(), SmId(i), sm_plan,
            SmContext{clock_, self, *parts_, statistics.instance("sm", i), observers.blocks,
                      &binder, ticker_.get(),
                      mesh_ports_.empty() ? nullptr : mesh_ports_.back().get(), sm_workers_.get(),
                      worker_pool_.get(), least_below_cycles(config)}));
        bind(sms_[i]->to_memory(), memory_->socket(SmId(i)));
    }
}

/// Starts worker threads if host.threads > 1.
void Gpu::start_workers(bool foreign) {
    const std::uint32_t threads = config_.host.thread_count();
    if (threads == 1) return;
    const std::string_view reason = why_one_thread(foreign);
    if (!reason.empty()) {
        logger("gpu").info("host.threads: one thread simulates this machine, as {}", reason);
    } else if (ticker_) {
        partition_workers_ = std::make_unique<PartitionWorkers>(threads - 1);
        ticker_->set_workers(partition_workers_.get());
        if (config_.values) ticker_->run_apart();  // SMs read the memory's contents
    } else {
        worker_pool_ =
            std::make_unique<WorkerPool>(threads - 1, std::getenv(kRunAllQuanta) != nullptr);
    }
}

/// Returns why the machine needs a single thread; empty: several are allowed.
std::string_view Gpu::why_one_thread(bool foreign) const {
    const Observers& blocks = observers_.blocks;
    const bool watched =
        blocks.wave != nullptr || blocks.timeline != nullptr || blocks.dram != nullptr;
    if (has_rtl(config_)) return "blocks of it run as RTL (impl), which count and compare together";
    if (watched && !ticker_) return "it is watched at timing lt";
    if (links_ != nullptr && links_->reads_time()) return "transactions on its links are recorded";
    if (config_.protocol_check && !ticker_) return "the protocol is checked at timing lt";
    if (foreign) return "its memory is a foreign one, which may wait";
    if (!parts_->independent()) return "its SMs share more than the memory";
    if (!ticker_ && least_below_cycles(config_) < config_.gpu.quantum_cycles) {
        return "the L2 answers within a quantum (gpu.quantum_cycles)";
    }
    return {};
}

template <class Initiator>
void Gpu::link(Initiator& initiator, tlm::tlm_base_target_socket_b<>& target) {
    if (links_ != nullptr) {
        links_->bind(initiator, target);
        return;
    }
    if (!config_.protocol_check) {
        initiator.bind(target);
        return;
    }
    checkers_.push_back(std::make_unique<ProtocolChecker>(
        fmt::format("protocol_checker_{}", checkers_.size()).c_str()));
    initiator.bind(checkers_.back()->target);
    checkers_.back()->initiator.bind(target);
}

void Gpu::bind(tlm::tlm_base_initiator_socket<>& initiator,
               tlm::tlm_base_target_socket_b<>& target) {
    link(initiator, target);
}

void Gpu::bind(OptionalInitiator& initiator, tlm::tlm_base_target_socket_b<>& target) {
    link(initiator, target);
}

void Gpu::add_mesh_port(SmId sm, StatGroup& statistics) {
    mesh_ports_.push_back(
        std::make_unique<MeshPort>(fmt::format("mesh_port_{}", sm.value()).c_str(), sm, clock_,
                                   ticker_.get(), statistics.child("mesh_port")));
    MeshPort& port = *mesh_ports_.back();
    bind(port.to_mesh, memory_->messages()->message_target(sm));
    bind(memory_->messages()->message_initiator(sm), port.from_mesh);
}

KernelResult Gpu::run(const Kernel& kernel, KernelExtent extent) {
    start(kernel, extent);
    try {
        simulate();
    } catch (...) {
        error_ = std::current_exception();
    }
    return finish();
}

void Gpu::start(const Kernel& kernel, KernelExtent extent) {
    const KernelInfo& info = kernel.info();
    KernelResult result;
    result.name = info.name;
    result.ctas = info.ctas;
    result.occupancy = occupancy_of(info, config_.sm);
    if (result.occupancy.registers_overcommitted) {
        logger("gpu").warn(
            "kernel {}: {} CTAs an SM, as configured, need more than the register file, which "
            "holds {}",
            info.name, result.occupancy.ctas, result.occupancy.by_registers);
    }

    elaborate();
    const Cycle begin = std::max(clock_.now(), end_of_last_kernel_);
    for (RunListener* listener : observers_.listeners) listener->start_kernel(info.name, begin);
    kernel_ = &kernel;
    const std::uint64_t slots = std::uint64_t{result.occupancy.ctas} * config_.gpu.sms;
    if (config_.sample.enabled && extent == KernelExtent::kMayBeSample) {
        order_ = CtaOrder(info.ctas,
                          static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, info.ctas)),
                          info.row_ctas, config_.sample);
    } else {
        order_ = CtaOrder(info.ctas);
    }
    result.queued_launch_cycles =
        info.short_code ? config_.gpu.short_launch_behind() : config_.gpu.launch_behind();
    result.launch_cycles =
        kernels_ == 0 ? Cycle{config_.gpu.kernel_launch_cycles} : result.queued_launch_cycles;
    launch_key_ = splitmix_key(config_.seed, kLaunchStream + kernels_++);
    ctas_done_ = 0;
    KernelInfo of_launch = info;
    of_launch.partial = order_.may_leave_out();
    parts_->start_kernel(of_launch);
    for (const auto& sm : sms_) sm->start_kernel(kernel, result.occupancy.ctas, begin);
    const Cycle first = begin + result.launch_cycles;
    memory_->start_kernel(first);
    for (std::uint32_t round = 0; round < result.occupancy.ctas; ++round) {
        for (std::uint32_t sm = 0; sm < sms_.size(); ++sm) launch_next(SmId(sm), first);
    }
    for (const auto& sm : sms_) sm->schedule();
    started_ = {std::move(result), begin};
}

KernelResult Gpu::finish() {
    const KernelInfo& info = kernel_->info();
    KernelResult result = std::move(started_.result);
    stop_look_ahead();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));

    Cycle end = memory_->end_of_kernel(std::max(last_activity(), started_.begin));
    // Transfers begun by an interrupted kernel count as done: its cycles last until they end.
    if (!all_ended()) end = std::max({end, latest(), memory_->busy_until()});
    for (const auto& sm : sms_) sm->account_until(end);
    for (RunListener* listener : observers_.listeners) listener->end_kernel(end);
    checked_calls_ = 0;
    for (const auto& checker : checkers_) checked_calls_ += checker->calls();
    result.cycles = result.simulated_cycles = end - started_.begin;
    end_of_last_kernel_ = end;
    kernel_cycles_ += result.simulated_cycles;
    result.finished = all_ended();
    if (interrupt_requested()) return result;
    if (!result.finished) {
        throw DeadlockError(
            fmt::format("kernel {}: {} of {} CTAs done at cycle {} and nothing can go on\n{}",
                        info.name, ctas_done_, info.ctas, latest(), who_waits()));
    }
    result.sample = order_.sample();
    if (result.sample)
        result.cycles += static_cast<Cycle>(std::llround(result.sample->skipped.cycles));
    for (const auto& sm : sms_) sm->end_kernel();
    kernel_ = nullptr;
    return result;
}

void Gpu::elaborate() {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION)
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

/// Ends quanta that host threads have begun but whose time does not come, as the kernel ends early.
void Gpu::stop_look_ahead() {
    const std::exception_ptr error = error_;
    for (const auto& sm : sms_) {
        try {
            sm->stop_look_ahead();
        } catch (...) {  // NOLINT(bugprone-empty-catch): errors after the end are ignored
        }
    }
    error_ = error;
}

/// Returns whether the kernel's CTAs have ended and no access is in flight.
bool Gpu::nothing_to_do() const {
    std::size_t payloads = 0;
    for (const auto& sm : sms_) payloads += sm->live_payloads();
    return all_ended() && memory_->idle() && payloads == 0;
}

/// Runs the simulation until no event is left. A foreign memory may have events forever (refreshes,
/// for example): then until the kernel is over, or the SMs have been inactive for so long that they
/// never resume.
void Gpu::simulate() {
    if (memory_->image() != nullptr) {
        sc_core::sc_start();
        return;
    }
    constexpr Cycle kStep = 10'000;
    constexpr std::uint32_t kSilentSteps = 1000;
    std::uint64_t activations = 0;
    std::uint32_t silent_steps = 0;
    while (silent_steps < (nothing_to_do() ? 1 : kSilentSteps)) {
        sc_core::sc_start(clock_.span(kStep), sc_core::SC_EXIT_ON_STARVATION);
        if (error_ || interrupt_requested() || !sc_core::sc_pending_activity() ||
            sc_core::sc_get_status() == sc_core::SC_STOPPED) {
            return;
        }
        std::uint64_t so_far = 0;
        for (const auto& sm : sms_) so_far += sm->activations();
        silent_steps = so_far == activations ? silent_steps + 1 : 0;
        activations = so_far;
    }
}

void Gpu::read_memory(Address address, void* to, std::size_t bytes) {
    if (const MemoryImage* image = memory_->image()) {
        image->read(address, to, bytes);
    } else {
        debug_transport(tlm::TLM_READ_COMMAND, address, static_cast<unsigned char*>(to), bytes);
    }
}

void Gpu::write_memory(Address address, const void* from, std::size_t bytes) {
    if (MemoryImage* image = memory_->image()) {
        image->write(address, from, bytes);
        return;
    }
    std::vector<unsigned char> copy(bytes);
    std::memcpy(copy.data(), from, bytes);
    debug_transport(tlm::TLM_WRITE_COMMAND, address, copy.data(), bytes);
}

/// Accesses the foreign memory through the first SM's L1 socket, in pieces within a line like
/// accesses.
void Gpu::debug_transport(tlm::tlm_command command, Address address, unsigned char* data,
                          std::size_t bytes) {
    elaborate();
    const std::size_t line = config_.l1.line_bytes;
    tlm::tlm_generic_payload payload;
    for (std::size_t done = 0; done < bytes;) {
        const Address at = address + done;
        const auto part = static_cast<unsigned>(std::min(bytes - done, line - at % line));
        payload.set_command(command);
        payload.set_address(at);
        payload.set_data_ptr(data + done);
        payload.set_data_length(part);
        payload.set_streaming_width(part);
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        const unsigned moved = sms_.front()->to_memory()->transport_dbg(payload);
        if (moved != part) {
            throw ConfigError(fmt::format(
                "the foreign memory moved {} of {} bytes at {:#x} by transport_dbg, by which the "
                "kernel's operands and results move",
                moved, part, at));
        }
        done += part;
    }
}

void Gpu::launch_next(SmId sm, Cycle at) {
    const std::optional<std::uint32_t> cta = order_.next(at);
    if (!cta) return;
    const GpuConfig& gpu = config_.gpu;
    const Cycle jitter = splitmix_at(launch_key_, *cta) % (gpu.cta_launch_jitter_cycles + 1ULL);
    sms_[sm.value()]->launch(CtaId(*cta), at + gpu.cta_launch_cycles + jitter);
}

void Gpu::on_cta_done(SmId sm, Cycle at) {
    ++ctas_done_;
    if (progress_ != nullptr) {
        progress_->on_progress(kernel_->info().name, ctas_done_, order_.expected());
    }
    if (error_) return;
    try {
        launch_next(sm, at);
    } catch (const Interrupted&) {
        sc_core::sc_stop();
    } catch (...) {
        // SystemC would keep only the text of an exception thrown in a process (a trace that ends
        // early, for example).
        error_ = std::current_exception();
        sc_core::sc_stop();
    }
}

bool Gpu::all_ended() const {
    return !order_.more() && ctas_done_ == order_.launched();
}

Cycle Gpu::latest() const {
    Cycle latest = 0;
    for (const auto& sm : sms_) latest = std::max(latest, sm->now());
    return latest;
}

Cycle Gpu::last_activity() const {
    Cycle last = 0;
    for (const auto& sm : sms_) last = std::max(last, sm->last_activity());
    return last;
}

std::string Gpu::who_waits() const {
    constexpr std::size_t kShown = 40;
    std::vector<std::string> lines;
    for (const auto& sm : sms_) sm->describe_waiting(lines);
    for (const auto& port : mesh_ports_) port->describe_waiting(lines);
    memory_->describe_waiting(lines);
    std::string text;
    for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i) text += "  " + lines[i] + "\n";
    if (lines.size() > kShown) text += fmt::format("  ... and {} more\n", lines.size() - kShown);
    if (lines.empty()) text += "  no warp is resident, but CTAs are left\n";
    return text;
}

/// Appends one line for all SMs: wrong data ids are wrong on each of them.
void Gpu::check_hits(std::vector<std::string>& violations) const {
    std::uint64_t wrong = 0, checked = 0, wrong_sms = 0;
    const LdstUnit* first = nullptr;
    for (const auto& sm : sms_) {
        const LdstUnit& ldst = sm->ldst();
        checked += ldst.checked_hits();
        wrong += ldst.value_mismatches();
        if (ldst.value_mismatches() == 0) continue;
        ++wrong_sms;
        if (first == nullptr) first = &ldst;
    }
    if (first == nullptr) return;
    violations.push_back(fmt::format(
        "{}: {} of {} LHB hits named a register with other data: {} in {}, the first of {} SMs",
        name(), wrong, checked, first->first_mismatch(), first->name(), wrong_sms));
}

void Gpu::check(std::vector<std::string>& violations) const {
    for (const auto& sm : sms_) sm->check(kernel_cycles_, violations);
    check_hits(violations);
    std::uint64_t sent = 0, received = 0;
    for (const auto& port : mesh_ports_) {
        sent += port->flits_sent();
        received += port->flits_received();
    }
    expect_equal(name(), "flits of messages sent", sent, "received", received, violations);
    parts_->check(violations);
    memory_->check(violations);
    for (const auto& checker : checkers_) checker->check(violations);
}

}  // namespace tessera
