// Writer of value change dumps (IEEE 1364-2005, 18.2).
#pragma once

#include <string>
#include <vector>

#include "sc_models/common/partial_file.h"
#include "sc_models/observe/wave_writer.h"

namespace tessera {

/// Writes text through a buffer as it arrives, so memory does not grow with the run.
class VcdWriter : public WaveWriter {
public:
    /// Throws ConfigError if the file cannot be created.
    explicit VcdWriter(const std::string& file) : file_(file) {}

    void declare(const WaveScope& top) override;
    void time(std::uint64_t femtoseconds) override;
    void value(WaveVariable variable, std::uint64_t value) override;
    void bits(WaveVariable variable, std::string_view bits) override;
    void commit() override;

private:
    enum class Section : std::uint8_t { kHeader, kFirstValues, kChanges };

    void declare_inside(const WaveScope& scope);
    void end_first_values();

    PartialFile file_;
    std::vector<std::uint32_t> widths_;  ///< by variable
    std::vector<std::string> codes_;     ///< by variable
    Section section_ = Section::kHeader;
    std::string line_;
};

}  // namespace tessera
