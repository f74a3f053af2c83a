// Kinds of user errors that callers distinguish.
#pragma once

#include "sc_models/common/error.h"

namespace tessera {

/// The request is valid, but no kernel computes it; the caller may skip it.
class NoKernelError : public ConfigError {
    using ConfigError::ConfigError;
};

/// A required file cannot be read or written.
class FileError : public ConfigError {
    using ConfigError::ConfigError;
};

}  // namespace tessera
