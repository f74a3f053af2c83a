// Is every event priced once, and every table whole?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/dual_side/dual_side_energy.h"
#include "sc_models/duplo/duplo_energy.h"
#include "sc_models/energy/energy_account.h"

namespace tessera {
namespace {

using testing::HasSubstr;

const std::string kTables = std::string(TESSERA_SOURCE_DIR) + "/configs/energy/";

/// A table in which every event costs 1 pJ or mW, but for the lines given.
class TableFile {
public:
    explicit TableFile(const std::string& lines, const std::string& head = "") {
        std::string pattern = testing::TempDir() + "tessera_XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder " + pattern);
        folder_ = pattern;
        std::string text = head + "events:\n" + lines;
        for (const EnergyEvent* listed : energy_events()) {
            const EnergyEvent& event = *listed;
            if (lines.find("  " + std::string(event.name) + ":") != std::string::npos) continue;
            const std::string unit = event.leaks ? "mw" : "pj";
            const std::string price = event.size_key.empty() ? "1" : "{1024: 1}";
            text += fmt_line(event.name, unit, price);
        }
        std::ofstream(path()) << text;
    }
    ~TableFile() { std::filesystem::remove_all(folder_); }
    TableFile(const TableFile&) = delete;
    TableFile& operator=(const TableFile&) = delete;

    [[nodiscard]] std::string path() const { return (folder_ / "mine.yaml").string(); }
    [[nodiscard]] EnergyTable table() const { return read_energy_table(path()); }
    [[nodiscard]] std::string error() const {
        try {
            (void)table();
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "none";
    }

private:
    static std::string fmt_line(std::string_view name, const std::string& unit,
                                const std::string& price) {
        return "  " + std::string(name) + ": {" + unit + ": " + price + "}\n";
    }

    std::filesystem::path folder_;
};

/// The order of the account: the machine, the mechanisms, leakage of both.
TEST(EnergyEvents, EachIsListedOnceAndLeakageComesLast) {
    const auto& events = energy_events();
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < events.size(); ++i) {
        EXPECT_TRUE(names.insert(events[i]->name).second) << events[i]->name;
        EXPECT_EQ(index_of(*events[i]), i);
        EXPECT_EQ(energy_event_named(events[i]->name), events[i]);
        EXPECT_LE(events[i == 0 ? 0 : i - 1]->leaks, events[i]->leaks) << events[i]->name;
    }
    EXPECT_LT(index_of(energy_event::kDramRead), index_of(energy_event::kLhbLookup));
    EXPECT_LT(index_of(energy_event::kLhbLookup), index_of(energy_event::kAccumulationRead));
    EXPECT_LT(index_of(energy_event::kSmLeakage), index_of(energy_event::kLhbLeakage));
    EXPECT_EQ(energy_event_named("heat"), nullptr);
}

TEST(EnergyAccount, HandArithmetic) {
    const TableFile file(
        "  register_read: {pj: 80, low: 20, high: 90}\n"
        "  lhb_lookup: {pj: {512: 1, 1024: 2.5}, low: {1024: 1}}\n"
        "  dram_read: {pj: 2000}\n  tensor_multiply_add: {pj: 4}\n"
        "  collector_entry: {unpriced: no source}\n  sm_leakage: {mw: 30}\n",
        "band: {low: 0.5, high: 3}\n");
    const EnergyCounts counts = {1500,
                                 {{&energy_event::kRegisterRead, 1'000'000, 0},
                                  {&energy_event::kTensorMultiplyAdd, 500'000, 0},
                                  {&energy_event::kDramRead, 2'000, 0},
                                  {&energy_event::kLhbLookup, 4'000'000, 1024},
                                  {&energy_event::kCollectorEntry, 9, 0},
                                  {&energy_event::kBitmapSet, 0, 0},
                                  {&energy_event::kSmLeakage, 150'000, 0},
                                  {&energy_event::kLhbLeakage, 150'000, 0}}};
    const EnergyAccount account = energy_account(counts, file.table());
    EXPECT_EQ(account.table, "mine");
    // 80 + 2 + 4 + 10 uJ, and 30 mW for 100 us.
    EXPECT_DOUBLE_EQ(account.total.uj, 80 + 2 + 4 + 10 + 3);
    EXPECT_DOUBLE_EQ(account.total.low_uj, 20 + 1 + 2 + 4 + 1.5);
    EXPECT_DOUBLE_EQ(account.total.high_uj, 90 + 6 + 12 + 30 + 9);
    EXPECT_DOUBLE_EQ(account.on_chip.uj, 80 + 2 + 10 + 3);
    EXPECT_DOUBLE_EQ(account.storage.uj, 80 + 10 + 3);
    EXPECT_DOUBLE_EQ(account.of_part("duplo").uj, 10);
    ASSERT_EQ(account.unpriced.size(), 2U);
    EXPECT_EQ(account.unpriced[0].why, "no source");
    EXPECT_EQ(account.unpriced[1].why, "no price for duplo.lhb.entries infinite");

    const nlohmann::ordered_json json = energy_json(account);
    double sum = 0;
    for (const auto& part : json.at("parts")) sum += part.at("uj").get<double>();
    EXPECT_EQ(sum, json.at("total").at("uj").get<double>());  // to the last bit
    // Priced again it is the same.
    const auto again = energy_json(energy_account(energy_counts_of(json, "x"), file.table()));
    EXPECT_EQ(again, json);
    EXPECT_THAT(energy_text(account),
                HasSubstr("    without a price: collector_entry, lhb_leakage\n"));
}

TEST(EnergyAccount, WhatIsNoAccountIsRefused) {
    const nlohmann::ordered_json none = nlohmann::ordered_json::object();
    EXPECT_THROW((void)energy_counts_of(none, "x"), ConfigError);
    const auto odd = nlohmann::ordered_json::parse(
        R"({"core_clock_mhz":1,"parts":[{"event":"heat","count":1}],"unpriced":[]})");
    EXPECT_THROW((void)energy_counts_of(odd, "x"), ConfigError);
}

TEST(EnergyMetrics, AreasAndPowers) {
    const EnergyTable table = read_energy_table(kTables + "volta_12nm.yaml");
    Config config;
    config.duplo.enabled = true;
    nlohmann::ordered_json metrics;
    add_energy_metrics(config, table, {}, metrics);
    // CACTI, like for like; the paper has 0.77.
    EXPECT_NEAR(metrics.at("duplo_area_of_register_file_percent").get<double>(), 1.564, 0.001);
    // 32 spare fragments are an eighth of 256 KiB: each is eight registers of 128 bytes, with both
    // octet copies. So are 1024 rows of a copy, and 512 of both.
    const auto with_spare = [&](Granularity granularity, std::uint32_t copies,
                                std::uint32_t units) {
        config.duplo.granularity = granularity;
        config.duplo.octet_copies = copies;
        config.duplo.spare_units = units;
        metrics.clear();
        add_energy_metrics(config, table, {}, metrics);
        return metrics.at("duplo_area_of_register_file_percent").get<double>();
    };
    EXPECT_NEAR(with_spare(Granularity::kTile16, 1, 32), 14.064, 0.001);
    EXPECT_NEAR(with_spare(Granularity::kTile16, 2, 32), 14.064, 0.001);
    EXPECT_NEAR(with_spare(Granularity::kRow16, 2, 1024), 14.064, 0.001);
    EXPECT_NEAR(with_spare(Granularity::kRow16, 1, 512), 14.064, 0.001);
    EXPECT_NEAR(with_spare(Granularity::kHalfTile8, 2, 128), 14.064, 0.001);
    config.duplo.lhb_entries = 0;  // infinite
    metrics.clear();
    add_energy_metrics(config, table, {}, metrics);
    EXPECT_FALSE(metrics.contains("duplo_area_of_register_file_percent"));

    // Table IV as its paper scales: 320 buffers; a tera-addition a second.
    const EnergyTable dual = read_energy_table(kTables + "dual_side_12nm.yaml");
    config.duplo.enabled = false;
    config.tensor_core.kind = TensorCoreKind::kOuterProduct;
    const EnergyCounts counts = {1000,
                                 {{&energy_event::kAccumulationRead, 1'000'000, 128},
                                  {&energy_event::kAccumulationWrite, 1'000'000, 128},
                                  {&energy_event::kAccumulationAdd, 1'000'000, 0},
                                  {&energy_event::kConstantPower, 1000, 0}}};
    add_energy_metrics(config, dual, energy_account(counts, dual), metrics);
    EXPECT_NEAR(metrics.at("accumulation_buffer_area_mm2").get<double>(), 2.0458, 1e-4);
    EXPECT_NEAR(metrics.at("accumulation_buffer_power_w").get<double>(), 0.13042, 1e-8);
    EXPECT_NEAR(metrics.at("accumulation_adders_power_w").get<double>(), 0.114914, 1e-8);
    // With the board's 32.325 W.
    EXPECT_NEAR(metrics.at("power_w").get<double>(), 32.325 + 0.13042 + 0.114914, 1e-6);
}

/// 100 us of 60 mW, and 50 uJ of registers.
TEST(EnergyMetrics, PowerAndTheCardsLimit) {
    const TableFile file("  register_read: {pj: 50}\n  constant_power: {mw: 60}\n");
    const EnergyCounts counts = {1000,
                                 {{&energy_event::kRegisterRead, 1'000'000, 0},
                                  {&energy_event::kConstantPower, 100'000, 0}}};
    const EnergyAccount account = energy_account(counts, file.table());
    EXPECT_DOUBLE_EQ(account.watts(account.total.uj), 0.56);
    EXPECT_THAT(energy_text(account), HasSubstr("\nmean power: 0.6 W (0.6 to 0.6)\n"));
    EXPECT_THAT(energy_text(account), HasSubstr("50.0 uJ  0.5 W\n"));
    EXPECT_EQ(EnergyAccount{}.watts(7), 0);

    const TableFile hot("  constant_power: {mw: 301000}\n");
    const EnergyAccount above = energy_account(counts, hot.table());
    EXPECT_EQ(above_power_limit(GpuConfig::kNoPowerLimit, above), "");
    EXPECT_THAT(above_power_limit(301, above), HasSubstr("above the card's limit of 301 W"));
    EXPECT_EQ(above_power_limit(302, above), "");
}

TEST(EnergyTable, ShippedOnesAreWholeAndSayWhereNumbersAreFrom) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(kTables)) {
        const EnergyTable table = read_energy_table(entry.path());
        names.insert(table.name);
        EXPECT_FALSE(table.description.empty()) << table.name;
        std::ifstream file(entry.path());
        const std::regex price(R"(^  [a-z0-9_]+:( *#| \{(pj|mw): .* #| \{unpriced: ).*)");
        for (std::string line; std::getline(file, line);) {
            if (line.size() < 3 || line[0] != ' ' || line[2] == ' ') continue;
            EXPECT_TRUE(std::regex_match(line, price)) << table.name << ": " << line;
        }
    }
    EXPECT_EQ(names, (std::set<std::string>{"dual_side_12nm", "opportunistic_22nm", "volta_12nm",
                                            "volta_cacti_22nm"}));
}

/// docs/energy.md says of every event what it is counted from.
TEST(EnergyTable, EveryEventIsInTheDocument) {
    std::ifstream file(std::string(TESSERA_SOURCE_DIR) + "/docs/energy.md");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::string missing;
    for (const EnergyEvent* listed : energy_events()) {
        const EnergyEvent& event = *listed;
        if (text.find("`" + std::string(event.name) + "`") == std::string::npos) {
            missing += std::string(event.name) + " ";
        }
    }
    EXPECT_EQ(missing, "");
}

TEST(EnergyTable, OnTopOfAnother) {
    const EnergyTable below = read_energy_table(kTables + "volta_12nm.yaml");
    const EnergyTable above = read_energy_table(kTables + "dual_side_12nm.yaml");
    EXPECT_EQ(above.of(energy_event::kDramRead).of(0)->low,
              below.of(energy_event::kDramRead).of(0)->low);
    EXPECT_NE(above.of(energy_event::kAccumulationAdd).of(0)->value,
              below.of(energy_event::kAccumulationAdd).of(0)->value);
}

/// `scale` is of the prices of its own file, and not of the card itself.
TEST(EnergyTable, Scale) {
    const TableFile file("  dram_read: {pj: 2000, low: 1000, high: 3000}\n", "scale: 0.5\n");
    const EnergyTable table = file.table();
    EXPECT_EQ(table.of(energy_event::kDramRead).of(0)->value, 1000);
    EXPECT_EQ(table.of(energy_event::kDramRead).of(0)->low, 500);
    EXPECT_EQ(table.of(energy_event::kDramRead).of(0)->high, 1500);
    EXPECT_EQ(table.of(energy_event::kRenameLeakage).of(0)->value, 0.5);
    for (const EnergyEvent* event : {&energy_event::kConstantPower, &energy_event::kSmStaticTensor,
                                     &energy_event::kSmStaticCuda, &energy_event::kSmIdle}) {
        EXPECT_EQ(table.of(*event).of(0)->value, 1) << event->name;
    }
    const EnergyTable dual = read_energy_table(kTables + "dual_side_12nm.yaml");
    EXPECT_EQ(dual.of(energy_event::kAccumulationAdd).of(0)->value, 0.114914);
    EXPECT_NEAR(dual.of(energy_event::kDramRead).of(0)->value, 0.56 * 2062, 1e-9);
}

TEST(EnergyTable, WhatIsWrongIsOneLine) {
    EXPECT_EQ(TableFile("").error(), "none");
    const auto error = [](const std::string& line, const std::string& head = "") {
        const TableFile file(line, head);
        const std::string text = file.error();
        EXPECT_EQ(text.find('\n'), std::string::npos);
        EXPECT_THAT(text, HasSubstr("mine.yaml"));
        return text;
    };
    EXPECT_THAT(error("  heat: {pj: 1}\n"), HasSubstr("heat"));
    EXPECT_THAT(error("  dram_read: {mw: 1}\n"), HasSubstr("mw"));
    EXPECT_THAT(error("  dram_read: {}\n"), HasSubstr("events.dram_read: key 'pj' is missing"));
    EXPECT_THAT(error("  dram_read: {pj: -1}\n"), HasSubstr("events.dram_read.pj: got '-1'"));
    EXPECT_THAT(error("  dram_read: {pj: {1: 2}}\n"), HasSubstr("events.dram_read.pj"));
    EXPECT_THAT(error("  dram_read: {pj: 1, unpriced: why}\n"), HasSubstr("beside 'unpriced'"));
    EXPECT_THAT(error("  dram_read: {pj: 1, low: 2}\n"), HasSubstr("its low (2)"));
    EXPECT_THAT(error("  lhb_lookup: {pj: 1}\n"), HasSubstr("events.lhb_lookup.pj"));
    EXPECT_THAT(error("  lhb_lookup: {pj: {many: 1}}\n"), HasSubstr("got 'many'"));
    EXPECT_THAT(error("  lhb_lookup: {pj: {512: 1}, low: {256: 1}}\n"),
                HasSubstr("no price for 256"));
    EXPECT_THAT(error("", "band: {low: 2}\n"), HasSubstr("band.low: got '2'"));
    EXPECT_THAT(error("", "base: nothing\n"), HasSubstr("base: got 'nothing'"));
    EXPECT_THAT(error("", "base: mine\n"), HasSubstr("base: got 'mine'"));
    EXPECT_THAT(error("", "areas_mm2: {moon: {each: {1: 1}}}\n"), HasSubstr("moon"));

    const TableFile whole("");
    std::ofstream(whole.path()) << "events:\n  dram_read: {pj: 1}\n";
    EXPECT_THAT(whole.error(), HasSubstr("events.register_read: missing, expected a price"));
}

}  // namespace
}  // namespace tessera
