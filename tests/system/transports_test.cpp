// Does every call from one module to another cross the sockets between them? A monitor on each link
// counts transports, and the statistics count accesses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_source.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/run/simulation.h"
#include "sc_models/tlm/lt/transport_monitor.h"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Names = std::vector<std::string>;

/// Transports by kind of link, or the accesses that the statistics counted.
using Counts = std::map<std::string, std::uint64_t>;

/// A kind of link: the end of its initiator socket's name, and counters that sum to its transports.
struct LinkKind {
    const char* name;
    const char* of_module;  ///< part of the initiator's full name
    const char* socket;     ///< last part of that name; a number may follow
    std::vector<const char*> counters;
};
const std::vector<LinkKind>& link_kinds() {
    static const std::vector<LinkKind> kKinds = {
        {"sub-core to LDST unit", ".sub_core", "to_ldst", {"/sm/ldst/instructions"}},
        {"sub-core to tensor cores", ".sub_core", "to_tensor", {"/sm/sub_core/mmas"}},
        {"LDST unit to L1", ".ldst.", "to_l1", {"/sm/ldst/requests"}},
        {"L1 to network",
         ".l1.",
         "initiator",
         {"/sm/l1/read_requests_below", "/sm/l1/write_requests_below"}},
        {"crossbar to L2",
         ".crossbar.",
         "initiator",
         {"/memory/crossbar/read_requests", "/memory/crossbar/write_requests"}},
        {"mesh to L2",
         ".mesh.",
         "initiator",
         {"/memory/mesh/read_requests", "/memory/mesh/write_requests"}},
        {"L2 to DRAM", ".l2_", "initiator", {"/memory/dram/reads", "/memory/dram/writes"}},
        {"messages to mesh", ".mesh_port_", "to_mesh", {"/memory/mesh/messages"}},
        {"messages to SM", ".mesh.", "message_initiator", {"/memory/mesh/messages"}},
    };
    return kKinds;
}

bool is_of(const LinkKind& kind, const std::string& link) {
    std::string socket = link.substr(link.rfind('.') + 1);
    const std::size_t end = socket.find_last_not_of("0123456789");
    if (socket[end] == '_') socket.erase(end);  // the number of a socket of a vector
    return link.find(kind.of_module) != std::string::npos && socket == kind.socket;
}

Counts transports_of(const MonitoredLinks& links) {
    Counts counts;
    for (const LinkKind& kind : link_kinds()) {
        counts[kind.name] =
            links.transports([&](const std::string& link) { return is_of(kind, link); });
    }
    return counts;
}

Counts accesses_of(const RunReport& report) {
    Counts counts;
    for (const LinkKind& kind : link_kinds()) {
        std::uint64_t& sum = counts[kind.name];
        for (const KernelReport& kernel : report.kernels) {
            for (const char* counter : kind.counters) {
                const nlohmann::ordered_json::json_pointer path(counter);
                if (kernel.statistics.contains(path)) {
                    sum += kernel.statistics.at(path).get<std::uint64_t>();
                }
            }
        }
    }
    return counts;
}

/// A line for each kind of link whose transports differ from the accesses.
Names differences(const Counts& transports, const Counts& accesses) {
    Names lines;
    for (const auto& [kind, count] : transports) {
        if (count == accesses.at(kind)) continue;
        lines.push_back(
            fmt::format("{}: {} transports, {} accesses", kind, count, accesses.at(kind)));
    }
    return lines;
}

Config machine(const Names& presets, const Names& sets) {
    const ConfigCatalog catalog;
    ConfigSource source;
    for (const std::string& name : presets) catalog.add_to(source, name);
    for (const std::string& set : sets) source.add_set(set);
    return load_config(source);
}

/// Leaves one link without its monitor, as a block would that calls its neighbour by a pointer.
class BypassedLinks : public MonitoredLinks {
public:
    explicit BypassedLinks(const char* bypassed) : bypassed_(bypassed) {}
    void bind(tlm::tlm_base_initiator_socket<>& initiator,
              tlm::tlm_base_target_socket_b<>& target) override {
        const std::string name = initiator.name();
        if (name.size() >= std::strlen(bypassed_) &&
            name.compare(name.size() - std::strlen(bypassed_), std::string::npos, bypassed_) == 0) {
            initiator.bind(target);
            return;
        }
        MonitoredLinks::bind(initiator, target);
    }

private:
    const char* bypassed_;
};

/// Transports and accesses of a run.
struct MonitoredRun {
    RunReport report;
    Counts transports, accesses;

    MonitoredRun(const Config& config, MonitoredLinks& links) {
        MachineSeams seams;
        seams.links = &links;
        Simulation simulation(config, {}, nullptr, seams);
        report = simulation.run();
        transports = transports_of(links);
        accesses = accesses_of(report);
    }
};

const Names kDuplo = {"duplo_titan_v", "duplo_paper", "resnet.C2"};
const Names kSmall = {"gpu.sms=2", "workload.layer.batch=1", "workload.layer.height=14",
                      "workload.layer.width=14", "logging.level=error"};

struct Case {
    const char* name;
    Names presets, sets;
    Names silent;  ///< kinds of links that the machine lacks or does not use
};

const Names kNoMesh = {"mesh to L2", "messages to mesh", "messages to SM"};
const Names kNoMessages = {"crossbar to L2", "messages to mesh", "messages to SM"};
const Names kNoTensor = {"crossbar to L2", "sub-core to tensor cores"};
const Names kMesh = {"noc.kind=mesh", "noc.mesh.width=8", "noc.mesh.height=8"};

const std::vector<Case>& cases() {
    static const std::vector<Case> kCases = {
        {"lt", kDuplo, {}, kNoMesh},
        {"lt_values", kDuplo, {"values=on"}, kNoMesh},
        {"lt_two_threads", kDuplo, {"host.threads=2"}, kNoMesh},
        {"lt_mesh", kDuplo, kMesh, kNoMessages},
        {"at", kDuplo, {"timing=at"}, kNoMesh},
        {"at_values", kDuplo, {"timing=at", "values=on"}, kNoMesh},
        {"at_two_threads", kDuplo, {"timing=at", "host.threads=2"}, kNoMesh},
        {"at_mesh", kDuplo, {"timing=at", kMesh[0], kMesh[1], kMesh[2]}, kNoMessages},
        {"rtl",
         kDuplo,
         {"values=on", "impl.id_generator=rtl", "impl.load_history_buffer=rtl"},
         kNoMesh},
        {"opportunistic", {"gtx480_56sm", "opportunistic", "lenet5.C2.forward"}, {}, kNoTensor},
        {"opportunistic_at",
         {"gtx480_56sm", "opportunistic", "lenet5.C2.forward"},
         {"timing=at"},
         kNoTensor},
    };
    return kCases;
}

Config config_of(const Case& each) {
    Names sets = each.sets;
    if (each.presets == kDuplo) {
        sets.insert(sets.end(), kSmall.begin(), kSmall.end());
    } else {
        sets.insert(sets.end(), {"workload.layer.batch=2", "logging.level=error"});
    }
    return machine(each.presets, sets);
}

class Transports : public testing::TestWithParam<Case> {};

TEST_P(Transports, AreAsManyAsAccesses) {
    const Case& each = GetParam();
    const Config config = config_of(each);
    MonitoredLinks links;
    try {
        const MonitoredRun run(config, links);
        EXPECT_THAT(run.report.violations, IsEmpty());
        EXPECT_THAT(differences(run.transports, run.accesses), IsEmpty());
        for (const auto& [kind, count] : run.transports) {
            const bool silent =
                std::find(each.silent.begin(), each.silent.end(), kind) != each.silent.end();
            EXPECT_EQ(count == 0, silent) << kind;
        }
    } catch (const ConfigError& error) {
        if (std::strstr(error.what(), "RTL") == nullptr) throw;
        GTEST_SKIP() << error.what();
    }
    const bool blocking = config.timing == Timing::kLooselyTimed;
    for (const auto& monitor : links.monitors()) {
        EXPECT_EQ(blocking ? monitor->nonblocking() : monitor->blocking(), 0U) << monitor->link();
    }
}

INSTANTIATE_TEST_SUITE_P(OfEveryLink, Transports, testing::ValuesIn(cases()),
                         [](const auto& param) { return std::string(param.param.name); });

/// The dead variant: a link without monitor is missed, in each kind.
class BypassedLink : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BypassedLink, MakesTheCountsDiffer) {
    BypassedLinks links(GetParam().first);
    const MonitoredRun run(machine(kDuplo, kSmall), links);
    EXPECT_THAT(differences(run.transports, run.accesses),
                ElementsAre(HasSubstr(GetParam().second)));
}

INSTANTIATE_TEST_SUITE_P(
    OfEachKind, BypassedLink,
    testing::Values(std::pair{"sm0.sub_core1.to_ldst", "sub-core to LDST unit"},
                    std::pair{"sm1.sub_core0.to_tensor", "sub-core to tensor cores"},
                    std::pair{"sm0.ldst.to_l1", "LDST unit to L1"},
                    std::pair{"sm1.l1.initiator", "L1 to network"},
                    std::pair{"crossbar.initiator_3", "crossbar to L2"},
                    std::pair{"memory.l2_0.initiator", "L2 to DRAM"}));

TEST(TransportCounts, DifferByOneAccess) {
    Counts accesses;
    for (const LinkKind& kind : link_kinds()) accesses[kind.name] = 7;
    EXPECT_THAT(differences(accesses, accesses), IsEmpty());
    for (const LinkKind& kind : link_kinds()) {
        Counts transports = accesses;
        --transports[kind.name];
        EXPECT_THAT(differences(transports, accesses),
                    ElementsAre(std::string(kind.name) + ": 6 transports, 7 accesses"));
    }
}

}  // namespace
}  // namespace tessera
