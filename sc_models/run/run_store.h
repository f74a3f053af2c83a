// Finished runs in the user's store of results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/common/logging.h"
#include "sc_models/config/config.h"
#include "sc_models/run/run_files.h"
#include "sc_models/store/result_store.h"

namespace tessera {

/// A finished run whose checks passed.
struct StoredRun {
    RunFiles files;
    std::string checks;  ///< printed below the summary: checks by other libraries
    std::vector<LoggedWarning> warnings;
};

/// Whether the key of a network's layer comes from its tensors, or from the digest that its
/// configuration states, so that they need not be there.
enum class TensorFile : std::uint8_t { kRead, kByDigest };

/// Entry of one run in the store. Its key is the program (program_identity()), every setting that
/// acts (acting_config()), the contents of files that the configuration names, and the user's keys
/// that a run could refuse.
class RunStore {
public:
    /// `keys`: what the user set and the run may leave unread; `refused`: those that it then
    /// refuses. Empty if no key can be made: the run executes a trace, whose files are not hashed,
    /// a file cannot be read, or the program has no identity.
    [[nodiscard]] static std::optional<RunStore> of(ResultStore store, const Config& config,
                                                    const std::vector<std::string>& keys,
                                                    const std::vector<std::string>& refused,
                                                    TensorFile tensors = TensorFile::kRead);

    /// The run's files and output, under its own configuration; host.json is that of the stored
    /// run with `stored`. Empty if no equal run is there.
    [[nodiscard]] std::optional<StoredRun> find() const;
    /// Throws FileError.
    void keep(const StoredRun& run) const;

private:
    RunStore(ResultStore store, const Config& config, std::string key);

    ResultStore store_;
    Config config_;
    std::string key_;
};

}  // namespace tessera
