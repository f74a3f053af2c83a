#include "sc_models/cosim/spwmma_pins.h"

namespace tessera {
namespace {

void compare_front(const SpwmmaCorePins::Outputs& expected, const SpwmmaCorePins::Outputs& got,
                   Scoreboard& scoreboard) {
    scoreboard.expect("tile_ready", expected.tile_ready, got.tile_ready);
    scoreboard.expect("tile_done", expected.tile_done, got.tile_done);
    scoreboard.expect("front_idle", expected.front_idle, got.front_idle);
    scoreboard.expect("summary_valid", expected.summary_valid, got.summary_valid);
    if (expected.summary_valid != 0) {
        compare_summary(expected.summary, got.summary, scoreboard);
    }
    scoreboard.expect("read", expected.read, got.read);
    if (expected.read == 0) return;
    scoreboard.note("values of an OHMMA of tile {} read", expected.read_tag);
    scoreboard.expect("read_tag", expected.read_tag, got.read_tag);
    scoreboard.expect("a_even_word", expected.a_even_word, got.a_even_word);
    scoreboard.expect("a_odd_word", expected.a_odd_word, got.a_odd_word);
    scoreboard.expect("b_even_word", expected.b_even_word, got.b_even_word);
    scoreboard.expect("b_odd_word", expected.b_odd_word, got.b_odd_word);
}

void compare_buffer(const SpwmmaCorePins::Outputs& expected, const SpwmmaCorePins::Outputs& got,
                    Scoreboard& scoreboard) {
    scoreboard.expect("ohmma_valid", expected.ohmma_valid, got.ohmma_valid);
    scoreboard.expect("ohmma_ready", expected.ohmma_ready, got.ohmma_ready);
    if (expected.ohmma_valid != 0) {
        scoreboard.expect("ohmma_tag", expected.ohmma_tag, got.ohmma_tag);
        scoreboard.expect("ohmma_k", expected.ohmma_k, got.ohmma_k);
        scoreboard.expect("ohmma_row_valid", expected.ohmma_row_valid, got.ohmma_row_valid);
        scoreboard.expect("ohmma_column_valid", expected.ohmma_column_valid,
                          got.ohmma_column_valid);
    }
    scoreboard.expect("preload_ready", expected.preload_ready, got.preload_ready);
    scoreboard.expect("drain_ready", expected.drain_ready, got.drain_ready);
    scoreboard.expect("idle", expected.idle, got.idle);
    scoreboard.expect("row_valid", expected.row_valid, got.row_valid);
    if (expected.row_valid == 0) return;
    scoreboard.expect("row_word", expected.row_word, got.row_word);
    compare_words("row_data", expected.row_data, got.row_data, scoreboard);
}

}  // namespace

void compare_summary(const BitmapUnit::Summary& expected, const BitmapUnit::Summary& got,
                     Scoreboard& scoreboard) {
    compare_words("a_count", expected.a_count, got.a_count, scoreboard);
    compare_words("b_count", expected.b_count, got.b_count, scoreboard);
    compare_words("a_offset", expected.a_offset, got.a_offset, scoreboard);
    compare_words("b_offset", expected.b_offset, got.b_offset, scoreboard);
    compare_words("row_groups", expected.row_groups, got.row_groups, scoreboard);
    compare_words("column_groups", expected.column_groups, got.column_groups, scoreboard);
    compare_words("predicates", expected.predicates, got.predicates, scoreboard);
}

void compare_pins(const SpwmmaCorePins::Outputs& expected, const SpwmmaCorePins::Outputs& got,
                  Scoreboard& scoreboard) {
    compare_front(expected, got, scoreboard);
    compare_buffer(expected, got, scoreboard);
}

}  // namespace tessera
