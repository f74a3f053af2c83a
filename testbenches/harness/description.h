// Description of a testbench: its words, options, stimulus columns and planted errors.
#pragma once

#include <string>
#include <vector>

namespace tessera::testbench {

/// Column of a stimulus file.
struct Column {
    enum class Kind { kNumber, kAddress, kChoice };
    std::string name;
    Kind kind = Kind::kNumber;
    std::string help;
    std::vector<std::string> choices = {};  ///< kChoice: the allowed words
    bool optional = false;                  ///< 0, or the first choice, where the file lacks it
};

/// Error that the testbench can plant in or at its module (--plant), to show that it finds it.
struct PlantedError {
    std::string name;
    std::string what;
};

/// A step-by-step example of a paper (--example).
struct Example {
    std::string name;
    std::string what;       ///< with the paper's section, figure or table
    std::string view = {};  ///< saved view in waveforms/; empty: the testbench's
};

/// Constant facts about a testbench.
struct Description {
    std::string name;                   ///< name of the folder: "l1"
    std::string module;                 ///< one line: what the module is
    std::string operation;              ///< plural: what --count counts
    std::vector<std::string> sections;  ///< sections or keys that --set may change
    std::uint64_t count = 20'000;       ///< default of --count
    bool has_timing = true;             ///< lt and at exist
    std::vector<std::string> implementations = {"model"};  ///< the first is the default
    std::vector<Column> columns;                           ///< of --stimulus; empty: no files
    std::vector<PlantedError> errors;
    std::vector<Example> examples = {};
    bool has_curve = false;  ///< --curve prints load against latency
    std::string view = {};   ///< saved view in waveforms/, "l1.gtkw"
};

}  // namespace tessera::testbench
