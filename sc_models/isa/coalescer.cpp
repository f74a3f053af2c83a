#include "sc_models/isa/coalescer.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tessera {

namespace {

constexpr std::uint32_t kBankBytes = 4;

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
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    return blocks;
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
    const Address sector_bytes = granularity.sector_bytes;
    const Address sectors_of_line = granularity.line_bytes / sector_bytes;
    LaneAccess access;
    Address last = ~Address{0};
    for (const Address sector : blocks_of(lanes, base, granularity.sector_bytes, 0, kWarpLanes)) {
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
