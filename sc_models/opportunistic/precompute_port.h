// Precompute table of an SM: the model, or the device that replaces it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "sc_models/common/device.h"
#include "sc_models/opportunistic/precompute_table.h"

namespace tessera {

/// Outcome of a look-up in the precompute table.
enum class PrecomputeHit : std::uint8_t {
    kNone,        ///< no entry
    kIncomplete,  ///< an entry without results
    kComplete
};

/// Device with the interface of PrecomputePort, for an SM at a core cycle that at() sets.
class PrecomputeDevice : public Device {
public:
    using Index = PrecomputeTable::Index;

    virtual PrecomputeHit take(const PrecomputeKey& key, float* results) = 0;
    virtual Index insert_if_absent(const PrecomputeKey& key, const VectorOperation& operation) = 0;
    [[nodiscard]] virtual bool some_wait() const = 0;
    [[nodiscard]] virtual Index first_pending() = 0;
    [[nodiscard]] virtual Index next_pending(Index index) = 0;
    [[nodiscard]] virtual const VectorOperation& operation(Index index) const = 0;
    [[nodiscard]] virtual std::uint32_t start(Index index) = 0;
    virtual void finish(Index index, std::uint32_t generation, const float* results) = 0;
    virtual void eliminate(std::uint32_t entries) = 0;
    virtual void flush() = 0;
    [[nodiscard]] virtual std::uint32_t size() const = 0;
    [[nodiscard]] virtual const PrecomputeTable::Counts& counts() const = 0;
};

/// Precompute table of an SM: the model, or the device that replaces it.
class PrecomputePort {
public:
    using Index = PrecomputeTable::Index;

    /// The model has `entries` entries of `lanes` results each.
    PrecomputePort(std::uint32_t entries, std::uint32_t lanes,
                   std::unique_ptr<PrecomputeDevice> device = nullptr)
        : lanes_(lanes), model_(entries, lanes), device_(std::move(device)) {}

    [[nodiscard]] bool has_device() const { return device_ != nullptr; }
    /// Returns the model; only without a device.
    [[nodiscard]] PrecomputeTable& model() { return model_; }

    void at(Cycle now) {
        if (device_) device_->at(now);
    }
    /// Looks a key up and removes its entry; copies the results of all lanes to `results` if they
    /// are complete.
    PrecomputeHit take(const PrecomputeKey& key, float* results) {
        if (device_) return device_->take(key, results);
        const Index entry = model_.find(key);
        if (entry == PrecomputeTable::kNone) return PrecomputeHit::kNone;
        const bool complete = model_.complete(entry);
        if (complete) std::copy_n(model_.results(entry), lanes_, results);
        model_.use(entry);
        return complete ? PrecomputeHit::kComplete : PrecomputeHit::kIncomplete;
    }
    Index insert_if_absent(const PrecomputeKey& key, const VectorOperation& operation) {
        return device_ ? device_->insert_if_absent(key, operation)
                       : model_.insert_if_absent(key, operation);
    }
    /// Whether an entry waits for an assistant warp.
    [[nodiscard]] bool some_wait() const {
        return device_ ? device_->some_wait() : model_.first_pending() != PrecomputeTable::kNone;
    }
    [[nodiscard]] Index first_pending() {
        return device_ ? device_->first_pending() : model_.first_pending();
    }
    [[nodiscard]] Index next_pending(Index index) {
        return device_ ? device_->next_pending(index) : model_.next_pending(index);
    }
    [[nodiscard]] const VectorOperation& operation(Index index) const {
        return device_ ? device_->operation(index) : model_.operation(index);
    }
    /// Marks that an assistant warp starts to compute the entry; returns its generation.
    [[nodiscard]] std::uint32_t start(Index index) {
        if (device_) return device_->start(index);
        model_.start(index);
        return model_.generation(index);
    }
    void finish(Index index, std::uint32_t generation, const float* results) {
        device_ ? device_->finish(index, generation, results)
                : static_cast<void>(model_.finish(index, generation, results));
    }
    void eliminate(std::uint32_t entries) {
        device_ ? device_->eliminate(entries) : model_.eliminate(entries);
    }
    void flush() { device_ ? device_->flush() : model_.flush(); }
    [[nodiscard]] std::uint32_t size() const { return device_ ? device_->size() : model_.size(); }
    [[nodiscard]] const PrecomputeTable::Counts& counts() const {
        return device_ ? device_->counts() : model_.counts();
    }
    [[nodiscard]] std::uint64_t rtl_cycles() const { return device_ ? device_->rtl_cycles() : 0; }

private:
    std::uint32_t lanes_;
    PrecomputeTable model_;
    std::unique_ptr<PrecomputeDevice> device_;
};

}  // namespace tessera
