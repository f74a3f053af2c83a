#include "sc_models/observe/wave_writer.h"

#include <fmt/format.h>
#include <filesystem>

#include "sc_models/common/error.h"
#include "sc_models/observe/vcd_writer.h"
#ifdef TESSERA_FST
#include "sc_models/observe/fst_writer.h"
#endif

namespace tessera {

WaveScope& WaveScope::inside(std::string_view path) {
    const std::size_t dot = path.find('.');
    WaveScope& scope = scopes[std::string(path.substr(0, dot))];
    return dot == std::string_view::npos ? scope : scope.inside(path.substr(dot + 1));
}

std::string name_with_range(std::string_view name, std::uint32_t width_bits) {
    return width_bits == 1 ? std::string(name) : fmt::format("{} [{}:0]", name, width_bits - 1);
}

bool has_fst() {
#ifdef TESSERA_FST
    return true;
#else
    return false;
#endif
}

WaveFormat wave_format(const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (extension == ".vcd") return WaveFormat::kVcd;
    if (extension != ".fst") {
        throw ConfigError(
            fmt::format("--wave: got '{}', expected a name that ends in .vcd or .fst", file));
    }
#ifndef TESSERA_FST
    throw ConfigError(fmt::format(
        "--wave: got '{}', but this program was built without Verilator's fstapi; expected a name "
        "that ends in .vcd (GTKWave's vcd2fst converts)",
        file));
#endif
    return WaveFormat::kFst;
}

std::unique_ptr<WaveWriter> make_wave_writer(const std::string& file) {
#ifdef TESSERA_FST
    if (wave_format(file) == WaveFormat::kFst) return std::make_unique<FstWriter>(file);
#else
    (void)wave_format(file);
#endif
    return std::make_unique<VcdWriter>(file);
}

}  // namespace tessera
