// Stimulus of an accumulation buffer: operations of a file, and random ones.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "testbenches/accumulation_buffer/naive_buffer.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Rows and columns of the products of a sparse OHMMA.
inline constexpr std::uint32_t kOperationRows = 8, kOperationColumns = 16;
/// Zeros, subnormals, ones, the largest number, infinities and a NaN, as FP32 bits.
inline constexpr std::array<std::uint32_t, 12> kSumCorners = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
    0x3f800000, 0xbf800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000};

/// Descriptions of the columns of stimulus files.
[[nodiscard]] std::vector<Column> buffer_columns();

/// Makes operations of the buffer.
class BufferStimulus {
public:
    /// Columns of stimulus files.
    enum : std::size_t { kCycle, kOperation, kRowBits, kColumnBits, kWord, kPart, kValue };

    explicit BufferStimulus(Session& session) : session_(session) {}

    /// Returns the operation of a row. Throws ConfigError for a number outside its range.
    [[nodiscard]] static BufferOperation operation_of(const Stimulus& stimulus,
                                                      const StimulusRow& row);
    [[nodiscard]] BufferOperation draw();

private:
    void draw_places(BufferOperation& operation);
    [[nodiscard]] std::uint32_t draw_value();

    Session& session_;
};

}  // namespace tessera::testbench
