// Values in the physical units of a detection unit: arrival, origin and last user.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/duplo/active_load.h"
#include "sc_models/duplo/hit_class.h"
#include "sc_models/duplo/keys/duplo_config.h"

namespace tessera {

/// Values in the physical units: when each arrives, which load of which warp brought it, and, if
/// values end with their last user (R0), when that has its data.
class ValueTable {
public:
    /// Whether a value serves a load that matches it.
    enum class Service : std::uint8_t {
        kServes,
        kInFlight,  ///< not yet there, and loads do not wait for data in flight
        kExpired    ///< its last user had its data
    };

    explicit ValueTable(const DuploConfig& config)
        : ends_with_users_(config.lifetime == Lifetime::kInFlight),
          in_flight_hits_(config.in_flight_hits) {}

    void reset(std::uint32_t units) {
        values_.assign(units, Value{});
        last_use_.assign(units, 0);
    }
    /// Adds physical units.
    void grow(std::uint32_t units) {
        values_.resize(units);
        last_use_.resize(units);
    }
    [[nodiscard]] std::size_t size() const { return values_.size(); }

    /// Gives a unit to the value that a load brings from `address`.
    void begin(PhysRegId phys, Address address, const ActiveLoad& load) {
        values_[phys.value()] = {kNever, address, load.serial, load.producer};
    }
    /// Removes the users of the unit's former value.
    void clear_users(PhysRegId phys) {
        if (ends_with_users_) last_use_[phys.value()] = 0;
    }
    /// Reports the arrival of a value, which is a use by the load that brings it.
    void set_ready(PhysRegId phys, Cycle cycle) {
        values_[phys.value()].ready = cycle;
        add_user(phys, cycle);
    }
    /// Adds a load that has its data at `served`.
    void add_user(PhysRegId phys, Cycle served) {
        if (ends_with_users_) {
            last_use_[phys.value()] = std::max(last_use_[phys.value()], served);
        }
    }

    /// Returns the arrival of a value; kNever until it is announced.
    [[nodiscard]] Cycle ready(PhysRegId phys) const { return values_[phys.value()].ready; }
    [[nodiscard]] Service service(Cycle now, PhysRegId phys) const {
        const Cycle ready = values_[phys.value()].ready;
        const bool in_flight = ready == kNever || now < ready;
        if (in_flight) return in_flight_hits_ ? Service::kServes : Service::kInFlight;
        const bool expired = ends_with_users_ && now >= last_use_[phys.value()];
        return expired ? Service::kExpired : Service::kServes;
    }
    /// Returns the class of a hit of `load` at `address` on the value.
    [[nodiscard]] HitClass classify(const ActiveLoad& load, Address address, PhysRegId phys) const {
        const Value& value = values_[phys.value()];
        if (value.serial == load.serial) return HitClass::kOctetCopy;
        const bool same_warp = value.producer == load.producer;
        if (value.address == address) {
            return same_warp ? HitClass::kSameAddressSameWarp : HitClass::kSameAddressOtherWarp;
        }
        return same_warp ? HitClass::kLoweringDuplicateSameWarp
                         : HitClass::kLoweringDuplicateOtherWarp;
    }

private:
    struct Value {
        Cycle ready = 0;
        Address address = 0;         ///< source of its data
        std::uint32_t serial = 0;    ///< of the load, as in ActiveLoad
        std::uint32_t producer = 0;  ///< likewise
    };

    bool ends_with_users_;
    bool in_flight_hits_;
    std::vector<Value> values_;
    std::vector<Cycle> last_use_;  ///< R0: arrival of the data for the last user
};

}  // namespace tessera
