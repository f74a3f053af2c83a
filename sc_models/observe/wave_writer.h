// Interface of waveform writers, common to all formats.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Number of a signal in a waveform file. Aliases of a signal share it.
using WaveVariable = std::uint32_t;

/// Signals by scope, for the file's declarations.
struct WaveScope {
    struct Signal {
        std::string name;  ///< with its bit range if wider than one bit: "data_o [7:0]"
        std::uint32_t width_bits = 1;
        WaveVariable variable = 0;
    };
    std::string kind = "module";  ///< as in IEEE 1364-2005, 18.2.3.1, or "struct", "interface"
    std::vector<Signal> signals;
    std::map<std::string, WaveScope> scopes;

    /// The scope at the dotted `path` inside this one; created if missing.
    WaveScope& inside(std::string_view path);
};

/// "name", or "name [7:0]".
[[nodiscard]] std::string name_with_range(std::string_view name, std::uint32_t width_bits);

/// Writes a waveform, in this order: `declare`, then for each point in time `time` and the `value`s
/// that change, and `commit`. Without `commit` no file remains. One time unit is 1 fs.
class WaveWriter {
public:
    WaveWriter() = default;
    virtual ~WaveWriter() = default;
    WaveWriter(const WaveWriter&) = delete;
    WaveWriter& operator=(const WaveWriter&) = delete;

    /// Declares all signals; variables must be numbered from 0 without gaps.
    virtual void declare(const WaveScope& top) = 0;
    /// Sets the time of the following values, in femtoseconds.
    virtual void time(std::uint64_t femtoseconds) = 0;
    /// Writes a value; one that does not fit the width is written as unknown (x).
    virtual void value(WaveVariable variable, std::uint64_t value) = 0;
    /// Writes bits as 0, 1, x and z, most significant first; leading ones may be omitted as in IEEE
    /// 1364-2005, 18.2.1.
    virtual void bits(WaveVariable variable, std::string_view bits) = 0;
    /// Throws ConfigError with the system's reason if something was not written.
    virtual void commit() = 0;
};

/// Formats, selected by the extension of the file name.
enum class WaveFormat : std::uint8_t { kVcd, kFst };

/// Whether this build writes FST.
[[nodiscard]] bool has_fst();

/// Throws ConfigError, in the name of the option --wave, if `file` ends in neither .vcd nor .fst,
/// or in .fst in a build that has no writer for it.
[[nodiscard]] WaveFormat wave_format(const std::string& file);

/// Creates a writer. Throws ConfigError as wave_format does, or if the file cannot be created.
[[nodiscard]] std::unique_ptr<WaveWriter> make_wave_writer(const std::string& file);

}  // namespace tessera
