// Is a file there whole or not at all?
#include "sc_models/common/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/temp_folder.h"
#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

using test::error_of;
using testing::HasSubstr;
namespace fs = std::filesystem;

class OutputFileTest : public test::TempFolder {
protected:
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }
};

TEST_F(OutputFileTest, WritesAndReplaces) {
    write_file_atomically(folder / "a.txt", "first");
    EXPECT_EQ(content(folder / "a.txt"), "first");
    write_file_atomically(folder / "a.txt", "");
    EXPECT_EQ(content(folder / "a.txt"), "");
    EXPECT_EQ(files(), 1U) << "nothing else is left";
}

TEST_F(OutputFileTest, FullDiskLeavesTheOldFile) {
    write_file_atomically(folder / "a.txt", "old");
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{4096, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string error =
        error_of([&] { write_file_atomically(folder / "a.txt", std::string(100'000, 'x')); });
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(error, "cannot write " + (folder / "a.txt").string() + ": File too large");
    EXPECT_EQ(content(folder / "a.txt"), "old");
    EXPECT_EQ(files(), 1U) << "no partial file";
}

TEST_F(OutputFileTest, MissingFolderIsNamed) {
    const fs::path path = folder / "nowhere" / "a.txt";
    EXPECT_EQ(error_of([&] { write_file_atomically(path, "x"); }),
              "cannot write " + path.string() + ": No such file or directory");
}

TEST_F(OutputFileTest, FolderInThePlaceOfTheFile) {
    fs::create_directory(folder / "a.txt");
    EXPECT_EQ(error_of([&] { write_file_atomically(folder / "a.txt", "x"); }),
              "cannot write " + (folder / "a.txt").string() + ": not a regular file");
    EXPECT_EQ(files(), 1U) << "no partial file";
}

TEST_F(OutputFileTest, DevicesStayDevices) {
    fs::create_symlink("/dev/null", folder / "null");
    EXPECT_EQ(error_of([&] { write_file_atomically(folder / "null", "x"); }),
              "cannot write " + (folder / "null").string() + ": not a regular file");
    EXPECT_TRUE(fs::is_symlink(folder / "null"));
    EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, MakesFoldersAndTheirParents) {
    make_output_folder(folder / "a" / "b", "--out");
    EXPECT_TRUE(fs::is_directory(folder / "a" / "b"));
    EXPECT_NO_THROW(make_output_folder(folder / "a" / "b", "--out")) << "may be there already";
}

TEST_F(OutputFileTest, FolderBelowAFileIsRefused) {
    write_file_atomically(folder / "file", "");
    EXPECT_EQ(
        error_of([&] { make_output_folder(folder / "file" / "below", "--out"); }),
        "--out: cannot make folder " + (folder / "file" / "below").string() + ": Not a directory");
}

TEST_F(OutputFileTest, FileInThePlaceOfTheFolderIsRefused) {
    write_file_atomically(folder / "file", "");
    EXPECT_THAT(error_of([&] { make_output_folder(folder / "file", "--out"); }),
                HasSubstr("--out: cannot "));
}

}  // namespace
}  // namespace tessera
