// Memory manager for payloads that carry one extension.
#pragma once

#include <cstddef>
#include <memory>
#include <tlm>
#include <vector>

namespace tessera {

/// Generic payload of a CarrierPool, with a permanent extension of type `Extension`.
template <class Extension>
class CarrierPayload : public tlm::tlm_generic_payload {
public:
    explicit CarrierPayload(tlm::tlm_mm_interface& manager) : tlm_generic_payload(&manager) {
        set_extension(&extension);
    }
    ~CarrierPayload() override { clear_extension(&extension); }
    CarrierPayload(const CarrierPayload&) = delete;
    CarrierPayload& operator=(const CarrierPayload&) = delete;

    Extension extension;
};

/// Allocates payloads with a reference count of one and recycles them, unchanged, when the last
/// reference is released. Memory is kept.
template <class Extension>
class CarrierPool : public tlm::tlm_mm_interface {
public:
    using Payload = CarrierPayload<Extension>;

    CarrierPool() = default;
    CarrierPool(const CarrierPool&) = delete;
    CarrierPool& operator=(const CarrierPool&) = delete;
    ~CarrierPool() override = default;

    /// Returns a payload of `command` with `bytes` bytes at `data`; the caller owns one reference.
    Payload& acquire(tlm::tlm_command command, unsigned char* data, std::uint32_t bytes) {
        if (free_.empty()) {
            all_.push_back(std::make_unique<Payload>(*this));
            free_.push_back(all_.back().get());
        }
        Payload& payload = *free_.back();
        free_.pop_back();
        payload.acquire();
        payload.set_command(command);
        payload.set_data_ptr(data);
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
        return payload;
    }
    void free(tlm::tlm_generic_payload* payload) override {
        free_.push_back(static_cast<Payload*>(payload));
    }
    /// Returns the number of payloads still referenced.
    [[nodiscard]] std::size_t live() const { return all_.size() - free_.size(); }

private:
    std::vector<std::unique_ptr<Payload>> all_;
    std::vector<Payload*> free_;
};

}  // namespace tessera
