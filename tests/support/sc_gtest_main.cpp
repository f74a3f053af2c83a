// main() for every test executable: GoogleTest inside SystemC's elaboration.
//
// A SystemC process can hold one simulation only. CTest therefore starts a process for every test.
// Where starting one is slow (under the sanitizers), `--fork=PART/PARTS` runs one of PARTS equal
// shares of the tests, each in a child of this process, and prints the output of those that fail.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/clock.h"

namespace {

struct Share {
    unsigned part = 0;
    unsigned parts = 0;  ///< 0: no --fork was given
};

Share share_of(int argc, char** argv) {
    Share share;
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], "--fork", 6) != 0) {
            continue;
        }
        if (std::sscanf(argv[i], "--fork=%u/%u", &share.part, &share.parts) != 2 ||
            share.part >= share.parts) {
            std::fprintf(stderr, "%s: expected --fork=PART/PARTS with PART below PARTS\n", argv[i]);
            std::exit(2);
        }
    }
    return share;
}

std::vector<std::string> names_of_tests(const Share& share) {
    std::vector<std::string> names;
    unsigned index = 0;
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    for (int suite = 0; suite < all.total_test_suite_count(); ++suite) {
        const testing::TestSuite& tests = *all.GetTestSuite(suite);
        for (int test = 0; test < tests.total_test_count(); ++test) {
            if (index++ % share.parts == share.part) {
                names.push_back(std::string(tests.name()) + "." + tests.GetTestInfo(test)->name());
            }
        }
    }
    return names;
}

void print_and_close(std::FILE* output) {
    std::rewind(output);
    for (int character; (character = std::fgetc(output)) != EOF;) {
        std::putchar(character);
    }
    std::fclose(output);
}

/// Returns the exit status of the parent; a child leaves by the returned status of its one test.
int run_each_in_a_child(const Share& share) {
    int failures = 0;
    for (const std::string& name : names_of_tests(share)) {
        std::printf("%s\n", name.c_str());
        std::fflush(nullptr);
        std::FILE* output = std::tmpfile();
        const pid_t child = output != nullptr ? fork() : -1;
        if (child < 0) {
            std::perror("--fork");
            return 2;
        }
        if (child == 0) {
            dup2(fileno(output), STDOUT_FILENO);
            dup2(fileno(output), STDERR_FILENO);
            GTEST_FLAG_SET(filter, name);
            return RUN_ALL_TESTS();
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status == 0) {
            std::fclose(output);
            continue;
        }
        print_and_close(output);
        std::printf("FAILED: %s (status %d)\n", name.c_str(), status);
        ++failures;
    }
    std::printf("%d failed\n", failures);
    return failures == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char** argv) {
    tessera::init_time_resolution();
    testing::InitGoogleTest(&argc, argv);
    const Share share = share_of(argc, argv);
    return share.parts == 0 ? RUN_ALL_TESTS() : run_each_in_a_child(share);
}

int main(int argc, char** argv) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    return sc_core::sc_elab_and_sim(argc, argv);
}
