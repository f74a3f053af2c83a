// Does the checker name each kind of violation, and only that?
#define SC_INCLUDE_DYNAMIC_PROCESSES  // for sc_spawn

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/protocol_checker_rig.h"

using namespace tessera;
using namespace tessera::test;

namespace {

TLM_DECLARE_EXTENDED_PHASE(pleasantries);

using Rig = ProtocolCheckerRig;

NbCall answer(tlm::tlm_sync_enum status) {
    return [status](Payload&, tlm::tlm_phase&, sc_core::sc_time&) { return status; };
}
NbCall answer(tlm::tlm_sync_enum status, tlm::tlm_phase_enum phase) {
    return [=](Payload& payload, tlm::tlm_phase& p, sc_core::sc_time&) {
        p = phase;
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return status;
    };
}

struct Case {
    const char* name;
    ProtocolRule rule;
    std::function<void(Rig&)> misbehave;

    friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

sc_core::sc_time late() {
    return {3, sc_core::SC_NS};  // not a constant: the time resolution is not set before main
}

/// A request that is wrong from the start.
Case initial(const char* name, ProtocolRule rule, const std::function<void(Payload&)>& spoil) {
    return {name, rule, [=](Rig& rig) {
                Payload& payload = rig.read();
                spoil(payload);
                rig.initiator.send(payload, tlm::BEGIN_REQ);
            }};
}
/// A target that changes what is not its own.
Case modified(const char* name, ProtocolRule rule, const std::function<void(Payload&)>& spoil) {
    return {name, rule, [=](Rig& rig) {
                Payload& payload = rig.write();
                rig.initiator.send(payload, tlm::BEGIN_REQ);
                spoil(payload);
                rig.target.respond(payload);
            }};
}

std::vector<Case> cases() {
    using Rule = ProtocolRule;
    static unsigned char other[8];
    static unsigned char odd_enables[1] = {0x0F};
    return {
        {"ForwardEndReq", Rule::kForwardPhase,
         [](Rig& rig) { rig.initiator.send(rig.begun(), tlm::END_REQ); }},
        {"ForwardBeginResp", Rule::kForwardPhase,
         [](Rig& rig) { rig.initiator.send(rig.accepted(), tlm::BEGIN_RESP); }},
        {"ForwardUninitialized", Rule::kForwardPhase,
         [](Rig& rig) { rig.initiator.send(rig.begun(), tlm::UNINITIALIZED_PHASE); }},
        {"BackwardBeginReq", Rule::kBackwardPhase,
         [](Rig& rig) { rig.target.send(rig.begun(), tlm::BEGIN_REQ); }},
        {"BackwardEndResp", Rule::kBackwardPhase,
         [](Rig& rig) { rig.target.send(rig.accepted(), tlm::END_RESP); }},
        {"EndReqTwice", Rule::kPhaseOrder,
         [](Rig& rig) { rig.target.send(rig.accepted(), tlm::END_REQ); }},
        {"EndReqAfterBeginResp", Rule::kPhaseOrder,
         [](Rig& rig) {
             Payload& payload = rig.begun();
             rig.target.respond(payload);
             rig.target.send(payload, tlm::END_REQ);
         }},
        {"BeginRespTwice", Rule::kPhaseOrder,
         [](Rig& rig) {
             Payload& payload = rig.accepted();
             rig.target.respond(payload);
             rig.target.respond(payload);
         }},
        {"EndRespTooEarly", Rule::kPhaseOrder,
         [](Rig& rig) { rig.initiator.send(rig.accepted(), tlm::END_RESP); }},
        {"EndRespTwice", Rule::kPhaseOrder,
         [](Rig& rig) {
             Payload& payload = rig.accepted();
             rig.target.respond(payload);
             rig.initiator.send(payload, tlm::END_RESP);
             rig.initiator.send(payload, tlm::END_RESP);
         }},
        {"ResponseToNobody", Rule::kPhaseOrder, [](Rig& rig) { rig.target.respond(rig.read()); }},
        {"ResponseAfterCompletion", Rule::kPhaseOrder,
         [](Rig& rig) {
             rig.target.on_fw = answer(tlm::TLM_COMPLETED, tlm::BEGIN_REQ);
             rig.target.respond(rig.begun());
         }},
        {"PhaseBeforeTransaction", Rule::kPhaseOutsideTransaction,
         [](Rig& rig) { rig.initiator.send(rig.read(), pleasantries); }},
        {"PhaseAfterTransaction", Rule::kPhaseOutsideTransaction,
         [](Rig& rig) {
             Payload& payload = rig.accepted();
             rig.target.respond(payload);
             rig.initiator.send(payload, tlm::END_RESP);
             rig.target.send(payload, pleasantries);
         }},
        {"SecondRequest", Rule::kRequestExclusion,
         [](Rig& rig) {
             rig.begun();
             rig.initiator.send(rig.read(64), tlm::BEGIN_REQ);
         }},
        {"SecondResponse", Rule::kResponseExclusion,
         [](Rig& rig) {
             Payload& first = rig.accepted();
             Payload& second = rig.accepted();
             rig.target.respond(first);
             rig.target.respond(second);
         }},
        {"AcceptedWithPhase", Rule::kReturnValue,
         [](Rig& rig) {
             rig.target.on_fw = answer(tlm::TLM_ACCEPTED, tlm::END_REQ);
             rig.begun();
         }},
        {"AcceptedWithDelay", Rule::kReturnValue,
         [](Rig& rig) {
             rig.target.on_fw = [](Payload&, tlm::tlm_phase&, sc_core::sc_time& delay) {
                 delay += late();
                 return tlm::TLM_ACCEPTED;
             };
             rig.begun();
         }},
        {"UpdatedWithoutPhase", Rule::kReturnValue,
         [](Rig& rig) {
             rig.target.on_fw = answer(tlm::TLM_UPDATED);
             rig.begun();
         }},
        {"UpdatedAfterEndResp", Rule::kReturnValue,
         [](Rig& rig) {
             Payload& payload = rig.accepted();
             rig.target.respond(payload);
             rig.target.on_fw = answer(tlm::TLM_UPDATED, tlm::END_RESP);
             rig.initiator.send(payload, tlm::END_RESP);
         }},
        {"CompletedAtEndReq", Rule::kReturnValue,
         [](Rig& rig) {
             rig.initiator.on_bw = answer(tlm::TLM_COMPLETED);
             rig.accepted();
         }},
        {"InitiatorAcceptedWithPhase", Rule::kReturnValue,
         [](Rig& rig) {
             rig.initiator.on_bw = answer(tlm::TLM_ACCEPTED, tlm::END_RESP);
             rig.target.respond(rig.begun());
         }},
        {"InitiatorUpdatedWithoutPhase", Rule::kReturnValue,
         [](Rig& rig) {
             rig.initiator.on_bw = answer(tlm::TLM_UPDATED);
             rig.target.respond(rig.begun());
         }},
        {"UnknownReturnValue", Rule::kReturnValue,
         [](Rig& rig) {
             rig.target.on_fw = answer(static_cast<tlm::tlm_sync_enum>(3));
             rig.begun();
         }},
        {"EarlierResponse", Rule::kTimingDecreases,
         [](Rig& rig) {
             Payload& payload = rig.read();
             rig.initiator.send(payload, tlm::BEGIN_REQ, late());
             rig.target.respond(payload);
         }},
        {"EarlierReturn", Rule::kTimingDecreases,
         [](Rig& rig) {
             rig.target.on_fw = [](Payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
                 phase = tlm::END_REQ;
                 delay = sc_core::SC_ZERO_TIME;
                 return tlm::TLM_UPDATED;
             };
             rig.initiator.send(rig.read(), tlm::BEGIN_REQ, late());
         }},
        {"EarlierBlockingReturn", Rule::kTimingDecreases,
         [](Rig& rig) {
             rig.target.on_blocking = [](Payload& payload, sc_core::sc_time& delay) {
                 payload.set_response_status(tlm::TLM_OK_RESPONSE);
                 delay = sc_core::SC_ZERO_TIME;
             };
             sc_core::sc_time delay = late();
             rig.initiator.socket->b_transport(rig.read(), delay);
         }},
        {"BlockingInFlight", Rule::kMixedTransport,
         [](Rig& rig) {
             sc_core::sc_time delay;
             rig.initiator.socket->b_transport(rig.begun(), delay);
         }},
        {"RequestInBlocking", Rule::kMixedTransport,
         [](Rig& rig) {
             rig.target.on_blocking = [&rig](Payload& payload, sc_core::sc_time&) {
                 rig.initiator.send(payload, tlm::BEGIN_REQ);
                 payload.set_response_status(tlm::TLM_OK_RESPONSE);
             };
             sc_core::sc_time delay;
             rig.initiator.socket->b_transport(rig.read(), delay);
         }},
        {"BlockingInMethod", Rule::kBlockingInMethod,
         [](Rig& rig) {
             sc_core::sc_spawn_options options;
             options.spawn_method();
             sc_core::sc_spawn(
                 [&rig] {
                     sc_core::sc_time delay;
                     rig.initiator.socket->b_transport(rig.read(), delay);
                 },
                 "method", &options);
             Rig::pass_time();
         }},
        {"NoMemoryManager", Rule::kNoMemoryManager,
         [](Rig& rig) {
             static Payload bare;
             bare.set_data_ptr(rig.data);
             bare.set_data_length(8);
             bare.set_streaming_width(8);
             rig.initiator.send(bare, tlm::BEGIN_REQ);
         }},
        {"NoReference", Rule::kNoReference,
         [](Rig& rig) {
             Payload& payload = rig.read();
             payload.release();
             rig.initiator.send(payload, tlm::BEGIN_REQ);
         }},
        {"BlockingWithoutReference", Rule::kNoReference,
         [](Rig& rig) {
             Payload& payload = rig.read();
             payload.release();
             sc_core::sc_time delay;
             rig.initiator.socket->b_transport(payload, delay);
         }},
        {"PayloadReused", Rule::kPayloadReused,
         [](Rig& rig) { rig.initiator.send(rig.accepted(), tlm::BEGIN_REQ); }},
        initial("Command", Rule::kCommand,
                [](Payload& p) { p.set_command(static_cast<tlm::tlm_command>(3)); }),
        initial("DataPointer", Rule::kDataPointer, [](Payload& p) { p.set_data_ptr(nullptr); }),
        initial("DataLength", Rule::kDataLength, [](Payload& p) { p.set_data_length(0); }),
        initial("ByteEnableLength", Rule::kByteEnables,
                [](Payload& p) { p.set_byte_enable_ptr(odd_enables); }),
        initial("ByteEnableValue", Rule::kByteEnables,
                [](Payload& p) {
                    p.set_byte_enable_ptr(odd_enables);
                    p.set_byte_enable_length(1);
                }),
        initial("StreamingWidth", Rule::kStreamingWidth,
                [](Payload& p) { p.set_streaming_width(0); }),
        initial("DmiHint", Rule::kDmiHint, [](Payload& p) { p.set_dmi_allowed(true); }),
        initial("Option", Rule::kOption,
                [](Payload& p) { p.set_gp_option(tlm::TLM_FULL_PAYLOAD); }),
        initial("StaleStatus", Rule::kInitialStatus,
                [](Payload& p) { p.set_response_status(tlm::TLM_OK_RESPONSE); }),
        modified("CommandChanged", Rule::kAttributeModified, [](Payload& p) { p.set_read(); }),
        modified("AddressChanged", Rule::kAttributeModified, [](Payload& p) { p.set_address(64); }),
        modified("DataPointerChanged", Rule::kAttributeModified,
                 [](Payload& p) { p.set_data_ptr(other); }),
        modified("LengthChanged", Rule::kAttributeModified,
                 [](Payload& p) { p.set_data_length(4); }),
        modified("StreamingWidthChanged", Rule::kAttributeModified,
                 [](Payload& p) { p.set_streaming_width(4); }),
        modified("ByteEnablesChanged", Rule::kAttributeModified,
                 [](Payload& p) { p.set_byte_enable_ptr(odd_enables); }),
        modified("WriteDataChanged", Rule::kDataModified,
                 [](Payload& p) { ++p.get_data_ptr()[3]; }),
        {"NoStatus", Rule::kResponseStatus,
         [](Rig& rig) { rig.target.send(rig.begun(), tlm::BEGIN_RESP); }},
        {"NoStatusAtCompletion", Rule::kResponseStatus,
         [](Rig& rig) {
             rig.target.on_fw = answer(tlm::TLM_COMPLETED);
             rig.begun();
         }},
        {"NoStatusFromBlocking", Rule::kResponseStatus,
         [](Rig& rig) {
             rig.target.on_blocking = [](Payload&, sc_core::sc_time&) {};
             sc_core::sc_time delay;
             rig.initiator.socket->b_transport(rig.read(), delay);
         }},
        {"DebugWithoutPointer", Rule::kDebug,
         [](Rig& rig) {
             Payload& payload = rig.read();
             payload.set_data_ptr(nullptr);
             rig.initiator.socket->transport_dbg(payload);
         }},
        {"DebugTooMuch", Rule::kDebug,
         [](Rig& rig) {
             rig.target.on_debug = [](Payload&) { return 9U; };
             rig.initiator.socket->transport_dbg(rig.read());
         }},
        {"UsedDescriptor", Rule::kDmi,
         [](Rig& rig) {
             tlm::tlm_dmi dmi;
             dmi.set_start_address(4);
             rig.initiator.socket->get_direct_mem_ptr(rig.read(), dmi);
         }},
        {"InvertedGrant", Rule::kDmi,
         [](Rig& rig) {
             rig.target.on_dmi = [](tlm::tlm_dmi& dmi) {
                 dmi.set_start_address(8);
                 dmi.set_end_address(4);
                 return false;
             };
             tlm::tlm_dmi dmi;
             rig.initiator.socket->get_direct_mem_ptr(rig.read(), dmi);
         }},
        {"InvertedInvalidation", Rule::kDmi,
         [](Rig& rig) { rig.target.socket->invalidate_direct_mem_ptr(8, 4); }},
    };
}

class ProtocolCheckerNames : public testing::TestWithParam<Case> {};

TEST_P(ProtocolCheckerNames, TheBrokenRule) {
    Rig rig;
    GetParam().misbehave(rig);
    ASSERT_EQ(rig.checker.violations().size(), 1U);
    const ProtocolViolation& violation = rig.checker.violations().front();
    EXPECT_EQ(violation.rule, GetParam().rule) << violation.text();
    EXPECT_EQ(violation.checker, "checker");
    EXPECT_THAT(violation.text(), testing::HasSubstr(std::string(name_of(violation.rule))));
    std::vector<std::string> lines;
    rig.checker.check(lines);
    EXPECT_THAT(lines, testing::ElementsAre(violation.text()));
}
INSTANTIATE_TEST_SUITE_P(Each, ProtocolCheckerNames, testing::ValuesIn(cases()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ProtocolChecker, EveryRuleHasACaseThatBreaksIt) {
    std::set<ProtocolRule> broken;
    for (const Case& c : cases()) broken.insert(c.rule);
    EXPECT_EQ(broken.size(), kProtocolRules);
}

TEST(ProtocolChecker, AllLegalWaysThroughATransaction) {
    Rig rig;
    Payload& four_phases = rig.read();
    rig.initiator.send(four_phases, tlm::BEGIN_REQ, late());
    rig.initiator.send(four_phases, pleasantries, late());
    Rig::pass_time();
    rig.target.send(four_phases, tlm::END_REQ);
    rig.target.send(four_phases, pleasantries);
    rig.target.respond(four_phases, late());
    rig.initiator.send(four_phases, tlm::END_RESP, late());

    Payload& implied = rig.begun();  // BEGIN_RESP implies END_REQ
    rig.initiator.on_bw = answer(tlm::TLM_UPDATED, tlm::END_RESP);
    rig.target.respond(implied);
    rig.initiator.on_bw = answer(tlm::TLM_COMPLETED);
    rig.target.respond(rig.accepted_by_return());

    rig.target.on_fw = answer(tlm::TLM_COMPLETED, tlm::BEGIN_REQ);  // early completion
    rig.begun();
    EXPECT_THAT(rig.checker.violations(), testing::IsEmpty());
    EXPECT_EQ(rig.checker.in_flight(), 0U);
}

TEST(ProtocolChecker, PassesEverythingOn) {
    Rig rig;
    sc_core::sc_time delay = late();
    rig.target.on_blocking = [](Payload& payload, sc_core::sc_time& d) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        d += late();
    };
    Payload& payload = rig.read();
    rig.initiator.socket->b_transport(payload, delay);
    EXPECT_EQ(delay, 2 * late());
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(rig.initiator.socket->transport_dbg(payload), 8U);
    rig.target.on_dmi = [&](tlm::tlm_dmi& dmi) {
        dmi.set_dmi_ptr(rig.data);
        return true;
    };
    tlm::tlm_dmi dmi;
    EXPECT_TRUE(rig.initiator.socket->get_direct_mem_ptr(payload, dmi));
    EXPECT_EQ(dmi.get_dmi_ptr(), rig.data);
    EXPECT_THAT(rig.checker.violations(), testing::IsEmpty());
}

TEST(ProtocolChecker, CountsWhatItDoesNotKeep) {
    Rig rig;
    for (std::size_t i = 0; i < ProtocolChecker::kKept + 20; ++i) rig.target.respond(rig.read());
    EXPECT_EQ(rig.checker.violations().size(), ProtocolChecker::kKept);
    EXPECT_EQ(rig.checker.violation_count(), ProtocolChecker::kKept + 20);
}

TEST(ProtocolChecker, FatalStopsAtOnce) {
    ProtocolChecker::Options options;
    options.fatal = true;
    Rig rig(options);
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    EXPECT_THROW(rig.target.respond(rig.read()), sc_core::sc_report);
}

TEST(ProtocolChecker, AnInterconnectMayTranslateTheAddress) {
    ProtocolChecker::Options options;
    options.address_may_change = true;
    Rig rig(options);
    Payload& payload = rig.begun();
    payload.set_address(4096);
    rig.target.respond(payload);
    EXPECT_THAT(rig.checker.violations(), testing::IsEmpty());
}

}  // namespace
