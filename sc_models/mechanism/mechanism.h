// Interface of a mechanism towards the rest of the program.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_source.h"
#include "sc_models/config/engine/key_condition.h"

namespace tessera {

class MechanismEnergy;
class MechanismFigures;
struct PacketOptions;

/// Kinds of workload and files of a mechanism.
struct MechanismKinds {
    std::string_view name;                  ///< `mechanism: NAME` in its files
    std::array<std::string_view, 4> kinds;  ///< kinds it acts on; unused places are empty
    /// Kinds that it turns a run without a layer, a convolution and a product into; empty: it
    /// leaves the kind as it is.
    std::string_view of_nothing = {}, of_convolution = {}, of_product = {};
    std::string_view implied_by = {};  ///< key that has the same effect as a file; empty: none
    /// Kind that it acts on only if the boolean key `needs` is on; empty: none.
    std::string_view conditional_kind = {}, needs = {};
    std::string_view remedy = {};  ///< text of the refusal without `needs`
};

/// Host memory that a table of a mechanism takes.
struct HostTable {
    std::uint64_t bytes = 0;
    std::array<std::string_view, 2> keys;  ///< that determine it; they may be the same
    std::string text;                      ///< name and sizes for messages
};

/// Returns whether the user set a key of the section with this prefix ("duplo.").
using SectionIsSet = std::function<bool(std::string_view prefix)>;

/// Description of a mechanism: rules between its keys, kinds of workload, host memory, figures of
/// reports and energy events. It has no state and does not depend on SystemC; the hardware of the
/// mechanism is a MechanismHardware (sc_models/sm/mechanism_hardware.h). The list of all mechanisms
/// is mechanisms() (sc_models/mechanisms/mechanisms.h).
class Mechanism {
public:
    Mechanism() = default;
    virtual ~Mechanism() = default;
    Mechanism(const Mechanism&) = delete;
    Mechanism& operator=(const Mechanism&) = delete;

    [[nodiscard]] virtual const MechanismKinds& kinds() const = 0;
    /// Returns the conditions that it adds to those in the declaration of `key`, its own or one of
    /// the machine; all must hold for the key to act.
    [[nodiscard]] virtual std::vector<KeyCondition> conditions_of(std::string_view /*key*/) const {
        return {};
    }
    /// Checks its keys against the machine. Throws the ConfigError of ConfigSource::fail.
    virtual void check_machine(const Config& /*config*/, const ConfigSource& /*source*/) const {}
    /// Checks its keys against a workload that is neither a trace nor a microbenchmark; throws
    /// likewise.
    virtual void check_workload(const Config& /*config*/, const ConfigSource& /*source*/) const {}
    /// Sets keys without effect to their defaults, unless the user set their section, so that equal
    /// runs have equal hashes.
    virtual void reset_idle_keys(Config& /*config*/, const SectionIsSet& /*is_set*/) const {}
    /// Returns its tables that take noticeable memory of the host.
    [[nodiscard]] virtual std::vector<HostTable> host_tables(const Config& /*config*/) const {
        return {};
    }
    /// Requests the convolution packet if the mechanism reads it.
    virtual void request_packet(const Config& /*config*/, PacketOptions& /*packet*/) const {}

    /// Returns its figures in reports; null: none.
    [[nodiscard]] virtual const MechanismFigures* figures() const { return nullptr; }
    /// Returns its energy events; null: none.
    [[nodiscard]] virtual const MechanismEnergy* energy() const { return nullptr; }
};

}  // namespace tessera
