// Blocks of a detection unit, each a model or the device that replaces it.
#pragma once

#include <cstdint>
#include <memory>

#include "sc_models/common/device.h"
#include "sc_models/duplo/data_id.h"
#include "sc_models/duplo/id_generator.h"
#include "sc_models/duplo/keys/duplo_config.h"
#include "sc_models/duplo/load_history_buffer.h"
#include "sc_models/duplo/rename_table.h"
#include "sc_models/isa/convolution_packet.h"
#include "sc_models/sm/load_filter.h"

namespace tessera {

/// Device with the interface of IdGenerator; `now` is the SM's core cycle.
class IdDevice : public Device {
public:
    virtual void program(Cycle now, const ConvolutionPacket& packet, IdFormula formula) = 0;
    virtual void generate(Cycle now, Address address, std::uint32_t row_pitch_bytes,
                          std::uint32_t group_rows, DataId* out) = 0;
    /// With limited lookups: the address of a unit with id `id` enters the pipe at `entered` and
    /// leaves it at `left`, one in a cycle and in order.
    virtual void pass(Cycle entered, Cycle left, Address address, const DataId& id) {
        static_cast<void>(entered), static_cast<void>(left), static_cast<void>(address),
            static_cast<void>(id);
    }
    /// Completes pending work at the end of a kernel.
    virtual void finish() {}
};

/// Device with the interface of LoadHistoryBuffer. `program` fixes the number of registers. With
/// limited lookups `at` sets the cycle of each operation.
class HistoryDevice : public Device {
public:
    virtual void program(std::uint32_t shift, std::uint32_t registers) = 0;
    [[nodiscard]] virtual PhysRegId find(const LhbKey& key) = 0;
    virtual LoadHistoryBuffer::Replaced insert(const LhbKey& key, PhysRegId phys) = 0;
    virtual bool release(PhysRegId phys) = 0;
    virtual void clear() = 0;
    [[nodiscard]] virtual std::size_t size() const = 0;
    /// Completes pending work at the end of a kernel.
    virtual void finish() {}
};

/// Device with the interface of RenameTable, as far as registers are released at issue and end with
/// their last unit.
class RenameDevice : public Device {
public:
    virtual void reset(std::uint32_t units, std::uint32_t registers) = 0;
    struct Ended {
        PhysRegId old;      ///< invalid: the unit had no register
        bool last = false;  ///< no unit has it any more
    };
    /// Ends the mapping of a unit and drops its reference.
    virtual Ended end(std::uint32_t unit) = 0;
    virtual PhysRegId map_new(std::uint32_t unit) = 0;
    virtual void share(std::uint32_t unit, PhysRegId phys) = 0;
    [[nodiscard]] virtual PhysRegId mapping(std::uint32_t unit) const = 0;
    [[nodiscard]] virtual std::uint32_t physical_units() const = 0;
    [[nodiscard]] virtual std::uint32_t free_units() const = 0;
    [[nodiscard]] virtual std::uint32_t mapped_units() const = 0;
};

/// A unit in the pipe of the detection unit, with `duplo.pipe: built`.
struct PipeUnit {
    enum class Op : std::uint8_t {
        kLoad,   ///< looked up by its id
        kFresh,  ///< loaded without a lookup
        kEnd     ///< has no register from now on
    };
    Op op = Op::kEnd;
    Address address = 0;
    std::uint32_t unit = 0;
    std::uint32_t domain = 0;  ///< sharers of its register
    Cycle entered = 0;
    Cycle left = 0;  ///< the answer comes LookupPort::kHistoryCycles later
};
/// The answer for such a unit.
struct PipeAnswer {
    AccessKind kind = AccessKind::kBypass;
    BypassReason bypass = BypassReason::kNone;
    PhysRegId phys;  ///< invalid: the unit has no register
};

/// The detection unit as one block beside the model; not in its place.
class CoreDevice : public Device {
public:
    virtual void program(Cycle now, const ConvolutionPacket& packet, std::uint32_t shift,
                         std::uint32_t units, std::uint32_t registers) = 0;
    /// Passes a unit, in the order of entry, with the answer that the model gave.
    virtual void pass(const PipeUnit& unit, const PipeAnswer& answer) = 0;
    virtual void clear() = 0;
    /// Completes pending work at the end of a kernel.
    virtual void finish() = 0;
};

/// ID generator of a detection unit: the model, or the device that replaces it.
class IdPort {
public:
    explicit IdPort(std::unique_ptr<IdDevice> device = nullptr) : device_(std::move(device)) {}

    [[nodiscard]] bool has_device() const { return device_ != nullptr; }
    /// Starts a convolution at `now`. `recurrence` makes ids carry whether their value recurs
    /// (models only: RTL is refused with `duplo.keep`).
    void program(Cycle now, const ConvolutionPacket& packet, IdFormula formula, bool recurrence) {
        device_ ? device_->program(now, packet, formula)
                : model_.program(packet, formula, recurrence);
    }
    void generate(Cycle now, Address address, std::uint32_t row_pitch_bytes,
                  std::uint32_t group_rows, DataId* out) {
        device_ ? device_->generate(now, address, row_pitch_bytes, group_rows, out)
                : model_.generate(address, row_pitch_bytes, group_rows, out);
    }
    /// Generates the ids of 16 rows at arbitrary addresses, always by the model.
    void generate_by_place(const Address* rows, DataId* out) const {
        model_.generate_by_place(rows, out);
    }
    /// Reports a unit in the pipe, see IdDevice::pass().
    void pass(Cycle entered, Cycle left, Address address, const DataId& id) {
        if (device_) device_->pass(entered, left, address, id);
    }
    void finish() {
        if (device_) device_->finish();
    }
    [[nodiscard]] std::uint64_t rtl_cycles() const { return device_ ? device_->rtl_cycles() : 0; }

private:
    IdGenerator model_;
    std::unique_ptr<IdDevice> device_;
};

/// Load history buffer of a detection unit: the model, or the device that replaces it.
class HistoryPort {
public:
    /// Throws ConfigError for entries that are no multiple of the ways.
    explicit HistoryPort(const DuploConfig& config, std::unique_ptr<HistoryDevice> device = nullptr)
        : model_(config.lhb_entries, config.lhb_ways, config.lhb_fold,
                 config.keep == RetentionPolicy::kDuplicates),
          device_(std::move(device)) {}

    [[nodiscard]] bool has_device() const { return device_ != nullptr; }
    /// Returns the model; only without a device.
    [[nodiscard]] LoadHistoryBuffer& model() { return model_; }

    void at(Cycle now) {
        if (device_) device_->at(now);
    }
    void program(std::uint32_t shift, std::uint32_t registers) {
        device_ ? device_->program(shift, registers) : model_.program(shift, registers);
    }
    /// Models only: RTL is refused where the number of registers is unbounded.
    void grow(std::uint32_t registers) { model_.grow(registers); }
    void host_prefetch(const LhbKey& key) const {
        if (!device_) model_.host_prefetch(key);
    }
    void host_prefetch(PhysRegId phys) const {
        if (!device_) model_.host_prefetch(phys);
    }
    [[nodiscard]] PhysRegId find(const LhbKey& key) {
        return device_ ? device_->find(key) : model_.find(key);
    }
    LoadHistoryBuffer::Replaced insert(const LhbKey& key, PhysRegId phys) {
        return device_ ? device_->insert(key, phys) : model_.insert(key, phys);
    }
    bool release(PhysRegId phys) { return device_ ? device_->release(phys) : model_.release(phys); }
    /// Models only: RTL is refused with `duplo.keep`.
    void set_recurs(PhysRegId phys, bool recurs) { model_.set_recurs(phys, recurs); }
    [[nodiscard]] bool keeps(PhysRegId phys) const { return model_.keeps(phys); }
    [[nodiscard]] bool names(PhysRegId phys) const { return model_.names(phys); }
    void clear() { device_ ? device_->clear() : model_.clear(); }
    void finish() {
        if (device_) device_->finish();
    }
    [[nodiscard]] std::size_t size() const { return device_ ? device_->size() : model_.size(); }
    [[nodiscard]] std::uint64_t rtl_cycles() const { return device_ ? device_->rtl_cycles() : 0; }

private:
    LoadHistoryBuffer model_;
    std::unique_ptr<HistoryDevice> device_;
};

/// Rename table of a detection unit: the model, or the device that replaces it.
class RenamePort {
public:
    explicit RenamePort(std::unique_ptr<RenameDevice> device = nullptr)
        : device_(std::move(device)) {}

    [[nodiscard]] bool has_device() const { return device_ != nullptr; }
    /// Returns the model; only without a device.
    [[nodiscard]] RenameTable& model() { return model_; }
    [[nodiscard]] const RenameTable& model() const { return model_; }

    void at(Cycle now) {
        if (device_) device_->at(now);
    }
    void reset(std::uint32_t architectural, std::uint32_t physical, bool growing) {
        device_ ? device_->reset(architectural, physical)
                : model_.reset(architectural, physical, growing);
    }
    PhysRegId map_new(std::uint32_t arch) {
        return device_ ? device_->map_new(arch) : model_.map_new(arch);
    }
    bool share(std::uint32_t arch, PhysRegId phys) {
        if (!device_) return model_.share(arch, phys);
        device_->share(arch, phys);
        return false;
    }
    PhysRegId detach(std::uint32_t arch) {
        if (!device_) return model_.detach(arch);
        ended_ = device_->end(arch);
        return ended_.old;
    }
    /// With a device, `phys` is the register detached last.
    bool drop(PhysRegId phys) { return device_ ? ended_.last : model_.drop(phys); }
    [[nodiscard]] PhysRegId mapping(std::uint32_t arch) const {
        return device_ ? device_->mapping(arch) : model_.mapping(arch);
    }
    [[nodiscard]] std::uint32_t physical_units() const {
        return device_ ? device_->physical_units() : model_.physical_units();
    }
    [[nodiscard]] std::uint32_t free_units() const {
        return device_ ? device_->free_units() : model_.free_units();
    }
    [[nodiscard]] std::uint32_t mapped_units() const {
        return device_ ? device_->mapped_units() : model_.mapped_units();
    }
    [[nodiscard]] bool growing() const { return model_.growing(); }
    /// Throws CheckError if a count or the free list is wrong, see RenameTable::check().
    void check() const;
    [[nodiscard]] std::uint64_t rtl_cycles() const { return device_ ? device_->rtl_cycles() : 0; }

private:
    RenameTable model_;
    std::unique_ptr<RenameDevice> device_;
    RenameDevice::Ended ended_;
};

/// The blocks of one detection unit, owned elsewhere: by modules in a machine.
struct DetectionBlocks {
    IdPort& ids;
    HistoryPort& history;
    RenamePort& rename;
    CoreDevice* core = nullptr;  ///< null: none beside them
};

}  // namespace tessera
