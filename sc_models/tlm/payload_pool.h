// Memory manager for the payloads of approximately-timed initiators.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tlm>
#include <vector>

#include "sc_models/tlm/memory_port.h"

namespace tessera {

/// A generic payload of a pool, with the AccessInfo it carries all its life and a number for its
/// owner's use.
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

    /// As it was asked for: what is below may change the payload's (IEEE 1666-2011, 14.7).
    [[nodiscard]] Address asked_address() const { return asked_address_; }

    std::uint64_t note = 0;  ///< the initiator's: what the request is for

    /// Makes `bytes` bytes of the payload's own the data of the transaction.
    unsigned char* use_own_data(std::uint32_t bytes) {
        if (own_bytes_ < bytes) {
            own_data_ = std::make_unique<unsigned char[]>(bytes);
            own_bytes_ = bytes;
        }
        set_data_ptr(own_data_.get());
        return own_data_.get();
    }

    /// An initiator's own payload, come back on its socket.
    [[nodiscard]] static PooledPayload& of(tlm::tlm_generic_payload& payload) {
        return static_cast<PooledPayload&>(payload);
    }

private:
    friend class PayloadPool;
    AccessInfo info_;
    Address asked_address_ = 0;
    std::unique_ptr<unsigned char[]> own_data_;
    std::uint32_t own_bytes_ = 0;
};

/// Hands out payloads with a reference count of one and takes them back, as they were when new,
/// when the last reference is released. Memory is kept, so that a steady state allocates nothing.
class PayloadPool : public tlm::tlm_mm_interface {
public:
    PayloadPool() = default;
    PayloadPool(const PayloadPool&) = delete;
    PayloadPool& operator=(const PayloadPool&) = delete;
    ~PayloadPool() override;

    /// A fresh request; the caller owns one reference. `data` must not be null.
    PooledPayload& acquire(tlm::tlm_command command, Address address, unsigned char* data,
                           std::uint32_t bytes);
    /// The same with bytes of the payload's own as its data.
    PooledPayload& acquire(tlm::tlm_command command, Address address, std::uint32_t bytes);
    void free(tlm::tlm_generic_payload* payload) override;

    /// Payloads somebody still refers to; zero at the end of a run that lost none.
    [[nodiscard]] std::size_t live() const { return all_.size() - free_.size(); }
    /// Payloads ever made: the most that lived at once.
    [[nodiscard]] std::size_t capacity() const { return all_.size(); }
    /// Appends a line, which begins with `owner`, if payloads are still alive.
    void check(const std::string& owner, std::vector<std::string>& violations) const;

private:
    std::vector<std::unique_ptr<PooledPayload>> all_;
    std::vector<PooledPayload*> free_;
};

}  // namespace tessera
