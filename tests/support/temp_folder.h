// A test with a folder of its own, which is gone after it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace tessera::test {

class TempFolder : public testing::Test {
public:
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    TempFolder(TempFolder&&) = delete;
    TempFolder& operator=(TempFolder&&) = delete;

protected:
    TempFolder() {
        std::string pattern = testing::TempDir() + "tessera_XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder " + pattern);
        folder = pattern;
    }
    ~TempFolder() override { std::filesystem::remove_all(folder); }

    /// Writes `text` to a file of this name; returns its path.
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder / name, std::ios::binary) << text;
        return (folder / name).string();
    }
    static std::string content(const std::filesystem::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::filesystem::path folder;
};

}  // namespace tessera::test
