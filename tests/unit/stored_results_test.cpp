// Is every damage to a stored result refused with the file and the field?
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "sc_models/common/json_schema.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/report/comparison_page.h"
#include "sc_models/reproduction/html_report.h"
#include "sc_models/results/energy_study.h"
#include "sc_models/results/result_comparison.h"
#include "sc_models/run/run_files.h"
#include "sc_models/run/stored_results.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;
using test::error_of;
using testing::HasSubstr;

/// The faults of a schema with each keyword.
std::string fault_of(const char* value) {
    static const JsonSchema kSchema(R"({
      "type": "object", "required": ["list"],
      "properties": {
        "list": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/count"}},
        "one": {"enum": ["a", "b"]}, "same": {"const": 3}, "hash": {"format": "hash"},
        "file": {"format": "file_name"}, "path": {"format": "inner_path"},
        "either": {"type": ["number", "null"], "maximum": 1},
        "free": {"additionalProperties": {"type": "string"}},
        "check": {"if": {"properties": {"on": {"const": true}}}, "then": {"required": ["of"]}}},
      "$defs": {"count": {"type": "integer", "minimum": 0}}})");
    return kSchema.fault(Json::parse(value)).value_or("good");
}

TEST(JsonSchemaTest, NamesTheFieldAndWhatIsAllowed) {
    EXPECT_EQ(fault_of(R"({"list": [0, 18446744073709551615], "more": {}})"), "good");
    EXPECT_EQ(fault_of("[]"), "(the file): got an array, expected an object");
    EXPECT_EQ(fault_of("{}"), "list: got none, expected an array of at least 1");
    EXPECT_EQ(fault_of(R"({"list": []})"), "list: got an array, expected an array of at least 1");
    EXPECT_EQ(fault_of(R"({"list": [1, -1]})"), "list[1]: got -1, expected an integer from 0");
    EXPECT_EQ(fault_of(R"({"list": [1.5]})"), "list[0]: got 1.5, expected an integer from 0");
    EXPECT_EQ(fault_of(R"({"list": [1], "one": "c"})"),
              R"(one: got "c", expected one of {"a", "b"})");
    EXPECT_EQ(fault_of(R"({"list": [1], "same": "3"})"), R"(same: got "3", expected 3)");
    EXPECT_EQ(fault_of(R"({"list": [1], "hash": "<img>"})"),
              R"(hash: got "<img>", expected 16 hexadecimal digits)");
    EXPECT_EQ(fault_of(R"({"list": [1], "hash": "0123456789abcdef", "file": "a.b"})"), "good");
    for (const char* name : {"../a", "a/b", ".a", ""}) {
        const std::string value = fmt::format(R"({{"list": [1], "file": "{}"}})", name);
        EXPECT_THAT(fault_of(value.c_str()), HasSubstr("expected the name of a file"));
    }
    EXPECT_EQ(fault_of(R"({"list": [1], "path": "a/b"})"), "good");
    for (const char* name : {"../a", "a/../b", "/a", ""}) {
        const std::string value = fmt::format(R"({{"list": [1], "path": "{}"}})", name);
        EXPECT_THAT(fault_of(value.c_str()), HasSubstr("expected a path below the folder"));
    }
    EXPECT_EQ(fault_of(R"({"list": [1], "either": null})"), "good");
    EXPECT_EQ(fault_of(R"({"list": [1], "either": 2})"),
              "either: got 2, expected a number or null to 1");
    EXPECT_EQ(fault_of(R"({"list": [1], "free": {"x": 1}})"), "free.x: got 1, expected a text");
    EXPECT_EQ(fault_of(R"({"list": [1], "check": {"on": false}})"), "good");
    EXPECT_EQ(fault_of(R"({"list": [1], "check": {"on": true}})"),
              "check.of: got none, expected a value");
}

TEST(JsonSchemaTest, RefusesASchemaItDoesNotKnow) {
    EXPECT_THROW(JsonSchema(R"({"pattern": "x"})"), std::logic_error);
    EXPECT_THROW(JsonSchema("[]"), std::logic_error);
    EXPECT_THROW(JsonSchema(R"({"properties": {"a": {"format": "unknown"}}})"), std::out_of_range);
}

/// The places of all values below one.
void collect(const Json& value, const Json::json_pointer& at, std::vector<Json::json_pointer>& to) {
    if (!value.is_structured()) return;
    std::size_t place = 0;
    for (const auto& [key, member] : value.items()) {
        const Json::json_pointer here = value.is_array() ? at / place : at / key;
        to.push_back(here);
        ++place;
        collect(member, here, to);
    }
}

class StoredResultsTest : public test::TempFolder {
protected:
    static Json result() {
        Config config;
        config.gpu.sms = 1;
        config.values = true;
        config.gpu.energy_table = "volta_12nm";
        config.duplo.enabled = true;
        config.workload.kind = WorkloadKind::kGemm;
        config.workload.gemm = {16, 16, 16};
        config.workload.tiling.cta_m = config.workload.tiling.cta_n = 16;
        config.workload.tiling.warp_m = config.workload.tiling.warp_n = 16;
        Json stored = result_json(config, Simulation(config, {}).run());
        // Readers parse the whole of it each time, and use the clock.
        stored["config"] = "gpu: {core_clock_mhz: 1200, sms: 1}";
        return stored;
    }

    /// Reads a stored result with all commands that take one. Throws nothing but ConfigError.
    void use() const {
        const Json read = read_result(folder);
        const std::string page = html_report({}, {}, {{"run", read, {}}}, {});
        const ResultComparison comparison = compare_results(read, read);
        static_cast<void>(comparison_page({"a", read}, {"b", read}, comparison, nullptr) + page +
                          failed_checks_note("run", read));
        static_cast<void>(core_clock_mhz(read));
        if (!read.contains("energy")) return;
        static_cast<void>(energy_of_run(
            read, "run", {[this](const std::string&) { return energy_table_; }, "volta_12nm"}));
    }

    const EnergyTable energy_table_ = read_energy_table(ConfigCatalog().energy_table("volta_12nm"));

    /// "good", or the refusal; anything else is a test that fails.
    std::string outcome(const Json& stored) const {
        std::filesystem::remove(folder / "result.json");  // a disk takes longer to overwrite a file
        write("result.json", stored.dump());
        try {
            use();
            return "good";
        } catch (const ConfigError& error) {
            return error.what();
        } catch (const std::exception& error) {
            return std::string("internal error: ") + error.what();
        }
    }
};

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kFieldStep = 8;  // slow
#else
constexpr std::size_t kFieldStep = 1;
#endif

TEST_F(StoredResultsTest, EveryDamagedFieldIsGoodOrRefusedByName) {
    const Json whole = result();
    ASSERT_EQ(outcome(whole), "good");
    std::vector<Json::json_pointer> places;
    collect(whole, Json::json_pointer(), places);
    ASSERT_GT(places.size(), 400U);
    const std::string file = (folder / "result.json").string();
    std::size_t refused = 0;
    for (std::size_t i = 0; i < places.size(); i += kFieldStep) {
        const Json::json_pointer& place = places[i];
        std::vector<std::pair<std::string, Json>> damages;
        Json without = whole;
        Json& parent = without.at(place.parent_pointer());
        if (parent.is_array()) {
            parent.erase(std::stoul(place.back()));
        } else {
            parent.erase(place.back());
        }
        damages.emplace_back("deleted", std::move(without));
        for (const Json& value : {Json(), Json("x"), Json(-1), Json::object(), Json::array()}) {
            damages.emplace_back(value.dump(), whole);
            damages.back().second.at(place) = value;
        }
        for (const auto& [how, damaged] : damages) {
            const std::string said = outcome(damaged);
            if (said == "good") continue;
            ++refused;
            EXPECT_EQ(said.compare(0, file.size(), file), 0)
                << place.to_string() << " " << how << ": " << said;
        }
    }
    EXPECT_GT(refused, 2 * places.size() / kFieldStep);
}

TEST_F(StoredResultsTest, NamesNestedFields) {
    const Json whole = result();
    const std::string file = (folder / "result.json").string();
    Json damaged = whole;
    damaged["kernels"][0].erase("cycles");
    EXPECT_EQ(outcome(damaged), file + ": kernels[0].cycles: got none, expected an integer from 0");
    damaged = whole;
    damaged["kernels"][0]["name"] = "../../elsewhere";
    EXPECT_EQ(outcome(damaged), file + R"(: kernels[0].name: got "../../elsewhere", expected the )"
                                       "name of a file");
    damaged = whole;
    damaged["metrics"] = Json::object();
    EXPECT_EQ(outcome(damaged), file + ": metrics.cycles: got none, expected an integer from 0");
    damaged = whole;
    damaged["metrics"]["cycles"] = 1'000'000'000;
    EXPECT_THAT(outcome(damaged),
                HasSubstr("metrics.cycles: got 1000000000, expected at most the"));
    damaged = whole;
    for (const std::string config :
         {"gpu: {core_clock_mhz: fast, sms: 1}", "gpu: {core_clock_mhz: 1200}", "gpu: {sms: 1}",
          "gpu: {core_clock_mhz: 1200, sms: 0}", "sms: 1", ""}) {
        damaged["config"] = config;
        EXPECT_EQ(outcome(damaged), file + ": config: got \"" + config +
                                        "\", expected an effective configuration in YAML");
    }
}

TEST_F(StoredResultsTest, FilesThatAreNoResults) {
    const std::string file = (folder / "result.json").string();
    const auto said = [&](const std::string& text) {
        write("result.json", text);
        return error_of([&] { (void)read_result(folder); });
    };
    EXPECT_EQ(said("1e999"), file + ": not a result file (a number is too large)");
    EXPECT_EQ(said(std::string(100'000, '[')),
              file + ": not a result file (nested more than 64 deep)");
}

}  // namespace
}  // namespace tessera
