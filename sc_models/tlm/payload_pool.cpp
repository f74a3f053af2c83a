#include "sc_models/tlm/payload_pool.h"

#include "sc_models/common/conservation.h"

namespace tessera {

PayloadPool::~PayloadPool() = default;

PooledPayload& PayloadPool::acquire(tlm::tlm_command command, Address address, unsigned char* data,
                                    std::uint32_t bytes) {
    if (free_.empty()) {
        all_.push_back(std::make_unique<PooledPayload>(*this));
        free_.reserve(all_.capacity());
        free_.push_back(all_.back().get());
    }
    PooledPayload& payload = *free_.back();
    free_.pop_back();
    payload.acquire();
    payload.set_command(command);
    payload.set_address(address);
    payload.requested_address_ = address;
    payload.set_data_ptr(data);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    return payload;
}

PooledPayload& PayloadPool::acquire(tlm::tlm_command command, Address address,
                                    std::uint32_t bytes) {
    PooledPayload& payload = acquire(command, address, nullptr, bytes);
    payload.use_own_data(bytes);
    return payload;
}

void PayloadPool::free(tlm::tlm_generic_payload* payload) {
    PooledPayload& own = PooledPayload::of(*payload);
    own.reset();  // removes extensions added for this transaction only
    own.info() = AccessInfo{};
    own.tag = 0;
    own.set_byte_enable_ptr(nullptr);
    own.set_byte_enable_length(0);
    own.set_dmi_allowed(false);
    own.set_gp_option(tlm::TLM_MIN_PAYLOAD);
    own.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    free_.push_back(&own);
}

void PayloadPool::check(const std::string& owner, std::vector<std::string>& violations) const {
    expect_equal(owner, "payloads alive", live(), "none", 0, violations);
}

}  // namespace tessera
