// Does every level show what it should, module by module?
#include "sc_models/common/logging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

using test::error_of;
using testing::HasSubstr;
using testing::Not;

/// The output after `module` logs one warning and one information.
std::string shown(std::string_view module) {
    testing::internal::CaptureStderr();
    logger(module).warn("careful {}", 1);
    logger(module).info("by the way");
    logger(module).flush();
    return testing::internal::GetCapturedStderr();
}

TEST(Logging, LevelIsTheLeastSevereShown) {
    configure_logging("info", {});
    EXPECT_THAT(shown("gpu"), HasSubstr("[gpu] warning: careful 1\n"));
    EXPECT_THAT(shown("gpu"), HasSubstr("by the way"));
    configure_logging("warn", {});
    EXPECT_THAT(shown("gpu"), HasSubstr("careful"));
    EXPECT_THAT(shown("gpu"), Not(HasSubstr("by the way")));
    configure_logging("off", {});
    EXPECT_EQ(shown("gpu"), "");
}

TEST(Logging, ModulesHaveLevelsOfTheirOwn) {
    configure_logging("off", {{"gpu", "info"}, {"sm", "warn"}});
    EXPECT_THAT(shown("gpu"), HasSubstr("by the way"));
    EXPECT_THAT(shown("sm"), HasSubstr("careful"));
    EXPECT_THAT(shown("sm"), Not(HasSubstr("by the way")));
    EXPECT_EQ(shown("memory"), "");
    configure_logging("off", {});
    EXPECT_EQ(shown("gpu"), "") << "the last configuration counts";
}

TEST(Logging, UnknownLevelIsRefused) {
    EXPECT_EQ(error_of([] { configure_logging("loud", {}); }),
              "logging.level: got 'loud', expected one of {trace, debug, info, warn, error, off}");
    EXPECT_EQ(
        error_of([] {
            configure_logging("info", {{"gpu", "quiet"}});
        }),
        "logging.modules.gpu: got 'quiet', expected one of {trace, debug, info, warn, error, off}");
}

TEST(Logging, UnknownModuleIsRefused) {
    EXPECT_EQ(error_of([] {
                  configure_logging("info", {{"gpus", "info"}});
              }),
              "logging.modules.gpus: unknown module, expected one of {config, gpu, sm, duplo, "
              "memory, run}");
}

}  // namespace
}  // namespace tessera
