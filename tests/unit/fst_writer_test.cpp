// Are waveforms in FST what they are for: small?
#include <gtest/gtest.h>
#include <unistd.h>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "sc_models/observe/wave_writer.h"

namespace tessera {
namespace {

/// Signals that change in each cycle, or nearly, for a long time.
TEST(FstWriterTest, IsASmallPartOfAVcd) {
    const std::string base = ::testing::TempDir() + "fst_writer_" + std::to_string(getpid());
    std::map<std::string, std::uintmax_t> bytes;
    for (const std::string format : {".vcd", ".fst"}) {
        const auto writer = make_wave_writer(base + format);
        WaveScope top;
        for (WaveVariable v = 0; v < 20; ++v) {
            top.inside("gpu.sm0").signals.push_back({"s" + std::to_string(v) + " [15:0]", 16, v});
        }
        writer->declare(top);
        for (std::uint64_t cycle = 0; cycle < 20000; ++cycle) {
            writer->time(cycle * 833333);
            for (WaveVariable v = 0; v < 20; ++v) {
                if (cycle % (v + 1) == 0) writer->value(v, cycle / (v + 1) % 100);
            }
        }
        writer->commit();
        bytes[format] = std::filesystem::file_size(base + format);
        std::filesystem::remove(base + format);
    }
    EXPECT_LT(bytes[".fst"] * 20, bytes[".vcd"]) << bytes[".fst"] << " of " << bytes[".vcd"];
}

}  // namespace
}  // namespace tessera
