// Does the checker keep silent over random traffic that is legal?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "sc_models/tlm/payload_pool.h"
#include "sc_models/tlm/protocol_checker.h"
#include "tests/support/rogue_sockets.h"

using namespace tessera;
using namespace tessera::test;

namespace {

TLM_DECLARE_EXTENDED_PHASE(small_talk);

/// Both ends of a link, which take any legal step at random.
class LegalTraffic {
public:
    explicit LegalTraffic(std::uint32_t seed) : random_(seed) {
        initiator_.socket.bind(checker.target);
        checker.initiator.bind(target_.socket);
        target_.on_fw = [this](Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
            return on_forward(p, phase, delay);
        };
        initiator_.on_bw = [this](Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
            return on_backward(p, phase, delay);
        };
    }

    void step() {
        switch (random_() % 8) {
            case 0:
            case 1:
                if (request_ == nullptr && flights_.size() < 10) begin();
                break;
            case 2:
                if (request_ != nullptr) end_request();
                break;
            case 3:
            case 4:
                if (response_ == nullptr && !flights_.empty()) respond(any());
                break;
            case 5:
                if (response_ != nullptr) end_response();
                break;
            case 6:
                if (!flights_.empty()) chat(any());
                break;
            default:
                sc_core::sc_start(static_cast<double>(random_() % 6), sc_core::SC_NS);
                if (random_() % 4 == 0) others();
        }
        if (response_ == nullptr) return;
        if (random_() % 2 == 0) end_response();
    }
    void drain() {
        while (!flights_.empty()) step();
    }

    PayloadPool pool;
    ProtocolChecker checker{"checker"};
    std::map<std::string, int> seen;

private:
    struct Flight {
        bool accepted = false;
        sc_core::sc_time at;
    };

    /// A delay that does not take the transaction back in time.
    sc_core::sc_time later(Flight& flight) {
        const sc_core::sc_time& now = sc_core::sc_time_stamp();
        flight.at = std::max(flight.at, now) +
                    sc_core::sc_time(static_cast<double>(random_() % 3), sc_core::SC_NS);
        return flight.at - now;
    }
    Payload& any() {
        auto flight = flights_.begin();
        std::advance(flight, random_() % flights_.size());
        return *flight->first;
    }
    void finish(Payload& payload) {
        flights_.erase(&payload);
        if (request_ == &payload) request_ = nullptr;
        if (response_ == &payload) response_ = nullptr;
    }

    void begin() {
        const bool read = random_() % 2 == 0;
        Payload& payload = pool.acquire(read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
                                        random_() % 1024, data_, 1 + random_() % 32);
        if (random_() % 4 == 0) {
            payload.set_byte_enable_ptr(enables_);
            payload.set_byte_enable_length(2);
        }
        Flight& flight = flights_[&payload];
        request_ = &payload;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = later(flight);
        switch (initiator_.socket->nb_transport_fw(payload, phase, delay)) {
            case tlm::TLM_ACCEPTED:
                break;
            case tlm::TLM_UPDATED:
                if (phase == tlm::BEGIN_RESP) response_ = &payload;
                break;
            case tlm::TLM_COMPLETED:
                finish(payload);
                payload.release();
        }
    }
    tlm::tlm_sync_enum on_forward(Payload& payload, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay) {
        if (phase == small_talk) return tlm::TLM_ACCEPTED;
        if (phase == tlm::END_RESP) {
            ++seen["END_RESP"];
            return random_() % 2 == 0 ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
        }
        const auto choice = random_() % 4;
        if (choice == 0) {
            ++seen["END_REQ withheld"];
            return tlm::TLM_ACCEPTED;
        }
        if (choice == 1 || response_ != nullptr) {
            ++seen["END_REQ returned"];
            flights_[&payload].accepted = true;
            request_ = nullptr;
            phase = tlm::END_REQ;
            delay = later(flights_[&payload]);
            return tlm::TLM_UPDATED;
        }
        read(payload);
        delay = later(flights_[&payload]);
        if (choice == 2) {
            ++seen["BEGIN_RESP returned"];
            flights_[&payload].accepted = true;
            request_ = nullptr;
            phase = tlm::BEGIN_RESP;
            return tlm::TLM_UPDATED;
        }
        ++seen["completed early"];
        return tlm::TLM_COMPLETED;
    }
    void end_request() {
        Payload& payload = *request_;
        request_ = nullptr;
        flights_[&payload].accepted = true;
        target_.send(payload, tlm::END_REQ, later(flights_[&payload]));
    }
    void respond(Payload& payload) {
        if (request_ == &payload) {
            ++seen["END_REQ implied"];
            request_ = nullptr;
        }
        response_ = &payload;
        read(payload);
        target_.send(payload, tlm::BEGIN_RESP, later(flights_[&payload]));
    }
    tlm::tlm_sync_enum on_backward(Payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) {
        if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
        const auto choice = random_() % 3;
        if (choice == 0) return tlm::TLM_ACCEPTED;
        delay = later(flights_[&payload]);
        if (choice == 1) phase = tlm::END_RESP;
        ++seen[choice == 1 ? "END_RESP returned" : "completed"];
        finish(payload);
        payload.release();
        return choice == 1 ? tlm::TLM_UPDATED : tlm::TLM_COMPLETED;
    }
    void end_response() {
        Payload& payload = *response_;
        const sc_core::sc_time delay = later(flights_[&payload]);
        finish(payload);
        initiator_.send(payload, tlm::END_RESP, delay);
        payload.release();
    }
    void chat(Payload& payload) {
        ++seen["ignorable phase"];
        const sc_core::sc_time delay = later(flights_[&payload]);
        if (random_() % 2 == 0) {
            initiator_.send(payload, small_talk, delay);
        } else {
            target_.send(payload, small_talk, delay);
        }
    }
    /// The interfaces without phases.
    void others() {
        Payload bare;  // needs no memory manager
        bare.set_data_ptr(data_);
        bare.set_data_length(8);
        bare.set_streaming_width(8);
        sc_core::sc_time delay;
        initiator_.socket->b_transport(bare, delay);
        initiator_.socket->transport_dbg(bare);
        tlm::tlm_dmi dmi;
        initiator_.socket->get_direct_mem_ptr(bare, dmi);
    }
    void read(Payload& payload) {
        payload.set_response_status(random_() % 8 == 0 ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                                       : tlm::TLM_OK_RESPONSE);
        payload.set_dmi_allowed(random_() % 2 == 0);
    }

    std::mt19937 random_;
    unsigned char data_[32] = {}, enables_[2] = {0xFF, 0x00};
    RogueInitiator initiator_{"initiator"};
    RogueTarget target_{"target"};
    std::map<Payload*, Flight> flights_;
    Payload* request_ = nullptr;
    Payload* response_ = nullptr;
};

TEST(ProtocolTraffic, LegalTrafficIsNotComplainedAbout) {
    constexpr std::uint32_t kSeed = 99;
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    LegalTraffic traffic(kSeed);
    for (int i = 0; i < 100'000; ++i) {
        traffic.step();
        ASSERT_THAT(traffic.checker.violations(), testing::IsEmpty())
            << traffic.checker.violations().front().text();
    }
    traffic.drain();
    EXPECT_EQ(traffic.checker.violation_count(), 0U);
    EXPECT_EQ(traffic.checker.in_flight(), 0U);
    EXPECT_EQ(traffic.pool.live(), 0U);
    for (const char* way :
         {"END_REQ withheld", "END_REQ returned", "END_REQ implied", "BEGIN_RESP returned",
          "completed early", "END_RESP", "END_RESP returned", "completed", "ignorable phase"}) {
        EXPECT_GT(traffic.seen[way], 500) << way;
    }
}

}  // namespace
