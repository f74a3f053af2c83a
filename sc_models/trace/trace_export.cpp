#include "sc_models/trace/trace_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>

#include "sc_models/common/error.h"
#include "sc_models/trace/hmma_lanes.h"

namespace tessera {
namespace {

constexpr std::uint32_t kAllLanes = 0xffffffff;
constexpr std::uint32_t kPcStep = 16;
constexpr std::uint32_t kWidestAccess = 16;
constexpr std::uint32_t kRegisterBytes = 4;  // of a lane
constexpr std::uint32_t kPairBytes = 8;      // two accumulators
constexpr std::uint32_t kMostWarps = 32;     // of a CTA
constexpr std::uint8_t kRz = 255;
constexpr Address kSharedBase = 0x7f0000000000;
constexpr Address kLocalBase = 0x7f0010000000;

std::uint8_t reg(std::uint32_t number) {
    return static_cast<std::uint8_t>(number);
}

/// The widest access that divides the addresses of all rows.
std::uint32_t access_width(const WarpInstruction& w) {
    const MemoryAccess& rows = w.memory();
    std::uint64_t together = rows.address | rows.row_bytes | kWidestAccess;
    if (rows.rows > 1) together |= rows.row_pitch_bytes;
    return static_cast<std::uint32_t>(together & -together);
}

/// Opcode and suffixes of an access of `bytes` a lane.
std::string memory_mnemonic(Opcode opcode, std::uint32_t bytes) {
    const char* const root = opcode == Opcode::kLoadShared    ? "LDS"
                             : opcode == Opcode::kStoreShared ? "STS"
                             : opcode == Opcode::kStoreGlobal ? "STG.E"
                                                              : "LDG.E";
    const bool shared = opcode == Opcode::kLoadShared || opcode == Opcode::kStoreShared;
    const std::string width = bytes == kRegisterBytes  ? ""
                              : bytes < kRegisterBytes ? fmt::format(".U{}", 8 * bytes)
                                                       : fmt::format(".{}", 8 * bytes);
    return root + width + (shared ? "" : ".SYS");
}

std::string copy_mnemonic(const WarpInstruction& w, std::uint32_t bytes) {
    return fmt::format("LDGSTS.E{}{}", w.bypasses_l1() ? ".BYPASS" : "",
                       bytes == kRegisterBytes ? "" : fmt::format(".{}", 8 * bytes));
}

/// Translates warp instructions to lines of a trace.
class Translator {
public:
    explicit Translator(TraceWriter& out) : out_(out) {}

    void write(const WarpInstruction& w) {
        switch (w.opcode()) {
            case Opcode::kAlu:
                return write_alu(w);
            case Opcode::kLoadFragment:
                return write_fragment(w);
            case Opcode::kMma:
                return w.mma().single_copies ? write_whole_products(w) : write_product(w);
            case Opcode::kLoadMatrix:
                return write_matrices(w);
            case Opcode::kCopyAsync:
                return w.has_lanes() ? write_pieces(w) : write_access(w);
            case Opcode::kCommitCopies:
                return emit("LDGDEPBAR", kNoRegister, {});
            case Opcode::kWaitCopies:
                immediate_ = w.groups_left();
                emit("DEPBAR.LE", kNoRegister, {});
                immediate_ = 0;
                return;
            case Opcode::kLoadGlobal:
            case Opcode::kStoreGlobal:
            case Opcode::kLoadShared:
            case Opcode::kStoreShared:
                if (w.has_lanes() && !w.lanes().has_places) break;
                if (w.has_lanes()) return write_pieces(w);
                return w.role() == FragmentRole::kAccumulator ? write_accumulators(w)
                                                              : write_access(w);
            case Opcode::kFloats:
                return write_floats(w);
            case Opcode::kBarrier:
                return emit("BAR.SYNC", kNoRegister, {});
            case Opcode::kExit:
                return emit("EXIT", kNoRegister, {});
            case Opcode::kWarpgroupMma:
            case Opcode::kBulkCopy:
            case Opcode::kArrive:
            case Opcode::kAwaitPhase:
                throw ConfigError(
                    "workload.kernel: got wgmma, expected another kernel for a trace, which has no "
                    "products of warpgroups and bulk copies");
            default:
                break;
        }
        throw std::logic_error("no translation of an instruction into a trace");
    }

private:
    /// Key of a program line: equal keys share a PC.
    using Line = std::tuple<const SassMnemonic*, std::uint8_t, std::array<std::uint8_t, 4>,
                            std::uint32_t /*which of a block of ALU instructions*/>;

    const SassMnemonic& mnemonic(const std::string& text) {
        auto known = mnemonics_.find(text);
        if (known == mnemonics_.end()) {
            known = mnemonics_.emplace(text, parse_sass_mnemonic(text)).first;
        }
        return known->second;
    }

    /// Emits one line; with `width` > 0 the lanes in `mask` access `width` bytes at `addresses_`.
    void emit(const std::string& text, std::uint8_t destination,
              std::initializer_list<std::uint8_t> sources, std::uint32_t mask = kAllLanes,
              std::uint32_t width = 0, std::uint32_t repetition = 0) {
        StaticInstruction what;
        what.mnemonic = &mnemonic(text);
        what.memory_width = static_cast<std::uint16_t>(width);
        what.immediate = immediate_;
        if (destination != kNoRegister) {
            what.destinations = 1;
            what.destination = destination;
        }
        what.sources = reg(static_cast<std::uint32_t>(sources.size()));
        std::copy(sources.begin(), sources.end(), what.source.begin());
        const Line line{what.mnemonic, destination, what.source, repetition};
        what.pc =
            pcs_.emplace(line, static_cast<std::uint32_t>(pcs_.size()) * kPcStep).first->second;
        out_.write(what, mask, addresses_);
    }

    /// The last instruction of an ALU block writes the result.
    void write_alu(const WarpInstruction& w) {
        for (std::uint32_t i = 0; i < w.count; ++i) {
            const std::uint8_t destination = i + 1 == w.count ? w.dst : kNoRegister;
            emit("IADD3", destination, {w.src_a}, kAllLanes, 0, i);
        }
    }

    void write_floats(const WarpInstruction& w) {
        const bool rounds = w.floats().operation == FloatOperation::kRound;
        const bool to_bf16 = w.floats().format == Float16::kBf16;
        for (std::uint32_t i = 0; i < w.count; ++i) {
            const std::uint8_t destination = i + 1 == w.count ? w.dst : kNoRegister;
            emit(rounds ? to_bf16 ? "F2F.BF16.F32" : "F2F.F16.F32" : "FADD", destination, {w.src_a},
                 kAllLanes, 0, i);
        }
    }

    void write_fragment(const WarpInstruction& w) {
        constexpr std::uint32_t kHalves = kFragmentRowBytes / kWidestAccess;
        const MemoryAccess& rows = w.memory();
        const std::string text = memory_mnemonic(w.opcode(), kWidestAccess);
        for (std::uint32_t half = 0; half < kHalves; ++half) {
            for (std::uint32_t lane = 0; lane < kThreadsPerWarp; ++lane) {
                const Address row =
                    w.role() == FragmentRole::kA ? row_of_a(lane) : column_of_b(lane);
                addresses_[lane] =
                    rows.address + row * rows.row_pitch_bytes + Address{half} * kWidestAccess;
            }
            emit(text, reg(w.dst + half * kWidestAccess / kRegisterBytes), {kRz}, kAllLanes,
                 kWidestAccess);
        }
    }

    void write_product(const WarpInstruction& w) {
        for (std::uint32_t k = 0; k < kRegistersPerFragment; k += 2) {  // two registers: 4 of K
            for (std::uint32_t step = 0; step < std::size(kHmmaF32Steps); ++step) {
                const std::uint8_t c = reg(w.dst + 2 * step);
                emit(kHmmaF32Steps[step], c, {reg(w.src_a + k), reg(w.src_b + k), c}, kAllLanes, 0,
                     k);
            }
        }
    }

    /// Two products of 16x8x16, or of 16x8x32 of the transposed product with its 2:4 operand first,
    /// whose registers hold half of the fragment of B and of the sums each.
    void write_whole_products(const WarpInstruction& w) {
        for (std::uint32_t half = 0; half < 2; ++half) {
            const std::uint8_t c = reg(w.dst + half * kRegistersPerFragment / 2);
            const std::uint8_t b = reg(w.src_b + 2 * half);
            if (w.is_structured()) {
                emit("HMMA.SP.16832.F32", c, {b, half == 0 ? w.src_a : w.src_d, c, w.src_c},
                     kAllLanes, 0, half);
            } else {
                const bool is_unsigned = w.mma().operands == OperandType::kUint8;
                emit(is_unsigned ? "IMMA.16832.U8.S8"
                                 : std::string(text_of(shape_of(w.fragment_product())).mnemonic),
                     c, {w.src_a, b, c}, kAllLanes, 0, half);
            }
        }
    }

    /// An LDSM of matrices of 8 rows of 16 B: the halves of a fragment's rows, or the contiguous
    /// rows of 2:4 metadata.
    void write_matrices(const WarpInstruction& w) {
        const MemoryAccess& rows = w.memory();
        const std::uint32_t pieces = rows.rows * rows.row_bytes / kWidestAccess;
        const std::uint32_t matrices = pieces > 16 ? 4 : pieces > 8 ? 2 : 1;
        const bool fragment = rows.rows == kFragmentRows && rows.row_bytes == kFragmentRowBytes;
        for (std::uint32_t lane = 0; lane < kThreadsPerWarp; ++lane) {
            const std::uint32_t piece = lane % pieces;
            const std::uint32_t row = fragment ? piece % kFragmentRows : piece / 2;
            const std::uint32_t half = fragment ? piece / kFragmentRows : piece % 2;
            const Address place =
                rows.address + Address{row} * rows.row_pitch_bytes + Address{half} * kWidestAccess;
            addresses_[lane] =
                kSharedBase + (fragment ? swizzled(place, rows.row_pitch_bytes) : place);
        }
        const char* const kind = w.registers().transposed ? "MT88" : "M88";
        emit(matrices == 1 ? fmt::format("LDSM.16.{}", kind)
                           : fmt::format("LDSM.16.{}.{}", kind, matrices),
             w.dst, {kRz}, kAllLanes, kWidestAccess);
    }

    /// Place of a row's piece among the 128 B of the banks, by the number of the row.
    static Address swizzled(Address place, std::uint32_t pitch_bytes) {
        constexpr std::uint32_t kBanksBytes = 128, kPlaces = 8;
        const Address row = place / std::max(pitch_bytes, kBanksBytes);
        return place ^ row % kPlaces * kWidestAccess;
    }

    void write_accumulators(const WarpInstruction& w) {
        const std::string text = memory_mnemonic(w.opcode(), kPairBytes);
        for (std::uint32_t pair = 0; pair < kRegistersPerFragment / 2; ++pair) {
            for (std::uint32_t lane = 0; lane < kThreadsPerWarp; ++lane) {
                addresses_[lane] = base_of(w) +
                                   Address{row_of_c(lane, pair)} * w.memory().row_pitch_bytes +
                                   Address{column_of_c(lane, pair)} * sizeof(float);
            }
            emit_access(w, text, 2 * pair, kAllLanes, kPairBytes);
        }
    }

    void write_access(const WarpInstruction& w) {
        const std::uint32_t width = access_width(w);
        const MemoryAccess& rows = w.memory();
        const std::uint32_t of_row = rows.row_bytes / width;
        const std::uint32_t accesses = rows.rows * of_row;
        const std::string text = w.opcode() == Opcode::kCopyAsync
                                     ? copy_mnemonic(w, width)
                                     : memory_mnemonic(w.opcode(), width);
        for (std::uint32_t first = 0; first < accesses; first += kThreadsPerWarp) {
            const std::uint32_t lanes = std::min(accesses - first, kThreadsPerWarp);
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                const std::uint32_t access = first + lane;
                addresses_[lane] = base_of(w) + Address{access / of_row} * rows.row_pitch_bytes +
                                   Address{access % of_row} * width;
            }
            emit_access(w, text, first * width / kWarpRegisterBytes,
                        kAllLanes >> (kThreadsPerWarp - lanes), width);
        }
    }

    /// Emits accesses to pieces with register offsets: lanes take the pieces in turn, all as wide
    /// as the narrowest piece allows.
    void write_pieces(const WarpInstruction& w) {
        std::uint64_t together = kWidestAccess | w.memory().address;
        for (const LaneAccess::Piece& piece : w.lanes().pieces) {
            together |= static_cast<std::uint64_t>(piece.offset) | piece.bytes;
        }
        const auto width = static_cast<std::uint32_t>(together & -together);
        const std::string text = w.opcode() == Opcode::kCopyAsync
                                     ? copy_mnemonic(w, width)
                                     : memory_mnemonic(w.opcode(), width);
        std::uint32_t lanes = 0, first = 0;
        const auto end = [&] {
            if (lanes == 0) return;
            emit_access(w, text, first * width / kWarpRegisterBytes,
                        kAllLanes >> (kThreadsPerWarp - lanes), width);
            first += lanes;
            lanes = 0;
        };
        for (const LaneAccess::Piece& piece : w.lanes().pieces) {
            for (std::uint32_t at = 0; at < piece.bytes; at += width) {
                addresses_[lanes++] = w.memory().address + static_cast<Address>(piece.offset) + at;
                if (lanes == kThreadsPerWarp) end();
            }
        }
        end();
    }

    /// Emits a load or store of the instruction's registers, from register `offset` on.
    void emit_access(const WarpInstruction& w, const std::string& text, std::uint32_t offset,
                     std::uint32_t mask, std::uint32_t width) {
        const bool load = w.opcode() == Opcode::kLoadGlobal || w.opcode() == Opcode::kLoadShared;
        if (w.opcode() == Opcode::kCopyAsync) {
            emit(text, kNoRegister, {kRz, kRz}, mask, width);
        } else if (load) {
            emit(text, reg(w.dst + offset), {kRz}, mask, width);
        } else {
            emit(text, kNoRegister, {kRz, reg(w.src_a + offset)}, mask, width);
        }
    }

    static Address base_of(const WarpInstruction& w) {
        const bool shared = w.opcode() == Opcode::kLoadShared || w.opcode() == Opcode::kStoreShared;
        return (shared ? kSharedBase : 0) + w.memory().address;
    }

    TraceWriter& out_;
    std::map<std::string, SassMnemonic> mnemonics_;
    std::map<Line, std::uint32_t> pcs_;
    LaneAddresses addresses_{};
    std::int64_t immediate_ = 0;  ///< of the lines emitted
};

TraceHeader header_of(const KernelInfo& info, std::uint32_t id, const TraceVersions& versions) {
    if (info.warps_per_cta > kMostWarps) {
        throw ConfigError(
            fmt::format("workload.tiling: got CTAs of {} warps, expected at most {} in a trace",
                        info.warps_per_cta, kMostWarps));
    }
    TraceHeader header;
    header.name = info.name;
    header.id = id;
    header.tracer_version = versions.tracer;
    header.binary_version = versions.binary;
    header.grid = {info.ctas, 1, 1};
    header.block = {info.warps_per_cta * kThreadsPerWarp, 1, 1};
    header.shared_memory_bytes = info.shared_memory_bytes;
    header.registers = info.registers_per_thread;
    header.shared_base = kSharedBase;
    header.local_base = kLocalBase;
    return header;
}

}  // namespace

bool needs_tracer6(const Kernel& kernel) {
    return kernel.info().copies_in_flight > 0;
}

bool export_kernel_trace(const Kernel& kernel, std::uint32_t id, const std::filesystem::path& path,
                         const TraceVersions& versions, const TraceProgress& progress) {
    const KernelInfo& info = kernel.info();
    TraceWriter out(path, header_of(info, id, versions));
    Translator translator(out);
    std::array<WarpInstruction, kFillCapacity> batch;
    for (std::uint32_t cta = 0; cta < info.ctas; ++cta) {
        out.begin_thread_block({cta, 0, 0});
        for (std::uint32_t warp = 0; warp < info.warps_per_cta; ++warp) {
            out.begin_warp(warp);
            const auto program = kernel.program(CtaId(cta), warp);
            while (const std::size_t count = program->fill(batch.data(), batch.size())) {
                for (std::size_t i = 0; i < count; ++i) translator.write(batch[i]);
            }
        }
        out.end_thread_block();
        if (progress && !progress(cta + 1, info.ctas)) return false;
    }
    out.commit();
    return true;
}

}  // namespace tessera
