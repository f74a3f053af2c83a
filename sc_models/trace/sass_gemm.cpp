#include "sc_models/trace/sass_gemm.h"

#include <fmt/format.h>

#include <algorithm>

#include "sc_models/common/error.h"
#include "sc_models/trace/hmma_lanes.h"

namespace tessera {
namespace {

constexpr std::uint32_t kWarpTile = 32;  ///< rows and columns of C per warp
constexpr std::uint32_t kWarpsAlongM = SassGemm::kTileM / kWarpTile;
constexpr std::uint32_t kWarps = kWarpsAlongM * SassGemm::kTileN / kWarpTile;
constexpr std::uint32_t kFragment = 16;  ///< rows (A) or columns (B) of a fragment
constexpr std::uint32_t kRegisters = 88;
constexpr std::uint32_t kHalfBytes = 2;
constexpr std::uint32_t kFloatBytes = 4;
constexpr std::uint32_t kLoadBytes = 16;
constexpr std::uint32_t kStoreBytes = 8;
constexpr Address kMatrixBytes = SassGemm::kB - SassGemm::kA;
constexpr std::uint32_t kAllLanes = 0xffffffff;
constexpr std::uint32_t kPcStep = 16;
constexpr std::size_t kMnemonics = 24;

// Registers: pointers to A, B and C, the loop counter, then the fragments.
constexpr std::uint8_t kPointerA = 2;
constexpr std::uint8_t kPointerB = 4;
constexpr std::uint8_t kCounter = 6;
constexpr std::uint8_t kPointerC = 8;
constexpr std::uint8_t kFragmentsA = 16;
constexpr std::uint8_t kFragmentsB = 32;
constexpr std::uint8_t kAccumulators = 48;
constexpr std::uint8_t kFragmentRegisters = 8;

std::uint8_t reg(std::uint32_t number) {
    return static_cast<std::uint8_t>(number);
}

}  // namespace

SassGemm::SassGemm(std::uint32_t m, std::uint32_t n, std::uint32_t k) : m_(m), n_(n), k_(k) {
    if (m == 0 || n == 0 || k == 0 || m % kTileM != 0 || n % kTileN != 0 || k % kTileK != 0) {
        throw ConfigError(fmt::format(
            "got a matrix product of M={} N={} K={}, expected multiples of {}, {} and {}", m, n, k,
            kTileM, kTileN, kTileK));
    }
    const Address largest = std::max(
        {Address{m} * k * kHalfBytes, Address{n} * k * kHalfBytes, Address{m} * n * kFloatBytes});
    if (largest > kMatrixBytes) {
        throw ConfigError(
            fmt::format("got a matrix of {} bytes (M={} N={} K={}), expected at most {}", largest,
                        m, n, k, kMatrixBytes));
    }
    mnemonics_.reserve(kMnemonics);  // instructions hold pointers to elements
    append_prologue();
    append_k_step();
    append_epilogue();
}

void SassGemm::append(const char* mnemonic, const std::vector<std::uint8_t>& destination,
                      const std::vector<std::uint8_t>& sources, std::uint16_t memory_width) {
    auto known = std::find_if(mnemonics_.begin(), mnemonics_.end(),
                              [mnemonic](const SassMnemonic& m) { return m.text == mnemonic; });
    if (known == mnemonics_.end()) {
        if (mnemonics_.size() == kMnemonics) throw CheckError("more mnemonics than planned");
        known = mnemonics_.insert(known, parse_sass_mnemonic(mnemonic));
    }
    StaticInstruction& what = program_.emplace_back();
    what.mnemonic = &*known;
    what.pc = static_cast<std::uint32_t>(program_.size() - 1) * kPcStep;
    what.memory_width = memory_width;
    what.destinations = reg(static_cast<std::uint32_t>(destination.size()));
    if (!destination.empty()) what.destination = destination[0];
    what.sources = reg(static_cast<std::uint32_t>(sources.size()));
    std::copy(sources.begin(), sources.end(), what.source.begin());
}

void SassGemm::append_prologue() {
    append("MOV", {1}, {});  // stack pointer
    append("S2R", {0}, {});  // thread, CTA along M and N
    append("S2R", {10}, {});
    append("S2R", {11}, {});
    append("SHF.R.U32.HI", {12}, {0});
    append("LOP3.LUT", {13}, {0});
    append("LOP3.LUT", {14}, {12});
    append("IMAD", {15}, {10, 14});
    append("IMAD", {10}, {15, 13});
    append("IMAD", {11}, {11, 12});
    append("IMAD.WIDE", {kPointerA}, {10});
    append("IMAD.WIDE", {kPointerB}, {11});
    append("IMAD.WIDE", {kPointerC}, {10, 11});
    append("MOV", {kCounter}, {});
    for (std::uint32_t i = 0; i < kWarpTile; i += 2) append("CS2R", {reg(kAccumulators + i)}, {});
}

void SassGemm::append_k_step() {
    loop_begin_ = program_.size();
    for (const auto& [pointer, fragments] :
         {std::pair{kPointerA, kFragmentsA}, std::pair{kPointerB, kFragmentsB}}) {
        for (std::uint32_t i = 0; i < 2 * kFragmentRegisters; i += 4) {
            append("LDG.E.128.SYS", {reg(fragments + i)}, {pointer}, kLoadBytes);
        }
    }
    for (const std::uint8_t pointer : {kPointerA, kPointerB}) {
        append("IADD3", {pointer}, {pointer});
        append("IADD3.X", {reg(pointer + 1)}, {reg(pointer + 1)});
    }
    append("IADD3", {kCounter}, {kCounter});
    for (std::uint32_t fragment = 0; fragment < 4; ++fragment) {  // of C, row-major
        for (std::uint32_t k4 = 0; k4 < 4; ++k4) {
            const std::uint8_t a = reg(kFragmentsA + fragment / 2 * kFragmentRegisters + 2 * k4);
            const std::uint8_t b = reg(kFragmentsB + fragment % 2 * kFragmentRegisters + 2 * k4);
            for (std::uint32_t step = 0; step < 4; ++step) {
                const std::uint8_t c =
                    reg(kAccumulators + fragment * kFragmentRegisters + 2 * step);
                append(kHmmaF32Steps[step], {c}, {a, b, c});
            }
        }
    }
    append("ISETP.GE.AND", {}, {kCounter});
    append("BRA", {}, {});
    loop_end_ = program_.size();
}

void SassGemm::append_epilogue() {
    append("IADD3", {kPointerC}, {kPointerC});
    append("IADD3.X", {reg(kPointerC + 1)}, {reg(kPointerC + 1)});
    for (std::uint32_t i = 0; i < kWarpTile; i += 2) {
        append("STG.E.64.SYS", {}, {kPointerC, reg(kAccumulators + i)}, kStoreBytes);
    }
    append("EXIT", {}, {});
}

TraceHeader SassGemm::header() const {
    TraceHeader header;
    header.name = fmt::format("wmma_gemm_M{}_N{}_K{}", m_, n_, k_);
    header.grid = {m_ / kTileM, n_ / kTileN, 1};
    header.block = {kWarps * kThreadsPerWarp, 1, 1};
    header.registers = kRegisters;
    header.tracer_version = tracer_;
    header.shared_base = 0x7f0000000000;
    header.local_base = 0x7f0010000000;
    return header;
}

std::uint64_t SassGemm::instructions_per_warp() const {
    const std::uint64_t loop = loop_end_ - loop_begin_;
    return program_.size() - loop + loop * (k_ / kTileK);
}

bool SassGemm::write(const std::filesystem::path& path, const TraceProgress& progress) const {
    TraceWriter out(path, header());
    const std::uint64_t ctas = header().grid.count();
    std::uint64_t done = 0;
    for (std::uint32_t cta_n = 0; cta_n < n_ / kTileN; ++cta_n) {
        for (std::uint32_t cta_m = 0; cta_m < m_ / kTileM; ++cta_m) {
            out.begin_thread_block({cta_m, cta_n, 0});
            for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
                out.begin_warp(warp);
                write_warp(out, cta_m, cta_n, warp);
            }
            out.end_thread_block();
            if (progress && !progress(++done, ctas)) return false;
        }
    }
    out.commit();
    return true;
}

void SassGemm::write_warp(TraceWriter& out, std::uint32_t cta_m, std::uint32_t cta_n,
                          std::uint32_t warp) const {
    const Address row = Address{cta_m} * kTileM + Address{warp % kWarpsAlongM} * kWarpTile;
    const Address column = Address{cta_n} * kTileN + Address{warp / kWarpsAlongM} * kWarpTile;
    const Address pitch_ab = Address{k_} * kHalfBytes;
    const Address pitch_c = Address{n_} * kFloatBytes;
    LaneAddresses addresses{};
    // Load i of a K step: fragment i / 2 % 2 of A (i < 4) or B, half i % 2 of its 32-byte rows.
    const auto load = [&](Address i, Address k_bytes) {
        for (std::uint32_t lane = 0; lane < kThreadsPerWarp; ++lane) {
            const bool of_a = i < 4;
            const Address line =
                (of_a ? row + row_of_a(lane) : column + column_of_b(lane)) + i / 2 % 2 * kFragment;
            addresses[lane] = (of_a ? kA : kB) + line * pitch_ab + k_bytes + i % 2 * kLoadBytes;
        }
    };
    // Store i: fragment i / 4 of C, row-major, registers 2 (i % 4) and the next of its eight.
    const auto store = [&](Address i) {
        for (std::uint32_t lane = 0; lane < kThreadsPerWarp; ++lane) {
            const auto pair = static_cast<std::uint32_t>(i % 4);
            const Address line = row + row_of_c(lane, pair) + i / 8 * kFragment;
            const Address at = column + column_of_c(lane, pair) + i / 4 % 2 * kFragment;
            addresses[lane] = kC + line * pitch_c + at * kFloatBytes;
        }
    };
    const auto write = [&](std::size_t i) { out.write(program_[i], kAllLanes, addresses); };

    for (std::size_t i = 0; i < loop_begin_; ++i) write(i);
    for (Address k_bytes = 0; k_bytes < pitch_ab; k_bytes += Address{kTileK} * kHalfBytes) {
        for (std::size_t i = loop_begin_; i < loop_end_; ++i) {
            if (program_[i].memory_width > 0) {
                load(i - loop_begin_, k_bytes);
            }
            write(i);
        }
    }
    Address stores = 0;
    for (std::size_t i = loop_end_; i < program_.size(); ++i) {
        if (program_[i].memory_width > 0) store(stores++);
        write(i);
    }
}

}  // namespace tessera
