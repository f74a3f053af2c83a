// Checker of the TLM-2.0 base protocol, bound between two sockets.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "sc_models/tlm/pass_through.h"
#include "sc_models/tlm/protocol_rule.h"

namespace tessera {

/// A violation of a protocol rule.
struct ProtocolViolation {
    ProtocolRule rule;
    sc_core::sc_time time;
    std::string checker;  ///< full name of the checker that detected it
    std::string event;    ///< description of the event
    std::string payload;  ///< description of the transaction

    [[nodiscard]] std::string text() const;
};

/// Checker between an initiator and a target of the base protocol: `target` is bound to the
/// initiator, `initiator` to the target. It takes no time and changes nothing: every call of the
/// four interfaces, in both directions, is forwarded unchanged and checked against IEEE Std
/// 1666-2011, clauses 11, 14 and 15 (see ProtocolRule).
///
/// Not checked: whether a transaction was executed, whether an extension that should be ignorable
/// is ignored, and other hops of the same transaction.
class ProtocolChecker : public PassThrough {
public:
    struct Options {
        bool fatal = false;  ///< stop the simulation at the first violation
        bool address_may_change =
            false;  ///< an interconnect component below may translate addresses
    };

    explicit ProtocolChecker(const sc_core::sc_module_name& name) : ProtocolChecker(name, {}) {}
    ProtocolChecker(const sc_core::sc_module_name& name, const Options& options);

    /// Returns the first violations, in order; later ones are only counted.
    [[nodiscard]] const std::vector<ProtocolViolation>& violations() const { return violations_; }
    [[nodiscard]] std::uint64_t violation_count() const { return violation_count_; }
    /// Returns the number of calls forwarded; a phase on the return path counts as a call.
    [[nodiscard]] std::uint64_t calls() const { return calls_; }
    /// Returns the number of transactions begun and not ended.
    [[nodiscard]] std::size_t in_flight() const { return flights_.size(); }
    /// Appends a line for each violation kept.
    void check(std::vector<std::string>& violations) const;

    static constexpr std::size_t kKept = 100;

private:
    /// Attributes of a payload at the start of its request.
    struct Snapshot {
        tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
        sc_dt::uint64 address = 0;
        const unsigned char* data = nullptr;
        const unsigned char* enables = nullptr;
        unsigned length = 0, enable_length = 0, streaming_width = 0;
        std::vector<unsigned char> written, enabled;  ///< the bytes of a write; byte enables
    };
    enum class Stage : std::uint8_t { kRequested, kAccepted, kResponding };
    struct Flight {
        Stage stage = Stage::kRequested;
        sc_core::sc_time time;  ///< latest time plus annotated delay
        Snapshot snapshot;
    };

    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(Payload& payload, sc_core::sc_time& delay) override;
    unsigned int transport_dbg(Payload& payload) override;
    bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

    void report(ProtocolRule rule, const std::string& event, const Payload* payload);
    void check_managed(const Payload& payload, const char* call);
    void check_initial(const Payload& payload, const char* call);
    void check_response(const Payload& payload, const Snapshot& snapshot, const char* call);
    void check_unmodified(const Payload& payload, const Snapshot& snapshot, const char* call);
    static Snapshot snapshot_of(const Payload& payload);
    void begin_request(Payload& payload, const sc_core::sc_time& delay);
    void end_response(Payload& payload, const sc_core::sc_time& delay);
    void target_phase(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay,
                      const char* call);
    void extended_phase(Payload& payload, const tlm::tlm_phase& phase,
                        const sc_core::sc_time& delay, const char* call);
    void advance(Flight& flight, const Payload* payload, const sc_core::sc_time& delay,
                 const char* call);
    void finish(const Payload* payload);

    Options options_;
    std::unordered_map<const Payload*, Flight> flights_;
    std::unordered_map<const Payload*, unsigned> blocking_;  ///< b_transport calls in progress
    const Payload* request_ = nullptr;   ///< payload of the pending request phase
    const Payload* response_ = nullptr;  ///< payload of the pending response phase
    std::vector<ProtocolViolation> violations_;
    std::uint64_t violation_count_ = 0, calls_ = 0;
};

}  // namespace tessera
