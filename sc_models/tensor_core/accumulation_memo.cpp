#include "sc_models/tensor_core/accumulation_memo.h"

#include <map>
#include <memory>
#include <random>
#include <tuple>

#include "sc_models/tensor_core/accumulation_rate.h"

namespace tessera {
namespace {

constexpr std::uint32_t kWarmUpSets = 8;
constexpr std::uint32_t kMeasuredSets = 48;
/// Draws per pair: two masks per set, one draw per bit.
constexpr std::uint32_t kDrawsOfPair = (kWarmUpSets + kMeasuredSets) * 2 * kTileSize;

/// Returns 32 bits with `count` of them set, all choices equally likely.
std::uint32_t random_mask(std::mt19937& random, std::uint32_t count) {
    std::uint32_t mask = 0;
    for (std::uint32_t needed = count, left = kTileSize; left > 0; --left) {
        if (random() % left < needed) {
            mask |= 1U << (left - 1);
            --needed;
        }
    }
    return mask;
}

}  // namespace

AccumulationMemo::AccumulationMemo(const AccumulationBufferConfig& config,
                                   std::uint32_t initiation_cycles)
    // Copies values only: a memo outlives the records of their use.
    : config_{config.banks,
              config.map,
              config.collector,
              config.depth_entries,
              config.adder_latency_cycles,
              false},
      initiation_cycles_(initiation_cycles) {
    std::mt19937 random(1);
    for (std::uint32_t pair = 0; pair < kTileSize * kTileSize; pair += kPairsOfSeed) {
        seeds_.push_back(random);
        random.discard(std::uint64_t{kPairsOfSeed} * kDrawsOfPair);
    }
    for (std::uint32_t a = 1; a < kCounts; ++a) {
        for (std::uint32_t b = 1; b < kCounts; ++b) cycles_[a * kCounts + b] = kUnknown;
    }
}

float AccumulationMemo::measure(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t pair = (a - 1) * kTileSize + b - 1;
    std::mt19937 random = seeds_[pair / kPairsOfSeed];
    random.discard(std::uint64_t{pair % kPairsOfSeed} * kDrawsOfPair);
    AccumulationStream stream(config_, initiation_cycles_);
    std::uint64_t begin = 0;
    for (std::uint32_t set = 0; set < kWarmUpSets + kMeasuredSets; ++set) {
        if (set == kWarmUpSets) begin = stream.cycles();
        const std::uint32_t rows = random_mask(random, a);
        stream.k_set(rows, random_mask(random, b));
    }
    return static_cast<float>(stream.cycles() - begin) / static_cast<float>(kMeasuredSets);
}

AccumulationMemo& AccumulationMemo::shared(const AccumulationBufferConfig& config,
                                           std::uint32_t initiation_cycles) {
    using Key = std::tuple<std::uint32_t, AccumulationMap, CollectorKind, std::uint32_t,
                           std::uint32_t, std::uint32_t>;
    static std::map<Key, std::unique_ptr<AccumulationMemo>> memos;
    auto& memo = memos[{config.banks, config.map, config.collector, config.depth_entries,
                        config.adder_latency_cycles, initiation_cycles}];
    if (!memo) memo = std::make_unique<AccumulationMemo>(config, initiation_cycles);
    return *memo;
}

}  // namespace tessera
