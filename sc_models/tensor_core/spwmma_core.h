// Cycle-accurate sparse tensor core of a sub-core: bitmap unit, operand fetch, array, buffer.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>

#include "sc_models/tensor_core/tensor_devices.h"

namespace tessera {

/// Pins of the sparse tensor core in one clock cycle (dual-side sparse tensor core, V-B). They are
/// those of the RTL block of the same name.
struct SpwmmaCorePins {
    static constexpr std::uint32_t kTagBits = 4;
    /// Words of a tile's 512 packed values: a word has a group's values, and even and odd words lie
    /// in banks of their own.
    static constexpr std::uint32_t kValuesA = kOhmmaRows, kValuesB = kOhmmaColumns;

    struct Inputs {
        std::uint32_t tile_valid = 0;
        std::uint32_t tile_tag = 0;                        ///< returned with reads of its values
        std::array<std::uint32_t, kTileDepth> a_bitmap{};  ///< bit r: A[r][k] is not zero
        std::array<std::uint32_t, kTileDepth> b_bitmap{};  ///< bit c: B[k][c] is not zero
        /// Words of the last read, from the cycle after it on.
        std::array<HalfBits, kValuesA> a_even{}, a_odd{};
        std::array<HalfBits, kValuesB> b_even{}, b_odd{};
        std::uint32_t run = 0;            ///< the buffer's clock runs without an OHMMA, too
        std::uint32_t preload_valid = 0;  ///< this and the following: only with `run`
        std::uint32_t preload_word = 0;
        std::array<std::uint32_t, kOhmmaProducts> preload_data{};
        std::uint32_t drain_valid = 0;
        std::uint32_t drain_clear = 0;
        std::uint32_t row_ready = 0;
    };
    struct Outputs {
        std::uint32_t tile_ready = 0;
        std::uint32_t summary_valid = 0;
        BitmapUnit::Summary summary;
        std::uint32_t tile_done = 0;
        std::uint32_t read = 0;      ///< the values of an OHMMA are read
        std::uint32_t read_tag = 0;  ///< of its tile
        std::uint32_t a_even_word = 0, a_odd_word = 0, b_even_word = 0, b_odd_word = 0;
        std::uint32_t ohmma_valid = 0;  ///< an OHMMA is at the buffer
        std::uint32_t ohmma_ready = 0;  ///< the buffer takes it
        std::uint32_t ohmma_tag = 0, ohmma_k = 0, ohmma_row_valid = 0, ohmma_column_valid = 0;
        std::uint32_t front_idle = 0;     ///< no tile and no OHMMA before the buffer
        std::uint32_t preload_ready = 0;  ///< this and the following: only with `run`
        std::uint32_t drain_ready = 0;
        std::uint32_t row_valid = 0;
        std::uint32_t row_word = 0;
        std::array<std::uint32_t, kOhmmaProducts> row_data{};
        std::uint32_t idle = 0;  ///< every OHMMA is added
    };
};

using SpwmmaCoreDevice = ClockedDevice<SpwmmaCorePins::Inputs, SpwmmaCorePins::Outputs>;

/// The blocks of a sparse tensor core, each model or RTL, joined as rtl/spwmma_core joins them. The
/// bitmap unit converts the bitmaps of a tile to OHMMAs; the operand fetch reads the values at
/// their offsets, which come a cycle later; the array multiplies them; a result register offers the
/// products with their rows and columns to the accumulation buffer, whose clock stops when no OHMMA
/// is there and nobody asks it to run.
class JoinedSpwmmaCore final : public SpwmmaCoreDevice {
public:
    JoinedSpwmmaCore(std::shared_ptr<BitmapDevice> bitmap, std::shared_ptr<FeopArrayDevice> array,
                     std::shared_ptr<AccumulationDevice> buffer);

    void at(Cycle now) override;
    /// Throws CheckError if the array gives products of no OHMMA.
    Outputs step(const Inputs& in) override;
    /// Takes over the state between the blocks of another core.
    void copy_registers(const JoinedSpwmmaCore& other) { state_ = other.state_; }
    [[nodiscard]] std::uint64_t rtl_cycles() const override {
        return bitmap_->rtl_cycles() + array_->rtl_cycles() + buffer_->rtl_cycles();
    }

private:
    /// Destination of the products of an OHMMA.
    struct Lanes {
        std::uint32_t number = 0;  ///< of the OHMMA
        std::uint32_t tag = 0, k = 0;
        std::array<std::uint32_t, kOhmmaRows> row{};
        std::array<std::uint32_t, kOhmmaColumns> column{};
        std::uint32_t row_valid = 0, column_valid = 0;
    };

    /// State between the blocks.
    struct Registers {
        std::deque<std::uint32_t> tags;  ///< of tiles whose OHMMAs are not all made
        std::uint32_t made_tag = 0;      ///< of the OHMMA at the bitmap unit's output
        std::uint32_t made = 0;          ///< OHMMAs that left the bitmap unit
        bool fetched = false;            ///< the values of an OHMMA are on the pins
        std::uint32_t a_place = 0;       ///< of its first value in the even and the odd word
        std::uint32_t b_place = 0;
        std::deque<Lanes> lanes;             ///< of the OHMMAs before the result register
        AccumulationBuffer::Inputs results;  ///< the result register, offered to the buffer
        Lanes result_lanes;
    };

    void step_buffer(const Inputs& in, Outputs& out);
    void step_array(const Inputs& in);
    void step_bitmap(const Inputs& in, Outputs& out);
    void read(const BitmapUnit::Ohmma& ohmma, Outputs& out);
    void take_tag(const Inputs& in, const BitmapUnit::Outputs& bitmap);

    const std::shared_ptr<BitmapDevice> bitmap_;
    const std::shared_ptr<FeopArrayDevice> array_;
    const std::shared_ptr<AccumulationDevice> buffer_;
    Registers state_;
};

/// A sparse tensor core of models alone. A copy has models of its own.
class SpwmmaCore {
public:
    SpwmmaCore() = default;
    SpwmmaCore(const SpwmmaCore& other) : SpwmmaCore() { *this = other; }
    SpwmmaCore& operator=(const SpwmmaCore& other);
    ~SpwmmaCore() = default;

    SpwmmaCorePins::Outputs step(const SpwmmaCorePins::Inputs& in) { return core_.step(in); }
    void reset() { *this = SpwmmaCore(); }

private:
    const std::shared_ptr<BitmapModel> bitmap_ = std::make_shared<BitmapModel>();
    const std::shared_ptr<FeopArrayModel> array_ = std::make_shared<FeopArrayModel>();
    const std::shared_ptr<AccumulationModel> buffer_ = std::make_shared<AccumulationModel>();
    JoinedSpwmmaCore core_{bitmap_, array_, buffer_};
};

}  // namespace tessera
