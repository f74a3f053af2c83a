#include "testbenches/ldst_unit/ldst_stimulus.h"

#include <cstring>

namespace tessera::testbench {

using Kind = WarpOperationKind;

namespace {

constexpr std::uint32_t kAddends = 40;  ///< registers that hold whole numbers at all times

void draw_shape(Session& session, WarpOperation& o) {
    const auto below = [&session](std::uint64_t end) {
        return static_cast<std::uint32_t>(session.below(end));
    };
    if (o.is_fragment()) {
        o.rows = kFragmentRows;
        o.row_bytes = kFragmentRowBytes;
        o.pitch_bytes = kFragmentRowBytes << below(6);
        o.address = kData + kFragmentRowBytes * below(512);
    } else if (o.is_atomic()) {
        o.reg = kAddends;
        o.rows = 1 + below(4);
        o.row_bytes = 4 + 4 * below(16);
        o.pitch_bytes = 4 * below(32);
        o.address = kSums + 4 * below(128);
    } else if (o.kind == Kind::kSharedLanes) {
        o.rows = 1 + below(kWarpLanes);
        o.row_bytes = 4U << below(3);
        o.pitch_bytes = below(3) == 0 ? 0 : 4 * below(40);
        o.address = 4 * below(256);
    } else if (o.is_shared()) {
        o.rows = 1 + below(8);
        o.row_bytes = 4 + 4 * below(16);
        o.pitch_bytes = o.row_bytes + 4 * below(64);
        o.address = 4 * below(1024);
    } else if (o.has_lanes()) {
        o.rows = 1 + below(kWarpLanes);
        o.row_bytes = 1U << below(5);
        o.pitch_bytes = below(4) == 0 ? 0 : o.row_bytes + below(2) * below(128);
        o.address = kData + below(0x4000);
    } else {
        o.rows = 1 + below(8);
        o.row_bytes = 1 + below(64);
        o.pitch_bytes = below(4) == 0 ? o.row_bytes : below(512);
        o.address = kData + below(0x4000);
    }
}

}  // namespace

std::vector<WarpOperation> directed_operations(const Config& config) {
    const std::uint32_t line = config.l1.line_bytes;
    const std::uint32_t round = config.l1.banks * config.l1.bank_interleave_bytes;
    return {
        {0, 0, 0, Kind::kFragmentA, kData, 16, 32, 32},
        {0, 0, 0, Kind::kFragmentB, kData, 16, 32, round},  // all rows of one bank, without a hash
        {0, 0, 1, Kind::kLoad, kData, 1, 512, 512},
        {0, 0, 1, Kind::kLoad, kData + 7, 1, 1, 1},
        {0, 0, 1, Kind::kLoad, kData + line - 8, 4, 16, line},
        {0, 0, 1, Kind::kStore, kData + line - 8, 2, 16, line},
        {0, 0, 1, Kind::kLoad, kData + line - 8, 2, 16, line, 8},
        {0, 0, 2, Kind::kLanes, kData, 32, 4, 4},
        {0, 0, 2, Kind::kLanes, kData, 32, 4, 0},
        {0, 0, 2, Kind::kLanes, kData + 2, 32, 4, 33},
        {0, 0, 2, Kind::kLoadLanes, kData, 32, 4, line},
        {0, 0, 2, Kind::kStoreLanes, kData, 32, 4, 8},
        {0, 0, 3, Kind::kAdd, kSums, 2, 64, 64, kAddends},
        {0, 0, 3, Kind::kFetchAdd, kSums, 2, 64, 64, kAddends},
        {0, 0, 3, Kind::kStoreShared, 0, 4, 128, 128, 8},
        {0, 0, 3, Kind::kLoadShared, 0, 32, 4, 128},  // all words of one bank
        {0, 0, 3, Kind::kSharedLanes, 0, 32, 4, 4},
        {0, 0, 3, Kind::kSharedLanes, 0, 32, 4, 128},
        {0, 0, 3, Kind::kSharedLanes, 0, 32, 16, 16},
        {0, 0, 3, Kind::kSharedLanes, 0, 32, 4, 0}};
}

std::vector<WarpOperation> burst_of_fragments(const Config& config) {
    std::vector<WarpOperation> burst;
    for (std::uint32_t round = 0; round < 6; ++round) {
        for (std::uint32_t sub_core = 0; sub_core < config.sm.sub_cores; ++sub_core) {
            const std::uint32_t warp = (round / 2 + sub_core) % kDrawnWarps;
            burst.push_back({0, sub_core, warp, Kind::kFragmentB, kData + burst.size() * 512, 16,
                             32, 32, 8 * (round % 4)});
        }
    }
    return burst;
}

WarpOperation draw_operation(Session& session) {
    WarpOperation operation;
    operation.kind = static_cast<Kind>(session.below(kWarpOperationKinds));
    operation.sub_core = static_cast<std::uint32_t>(session.below(session.config().sm.sub_cores));
    operation.warp = static_cast<std::uint32_t>(session.below(kDrawnWarps));
    operation.reg = static_cast<std::uint32_t>(8 * session.below(5));
    draw_shape(session, operation);
    return operation;
}

void draw_contents(Session& session, const SubCoreDrivers& drivers, NaiveLdst& naive,
                   const LdstSurroundings& around) {
    const auto fill = [&session](std::vector<unsigned char>& bytes) {
        for (std::size_t i = 0; i < bytes.size(); i += sizeof(float)) {
            const auto word = static_cast<float>(session.below(64));
            std::memcpy(&bytes[i], &word, sizeof word);
        }
    };
    for (std::uint32_t sub_core = 0; sub_core < session.config().sm.sub_cores; ++sub_core) {
        for (std::uint32_t warp = 0; warp < kWarpsPerSubCore; ++warp) {
            std::vector<unsigned char>& bytes = naive.registers(sub_core, warp);
            fill(bytes);
            std::memcpy(around.registers.at(drivers.warp_of(sub_core, warp), 0), bytes.data(),
                        bytes.size());
        }
    }
    const auto fill_memory = [&](Address address, std::uint32_t count) {
        std::vector<unsigned char> bytes(count);
        fill(bytes);
        naive.memory().write(address, bytes);
        around.memory.image.write(address, bytes.data(), bytes.size());
    };
    fill_memory(kData, kDataBytes);
    fill_memory(kSums, kSumBytes);
}

}  // namespace tessera::testbench
