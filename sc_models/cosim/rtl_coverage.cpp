#include "sc_models/cosim/rtl_coverage.h"

#include <utility>

namespace tessera {
namespace {

// The command line sets these once; blocks do not depend on them.
std::string directory_of_run;
unsigned files_of_run = 0;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

void set_rtl_coverage_directory(std::string directory) {
    directory_of_run = std::move(directory);
}

const std::string& rtl_coverage_directory() {
    return directory_of_run;
}

std::string next_coverage_file(const std::string& name) {
    return directory_of_run + "/" + name + "-" + std::to_string(files_of_run++) + ".dat";
}

}  // namespace tessera
