// Links between blocks, with optional protocol checkers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/tlm/lt/link_binder.h"
#include "sc_models/tlm/protocol_checker.h"

namespace tessera::foreign_target {

/// Binds links, each with a protocol checker in between if `checked`.
class Links : public LinkBinder {
public:
    explicit Links(bool checked) : checked_(checked) {}
    void bind(tlm::tlm_base_initiator_socket<>& initiator,
              tlm::tlm_base_target_socket_b<>& target) override {
        if (!checked_) {
            initiator.bind(target);
            return;
        }
        const std::string name = "checker_" + std::to_string(checkers_.size());
        checkers_.push_back(std::make_unique<ProtocolChecker>(name.c_str()));
        initiator.bind(checkers_.back()->target);
        checkers_.back()->initiator.bind(target);
    }
    void check(std::vector<std::string>& wrong) const {
        for (const auto& checker : checkers_) checker->check(wrong);
    }
    [[nodiscard]] std::uint64_t calls() const {
        std::uint64_t calls = 0;
        for (const auto& checker : checkers_) calls += checker->calls();
        return calls;
    }

private:
    bool checked_;
    std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
};

}  // namespace tessera::foreign_target
