// Are lists of kernels read as the format defines?
#include "sc_models/trace/trace_command_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

TraceCommandList list_of(const std::string& text) {
    return {memory_byte_source(text), "kernelslist.g"};
}
std::string error_of(const std::string& text) {
    try {
        (void)list_of(text);
        return {};
    } catch (const ConfigError& error) {
        return error.what();
    }
}

TEST(TraceCommandList, Grammar) {
    const TraceCommandList list = list_of(
        "MemcpyHtoD,0x00007f2010000000,1179648\n\nkernel-1.traceg\n"
        "MemcpyDtoH,0x00007f2010000000,4096\nanything else\nkernel-2.traceg.xz\r\n"
        "  kernel-1.traceg \n");
    using Kind = TraceCommand::Kind;
    ASSERT_EQ(list.commands().size(), 4);
    EXPECT_EQ(list.commands()[0].kind, Kind::kCopyToDevice);
    EXPECT_EQ(list.commands()[0].address, 0x7f2010000000);
    EXPECT_EQ(list.commands()[0].bytes, 1179648);
    EXPECT_EQ(list.commands()[0].line, 1);
    EXPECT_EQ(list.commands()[1].kind, Kind::kKernel);
    EXPECT_EQ(list.commands()[1].path, "kernel-1.traceg");
    EXPECT_EQ(list.commands()[1].line, 3);
    EXPECT_EQ(list.commands()[2].path, "kernel-2.traceg.xz");
    EXPECT_EQ(list.commands()[2].line, 6);
    EXPECT_EQ(list.commands()[3].path, "kernel-1.traceg");
}

TEST(TraceCommandList, Mistakes) {
    const std::string kernel = "kernel-1.traceg\n";
    EXPECT_EQ(error_of(kernel), "");
    EXPECT_THAT(error_of(""), HasSubstr("kernelslist.g: the list names no kernel"));
    EXPECT_THAT(error_of("MemcpyHtoD,0x10,4\n"), HasSubstr("the list names no kernel"));
    EXPECT_THAT(error_of(kernel + "kernel-2.txt\n"),
                AllOf(StartsWith("kernelslist.g:2: "), HasSubstr("'kernel-2.txt'")));
    EXPECT_THAT(error_of("kernel-1.traceg"), HasSubstr("kernelslist.g:1: the file ends in"));
    for (const char* copy :
         {"MemcpyHtoD", "MemcpyHtoD,0x10", "MemcpyHtoD,0x10,4,4", "MemcpyHtoD,16,4",
          "MemcpyHtoD,0x10,0x4", "MemcpyHtoD,0x10,-4", "MemcpyHtoD,0x,4", "MemcpyHtoD,0x10,",
          "MemcpyHtoD,0x10000000000000000,4", "MemcpyHtoDAsync,0x10,4",
          "MemcpyHtoD,0xffffffffffffffff,4"}) {
        EXPECT_THAT(error_of(kernel + copy + "\n"), StartsWith("kernelslist.g:2: ")) << copy;
    }
}

TEST(TraceCommandList, PathsAreRelativeToTheList) {
    const std::string traces = std::string(TESSERA_SOURCE_DIR) + "/tests/golden/traces/";
    const TraceCommandList list(traces + "microbench/kernelslist.g");
    EXPECT_EQ(list.commands().size(), 22);
    EXPECT_EQ(list.commands()[0].path, traces + "microbench/kernel-1.traceg.xz");
    EXPECT_EQ(list.name(), traces + "microbench/kernelslist.g");
}

TEST(TraceCommandList, MissingFilesAreNamed) {
    const fs::path path = fs::path(testing::TempDir()) / "tessera_missing_kernelslist.g";
    std::ofstream(path) << "\nkernel-404.traceg\n";
    try {
        const TraceCommandList list(path.string());
        FAIL() << "accepted";
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), AllOf(StartsWith(path.string() + ":2: "),
                                        HasSubstr("kernel-404.traceg' does not exist")));
    }
    fs::remove(path);
    EXPECT_THROW(TraceCommandList(path.string()), ConfigError);
}

}  // namespace
}  // namespace tessera
