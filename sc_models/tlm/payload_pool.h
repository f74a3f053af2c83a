// Memory manager for the payloads of approximately-timed initiators.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tlm>
#include <vector>

#include "sc_models/tlm/memory_port.h"

namespace tessera {

/// Generic payload of a pool, with a permanent AccessInfo and a tag for its initiator.
class alignas(64) PooledPayload : public tlm::tlm_generic_payload {
public:
    explicit PooledPayload(tlm::tlm_mm_interface& manager) : tlm_generic_payload(&manager) {
        set_extension(&info_);
    }
    ~PooledPayload() override { clear_extension(&info_); }
    PooledPayload(const PooledPayload&) = delete;
    PooledPayload& operator=(const PooledPayload&) = delete;

    [[nodiscard]] AccessInfo& info() { return info_; }
    [[nodiscard]] const AccessInfo& info() const { return info_; }

    /// Returns the address as first requested; components below may change the payload's (IEEE
    /// 1666-2011, 14.7).
    [[nodiscard]] Address requested_address() const { return requested_address_; }

    std::uint64_t tag = 0;  ///< set by the initiator

    /// Sets the payload's own buffer of `bytes` bytes as the data of the transaction.
    unsigned char* use_own_data(std::uint32_t bytes) {
        if (own_bytes_ < bytes) {
            own_data_ = std::make_unique<unsigned char[]>(bytes);
            own_bytes_ = bytes;
        }
        set_data_ptr(own_data_.get());
        return own_data_.get();
    }

    /// Casts a payload that returned to the socket of its initiator.
    [[nodiscard]] static PooledPayload& of(tlm::tlm_generic_payload& payload) {
        return static_cast<PooledPayload&>(payload);
    }

private:
    friend class PayloadPool;
    AccessInfo info_;
    Address requested_address_ = 0;
    std::unique_ptr<unsigned char[]> own_data_;
    std::uint32_t own_bytes_ = 0;
};

/// Allocates payloads with a reference count of one and recycles them, reset, when the last
/// reference is released. Memory is kept, so that a steady state allocates nothing.
class PayloadPool : public tlm::tlm_mm_interface {
public:
    PayloadPool() = default;
    PayloadPool(const PayloadPool&) = delete;
    PayloadPool& operator=(const PayloadPool&) = delete;
    ~PayloadPool() override;

    /// Returns a fresh request; the caller owns one reference. `data` must not be null.
    PooledPayload& acquire(tlm::tlm_command command, Address address, unsigned char* data,
                           std::uint32_t bytes);
    /// acquire() with the payload's own buffer as its data.
    PooledPayload& acquire(tlm::tlm_command command, Address address, std::uint32_t bytes);
    void free(tlm::tlm_generic_payload* payload) override;

    /// Returns the number of payloads still referenced; zero after a run without leaks.
    [[nodiscard]] std::size_t live() const { return all_.size() - free_.size(); }
    /// Returns the number of payloads ever allocated: the maximum in use at once.
    [[nodiscard]] std::size_t capacity() const { return all_.size(); }
    /// Appends a line, which begins with `owner`, if payloads are still alive.
    void check(const std::string& owner, std::vector<std::string>& violations) const;

private:
    std::vector<std::unique_ptr<PooledPayload>> all_;
    std::vector<PooledPayload*> free_;
};

}  // namespace tessera
