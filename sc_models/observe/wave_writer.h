// A file of waveforms: what every format has in common.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A number that stands for a signal in a file of waveforms. Signals that are the same one under
/// several names share it.
using WaveVariable = std::uint32_t;

/// Signals by scope, as a file declares them.
struct WaveScope {
    struct Signal {
        std::string name;  ///< with its range of bits, if it has more than one: "data_o [7:0]"
        std::uint32_t width_bits = 1;
        WaveVariable variable = 0;
    };
    std::string kind = "module";  ///< as in IEEE 1364-2005, 18.2.3.1, or "struct", "interface"
    std::vector<Signal> signals;
    std::map<std::string, WaveScope> scopes;

    /// The scope inside this one that `path` names, its parts between dots; made if it is not
    /// there.
    WaveScope& inside(std::string_view path);
};

/// "name", or "name [7:0]".
[[nodiscard]] std::string name_with_range(std::string_view name, std::uint32_t width_bits);

/// Writes a waveform, in this order: `declare`, then for each point in time `time` and the `value`s
/// that change, and `commit`. What is not committed leaves no file. One time unit is 1 fs.
class WaveWriter {
public:
    WaveWriter() = default;
    virtual ~WaveWriter() = default;
    WaveWriter(const WaveWriter&) = delete;
    WaveWriter& operator=(const WaveWriter&) = delete;

    /// Variables are counted from zero without a gap.
    virtual void declare(const WaveScope& top) = 0;
    /// What follows holds from `femtoseconds` on.
    virtual void time(std::uint64_t femtoseconds) = 0;
    /// A value that does not fit the width is written as unknown (x).
    virtual void value(WaveVariable variable, std::uint64_t value) = 0;
    /// Bits as 0, 1, x and z, the most significant first; leading ones may be left out as in IEEE
    /// 1364-2005, 18.2.1.
    virtual void bits(WaveVariable variable, std::string_view bits) = 0;
    /// Throws ConfigError with the system's reason if something was not written.
    virtual void commit() = 0;
};

/// Formats are told by the end of the file's name.
enum class WaveFormat : std::uint8_t { kVcd, kFst };

/// Throws ConfigError, in the name of the option --wave, if `file` ends in neither .vcd nor .fst,
/// or in .fst in a build that has no writer for it.
[[nodiscard]] WaveFormat wave_format(const std::string& file);

/// Throws ConfigError likewise, or if the file cannot be made.
[[nodiscard]] std::unique_ptr<WaveWriter> make_wave_writer(const std::string& file);

}  // namespace tessera
