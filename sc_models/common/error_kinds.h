// Kinds of a user's mistake that a caller tells apart.
#pragma once

#include "sc_models/common/error.h"

namespace tessera {

/// The request is right, but no kernel here computes it: it may be left out.
class NoKernelError : public ConfigError {
    using ConfigError::ConfigError;
};

/// A file cannot be read or written: nothing goes on without it.
class FileError : public ConfigError {
    using ConfigError::ConfigError;
};

}  // namespace tessera
