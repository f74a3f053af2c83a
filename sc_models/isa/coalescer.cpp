#include "sc_models/isa/coalescer.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tessera {

namespace {

constexpr std::uint32_t kBankBytes = 4;
constexpr std::int64_t kWordBytes = 4;

void make_ascending(std::vector<Address>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// Numbers of the aligned blocks of `bytes` that lanes [first, end) touch, ascending, each once.
std::vector<Address> blocks_of(const LaneOffsets& lanes, Address base, std::uint32_t bytes,
                               std::uint32_t first, std::uint32_t end) {
    std::vector<Address> blocks;
    for (std::uint32_t lane = first; lane < end; ++lane) {
        if ((lanes.mask >> lane & 1U) == 0) continue;
        const Address begin = base + static_cast<Address>(lanes.offset[lane]);
        const Address last = (begin + lanes.access_bytes - 1) / bytes;
        for (Address block = begin / bytes; block <= last; ++block) blocks.push_back(block);
    }
    make_ascending(blocks);
    return blocks;
}

/// Appends the sector numbers of the local-memory words that a lane touches.
void add_local_sectors(std::int64_t begin, std::int64_t end, std::uint32_t lane,
                       const LocalLayout& layout, Address sector_bytes,
                       std::vector<Address>& sectors) {
    const auto word_of = [](std::int64_t byte) {  // rounds down, also below the base
        return byte >= 0 ? byte / kWordBytes : -((kWordBytes - 1 - byte) / kWordBytes);
    };
    for (std::int64_t word = word_of(begin); word <= word_of(end - 1); ++word) {
        const Address row = layout.first_word + static_cast<Address>(word) * layout.row_bytes;
        sectors.push_back((row + lane * Address{kWordBytes}) / sector_bytes);
    }
}

/// Ascending sectors as pieces relative to `base`.
LaneAccess access_of(const std::vector<Address>& sectors, Address base,
                     const AccessGranularity& granularity) {
    const Address sector_bytes = granularity.sector_bytes;
    const Address sectors_of_line = granularity.line_bytes / sector_bytes;
    LaneAccess access;
    Address last = ~Address{0};
    for (const Address sector : sectors) {
        const bool joins = sector == last + 1 && sector % sectors_of_line != 0;
        if (joins && !access.pieces.empty()) {
            access.pieces.back().bytes += granularity.sector_bytes;
        } else {
            access.pieces.push_back({static_cast<std::int64_t>(sector * sector_bytes - base),
                                     granularity.sector_bytes});
        }
        access.bytes += granularity.sector_bytes;
        last = sector;
    }
    return access;
}

std::uint32_t touched_bytes(const LaneOffsets& lanes) {
    return static_cast<std::uint32_t>(__builtin_popcount(lanes.mask)) * lanes.access_bytes;
}

}  // namespace

std::uint32_t AccessGranularity::alignment_bytes() const {
    return std::lcm(line_bytes, shared_memory_banks * kBankBytes);
}

LaneAccess coalesce_global(const LaneOffsets& lanes, Address base,
                           const AccessGranularity& granularity) {
    return access_of(blocks_of(lanes, base, granularity.sector_bytes, 0, kWarpLanes), base,
                     granularity);
}

LaneAccess coalesce_local(const LaneOffsets& lanes, Address base, const LocalLayout& layout,
                          const AccessGranularity& granularity) {
    const auto in_word = static_cast<std::int64_t>(base % kWordBytes);
    std::vector<Address> sectors;
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
        if ((lanes.mask >> lane & 1U) == 0) continue;
        const std::int64_t begin = in_word + lanes.offset[lane];
        add_local_sectors(begin, begin + lanes.access_bytes, lane, layout, granularity.sector_bytes,
                          sectors);
    }
    make_ascending(sectors);
    return access_of(sectors, layout.first_word, granularity);
}

LaneAccess coalesce_shared(const LaneOffsets& lanes, Address base,
                           const AccessGranularity& granularity) {
    const std::uint32_t banks = granularity.shared_memory_banks;
    const std::uint32_t at_once =
        std::clamp(banks * kBankBytes / std::max(lanes.access_bytes, kBankBytes), 1U, kWarpLanes);
    LaneAccess access;
    access.bytes = touched_bytes(lanes);
    for (std::uint32_t first = 0; first < kWarpLanes; first += at_once) {
        std::vector<std::uint32_t> words(banks);
        std::uint32_t most = 0;
        const std::uint32_t end = std::min(first + at_once, kWarpLanes);
        for (const Address word : blocks_of(lanes, base, kBankBytes, first, end)) {
            most = std::max(most, ++words[word % banks]);
        }
        access.wavefronts += most;
    }
    return access;
}

}  // namespace tessera
