// Assign table of a cluster: the model, or the device that replaces it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "sc_models/common/device.h"
#include "sc_models/common/device_place.h"
#include "sc_models/opportunistic/assign_table.h"

namespace tessera {

/// Device with the interface of AssignPort, for a cluster at a core cycle that at() sets.
class AssignDevice : public Device {
public:
    /// Records to the waveform and the transactions of `place`, the cluster's home SM.
    virtual void record(const DevicePlace& place) = 0;
    [[nodiscard]] virtual SmId find(const BlockPair& pair) = 0;
    virtual void insert_if_absent(const BlockPair& pair, SmId sm) = 0;
    virtual void invalidate(BlockNumber block, SmId sm) = 0;
    virtual void flush() = 0;
    [[nodiscard]] virtual std::uint32_t size() const = 0;
    [[nodiscard]] virtual const AssignTable::Counts& counts() const = 0;
};

/// Assign table of a cluster (opportunistic computing, III-B): the model, or the device that
/// replaces it. AssignTable describes the operations.
class AssignPort {
public:
    /// The model has `entries` entries; throws std::logic_error on zero.
    explicit AssignPort(std::uint32_t entries, std::unique_ptr<AssignDevice> device = nullptr)
        : model_(entries), device_(std::move(device)) {}

    [[nodiscard]] bool has_device() const { return device_ != nullptr; }

    /// Sets the core cycle of the following operations.
    void at(Cycle now) {
        if (device_) device_->at(now);
    }
    void record(const DevicePlace& place) {
        if (device_) device_->record(place);
    }
    [[nodiscard]] SmId find(const BlockPair& pair) {
        return device_ ? device_->find(pair) : model_.find(pair);
    }
    void insert_if_absent(const BlockPair& pair, SmId sm) {
        device_ ? device_->insert_if_absent(pair, sm)
                : static_cast<void>(model_.insert_if_absent(pair, sm));
    }
    void invalidate(BlockNumber block, SmId sm) {
        device_ ? device_->invalidate(block, sm) : static_cast<void>(model_.invalidate(block, sm));
    }
    void flush() { device_ ? device_->flush() : model_.flush(); }
    [[nodiscard]] std::uint32_t size() const { return device_ ? device_->size() : model_.size(); }
    [[nodiscard]] const AssignTable::Counts& counts() const {
        return device_ ? device_->counts() : model_.counts();
    }
    /// Clock cycles that the RTL has run; 0 for the model.
    [[nodiscard]] std::uint64_t rtl_cycles() const { return device_ ? device_->rtl_cycles() : 0; }

private:
    AssignTable model_;
    std::unique_ptr<AssignDevice> device_;
};

}  // namespace tessera
