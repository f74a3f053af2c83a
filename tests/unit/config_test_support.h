// Helpers shared by the tests of the configuration system.
#pragma once

#include <functional>
#include <string>

#include "sc_models/common/error.h"

namespace tessera::test {

/// The message of the ConfigError that `action` throws; says so if it throws none.
inline std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace tessera::test
