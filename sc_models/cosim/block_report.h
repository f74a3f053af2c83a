// Outputs of an RTL block in the machine, reported to an observer of transactions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sc_models/common/device_place.h"
#include "sc_models/common/transaction_observer.h"
#include "sc_models/cosim/scoreboard.h"

namespace tessera {

/// Reports a hash of a block's outputs, cycle by cycle. Without an observer it does nothing.
class BlockReport : private PinListener {
public:
    BlockReport(const DevicePlace& place, std::string_view block) : observer_(place.transactions) {
        if (observer_ == nullptr) return;
        block_ = observer_->add_block(place.scope + "." + std::string(block), place.access);
    }
    [[nodiscard]] bool wanted() const { return observer_ != nullptr; }
    /// Adds a value to the hash.
    void add(std::uint64_t value) { hash_ = (hash_ ^ value) * kPrime; }
    /// Reports the values since the last call, which are outputs of cycle `at`.
    void send(Cycle at) {
        observer_->output(block_, static_cast<std::uint32_t>(hash_ ^ hash_ >> 32U), at);
        hash_ = kStart;
    }
    /// Reports the values that `compare` passes to the scoreboard it is given.
    template <class Compare>
    void send_compared(Cycle at, const Compare& compare) {
        Scoreboard collected{std::string()};
        collected.watch(this);
        compare(collected);
        send(at);
    }

private:
    static constexpr std::uint64_t kStart = 0xcbf29ce484222325ULL;  ///< of FNV-1a, 64 bits
    static constexpr std::uint64_t kPrime = 0x100000001b3ULL;

    void pin(std::string_view /*signal*/, std::size_t /*index*/, std::uint64_t /*expected*/,
             std::uint64_t got) override {
        add(got);
    }

    TransactionObserver* const observer_;
    std::uint32_t block_ = 0;
    std::uint64_t hash_ = kStart;
};

}  // namespace tessera
