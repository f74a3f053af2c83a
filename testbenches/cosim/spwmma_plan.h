// Coverage plan of the sparse tensor core's bench.
#pragma once

#include <fmt/format.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/tensor_core/spwmma_core.h"
#include "testbenches/cosim/coverage_plan.h"

namespace tessera {

/// Input pins of the sparse tensor core, in words. Word n of pin X is X_n.
namespace spwmma_pins {

using Inputs = SpwmmaCorePins::Inputs;

inline std::string word_name(std::string_view pin, std::size_t n) {
    return fmt::format("{}_{}", pin, n);
}
/// Calls f(name, width, word) for each word; word(in) is a reference to it.
template <class F>
void for_each_word(F f) {
    const auto single = [&f](const char* name, std::uint32_t width, auto Inputs::*member) {
        f(
            std::string(name), width, [member](Inputs & in) -> auto& { return in.*member; });
    };
    const auto array = [&f](const char* name, std::uint32_t width, auto Inputs::*member) {
        for (std::size_t n = 0; n < (Inputs{}.*member).size(); ++n) {
            f(
                word_name(name, n), width,
                [ member, n ](Inputs & in) -> auto& { return (in.*member)[n]; });
        }
    };
    single("tile_valid_i", 1, &Inputs::tile_valid);
    single("tile_tag_i", SpwmmaCorePins::kTagBits, &Inputs::tile_tag);
    array("a_bitmap_i", 32, &Inputs::a_bitmap);
    array("b_bitmap_i", 32, &Inputs::b_bitmap);
    array("a_even_i", 16, &Inputs::a_even);
    array("a_odd_i", 16, &Inputs::a_odd);
    array("b_even_i", 16, &Inputs::b_even);
    array("b_odd_i", 16, &Inputs::b_odd);
    single("run_i", 1, &Inputs::run);
    single("preload_valid_i", 1, &Inputs::preload_valid);
    single("preload_word_i", 3, &Inputs::preload_word);
    array("preload_data_i", 32, &Inputs::preload_data);
    single("drain_valid_i", 1, &Inputs::drain_valid);
    single("drain_clear_i", 1, &Inputs::drain_clear);
    single("row_ready_i", 1, &Inputs::row_ready);
}
/// Returns all words with their widths.
inline std::vector<std::pair<std::string, std::uint32_t>> all() {
    std::vector<std::pair<std::string, std::uint32_t>> words;
    for_each_word([&words](const std::string& name, std::uint32_t width, auto /*word*/) {
        words.emplace_back(name, width);
    });
    return words;
}

}  // namespace spwmma_pins

/// Situations and pins that the bench must reach. It follows the block by its pins alone.
class SpwmmaPlan : public CoveragePlan {
public:
    using Inputs = SpwmmaCorePins::Inputs;
    using Outputs = SpwmmaCorePins::Outputs;

    const Bin empty = add("tile without an OHMMA"),
              empty_behind = add("tile without an OHMMA behind another"),
              empty_between = add("tile without an OHMMA between two others"),
              only_first = add("tile whose only OHMMA is in k set 0"),
              only_last = add("tile whose only OHMMA is in k set 15"),
              whole = add("tile of all 128 OHMMAs"), tile_waits = add("tile waits"),
              tile_behind = add("tiles in two cycles running"),
              tile_at_end = add("tile in the last cycle of the tile before it"),
              tag_wraps = add("tag 0 behind the last tag"),
              tile_beside_row = add("tile beside a row"),
              tile_beside_drain = add("tile beside a drain"),
              tile_beside_preload = add("tile beside a preload");
    const Bin a_ends = add("word of A behind the last one is the first"),
              b_ends = add("word of B behind the last one is the first"),
              a_one_word = add("group of A in one word"),
              a_two_words = add("group of A in two words"),
              b_one_word = add("group of B in one word"),
              b_two_words = add("group of B in two words"),
              values_wait = add("values wait for the array"),
              read_beside_refusal = add("read beside an OHMMA that is refused");
    const Bin streak = add("OHMMAs in eight cycles running"),
              tile_change = add("OHMMA of the next tile without a gap"),
              bubble = add("gap of one cycle between OHMMAs"), refused = add("OHMMA is refused"),
              refused_again = add("OHMMA is refused in two cycles running"),
              refused_by_drain = add("OHMMA waits for a drain"),
              one_product = add("OHMMA of one product"),
              all_products = add("OHMMA of 128 products"),
              in_array = add("OHMMAs in the array and nowhere else"),
              adds_behind = add("sums are added behind the last OHMMA");
    const Bin stands = add("the buffer's clock stands"),
              stands_behind_ohmma = add("the buffer's clock stands behind an OHMMA"),
              stands_in_drain = add("the buffer's clock stands in a drain"),
              started_by_ohmma = add("an OHMMA starts the buffer's clock"),
              started_by_run = add("run starts the buffer's clock"),
              ohmma_without_run = add("OHMMA without run"),
              preload_without_run = add("preload without run"),
              drain_without_run = add("drain without run");
    const Bin preload_waits = add("preload waits for sums"),
              preload_beside_row = add("preload beside a row"),
              preload_beside_ohmma = add("preload beside an OHMMA"),
              preload_beside_drain = add("preload beside a drain"),
              drain_beside_ohmma = add("drain beside an OHMMA"),
              drain_beside_row = add("drain beside a row"), clears = add("drain clears the sums"),
              keeps = add("drain keeps the sums"), drain_behind = add("drain behind a drain"),
              ohmma_behind_drain = add("OHMMA behind the last row"), row_waits = add("row waits"),
              row_without_run = add("row waits while the buffer's clock runs without run");
    const Bin reset_tile = add("reset with a tile that waits"),
              reset_front = add("reset with OHMMAs before the buffer"),
              reset_read = add("reset behind a read"),
              reset_sums = add("reset behind an OHMMA that was taken"),
              reset_drain = add("reset in a drain"),
              reset_stands = add("reset while the buffer's clock stands");

    explicit SpwmmaPlan(std::uint32_t tag_bits);
    /// Notes a clock cycle. Outputs are those of the model.
    void cycle(const Inputs& in, const Outputs& out);
    /// Notes a reset behind the cycle that was noted last.
    void reset();

    /// Whether a drain was accepted before this cycle whose last row was not taken.
    [[nodiscard]] bool draining() const { return draining_; }
    /// Whether the values on the pins stayed there in the last cycle, because nothing moved.
    [[nodiscard]] bool values_waited() const { return values_waited_; }
    /// Whether a tile with this tag is the one behind the last tag.
    [[nodiscard]] bool wraps(std::uint32_t tag) const {
        return tag == 0 && last_tag_ == (1U << tag_bits_) - 1;
    }
    /// Returns the number of OHMMAs of a tile in each k set.
    [[nodiscard]] static std::array<std::uint32_t, kTileDepth> ohmmas_of(const Inputs& in);

private:
    /// Where an OHMMA's values are in the words that are read for it.
    struct Place {
        std::uint32_t a = 0, b = 0;              ///< of the first value
        std::uint32_t a_count = 0, b_count = 0;  ///< values
    };
    template <std::size_t kCount>
    using Words = std::array<Pin, kCount>;

    static constexpr std::uint32_t kValuesA = SpwmmaCorePins::kValuesA,
                                   kValuesB = SpwmmaCorePins::kValuesB;
    static constexpr std::uint32_t kRegisters = 4;  ///< OHMMAs from the read to the buffer

    template <std::size_t kCount>
    Words<kCount> add_words(std::string_view name, std::uint32_t width) {
        Words<kCount> words{};
        for (std::size_t n = 0; n < kCount; ++n) {
            words[n] = add_pin(spwmma_pins::word_name(name, n), width);
        }
        return words;
    }
    template <std::size_t kCount>
    void sample_words(const Words<kCount>& pins, const std::array<std::uint32_t, kCount>& words) {
        for (std::size_t n = 0; n < kCount; ++n) sample(pins[n], words[n]);
    }
    void note_pins(const Inputs& in, const Outputs& out);
    void note_tile(const Inputs& in, const Outputs& out);
    void accept_tile(const Inputs& in);
    void queue_reads(const Inputs& in);
    void note_summary(const BitmapUnit::Summary& summary);
    void note_values(const Inputs& in);
    void note_words(const Outputs& out);
    void note_ohmma(const Inputs& in, const Outputs& out);
    void note_clock(const Inputs& in, const Outputs& out);
    void note_preload(const Inputs& in, const Outputs& out);
    void note_drain(const Inputs& in, const Outputs& out);
    void note_row(const Inputs& in, const Outputs& out);

    const std::uint32_t tag_bits_;

    // Pins.
    const Pin tile_valid_ = add_pin("tile_valid_i", 1), tag_ = add_pin("tile_tag_i", tag_bits_),
              run_ = add_pin("run_i", 1), preload_valid_ = add_pin("preload_valid_i", 1),
              preload_word_ = add_pin("preload_word_i", 3),
              drain_valid_ = add_pin("drain_valid_i", 1), clear_ = add_pin("drain_clear_i", 1),
              row_ready_ = add_pin("row_ready_i", 1);
    const Words<kTileDepth> a_bitmap_ = add_words<kTileDepth>("a_bitmap_i", kTileSize),
                            b_bitmap_ = add_words<kTileDepth>("b_bitmap_i", kTileSize);
    const Words<kValuesA> a_even_ = add_words<kValuesA>("a_even_i", 16),
                          a_odd_ = add_words<kValuesA>("a_odd_i", 16);
    const Words<kValuesB> b_even_ = add_words<kValuesB>("b_even_i", 16),
                          b_odd_ = add_words<kValuesB>("b_odd_i", 16);
    const Words<kOhmmaProducts> preload_data_ = add_words<kOhmmaProducts>("preload_data_i", 32),
                                row_data_ = add_words<kOhmmaProducts>("row_data_o", 32);
    const Words<kTileDepth> a_count_ = add_words<kTileDepth>("a_count_o", 6),
                            b_count_ = add_words<kTileDepth>("b_count_o", 6),
                            row_groups_ = add_words<kTileDepth>("row_groups_o", 3),
                            column_groups_ = add_words<kTileDepth>("column_groups_o", 2),
                            predicates_ = add_words<kTileDepth>("predicates_o", kOhmmasOfKSet);
    Words<kTileDepth> a_offset_{}, b_offset_{};  ///< as wide as their largest values
    // Bit 0 of the masks is always 1, and set bits are next to each other.
    const Pin read_tag_ = add_pin("read_tag_o", tag_bits_),
              a_even_word_ = add_pin("a_even_word_o", 5), a_odd_word_ = add_pin("a_odd_word_o", 5),
              b_even_word_ = add_pin("b_even_word_o", 4), b_odd_word_ = add_pin("b_odd_word_o", 4),
              ohmma_tag_ = add_pin("ohmma_tag_o", tag_bits_), ohmma_k_ = add_pin("ohmma_k_o", 4),
              row_valid_ = add_pin("ohmma_row_valid_o above bit 0", kOhmmaRows - 1),
              column_valid_ = add_pin("ohmma_column_valid_o above bit 0", kOhmmaColumns - 1),
              row_word_ = add_pin("row_word_o", 3);
    std::array<Bin, 2 * kValuesA> a_place_{};  ///< by the place of the first value
    std::array<Bin, 2 * kValuesB> b_place_{};

    // State of the block as its pins show it.
    std::deque<Place> to_read_;  ///< of the OHMMAs that are not read
    bool reads_ = false;         ///< the cycle before was a read, at place_
    Place place_;
    std::uint32_t inside_ = 0;  ///< OHMMAs that were read and not taken
    std::uint32_t tiles_ = 0;   ///< that were accepted and are not done
    bool values_waited_ = false;
    std::uint32_t last_tag_ = 0;
    std::uint32_t empty_tiles_ = 0;  ///< since the last one that had OHMMAs
    bool had_ohmmas_ = false;        ///< there was one since the reset
    bool accepted_ = false, taken_ = false, refused_before_ = false, ran_ = false;
    bool tile_waits_ = false, front_idle_ = true;
    std::uint32_t streak_ = 0;     ///< OHMMAs taken in cycles running
    std::uint32_t gap_ = 0;        ///< cycles since the last OHMMA
    std::uint32_t taken_tag_ = 0;  ///< of the last OHMMA
    bool draining_ = false;
    bool last_row_ = false;      ///< the last row was taken in the last cycle
    bool was_last_row_ = false;  ///< likewise in the cycle before
};

/// Error of the RTL at its inputs, which the bench has to find.
class SpwmmaError {
public:
    using Inputs = SpwmmaCorePins::Inputs;
    using Outputs = SpwmmaCorePins::Outputs;

    /// `wrong`: situation of the plan; empty: none.
    SpwmmaError(const StuckPin& stuck, std::string wrong);

    [[nodiscard]] bool is(std::string_view situation) const { return wrong_ == situation; }
    /// Returns the inputs with the error. `plan` knows the cycles before, `out` the model's outputs
    /// in this one.
    [[nodiscard]] Inputs seen_by_rtl(const Inputs& in, const Outputs& out,
                                     const SpwmmaPlan& plan) const;

private:
    void alter_tile(Inputs& seen, const Outputs& out, const SpwmmaPlan& plan) const;
    void alter_buffer(Inputs& seen, const Outputs& out, const SpwmmaPlan& plan) const;

    std::function<void(Inputs&)> stick_;
    std::string wrong_;
};

}  // namespace tessera
