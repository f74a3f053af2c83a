#include "testbenches/precompute_table/figure3.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <list>
#include <optional>
#include <systemc>

#include "sc_models/opportunistic/precompute_table_module.h"
#include "sc_models/opportunistic/predictor.h"
#include "sc_models/workload/direct/lane_layout.h"
#include "testbenches/precompute_table/table_waves.h"

namespace tessera::testbench {
namespace {

// Stated in section III-A: a block holds 32 words, a row of the input 256, and rows begin at
// 0x00000, 0x01000, 0x02000.
constexpr std::uint32_t kBlockWords = 32, kRowWords = 256;
constexpr Address kRowBytes = 0x1000;
constexpr std::uint32_t kWindow = 3;
// Not stated: where the weights are, and the blocks of the cache.
constexpr Address kWeights = 0x80000;
constexpr std::size_t kCacheBlocks = 6;

using Vector = std::array<float, kWindow>;

/// Words of the input. The text states the first three of rows 1 and 2; the others are arbitrary.
float input_word(std::uint32_t row, std::uint32_t column) {
    constexpr std::array<Vector, 2> kStated = {Vector{3, 0, 1}, Vector{2, 4, 2}};
    if ((row == 1 || row == 2) && column < kWindow) return kStated[row - 1][column];
    return static_cast<float>((row * 2 + column * 3) % 5);
}

/// Rows of the weight window. The text states the first two; the third is arbitrary.
constexpr std::array<Vector, kWindow> kFilter = {Vector{-1, 0, 1}, Vector{2, -2, 0},
                                                 Vector{1, 1, -1}};

std::string text(const Vector& v) {
    return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]);
}

/// Blocks of the input in the L1, the most recently used one first.
class ToyCache {
public:
    /// Reads a block; returns whether it hit. A miss fills the block.
    bool read(Address block) {
        const auto found = std::find(blocks_.begin(), blocks_.end(), block);
        const bool hit = found != blocks_.end();
        if (hit) blocks_.erase(found);
        blocks_.push_front(block);
        if (blocks_.size() > kCacheBlocks) blocks_.pop_back();
        return hit;
    }
    [[nodiscard]] std::string contents() const {
        std::vector<Address> sorted(blocks_.begin(), blocks_.end());
        std::sort(sorted.begin(), sorted.end());
        std::string words;
        for (const Address block : sorted) words += fmt::format(" {:#07x}", block);
        return words;
    }

private:
    std::list<Address> blocks_;
};

class Figure3 {
public:
    explicit Figure3(Session& session)
        : session_(session),
          config_(config(session)),
          module_("table", config_),
          table_(module_.table()),
          waves_(session.observers().wave) {
        if (session.observers().wave != nullptr) {
            module_.watch(*session.observers().wave, "precompute_table");
        }
    }

    void play();

private:
    struct Counted {
        std::uint32_t hits = 0, misses = 0, predicted = 0;
        float sum = 0;
    };
    [[nodiscard]] static OpportunisticConfig config(const Session& session) {
        OpportunisticConfig config = session.config().opportunistic;
        config.scheme = OpportunisticScheme::kIntra;
        return config;
    }
    [[nodiscard]] static VectorOperation operation(std::uint32_t top, std::uint32_t column,
                                                   std::uint32_t row) {
        VectorOperation o;
        o.input = (top + row) * kRowBytes + Address{column} * sizeof(float);
        o.weights = kWeights + Address{row} * kWindow * sizeof(float);
        o.length = kWindow;
        o.window_row = row;
        o.windows_below = kWindow - 1;
        o.weight_row_bytes = kWindow * sizeof(float);
        return o;
    }
    [[nodiscard]] static PrecomputeKey key(const VectorOperation& o) {
        return {o.input, o.weights, 0};
    }
    [[nodiscard]] static Vector inputs(const VectorOperation& o) {
        Vector v{};
        const auto row = static_cast<std::uint32_t>(o.input / kRowBytes);
        const auto column = static_cast<std::uint32_t>(o.input % kRowBytes / sizeof(float));
        for (std::uint32_t i = 0; i < kWindow; ++i) v[i] = input_word(row, column + i);
        return v;
    }
    [[nodiscard]] static Vector weights(const VectorOperation& o) {
        return kFilter[(o.weights - kWeights) / (kWindow * sizeof(float))];
    }
    [[nodiscard]] static float product(const VectorOperation& o) {
        float sum = 0;
        for (std::uint32_t i = 0; i < kWindow; ++i) sum += inputs(o)[i] * weights(o)[i];
        return sum;
    }
    [[nodiscard]] static std::string text_of(const VectorOperation& o) {
        return fmt::format("{} x {}", text(inputs(o)), text(weights(o)));
    }

    void say(const std::string& line) { session_.print(line + "\n"); }
    void check(const char* what, std::uint64_t paper, std::uint64_t got) {
        const bool equal = session_.scoreboard.expect_count(what, paper, got);
        say(fmt::format("  {} {}: the paper's {}, here {}", equal ? "ok  " : "NO  ", what, paper,
                        got));
    }
    void begin_step(std::uint32_t number, const std::string& what) {
        session_.scoreboard.begin_cycle(now());
        waves_.set(TableWaves::kStep, now(), number);
        say(fmt::format("\nStep {}: {}", number, what));
    }
    [[nodiscard]] Cycle now() const { return session_.clock.now(); }
    void advance() { sc_core::sc_start(session_.clock.span(1)); }
    void show_levels(std::uint32_t misses);
    void read_row(const VectorOperation& o, ToyCache& cache, Counted& counted);
    Counted compute_window(std::uint32_t top, std::uint32_t column, ToyCache& cache,
                           bool with_table);
    void predict(std::uint32_t top, std::uint32_t column);
    void run_assistant_warps();
    void show_table();
    void slide_to_the_end();

    Session& session_;
    const OpportunisticConfig config_;
    PrecomputeTableModule module_;
    PrecomputeTable& table_;
    TableWaves waves_;
    ToyCache cache_;
    std::vector<VectorOperation> predicted_;  ///< in order of prediction
};

/// Records table and cache in the waveform, and ends the cycle.
void Figure3::show_levels(std::uint32_t misses) {
    std::uint64_t complete = 0;
    for (const VectorOperation& o : predicted_) {
        const auto entry = table_.find(key(o));
        if (entry != PrecomputeTable::kNone && table_.complete(entry)) ++complete;
    }
    if (session_.observers().wave != nullptr) module_.trace(now());
    waves_.set(TableWaves::kComplete, now(), complete);
    waves_.set(TableWaves::kMisses, now(), misses);
    advance();
}

void Figure3::read_row(const VectorOperation& o, ToyCache& cache, Counted& counted) {
    const Address block = o.input / (kBlockWords * sizeof(float)) * (kBlockWords * sizeof(float));
    ++(cache.read(block) ? counted.hits : counted.misses);
    counted.sum += product(o);
}

/// Computes a window: each of its rows from the table if `with_table`, otherwise from the cache.
Figure3::Counted Figure3::compute_window(std::uint32_t top, std::uint32_t column, ToyCache& cache,
                                         bool with_table) {
    Counted counted;
    for (std::uint32_t row = 0; row < kWindow; ++row) {
        const VectorOperation o = operation(top, column, row);
        const auto entry = with_table ? table_.find(key(o)) : PrecomputeTable::kNone;
        if (with_table) waves_.pulse(TableWaves::kLookup, now());
        if (entry == PrecomputeTable::kNone) {
            read_row(o, cache, counted);
        } else if (table_.complete(entry)) {
            counted.sum += *table_.results(entry);
            ++counted.predicted;
            say(fmt::format("  the table has {} = {}", text_of(o), *table_.results(entry)));
            waves_.pulse(TableWaves::kHit, now());
            table_.use(entry);
        } else {
            waves_.pulse(TableWaves::kTooLate, now());
            table_.use(entry);
            read_row(o, cache, counted);
        }
        show_levels(counted.misses);
    }
    return counted;
}

/// Enters the predictions of a window (Algorithm 1).
void Figure3::predict(std::uint32_t top, std::uint32_t column) {
    for (std::uint32_t row = 0; row < kWindow; ++row) {
        predict_operations(operation(top, column, row), [&](const VectorOperation& later) {
            say(fmt::format("  predicted, for a window {} lower: {}",
                            row - later.window_row == 1 ? "one row" : "two rows", text_of(later)));
            if (table_.insert_if_absent(key(later), later) == PrecomputeTable::kNone) return;
            predicted_.push_back(later);
            waves_.pulse(TableWaves::kPredict, now());
            show_levels(0);
        });
    }
}

/// Computes all predictions that wait, one assistant warp after the other.
void Figure3::run_assistant_warps() {
    for (auto entry = table_.first_pending(); entry != PrecomputeTable::kNone;
         entry = table_.first_pending()) {
        const VectorOperation o = table_.operation(entry);
        table_.start(entry);
        waves_.pulse(TableWaves::kStart, now());
        advance();
        std::array<float, LaneLayout::kMaxLanes> results{};
        results[0] = product(o);
        table_.finish(entry, table_.generation(entry), results.data());
        waves_.pulse(TableWaves::kFinish, now());
        say(fmt::format("  assistant warp: {} = {}", text_of(o), results[0]));
        show_levels(0);
    }
}

void Figure3::show_table() {
    say("  precompute table:");
    for (const VectorOperation& o : predicted_) {
        const auto entry = table_.find(key(o));
        if (entry == PrecomputeTable::kNone) continue;
        const bool complete = table_.complete(entry);
        say(fmt::format("    input {:#07x}, weights {:#07x}: {:<22} complete {}{}", o.input,
                        o.weights, text_of(o), complete ? 1 : 0,
                        complete ? fmt::format(", result {}", *table_.results(entry)) : ""));
    }
    if (table_.size() == 0) say("    empty");
}

/// Moves the window from column 2 to the end of its rows.
void Figure3::slide_to_the_end() {
    for (std::uint32_t column = 2; column + kWindow <= kRowWords; ++column) {
        Counted counted;
        for (std::uint32_t row = 0; row < kWindow; ++row) {
            read_row(operation(0, column, row), cache_, counted);
        }
    }
    advance();
}

void Figure3::play() {
    say("Opportunistic computing, section III-A, Figure 3: an example of intra-SM opportunistic "
        "computing.\nA 3x3 window moves over rows of 256 words; a cache block holds 32 words. The "
        "text states\nthe vectors [3, 0, 1], [2, 4, 2], [-1, 0, 1] and [2, -2, 0]; the other "
        "values, and a cache of\n6 blocks, are this program's.");
    for (std::uint32_t row = 0; row < kWindow; ++row) cache_.read(row * kRowBytes);

    begin_step(1, "the window is at the left end of rows 0 to 2");
    const Counted first = compute_window(0, 0, cache_, true);
    say(fmt::format("  L1 blocks:{}; result {}", cache_.contents(), first.sum));
    check("cache accesses that hit", 3, first.hits);
    predict(0, 0);
    check("predicted computations", 3, table_.counts().inserted);
    show_table();

    begin_step(4, "right after step 1, assistant warps compute the predictions");
    run_assistant_warps();
    check("predictions computed", 3, table_.counts().completed);
    show_table();

    begin_step(2, "the window moves to the right by one");
    const Counted second = compute_window(0, 1, cache_, true);
    say(fmt::format("  L1 blocks:{}; result {}", cache_.contents(), second.sum));
    check("cache accesses that hit", 3, second.hits);
    show_table();
    slide_to_the_end();
    say(fmt::format("\nThe window moves on to the right end (not in the figure).\n  L1 blocks:{}",
                    cache_.contents()));

    begin_step(3, "the window restarts one row lower, without a precompute table (baseline)");
    ToyCache baseline = cache_;
    const Counted third = compute_window(1, 0, baseline, false);
    say(fmt::format("  result {}", third.sum));
    check("cache accesses that miss", 3, third.misses);

    begin_step(5, "the same window with the precompute table");
    const Counted fifth = compute_window(1, 0, cache_, true);
    say(fmt::format("  result {}", fifth.sum));
    check("results from the table", 2, fifth.predicted);
    check("cache accesses that miss", 1, fifth.misses);
    session_.scoreboard.expect("result of step 5 equals that of step 3", 1,
                               fifth.sum == third.sum ? 1 : 0);
    show_table();
    say("  The entry that is left serves the window one more row below.");
}

}  // namespace

void play_figure3(Session& session) {
    Figure3(session).play();
}

}  // namespace tessera::testbench
