// Do batches end, once each, whatever is killed, and are they found again?
#include "sc_models/study/backend/batch_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <thread>

#include "sc_models/common/error.h"
#include "sc_models/study/backend/slurm_engine.h"
#include "tests/support/shell_engine.h"
#include "tests/support/temp_folder.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::chrono::milliseconds kGrace{50};

class BatchTest : public test::TempFolder {
protected:
    /// A run that notes in a file that it ran, and does `then`.
    [[nodiscard]] RunJob job(std::size_t id, const std::string& then = "") const {
        const std::string name = "run " + std::to_string(id);
        return {id,
                {"sh", "-c", R"(echo x >>"$0"; )" + then, (folder / (name + " ran")).string()},
                folder / (name + " log"),
                folder / (name + " result")};
    }
    [[nodiscard]] std::size_t times(std::size_t id) const {
        return content(folder / ("run " + std::to_string(id) + " ran")).size() / 2;
    }
    [[nodiscard]] std::unique_ptr<BatchBackend> backend(
        std::size_t pack = 1, const std::string& stamp = "1",
        std::unique_ptr<BatchEngine> engine = std::make_unique<test::ShellEngine>()) const {
        return std::make_unique<BatchBackend>(std::move(engine), "a trial", stamp, folder, pack,
                                              kGrace);
    }
    /// Ends of all runs, by id.
    static std::map<std::size_t, RunEnd> wait(BatchBackend& backend) {
        std::map<std::size_t, RunEnd> ends;
        while (backend.running() != 0) {
            const auto end = backend.poll();
            if (end) {
                EXPECT_TRUE(ends.emplace(end->id, *end).second) << end->id;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return ends;
    }
    /// Waits until something is written; the shell makes the file before that.
    static void wait_for(const fs::path& file) {
        while (content(file).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    /// Runs an element of the list as an engine would; its exit code.
    static int run(const JobList& list, std::size_t element) {
        return capture({"sh", "-c", list.command(std::to_string(element + 1))}).exit_code;
    }
};

TEST_F(BatchTest, ElementsShareTheLinesEvenly) {
    const JobList list(folder / "b", "name", "stamp", {job(0), job(1), job(2), job(3), job(4)}, 2);
    EXPECT_EQ(list.elements(), 3U);
    EXPECT_THAT(list.lines_of(0), ElementsAre(0, 3));
    EXPECT_THAT(list.lines_of(1), ElementsAre(1, 4));
    EXPECT_THAT(list.lines_of(2), ElementsAre(2));
    EXPECT_EQ(run(list, 1), 0);
    for (std::size_t id = 0; id < 5; ++id) EXPECT_EQ(times(id), id % 3 == 1 ? 1U : 0U) << id;
}

TEST_F(BatchTest, ElementsFindTheirLinesByBytes) {
    const fs::path outer = folder;
    folder /= "m\u00fcller";  // two bytes, one column
    fs::create_directory(folder);
    const JobList list(folder / "b", "name", "stamp", {job(0), job(1), job(2, "exit 3")}, 1);
    for (std::size_t element = 0; element < 3; ++element) EXPECT_EQ(run(list, element), 0);
    for (std::size_t id = 0; id < 3; ++id) EXPECT_EQ(times(id), 1U) << id;
    folder = outer;
}

TEST_F(BatchTest, LinesLeaveExitCodesAndLogsAndAreNotRunAgain) {
    JobList list(folder / "b", "name", "stamp", {job(7, "echo it\\'s; exit 3"), job(8)}, 2);
    EXPECT_EQ(run(list, 0), 0);
    EXPECT_EQ(run(list, 0), 0);
    EXPECT_EQ(times(7), 1U);
    EXPECT_EQ(times(8), 1U);
    EXPECT_EQ(content(folder / "run 7 log"), "it's\n");
    const auto ended = list.new_ended();
    ASSERT_THAT(ended, SizeIs(2));
    EXPECT_EQ(ended[0].exit_code, 3);
    EXPECT_EQ(ended[1].exit_code, 0);
    EXPECT_TRUE(list.is_over());
    EXPECT_THAT(list.new_ended(), IsEmpty());
}

TEST_F(BatchTest, KilledLinesAreTriedAgainToABound) {
    JobList list(folder / "b", "name", "stamp", {job(0, "kill -9 $$"), job(1)}, 2);
    EXPECT_EQ(run(list, 0), JobList::kTryAgain);
    EXPECT_EQ(run(list, 0), JobList::kTryAgain);
    EXPECT_THAT(list.new_ended(), SizeIs(1));
    EXPECT_EQ(run(list, 0), 0);
    const auto ended = list.new_ended();
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(ended[0].exit_code, 128 + SIGKILL);
    EXPECT_EQ(times(0), 3U);
    EXPECT_EQ(times(1), 1U);
}

TEST_F(BatchTest, ListsAreReadAgain) {
    const JobList list(folder / "b", "name", "1.0 abc", {job(0), job(11)}, 1);
    const auto again = JobList::read(folder / "b");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->name(), "name");
    EXPECT_EQ(again->stamp(), "1.0 abc");
    EXPECT_EQ(again->lines(), list.lines());
    EXPECT_FALSE(JobList::read(folder));
    EXPECT_EQ(capture({"sh", "-c", list.is_shared()}).exit_code, 0);
    fs::remove(folder / "b" / "token");
    EXPECT_NE(capture({"sh", "-c", list.is_shared()}).exit_code, 0);
}

TEST_F(BatchTest, AllRunsEndOnce) {
    for (const std::size_t pack : {1, 2, 9}) {
        const auto all = backend(pack);
        all->start({job(10 * pack), job(10 * pack + 1, "echo no >&2; exit 2"), job(10 * pack + 2)});
        const auto ends = wait(*all);
        ASSERT_THAT(ends, SizeIs(3));
        EXPECT_EQ(ends.at(10 * pack).exit_code, 0);
        EXPECT_EQ(ends.at(10 * pack + 1).exit_code, 2);
        EXPECT_EQ(ends.at(10 * pack + 1).output, "no\n");
        EXPECT_EQ(times(10 * pack + 2), 1U);
    }
    EXPECT_FALSE(fs::exists(folder / ".jobs"));
}

TEST_F(BatchTest, RunsThatAreAtWorkAreFoundAgain) {
    const std::string wait_for_it =
        "while [ ! -e '" + (folder / "go").string() + "' ]; do sleep 0.01; done";
    const std::vector<RunJob> jobs = {job(0, wait_for_it), job(1, wait_for_it), job(2)};
    {
        const auto killed = backend();
        killed->start({jobs[0], jobs[1]});
        wait_for(folder / "run 0 ran");
        wait_for(folder / "run 1 ran");
    }
    const auto next = backend();
    EXPECT_THAT(next->resume(jobs, {}), ElementsAre(0, 1));
    next->start({jobs[2]});
    std::ofstream(folder / "go").flush();
    EXPECT_THAT(wait(*next), SizeIs(3));
    for (std::size_t id = 0; id < 3; ++id) EXPECT_EQ(times(id), 1U) << id;
}

TEST_F(BatchTest, RunsThatAreNotNeededAreEnded) {
    for (const bool other_stamp : {false, true}) {
        const std::size_t id = other_stamp ? 5 : 6;
        const RunJob old = job(id, R"(sleep 30; echo y >>"$0")");
        {
            const auto killed = backend();
            killed->start({old});
            wait_for(folder / ("run " + std::to_string(id) + " ran"));
        }
        const auto list = JobList::read(folder / ".jobs" / "1");
        ASSERT_TRUE(list);
        const auto next = backend(1, other_stamp ? "2" : "1");
        EXPECT_THAT(next->resume({other_stamp ? old : job(9)}, {}), IsEmpty());
        EXPECT_FALSE(fs::exists(list->folder()));
        EXPECT_EQ(times(id), 1U);
        EXPECT_THAT(test::ShellEngine().at_work(*list).value(), IsEmpty());
    }
}

TEST_F(BatchTest, WhatElsewhereIsDoneDoesNotEndABatch) {
    const RunJob done = job(1, "sleep 0.3");
    const RunJob open = job(2, "sleep 0.3");
    {
        const auto killed = backend();
        killed->start({done, open});
        wait_for(folder / "run 2 ran");
    }
    const auto next = backend();
    EXPECT_THAT(next->resume({open}, {done}), ElementsAre(0));
    EXPECT_THAT(wait(*next), SizeIs(1));
    EXPECT_EQ(times(2), 1U);
}

TEST_F(BatchTest, ElementsThatAreLostAreSubmittedAgain) {
    // The first try takes the shell of its element along.
    const auto all = backend(2);
    all->start(
        {job(0, R"([ -e "$0.again" ] || { touch "$0.again"; kill -9 $PPID; exit; })"), job(1)});
    const auto ends = wait(*all);
    ASSERT_THAT(ends, SizeIs(2));
    EXPECT_EQ(ends.at(0).exit_code, 0);
    EXPECT_EQ(times(0), 2U);
    EXPECT_EQ(times(1), 1U);
}

TEST_F(BatchTest, ElementsThatAreAlwaysLostFail) {
    const auto all = backend(2);
    all->start({job(0, "kill -9 $PPID; exit"), job(1)});
    const auto ends = wait(*all);
    ASSERT_THAT(ends, SizeIs(2));
    EXPECT_EQ(ends.at(0).exit_code, 1);
    EXPECT_THAT(ends.at(0).output, HasSubstr("the shell left it without a result"));
    EXPECT_EQ(times(0), 3U);
    EXPECT_EQ(ends.at(1).exit_code, 0);
}

TEST_F(BatchTest, CancelledRunsEnd) {
    const auto all = backend();
    all->start({job(0, R"(sleep 30; echo y >>"$0")")});
    wait_for(folder / "run 0 ran");
    all->cancel();
    EXPECT_THAT(wait(*all), IsEmpty());
    EXPECT_FALSE(fs::exists(folder / ".jobs" / "1"));
}

/// Refuses, is unreachable, or reports that all elements wait for ever.
class BadEngine final : public BatchEngine {
public:
    enum class Kind { kRefuses, kAway, kForEver };
    explicit BadEngine(Kind kind) : kind_(kind) {}
    [[nodiscard]] std::string description() const override { return "bad"; }
    void submit(const JobList& /*batch*/) override {
        if (kind_ == Kind::kRefuses) throw ConfigError("refused");
    }
    std::optional<std::set<std::size_t>> at_work(const JobList& /*batch*/) override {
        if (kind_ == Kind::kForEver && !cancelled_) throw ConfigError("for ever");
        if (kind_ == Kind::kAway) return std::nullopt;
        return std::set<std::size_t>();
    }
    ElementState state(const JobList& /*batch*/, std::size_t /*element*/) override { return {}; }
    void cancel(const JobList& /*batch*/) override { cancelled_ = true; }

private:
    Kind kind_;
    bool cancelled_ = false;
};

TEST_F(BatchTest, NothingIsLeftOfWhatIsRefused) {
    {
        const auto all = backend(1, "1", std::make_unique<BadEngine>(BadEngine::Kind::kRefuses));
        EXPECT_THROW(all->start({job(0)}), ConfigError);
        EXPECT_EQ(all->running(), 0U);
    }
    EXPECT_FALSE(fs::exists(folder / ".jobs"));
}

TEST_F(BatchTest, WhatWaitsForEverIsEnded) {
    const auto all = backend(1, "1", std::make_unique<BadEngine>(BadEngine::Kind::kForEver));
    all->start({job(0)});
    EXPECT_THROW(wait(*all), ConfigError);
    EXPECT_EQ(all->running(), 0U);
}

TEST_F(BatchTest, AnEngineThatIsAwayLosesNothing) {
    {
        const auto all = backend(1, "1", std::make_unique<BadEngine>(BadEngine::Kind::kAway));
        all->start({job(0)});
        for (int i = 0; i < 100; ++i) {
            EXPECT_FALSE(all->poll());
            std::this_thread::sleep_for(std::chrono::milliseconds(15));
        }
    }
    const auto next = backend(1, "1", std::make_unique<BadEngine>(BadEngine::Kind::kAway));
    EXPECT_THROW(next->resume({job(0)}, {}), ConfigError);
}

TEST(ArrayElements, AreReadAsSlurmPrintsThem) {
    EXPECT_THAT(array_elements("3").value(), ElementsAre(3));
    EXPECT_THAT(array_elements("3,8-10").value(), ElementsAre(3, 8, 9, 10));
    EXPECT_THAT(array_elements("1-9:4%2").value(), ElementsAre(1, 5, 9));
    for (const char* text : {"", "N/A", "1-", "1,", "1-3:0", "1;2"}) {
        EXPECT_FALSE(array_elements(text)) << text;
    }
}

}  // namespace
}  // namespace tessera
