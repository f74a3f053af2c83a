#include "testbenches/ldst_unit/warp_operation.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera::testbench {
namespace {

enum : std::size_t {
    kCycle,
    kSubCore,
    kWarp,
    kOperation,
    kAddress,
    kRows,
    kRowBytes,
    kPitchBytes,
    kRegister
};

const std::vector<std::string>& words() {
    static const std::vector<std::string> kWords = {
        "fragment_a",  "fragment_b", "load",      "store",       "lanes",        "load_lanes",
        "store_lanes", "add",        "fetch_add", "load_shared", "store_shared", "shared_lanes"};
    return kWords;
}

constexpr Address kAddressEnd = Address{1} << 40U;

Opcode opcode_of(WarpOperationKind kind) {
    switch (kind) {
        case WarpOperationKind::kFragmentA:
        case WarpOperationKind::kFragmentB:
            return Opcode::kLoadFragment;
        case WarpOperationKind::kStore:
        case WarpOperationKind::kStoreLanes:
            return Opcode::kStoreGlobal;
        case WarpOperationKind::kAdd:
        case WarpOperationKind::kFetchAdd:
            return Opcode::kAtomicGlobal;
        case WarpOperationKind::kLoadShared:
        case WarpOperationKind::kSharedLanes:
            return Opcode::kLoadShared;
        case WarpOperationKind::kStoreShared:
            return Opcode::kStoreShared;
        default:
            return Opcode::kLoadGlobal;
    }
}

/// Refuses rows that the unit does not take.
void check_shape(const Stimulus& file, const StimulusRow& row, const WarpOperation& o) {
    if (o.is_fragment()) {
        if (o.rows != kFragmentRows) file.fail(row, kRows, "expected 16 rows of a fragment");
        if (o.row_bytes != kFragmentRowBytes) {
            file.fail(row, kRowBytes, "expected 32 bytes of a fragment's row");
        }
        if (o.address % kFragmentRowBytes != 0) {
            file.fail(row, kAddress, "expected a multiple of 32 bytes for a fragment");
        }
        if (o.pitch_bytes % kFragmentRowBytes != 0) {
            file.fail(row, kPitchBytes, "expected a multiple of 32 bytes for a fragment");
        }
        return;
    }
    const std::uint32_t most = kAccessRegisters * kWarpRegisterBytes;
    if (o.rows == 0) file.fail(row, kRows, "expected 1 or more");
    if (o.row_bytes == 0) file.fail(row, kRowBytes, "expected 1 or more");
    if (std::uint64_t{o.rows} * o.row_bytes > most) {
        file.fail(row, kRowBytes,
                  fmt::format("got {} bytes in all rows, expected up to {}",
                              std::uint64_t{o.rows} * o.row_bytes, most));
    }
    if (o.has_lanes() && o.rows > kWarpLanes) file.fail(row, kRows, "expected up to 32 lanes");
    const bool words = o.is_atomic() || o.is_shared();
    if (!words) return;
    if (o.address % kSharedWordBytes != 0) file.fail(row, kAddress, "expected a multiple of 4");
    if (o.row_bytes % kSharedWordBytes != 0) file.fail(row, kRowBytes, "expected a multiple of 4");
    if (o.pitch_bytes % kSharedWordBytes != 0)
        file.fail(row, kPitchBytes, "expected a multiple of 4");
    if (!o.has_lanes() && o.rows > 1 && o.pitch_bytes < o.row_bytes) {
        file.fail(row, kPitchBytes, "expected the bytes of a row or more");
    }
}

void check_place(const Stimulus& file, const StimulusRow& row, const WarpOperation& o) {
    const Address last = Address{o.rows - 1} * o.pitch_bytes + o.row_bytes;
    const Address end = o.is_shared() ? Address{kSharedBytes} : kAddressEnd;
    if (o.address >= end || last > end - o.address) {
        file.fail(row, kAddress, fmt::format("ends behind {:#x}", end));
    }
    if (std::max(o.reg, o.target()) + o.registers() > kRegistersPerWarp) {
        file.fail(row, kRegister,
                  fmt::format("got {}, which ends behind register {}", o.reg, kRegistersPerWarp));
    }
}

/// Returns a column as a number of 32 bits; larger ones become too large for every check.
std::uint32_t small(const StimulusRow& row, std::size_t column) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(row[column], 1U << 30U));
}

}  // namespace

const std::string& word_of(WarpOperationKind kind) {
    return words()[static_cast<std::size_t>(kind)];
}

std::string WarpOperation::describe() const {
    return fmt::format(
        "{} of warp {} of sub-core {}: {} x {} bytes at {:#x}, pitch {}, register {}",
        word_of(kind), warp, sub_core, rows, row_bytes, address, pitch_bytes, reg);
}

std::vector<Column> warp_columns() {
    return {{"cycle", Column::Kind::kNumber, "earliest cycle, not before that of the line above"},
            {"sub_core", Column::Kind::kNumber, "sub-core that issues it, from 0"},
            {"warp", Column::Kind::kNumber, "warp of that sub-core, 0 to 15"},
            {"operation", Column::Kind::kChoice, "", words()},
            {"address", Column::Kind::kAddress, "of row 0 or lane 0; shared: in the CTA's memory"},
            {"rows", Column::Kind::kNumber, "rows, or lanes; a fragment has 16"},
            {"row_bytes", Column::Kind::kNumber, "bytes of a row or lane; a fragment: 32"},
            {"pitch_bytes", Column::Kind::kNumber, "distance between rows or lanes"},
            {"register", Column::Kind::kNumber, "first warp register of the data", {}, true}};
}

std::vector<WarpOperation> warp_operations(const Stimulus& stimulus, std::uint32_t sub_cores) {
    std::vector<WarpOperation> operations;
    for (const StimulusRow& row : stimulus.rows()) {
        WarpOperation o;
        o.at = row[kCycle];
        o.sub_core = small(row, kSubCore);
        o.warp = small(row, kWarp);
        o.kind = static_cast<WarpOperationKind>(row[kOperation]);
        o.address = row[kAddress];
        o.rows = small(row, kRows);
        o.row_bytes = small(row, kRowBytes);
        o.pitch_bytes = small(row, kPitchBytes);
        o.reg = small(row, kRegister);
        if (o.sub_core >= sub_cores) {
            stimulus.fail(row, kSubCore,
                          fmt::format("got {}, expected below {}", o.sub_core, sub_cores));
        }
        if (o.warp >= kWarpsPerSubCore) {
            stimulus.fail(row, kWarp,
                          fmt::format("got {}, expected below {}", o.warp, kWarpsPerSubCore));
        }
        check_shape(stimulus, row, o);
        check_place(stimulus, row, o);
        operations.push_back(o);
    }
    return operations;
}

WarpMemoryInstruction::WarpMemoryInstruction(const WarpOperation& operation,
                                             const AccessGranularity& granularity)
    : record_(opcode_of(operation.kind)) {
    RegisterPlace& place = record_.registers();
    if (operation.kind == WarpOperationKind::kFragmentA) place.role = FragmentRole::kA;
    if (operation.kind == WarpOperationKind::kFragmentB) place.role = FragmentRole::kB;
    if (operation.is_store()) record_.src_a = static_cast<std::uint8_t>(operation.reg);
    if (operation.writes_registers()) record_.dst = static_cast<std::uint8_t>(operation.target());
    record_.memory().set_rows(operation.address, operation.rows, operation.row_bytes,
                              operation.pitch_bytes);
    place.pitch_bytes = static_cast<std::uint16_t>(operation.row_bytes);
    if (operation.has_lanes()) add_lanes(operation, granularity);
}

void WarpMemoryInstruction::add_lanes(const WarpOperation& operation,
                                      const AccessGranularity& granularity) {
    LaneOffsets offsets;
    offsets.access_bytes = operation.row_bytes;
    std::vector<LaneAccess::Piece> pieces;
    for (std::uint32_t lane = 0; lane < operation.rows; ++lane) {
        offsets.mask |= 1U << lane;
        offsets.offset[lane] = std::int64_t{lane} * operation.pitch_bytes;
        pieces.push_back({offsets.offset[lane], operation.row_bytes, lane * operation.row_bytes});
    }
    switch (operation.kind) {
        case WarpOperationKind::kLanes:
            lanes_ = coalesce_global(offsets, operation.address, granularity);
            lanes_.wanted = std::move(pieces);
            break;
        case WarpOperationKind::kSharedLanes:
            lanes_ = coalesce_shared(offsets, operation.address, granularity);
            record_.memory().rows = 0;  // moves no data
            break;
        default:
            lanes_.pieces = std::move(pieces);
            lanes_.bytes = operation.rows * operation.row_bytes;
            lanes_.has_places = true;
    }
    record_.memory().lanes = &lanes_;
}

}  // namespace tessera::testbench
