#include "sc_models/trace/trace_instruction.h"

#include <algorithm>

#include "sc_models/trace/intern_table.h"

namespace tessera {

std::uint64_t StaticInstruction::hash() const {
    std::uint64_t h = mix_hash(0, reinterpret_cast<std::uintptr_t>(mnemonic));
    h = mix_hash(h, static_cast<std::uint64_t>(immediate));
    h = mix_hash(h, std::uint64_t{pc} << 32 | source_line);
    h = mix_hash(h, std::uint64_t{memory_width} << 24 | std::uint64_t{destinations} << 16 |
                        std::uint64_t{sources} << 8 | destination);
    for (const std::uint8_t s : source) h = h * 31 + s;
    h = h * 31 + static_cast<std::uint8_t>(destination_kind);
    for (const RegisterKind kind : source_kind) h = h * 31 + static_cast<std::uint8_t>(kind);
    return h;
}

LanePattern LanePattern::make(std::uint32_t mask, std::uint32_t access_bytes,
                              const LaneAddresses& addresses) {
    LanePattern pattern;
    pattern.mask = mask;
    pattern.access_bytes = access_bytes;
    const Address base = addresses[first_lane(mask)];
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    for (std::uint32_t lane = 0; lane < kThreadsPerWarp; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        const auto offset = static_cast<std::int64_t>(addresses[lane] - base);
        pattern.offsets[lane] = offset;
        lowest = std::min(lowest, offset);
        highest = std::max(highest, offset);
    }
    pattern.lowest_base = Address{0} - static_cast<Address>(lowest);
    pattern.highest_base = kTraceAddressLimit - static_cast<Address>(highest) - access_bytes;
    return pattern;
}

std::uint64_t LanePattern::hash() const {
    std::uint64_t h = mix_hash(mask, access_bytes);
    for (const std::int64_t offset : offsets) {
        h = (h ^ static_cast<std::uint64_t>(offset)) * 0x9fb21c651e98df25ULL;
        h ^= h >> 29;
    }
    return h;
}

void TraceInstruction::lane_addresses(LaneAddresses& out) const {
    if (lanes == nullptr) {
        out.fill(0);
        return;
    }
    for (std::uint32_t lane = 0; lane < kThreadsPerWarp; ++lane) {
        const Address address = base + static_cast<Address>(lanes->offsets[lane]);
        out[lane] = (lanes->mask >> lane & 1) != 0 ? address : 0;
    }
}

}  // namespace tessera
