// Is what a run leaves on disk whole, complete and readable again?
#include "sc_models/run/run_files.h"
#include "sc_models/run/run_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <numeric>
#include <set>

#include "sc_models/common/output_file.h"
#include "sc_models/configure/config_text.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

using test::error_of;
using testing::HasSubstr;
namespace fs = std::filesystem;

Config tiny_gemm() {
    Config config;
    config.gpu.sms = 1;
    config.values = true;
    config.seed = 7;
    config.workload.kind = WorkloadKind::kGemm;
    config.workload.gemm = {16, 16, 16};
    config.workload.tiling.cta_m = config.workload.tiling.cta_n = 16;
    config.workload.tiling.warp_m = config.workload.tiling.warp_n = 16;
    return config;
}

class RunFilesTest : public test::TempFolder {
protected:
};

TEST_F(RunFilesTest, ResultHoldsWhatDecidedTheRun) {
    const Config config = tiny_gemm();
    const RunReport report = Simulation(config, {}).run();
    const auto json = result_json(config, report);
    EXPECT_EQ(json.at("schema_version"), kResultSchemaVersion);
    EXPECT_EQ(json.at("tool").at("name"), "tessera");
    for (const char* key : {"version", "git_revision", "compiler", "systemc"}) {
        EXPECT_FALSE(json.at("tool").at(key).get<std::string>().empty()) << key;
    }
    EXPECT_EQ(json.at("config_hash"), config_hash(config));
    EXPECT_EQ(json.at("config"), to_yaml(config));
    EXPECT_EQ(json.at("seed"), 7);
    EXPECT_EQ(json.at("complete"), true);
    EXPECT_EQ(json.at("violations").size(), 0U);
    EXPECT_EQ(json.at("verification").at("outputs"), 256);
    EXPECT_EQ(json.at("verification").at("mismatches"), 0);
    ASSERT_EQ(json.at("kernels").size(), 1U);
    const auto& kernel = json.at("kernels")[0];
    EXPECT_EQ(kernel.at("cycles"), json.at("metrics").at("cycles"));
    EXPECT_EQ(kernel.at("ctas"), 1);
    EXPECT_EQ(kernel.at("statistics").at("sm").at("sub_core").at("mmas"), 1);
    // Nothing of the host, which differs from run to run.
    EXPECT_THAT(json.dump(), testing::Not(HasSubstr("seconds")));
    EXPECT_GT(host_json(report).at("warp_instructions").get<int>(), 0);
    EXPECT_GT(host_json(report).at("peak_memory_bytes").get<std::uint64_t>(), 0U);
}

TEST_F(RunFilesTest, FilesAreWrittenAndReadBack) {
    const Config config = tiny_gemm();
    const RunReport report = Simulation(config, {}).run();
    write_run_files(folder, run_files_of(config, report));
    const auto json = result_json(config, report);
    EXPECT_EQ(read_result(folder), json);
    EXPECT_EQ(read_result(folder / "result.json"), json);
    EXPECT_EQ(content(folder / "config.yaml"), run_to_yaml(config));
    EXPECT_EQ(content(folder / "summary.txt"), summary_text(config, report));
    const std::string kernel = report.kernels[0].result.name;
    EXPECT_EQ(content(folder / (kernel + ".stats.txt")), report.kernels[0].statistics_text);
    EXPECT_EQ(content(folder / (kernel + ".stats.csv")), report.kernels[0].statistics_csv);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 6);
}

TEST_F(RunFilesTest, AnEarlierRunIsReplacedWithAllItsFiles) {
    Config config = tiny_gemm();
    config.workload.layer.name = "first";
    RunReport report = Simulation(config, {}).run();
    EXPECT_FALSE(check_run_folder(folder, {"gemm"}));
    write_run_files(folder, run_files_of(config, report));
    std::ofstream(folder / "notes.txt") << "mine";
    // Killed while the next run's files were being put in place, the old result out of the way.
    fs::create_directory(folder / ".run.part");
    fs::rename(folder / "result.json", folder / ".run.part" / "replaced_result.json");
    EXPECT_TRUE(check_run_folder(folder, {report.kernels[0].result.name}));

    report.kernels[0].result.name = "other";
    write_run_files(folder, run_files_of(config, report));
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
    EXPECT_EQ(names,
              (std::set<std::string>{"config.yaml", "host.json", "notes.txt", "other.stats.csv",
                                     "other.stats.txt", "result.json", "summary.txt"}));
    remove_run_files(folder);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(RunFilesTest, FilesOfNoRunAreNotOverwritten) {
    const auto error = [&] { return error_of([&] { check_run_folder(folder, {"gemm"}); }); };
    for (const char* name : {"config.yaml", "result.json", "gemm.stats.txt"}) {
        std::ofstream(folder / name) << "{}";
        EXPECT_EQ(error(), "--out: " + (folder / name).string() +
                               " is there and of no run, expected another folder (nothing is "
                               "written)");
        fs::remove(folder / name);
    }
    std::ofstream(folder / "im2col.stats.txt") << "";  // this run writes none of that name
    EXPECT_EQ(error(), "no error");
}

/// Issue slots are explained where the page of a run is, by the words of the statistics.
TEST(IssueSlotHelp, IsThatOfTheDocuments) {
    std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/docs/observation.md");
    const std::string page{std::istreambuf_iterator<char>(in), {}};
    for (const StallReasonText& slot : kStallReasonText) {
        const std::string row = fmt::format("| `{}` | {} |", slot.name, slot.description);
        EXPECT_NE(page.find(row), std::string::npos) << row;
        EXPECT_THAT(issue_slot_help(), HasSubstr(std::string(slot.description)));
    }
}

TEST_F(RunFilesTest, SummaryListsTheChecks) {
    const Config config = tiny_gemm();
    RunReport report = Simulation(config, {}).run();
    const std::string good = summary_text(config, report);
    EXPECT_THAT(good, HasSubstr("output equals the golden model: 0 of 256 values differ\n"));
    EXPECT_THAT(good, HasSubstr("all invariants hold\n"));
    report.verification.mismatches = 3;
    report.verification.first_mismatch = "D[0][0]";
    report.violations.emplace_back("a leak");
    const std::string bad = summary_text(config, report);
    EXPECT_THAT(bad,
                HasSubstr("output DIFFERS FROM the golden model: 3 of 256 values differ, first D"));
    EXPECT_THAT(bad, HasSubstr("VIOLATED: a leak\n"));
    EXPECT_FALSE(report.good());
    report.complete = false;
    EXPECT_THAT(summary_text(config, report), HasSubstr("INTERRUPTED"));
}

TEST_F(RunFilesTest, SummaryAndFullDetailGoTogether) {
    Config config = tiny_gemm();
    config.statistics.full_detail = true;
    const RunReport report = Simulation(config, {}).run();
    EXPECT_TRUE(report.kernels[0].statistics.contains("sm[0]"));
    const std::uint64_t cycles = report.kernels[0].result.cycles;
    EXPECT_THAT(summary_text(config, report),
                testing::ContainsRegex("    stall_no_warp +[0-9.]+ %\n"));
    EXPECT_EQ(std::accumulate(report.kernels[0].issue_slots.begin(),
                              report.kernels[0].issue_slots.end(), std::uint64_t{0}),
              4 * cycles);
}

TEST_F(RunFilesTest, UnreadableResultsAreRefused) {
    const auto error = [&](const char* text) {
        write_file_atomically(folder / "result.json", text);
        return error_of([&] { (void)read_result(folder); });
    };
    const std::string file = (folder / "result.json").string();
    EXPECT_EQ(error_of([&] { (void)read_result(folder); }), file + ": no such result");
    EXPECT_THAT(error(""), HasSubstr(file + ": not a result file (byte "));
    EXPECT_THAT(error("{\"schema_version\": "), HasSubstr(file + ": not a result file (byte "));
    EXPECT_EQ(error("[]"), file + ": schema_version: got 'none', expected '1'");
    EXPECT_EQ(error("{}"), file + ": schema_version: got 'none', expected '1'");
    EXPECT_EQ(error(R"({"schema_version": "1"})"),
              file + ": schema_version: got 'none', expected '1'");
    EXPECT_EQ(error(R"({"schema_version": 2})"), file + ": schema_version: got '2', expected '1'");
    EXPECT_EQ(error(R"({"schema_version": 1})"), file + ": tool: got none, expected an object");
}

}  // namespace
}  // namespace tessera
