// Do the sockets of loosely-timed blocks keep to TLM-2.0, and does an unbound one name itself?
#include "sc_models/tlm/lt/lt_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tessera {
namespace {

using testing::HasSubstr;

constexpr Cycle kLatency = 7;

/// Adds kLatency to each delay, and notes the port.
class Block : public sc_core::sc_module {
public:
    LtTargetSocket<Block> left{"left"}, right{"right"};
    int port = -1;

    explicit Block(const sc_core::sc_module_name& name) : sc_module(name) {
        left.serve_with(*this, 1);
        right.serve_with(*this, 2);
    }

private:
    friend LtTargetSocket<Block>;
    void b_transport(int from, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
        port = from;
        delay += clock_.span(kLatency);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    static unsigned int transport_dbg(int from, tlm::tlm_generic_payload& /*payload*/) {
        return static_cast<unsigned>(from);
    }
    ClockDomain clock_{1000};
};

class Sender : public sc_core::sc_module {
public:
    LtInitiatorSocket<Sender> left{"left"}, right{"right"};
    explicit Sender(const sc_core::sc_module_name& name) : sc_module(name) {}
};

class LtSocket : public testing::Test {
protected:
    LtSocket() {
        sender_.left.bind(block_.left);
        sender_.right.bind(block_.right);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    Block block_{"block"};
    Sender sender_{"sender"};
    ClockDomain clock_{1000};
    tlm::tlm_generic_payload payload_;
};

TEST_F(LtSocket, TakesCyclesToTheTargetAndBack) {
    LtTime time(clock_);
    EXPECT_EQ(sender_.left.transport(payload_, 5, time), 5 + kLatency);
    EXPECT_EQ(block_.port, 1);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    EXPECT_EQ(sender_.right.transport(payload_, 9, time), 9 + kLatency);
    EXPECT_EQ(block_.port, 2);
}

TEST_F(LtSocket, CompletesANonBlockingRequest) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = clock_.span(3);
    EXPECT_EQ(sender_.right->nb_transport_fw(payload_, phase, delay), tlm::TLM_COMPLETED);
    EXPECT_EQ(delay, clock_.span(3 + kLatency));
    EXPECT_TRUE(payload_.is_response_ok());
}

TEST_F(LtSocket, RefusesOtherPhases) {
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay;
    EXPECT_THROW(sender_.left->nb_transport_fw(payload_, phase, delay), sc_core::sc_report);
}

TEST_F(LtSocket, PassesDebugTransportsAndDeniesDmi) {
    EXPECT_EQ(sender_.left->transport_dbg(payload_), 1U);
    EXPECT_EQ(sender_.right->transport_dbg(payload_), 2U);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(sender_.left->get_direct_mem_ptr(payload_, dmi));
    EXPECT_EQ(dmi.get_start_address(), 0U);
    EXPECT_EQ(dmi.get_end_address(), ~sc_dt::uint64{0});
}

/// The message that elaboration ends with.
std::string elaboration_error() {
    try {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    } catch (const sc_core::sc_report& report) {
        return report.what();
    }
    return "elaborated";
}

TEST(UnboundSocket, OfAnInitiatorIsNamed) {
    const Sender sender("sender");
    EXPECT_THAT(elaboration_error(), HasSubstr("'sender.left'"));
}

TEST(UnboundSocket, OfATargetIsNamed) {
    const Block block("block");
    EXPECT_THAT(elaboration_error(), HasSubstr("'block.left_port_0'"));
}

}  // namespace
}  // namespace tessera
