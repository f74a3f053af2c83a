// Links with a protocol checker on each, if wanted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/tlm/lt/link_binder.h"
#include "sc_models/tlm/protocol_checker.h"

namespace tessera::testbench {

/// Binds links, each through a ProtocolChecker if `checked`.
class CheckedLinks : public LinkBinder {
public:
    explicit CheckedLinks(bool checked = true) : checked_(checked) {}
    void bind(tlm::tlm_base_initiator_socket<>& initiator,
              tlm::tlm_base_target_socket_b<>& target) override {
        bind_any(initiator, target);
    }
    /// The same for initiator sockets with another binding policy, such as optional ones.
    template <class InitiatorSocket>
    void bind_any(InitiatorSocket& initiator, tlm::tlm_base_target_socket_b<>& target) {
        if (!checked_) {
            initiator.bind(target);
            return;
        }
        checkers_.push_back(std::make_unique<ProtocolChecker>(
            ("checker_" + std::to_string(checkers_.size())).c_str()));
        initiator.bind(checkers_.back()->target);
        checkers_.back()->initiator.bind(target);
    }
    /// Appends a line for each protocol violation, and for each link that still carries
    /// transactions.
    void check(std::vector<std::string>& violations) const {
        for (const auto& checker : checkers_) {
            checker->check(violations);
            if (checker->in_flight() == 0) continue;
            violations.push_back(checker->name() + std::string(": ") +
                                 std::to_string(checker->in_flight()) + " transactions not ended");
        }
    }
    /// Returns the number of transport calls on all links.
    [[nodiscard]] std::uint64_t calls() const {
        std::uint64_t calls = 0;
        for (const auto& checker : checkers_) calls += checker->calls();
        return calls;
    }

private:
    bool checked_;
    std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
};

}  // namespace tessera::testbench
