// Are children started, waited for and ended?
#include "sc_models/study/backend/process_pool.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "sc_models/common/command_line.h"
#include "sc_models/study/backend/captured_process.h"
#include "sc_models/study/backend/child_process.h"
#include "sc_models/study/sweep/sweep.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

class ProcessPoolTest : public test::TempFolder {
protected:
    static ProcessEnd wait(ProcessPool& pool) {
        for (;;) {
            if (const auto end = pool.poll()) return *end;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    [[nodiscard]] std::string log() const { return content(folder / "log"); }
};

TEST_F(ProcessPoolTest, ExitCodesAndOutput) {
    ProcessPool pool;
    pool.start(7, {"sh", "-c", "echo out; echo error >&2; cat; exit 3"}, folder / "log");
    const ProcessEnd end = wait(pool);
    EXPECT_EQ(end.id, 7U);
    EXPECT_EQ(end.exit_code, 3);
    EXPECT_EQ(log(), "out\nerror\n");  // cat found an empty standard input
}

TEST_F(ProcessPoolTest, ASignalIsReportedAsShellsDo) {
    ProcessPool pool;
    pool.start(0, {"sh", "-c", "kill -9 $$"}, folder / "log");
    EXPECT_EQ(wait(pool).exit_code, 128 + SIGKILL);
}

TEST_F(ProcessPoolTest, AProgramThatCannotBeExecutedIsReported) {
    ProcessPool pool;
    pool.start(0, {"no-such-program-here"}, folder / "log");
    EXPECT_EQ(wait(pool).exit_code, 127);
    EXPECT_EQ(log(), "no-such-program-here: No such file or directory\n");
}

TEST_F(ProcessPoolTest, ALogThatCannotBeWrittenIsAnError) {
    ProcessPool pool;
    EXPECT_EQ(test::error_of([&] { pool.start(0, {"true"}, folder / "no" / "log"); }),
              "cannot write " + (folder / "no" / "log").string() + ": No such file or directory");
    EXPECT_EQ(pool.running(), 0U);
}

TEST_F(ProcessPoolTest, WhatAChildSaidIsKnownThoughItsDiskIsFull) {
    ProcessPool pool;
    pool.start(0, {"sh", "-c", "echo out; echo why >&2; exit 2"}, "/dev/full");
    const ProcessEnd end = wait(pool);
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_EQ(end.output, "out\nwhy\n");
}

TEST_F(ProcessPoolTest, MuchOutputIsLoggedWholeAndItsEndKept) {
    ProcessPool pool;
    pool.start(0, {"sh", "-c", "seq 1 100000; echo why"}, folder / "log");
    const ProcessEnd end = wait(pool);
    std::string expected;
    for (int i = 1; i <= 100000; ++i) expected += std::to_string(i) + "\n";
    expected += "why\n";
    EXPECT_EQ(log(), expected);
    ASSERT_GE(end.output.size(), kKeptOutput);
    ASSERT_LE(end.output.size(), 2 * kKeptOutput);
    EXPECT_EQ(end.output, expected.substr(expected.size() - end.output.size()));
}

TEST_F(ProcessPoolTest, ChildrenRunSideBySide) {
    ProcessPool pool;
    pool.start(0, {"sleep", "30"}, folder / "a");
    pool.start(1, {"true"}, folder / "b");
    EXPECT_EQ(pool.running(), 2U);
    EXPECT_EQ(wait(pool).id, 1U);
    EXPECT_EQ(pool.running(), 1U);
    pool.terminate();
    EXPECT_EQ(wait(pool).exit_code, 128 + SIGTERM);
    EXPECT_EQ(pool.running(), 0U);
}

TEST_F(ProcessPoolTest, AChildUnknownToTheSystemHasFailed) {
    std::signal(SIGCHLD, SIG_IGN);  // children are gone at once, and their codes with them
    ProcessPool pool;
    pool.start(0, {"true"}, folder / "log");
    EXPECT_EQ(wait(pool).exit_code, kUnknownEnd);
    EXPECT_EQ(capture({"true"}).exit_code, kUnknownEnd);
    std::signal(SIGCHLD, SIG_DFL);
}

TEST_F(ProcessPoolTest, NothingOutlivesThePool) {
    const std::string pid_file = (folder / "pid").string();
    {
        ProcessPool pool;
        pool.start(0, {"sh", "-c", "echo $$ > " + pid_file + "; exec sleep 30"}, folder / "log");
        while (std::filesystem::exists(pid_file) ? std::filesystem::file_size(pid_file) == 0
                                                 : true) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    pid_t pid = 0;
    std::ifstream(pid_file) >> pid;
    ASSERT_GT(pid, 0);
    EXPECT_EQ(kill(pid, 0), -1);
}

TEST(ShellQuoted, IsWhatAShellReads) {
    EXPECT_EQ(shell_quoted({"tessera", "run", "--set", "gpu.sms=2"}),
              "tessera run --set gpu.sms=2");
    EXPECT_EQ(shell_quoted({"a b", "it's", "", "$x"}), "'a b' 'it'\\''s' '' '$x'");
}

}  // namespace
}  // namespace tessera
