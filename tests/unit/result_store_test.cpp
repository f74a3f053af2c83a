// The store of results by content.
#include "sc_models/store/result_store.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/store/program_identity.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string content(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

class ResultStoreTest : public testing::Test {
protected:
    ResultStoreTest() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = fs::temp_directory_path() /
                  (std::string("result_store_test_") + test->name() + std::to_string(getpid()));
        fs::remove_all(folder_);
    }
    ~ResultStoreTest() override { fs::remove_all(folder_); }

    [[nodiscard]] ResultStore store(std::uintmax_t limit = ResultStore::kDefaultLimit) const {
        return ResultStore(folder_, limit);
    }
    /// Makes the file of a text look unused for so long.
    void age(const std::string& text, std::chrono::minutes ago) const {
        for (const StoreEntry& entry : store().entries()) {
            if (content(entry.file).find(text) == std::string::npos) continue;
            fs::last_write_time(entry.file, fs::file_time_type::clock::now() - ago);
        }
    }

    fs::path folder_;
};

TEST_F(ResultStoreTest, ATextIsFoundByItsKey) {
    EXPECT_FALSE(store().find("key"));
    const std::string text("any bytes\n\0\xff", 12);
    store().keep("key\nof two lines", "title", text);
    EXPECT_EQ(store().find("key\nof two lines"), text);
    EXPECT_FALSE(store().find("key"));
    store().keep("key\nof two lines", "title", "");
    EXPECT_EQ(store().find("key\nof two lines"), "");
    ASSERT_EQ(store().entries().size(), 1U);
    EXPECT_EQ(ResultStore::title(store().entries()[0]), "title");
}

TEST_F(ResultStoreTest, AnotherKeyWithTheSameHashIsNotFound) {
    store().keep("a", "a", "text of a");
    const fs::path a = store().entries()[0].file;
    store().keep("b", "b", "text of b");
    for (const StoreEntry& entry : store().entries()) {
        if (entry.file != a) fs::copy_file(entry.file, a, fs::copy_options::overwrite_existing);
    }
    EXPECT_FALSE(store().find("a"));
    EXPECT_EQ(store().find("b"), "text of b");
}

TEST_F(ResultStoreTest, ADamagedFileCountsAsMissing) {
    store().keep("key", "title", "some text");
    const fs::path file = store().entries()[0].file;
    const std::string good = content(file);
    for (std::size_t i = 0; i <= good.size(); ++i) {
        std::string bad = good.substr(0, i);  // cut off, or one byte changed
        if (i % 2 == 1)
            bad = good.substr(0, i - 1) + static_cast<char>(good[i - 1] ^ 1) + good.substr(i);
        if (bad == good) continue;
        write(file, bad);
        EXPECT_FALSE(ResultStore::is_intact(store().entries()[0])) << i;
        EXPECT_FALSE(store().find("key")) << i;
        EXPECT_FALSE(fs::exists(file)) << i;
    }
    write(file, good);
    EXPECT_TRUE(ResultStore::is_intact(store().entries()[0]));
    EXPECT_EQ(store().find("key"), "some text");
}

TEST_F(ResultStoreTest, TheLeastRecentlyUsedIsRemovedFirst) {
    const std::string large(1000, 'x');
    for (const char* name : {"one", "two", "three"}) store().keep(name, name, name + large);
    age("one" + large, 30min);
    age("two" + large, 20min);
    age("three" + large, 10min);
    EXPECT_TRUE(store().find("one"));  // is then the one used last
    store(3500).keep("four", "four", "four" + large);
    EXPECT_TRUE(store().find("one"));
    EXPECT_FALSE(store().find("two"));
    EXPECT_TRUE(store().find("three"));
    EXPECT_TRUE(store().find("four"));
}

TEST_F(ResultStoreTest, FilesOfKilledWritersAreRemovedLater) {
    store().keep("key", "title", "text");
    const fs::path old = folder_ / "0123456789abcdef.result.part";
    const fs::path fresh = folder_ / "0123456789abcdef.result.1.part";
    write(old, "half");
    write(fresh, "half");
    fs::last_write_time(old, fs::file_time_type::clock::now() - 2h);
    store().keep("key", "title", "text");
    EXPECT_FALSE(fs::exists(old));
    EXPECT_TRUE(fs::exists(fresh));  // its writer may be at work
    store().clear();
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(ResultStoreTest, TheEnvironmentChoosesTheFolder) {
    setenv("HOME", "/home/user", 1);
    unsetenv("TESSERA_CACHE");
    unsetenv("XDG_CACHE_HOME");
    EXPECT_EQ(ResultStore::of_user()->folder(), "/home/user/.cache/tessera");
    setenv("XDG_CACHE_HOME", "relative", 1);
    EXPECT_EQ(ResultStore::of_user()->folder(), "/home/user/.cache/tessera");
    setenv("XDG_CACHE_HOME", "/caches", 1);
    EXPECT_EQ(ResultStore::of_user()->folder(), "/caches/tessera");
    EXPECT_EQ(ResultStore::of_user()->limit(), ResultStore::kDefaultLimit);
    setenv("TESSERA_CACHE", "/mine", 1);
    setenv("TESSERA_CACHE_MIB", "3", 1);
    EXPECT_EQ(ResultStore::of_user()->folder(), "/mine");
    EXPECT_EQ(ResultStore::of_user()->limit(), 3U << 20);
    for (const char* wrong : {"0", "-1", "3x", "1e3", "99999999999999999999"}) {
        setenv("TESSERA_CACHE_MIB", wrong, 1);
        EXPECT_THROW((void)ResultStore::of_user(), ConfigError) << wrong;
    }
    setenv("TESSERA_CACHE", "off", 1);
    EXPECT_FALSE(ResultStore::of_user());
    unsetenv("TESSERA_CACHE");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    EXPECT_FALSE(ResultStore::of_user());
}

TEST(ProgramIdentity, IsTheBuildIdOfTheLinker) {
    const std::string id = program_identity();
    EXPECT_GE(id.size(), 16U);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
    // The file of this program holds the same bytes.
    std::string bytes;
    for (std::size_t i = 0; i + 1 < id.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(id.substr(i, 2), nullptr, 16));
    }
    EXPECT_NE(content("/proc/self/exe").find(bytes), std::string::npos);
}

}  // namespace
}  // namespace tessera
