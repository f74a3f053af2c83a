// Writer of waveforms in GTKWave's fast signal trace format, using Verilator's copy of its fstapi.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/common/partial_file.h"
#include "sc_models/observe/wave_writer.h"

namespace tessera {

/// Packs and compresses values as they arrive, some megabytes at a time. The file is much smaller
/// than a VCD and is complete soon after the last value.
class FstWriter : public WaveWriter {
public:
    /// Throws ConfigError if the file cannot be created.
    explicit FstWriter(const std::string& file);
    ~FstWriter() override;

    void declare(const WaveScope& top) override;
    void time(std::uint64_t femtoseconds) override;
    void value(WaveVariable variable, std::uint64_t value) override;
    void bits(WaveVariable variable, std::string_view bits) override;
    void commit() override;

private:
    struct Variable {
        std::uint32_t handle = 0;  ///< fstapi's; 0: not declared yet
        std::uint32_t width_bits = 1;
    };
    struct Close {
        void operator()(void* writer) const;
    };
    void declare_inside(const WaveScope& scope);

    PartialFile file_;
    std::unique_ptr<void, Close> writer_;  ///< fstapi's
    std::vector<Variable> variables_;
    std::string text_;
};

}  // namespace tessera
