// libFuzzer harness: configuration text.
#include <cstdint>

#include "sc_models/configure/config_text.h"
#include "tests/fuzz/fuzz_check.h"

// The name is libFuzzer's. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    try {
        ConfigSource source;
        source.add_text(std::string(reinterpret_cast<const char*>(data), size), "f.yaml");
        const Config config = load_config(source);
        const std::string printed = to_yaml(config);
        ConfigSource again;
        again.add_text(printed, "printed.yaml");
        fuzz::require(to_yaml(load_config(again)) == printed, printed);
    } catch (const ConfigError& error) {
        fuzz::require_located(error.what(), {"f.yaml:", "default:"});
    }
    return 0;
}
