// A rig for tested modules with memory-mapped sockets, at either level of timing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/tlm/at/at_context.h"
#include "testbenches/harness/checked_links.h"
#include "testbenches/harness/initiator.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Initiators above the module, links with a protocol checker on each, and what the models need.
class MemoryRig {
public:
    explicit MemoryRig(Session& session)
        : statistics(session.description().name),
          session_(session),
          ticker_("ticker", session.clock) {}
    MemoryRig(const MemoryRig&) = delete;
    MemoryRig& operator=(const MemoryRig&) = delete;

    /// Returns what an approximately-timed module needs.
    [[nodiscard]] AtContext at() { return {ticker_, pool_, session_.observers()}; }
    /// Adds an initiator, and binds it to `target`.
    Initiator& add_initiator(const std::string& name, tlm::tlm_base_target_socket_b<>& target) {
        if (session_.approximately_timed()) {
            owned_.push_back(std::make_unique<AtInitiator>(name.c_str(), ticker_, pool_));
        } else {
            owned_.push_back(std::make_unique<LtInitiator>(name.c_str(), session_.clock));
        }
        initiators_.push_back(owned_.back().get());
        links.bind(initiators_.back()->to_target(), target);
        return *initiators_.back();
    }
    [[nodiscard]] const std::vector<Initiator*>& initiators() const { return initiators_; }
    /// Reports all rules that `module` or a link has violated.
    template <class Module>
    void report_violations(const Module& module) const {
        std::vector<std::string> violations;
        module.check(violations);
        links.check(violations);
        session_.violations(violations);
    }

    CheckedLinks links;
    StatGroup statistics;

private:
    Session& session_;
    CycleTicker ticker_;
    PayloadPool pool_;
    std::vector<std::unique_ptr<Initiator>> owned_;
    std::vector<Initiator*> initiators_;
};

/// A module whose models share no base class: one of them, at the chosen level of timing.
template <class Lt, class At>
struct EitherTiming {
    std::unique_ptr<Lt> lt;  ///< null if approximately timed
    std::unique_ptr<At> at;  ///< null if loosely timed

    [[nodiscard]] const auto& statistics() const {
        return at ? at->statistics() : lt->statistics();
    }
    /// Appends a line for each rule that the model has violated.
    void check(std::vector<std::string>& violations) const {
        at ? at->check(violations) : lt->check(violations);
    }
};

}  // namespace tessera::testbench
