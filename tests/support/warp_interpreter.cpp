#include "tests/support/warp_interpreter.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "sc_models/tensor_core/fedp.h"
#include "sc_models/tensor_core/integer_product.h"

namespace tessera::test {
namespace {

constexpr std::uint8_t kPoison = 0x7f;  // NaN in half and in single precision
constexpr std::size_t kRegisterFile = 256 * kWarpRegisterBytes;
constexpr std::size_t kCopyBytes = kFragmentBytes / 2;  // of an A or B fragment

void require(bool good, const char* what) {
    if (!good) throw std::runtime_error(what);
}

/// An asynchronous copy with its lanes, which the program may use again.
struct Copy {
    WarpInstruction instruction;
    LaneAccess lanes;
};

struct Warp {
    std::unique_ptr<WarpProgram> program;
    std::vector<WarpInstruction> pending;
    std::size_t next = 0;
    std::vector<std::uint8_t> registers = std::vector<std::uint8_t>(kRegisterFile, kPoison);
    bool exited = false;
    bool at_barrier = false;
    /// Asynchronous copies by group; the last group is open. They are made when a wait needs them,
    /// the latest time the machine may make them.
    std::vector<std::vector<Copy>> copies{1};

    const WarpInstruction& fetch() {
        if (next == pending.size()) {
            pending.resize(2 * kFillCapacity);
            pending.resize(program->fill(pending.data(), kFillCapacity));
            require(pending.size() <= kFillCapacity, "fill() gives more than it may");
            next = 0;
            require(!pending.empty(), "program ended without kExit");
        }
        return pending[next++];
    }
};

class CtaInterpreter {
public:
    CtaInterpreter(const Kernel& kernel, CtaId cta, FlatMemory& memory, InstructionCounts& counts)
        : memory_(memory), counts_(counts), shared_(kernel.info().shared_memory_bytes, kPoison) {
        for (std::uint32_t w = 0; w < kernel.info().warps_per_cta; ++w) {
            warps_.emplace_back().program = kernel.program(cta, w);
        }
    }

    void run() {
        while (true) {
            for (Warp& warp : warps_) run_to_barrier(warp);
            const auto exited = static_cast<std::size_t>(std::count_if(
                warps_.begin(), warps_.end(), [](const Warp& w) { return w.exited; }));
            if (exited == warps_.size()) return;
            require(exited == 0, "a warp exited while others wait at a barrier");
            for (Warp& warp : warps_) warp.at_barrier = false;
        }
    }

private:
    void run_to_barrier(Warp& warp) {
        while (!warp.exited && !warp.at_barrier) execute(warp, warp.fetch());
    }

    void execute(Warp& warp, const WarpInstruction& w) {
        const bool repeated = w.opcode() == Opcode::kAlu || w.opcode() == Opcode::kFloats ||
                              w.opcode() == Opcode::kOperation;
        counts_[w.opcode()] += repeated ? w.count : 1;
        switch (w.opcode()) {
            case Opcode::kAlu:
            case Opcode::kOperation:
                operate(warp, w);
                break;
            case Opcode::kFloats:
                work_on_floats(warp, w);
                break;
            case Opcode::kBarrier:
                warp.at_barrier = true;
                break;
            case Opcode::kExit:
                warp.exited = true;
                require(warp.next == warp.pending.size(), "instructions behind kExit");
                for (const auto& group : warp.copies)
                    require(group.empty(), "a copy nobody awaits");
                require(warp.program->fill(warp.pending.data(), kFillCapacity) == 0,
                        "fill() gives instructions after kExit");
                break;
            case Opcode::kMma:
                multiply(warp, w);
                break;
            case Opcode::kCopyAsync:
                require(copied_bytes(w) > 0 && copied_bytes(w) <= 512,
                        "a copy of nothing, or of more than 16 bytes a lane");
                warp.copies.back().push_back({w, w.has_lanes() ? w.lanes() : LaneAccess()});
                break;
            case Opcode::kCommitCopies:
                warp.copies.emplace_back();
                break;
            case Opcode::kWaitCopies:
                await_copies(warp, w.groups_left());
                break;
            default:
                move(warp, w);
        }
    }

    /// Makes the copies of all committed groups but the last `left`.
    void await_copies(Warp& warp, std::size_t left) {
        while (warp.copies.size() > left + 1) {
            for (const auto& [w, lanes] : warp.copies.front()) {
                if (w.has_lanes()) copy_pieces(w, lanes);
                const MemoryAccess& rows = w.memory();
                for (std::size_t row = 0; row < rows.rows; ++row) {
                    const std::size_t to = w.shared().address + row * w.shared().pitch_bytes;
                    require(to + rows.row_bytes <= shared_.size(), "beyond the shared memory");
                    memory_.read(rows.address + row * rows.row_pitch_bytes, &shared_[to],
                                 rows.row_bytes);
                }
            }
            warp.copies.erase(warp.copies.begin());
        }
    }

    void copy_pieces(const WarpInstruction& w, const LaneAccess& lanes) {
        const auto place = [&](const LaneAccess::Piece& piece) {
            const std::size_t to = std::size_t{w.shared().address} + piece.place;
            require(to + piece.bytes <= shared_.size(), "beyond the shared memory");
            return shared_.begin() + static_cast<std::ptrdiff_t>(to);
        };
        for (const LaneAccess::Piece& zeros : lanes.zeros) {
            std::fill_n(place(zeros), zeros.bytes, std::uint8_t{0});
        }
        for (const LaneAccess::Piece& piece : lanes.pieces) {
            memory_.read(w.memory().address + static_cast<Address>(piece.offset), &*place(piece),
                         piece.bytes);
        }
    }

    /// Bytes of shared memory that a copy writes.
    static std::uint32_t copied_bytes(const WarpInstruction& w) {
        std::uint32_t bytes = bytes_of(w);
        if (w.has_lanes()) {
            for (const LaneAccess::Piece& zeros : w.lanes().zeros) bytes += zeros.bytes;
        }
        return bytes;
    }

    static std::uint8_t* at(Warp& warp, std::uint8_t reg, std::size_t offset, std::size_t bytes) {
        const std::size_t begin = std::size_t{reg} * kWarpRegisterBytes + offset;
        require(reg != kNoRegister && begin + bytes <= kRegisterFile, "beyond the registers");
        return warp.registers.data() + begin;
    }

    void move(Warp& warp, const WarpInstruction& w) {
        const bool store = w.opcode() == Opcode::kStoreGlobal || w.opcode() == Opcode::kStoreShared;
        const bool shared = w.opcode() == Opcode::kLoadShared ||
                            w.opcode() == Opcode::kStoreShared || w.opcode() == Opcode::kLoadMatrix;
        const RegisterPlace& place = w.registers();
        const bool fragment = place.role != FragmentRole::kNone;
        const std::size_t limit = fragment ? kFragmentBytes : 4 * kWarpRegisterBytes;
        if (w.has_lanes()) return move_pieces(warp, w, store, shared, limit);
        const MemoryAccess& rows = w.memory();
        require(rows.rows > 0 && rows.row_bytes > 0, "memory instruction that moves nothing");
        require(
            place.offset_bytes + std::size_t{rows.rows - 1U} * place.pitch_bytes + rows.row_bytes <=
                limit,
            "more than the instruction's registers");
        clear(warp, w.dst, place.zero_fill);
        if (place.transposed) return load_transposed(warp, w);
        for (std::size_t row = 0; row < rows.rows; ++row) {
            const Address address = rows.address + row * rows.row_pitch_bytes;
            const std::size_t offset = place.offset_bytes + row * place.pitch_bytes;
            std::uint8_t* data = at(warp, store ? w.src_a : w.dst, offset, rows.row_bytes);
            transfer(address, data, rows.row_bytes, store, shared);
            const bool operand = place.role == FragmentRole::kA || place.role == FragmentRole::kB;
            if (operand && !store) {
                std::copy_n(data, rows.row_bytes,
                            at(warp, w.dst, offset + kCopyBytes, rows.row_bytes));
            }
        }
    }

    void move_pieces(Warp& warp, const WarpInstruction& w, bool store, bool shared,
                     std::size_t limit) {
        const bool wants = !w.lanes().wanted.empty();
        // Atomics on shared memory take time only.
        require(shared || ((w.lanes().has_places || wants) && !w.lanes().pieces.empty()),
                "lanes that move nothing");
        if (shared && !wants) return;
        require(!(store && wants), "a store of sectors");
        clear(warp, w.dst, w.registers().zero_fill);
        for (const LaneAccess::Piece& piece : wants ? w.lanes().wanted : w.lanes().pieces) {
            require(wants || piece.place + piece.bytes <= limit,
                    "more than the instruction's registers");
            transfer(w.memory().address + static_cast<Address>(piece.offset),
                     at(warp, store ? w.src_a : w.dst, piece.place, piece.bytes), piece.bytes,
                     store, shared);
        }
    }

    static void operate(Warp& warp, const WarpInstruction& w) {
        if (w.has_function()) {
            const RegisterFunction* const function = w.call().function;
            if (function == nullptr) return;
            function->apply(w, reinterpret_cast<std::byte*>(warp.registers.data()));
            return;
        }
        require(w.moves().gather == nullptr, "no kernel that is interpreted moves registers");
        clear(warp, w.dst, w.moves().zero_fill);
    }

    static void clear(Warp& warp, std::uint8_t dst, std::uint32_t registers) {
        if (registers == 0) return;
        const std::size_t bytes = std::size_t{registers} * kWarpRegisterBytes;
        std::fill_n(at(warp, dst, 0, bytes), bytes, std::uint8_t{0});
    }

    /// Half `line` of row `k` becomes half `k` of row `line`.
    void load_transposed(Warp& warp, const WarpInstruction& w) {
        const MemoryAccess& rows = w.memory();
        for (std::size_t k = 0; k < rows.rows; ++k) {
            for (std::size_t line = 0; line < rows.row_bytes / sizeof(HalfBits); ++line) {
                const std::size_t to = line * w.registers().pitch_bytes + k * sizeof(HalfBits);
                for (const std::size_t copy : {std::size_t{0}, kCopyBytes}) {
                    if (copy > 0 && w.opcode() == Opcode::kLoadMatrix) continue;
                    transfer(rows.address + k * rows.row_pitch_bytes + line * sizeof(HalfBits),
                             at(warp, w.dst, copy + to, sizeof(HalfBits)), sizeof(HalfBits), false,
                             true);
                }
            }
        }
    }

    static void work_on_floats(Warp& warp, const WarpInstruction& w) {
        const FloatRows& floats = w.floats();
        require(w.count * 32U == floats.rows * 16U, "instructions for other than its elements");
        for (std::size_t i = 0; i < floats.rows * std::size_t{16}; ++i) {
            const std::size_t of_float = i * sizeof(float);
            const std::size_t of_half = floats.halves_offset_bytes +
                                        i / 16 * floats.halves_pitch_bytes +
                                        i % 16 * sizeof(HalfBits);
            float value = 0;
            HalfBits half = 0;
            if (floats.operation == FloatOperation::kRound) {
                std::memcpy(&value, at(warp, w.src_a, of_float, sizeof value), sizeof value);
                half = to_bits(value, floats.format);
                std::memcpy(at(warp, w.dst, of_half, sizeof half), &half, sizeof half);
                continue;
            }
            float more = 0;
            if (floats.operation == FloatOperation::kAdd) {
                std::memcpy(&more, at(warp, w.src_a, of_float, sizeof more), sizeof more);
            } else {
                std::memcpy(&half, at(warp, w.src_a, of_half, sizeof half), sizeof half);
                more = to_float(half, floats.format);
            }
            std::memcpy(&value, at(warp, w.dst, of_float, sizeof value), sizeof value);
            value += more;
            std::memcpy(at(warp, w.dst, of_float, sizeof value), &value, sizeof value);
        }
    }

    void transfer(Address address, std::uint8_t* data, std::size_t bytes, bool store, bool shared) {
        if (shared) {
            require(address + bytes <= shared_.size(), "beyond the shared memory");
            if (store) {
                std::copy_n(data, bytes, &shared_[address]);
            } else {
                std::copy_n(&shared_[address], bytes, data);
            }
        } else if (store) {
            memory_.write(address, data, bytes);
        } else {
            memory_.read(address, data, bytes);
        }
    }

    /// Sums over k in groups of four, each B element at the place that its metadata names. Lines
    /// beyond the operand have any metadata.
    static void multiply_structured(Warp& warp, const WarpInstruction& w) {
        constexpr std::size_t kEdge = kMmaSize;
        constexpr std::size_t kGroups = 8;
        HalfBits a[2][kMmaElements];
        HalfBits kept[kMmaElements];
        std::uint32_t metadata[kEdge];
        float c[kMmaElements];
        std::memcpy(a[0], at(warp, w.src_a, 0, sizeof a[0]), sizeof a[0]);
        std::memcpy(a[1], at(warp, w.src_d, 0, sizeof a[1]), sizeof a[1]);
        std::memcpy(kept, at(warp, w.src_b, 0, sizeof kept), sizeof kept);
        std::memcpy(metadata, at(warp, w.src_c, w.mma().metadata_offset_bytes, sizeof metadata),
                    sizeof metadata);
        std::memcpy(c, at(warp, w.dst, 0, sizeof c), sizeof c);
        for (std::size_t row = 0; row < kEdge; ++row) {
            for (std::size_t column = 0; column < kEdge; ++column) {
                float& sum = c[row * kEdge + column];
                for (std::size_t group = 0; group < kGroups; ++group) {
                    const std::uint32_t indices = metadata[column] >> 4 * group & 0xfU;
                    HalfBits b[4] = {};
                    b[indices & 3U] = kept[column * kEdge + 2 * group];
                    b[indices >> 2U] = kept[column * kEdge + 2 * group + 1];
                    sum = fedp4(&a[group / 4][row * kEdge + group % 4 * 4], b, sum);
                }
            }
        }
        std::memcpy(at(warp, w.dst, 0, sizeof c), c, sizeof c);
    }

    static void multiply_integers(Warp& warp, const WarpInstruction& w) {
        std::uint8_t a[2 * kMmaElements];
        std::int8_t b[2 * kMmaElements];
        std::int32_t d[kMmaElements];
        std::memcpy(a, at(warp, w.src_a, 0, sizeof a), sizeof a);
        std::memcpy(b, at(warp, w.src_b, 0, sizeof b), sizeof b);
        std::memcpy(d, at(warp, w.dst, 0, sizeof d), sizeof d);
        imma_16x16x32(a, w.mma().operands == OperandType::kUint8, b, d, d);
        std::memcpy(at(warp, w.dst, 0, sizeof d), d, sizeof d);
    }

    static void multiply_tf32(Warp& warp, const WarpInstruction& w) {
        std::uint32_t a[kMmaElements / 2];
        std::uint32_t b[kMmaElements / 2];
        float d[kMmaElements];
        std::memcpy(a, at(warp, w.src_a, 0, sizeof a), sizeof a);
        std::memcpy(b, at(warp, w.src_b, 0, sizeof b), sizeof b);
        std::memcpy(d, at(warp, w.dst, 0, sizeof d), sizeof d);
        mma_16x16x8_tf32(a, b, d, d);
        std::memcpy(at(warp, w.dst, 0, sizeof d), d, sizeof d);
    }

    static void multiply(Warp& warp, const WarpInstruction& w) {
        if (w.is_structured()) return multiply_structured(warp, w);
        if (w.fragment_product() == FragmentProduct::kInteger) return multiply_integers(warp, w);
        if (w.fragment_product() == FragmentProduct::kTf32) return multiply_tf32(warp, w);
        HalfBits a[kMmaElements];
        HalfBits b[kMmaElements];
        float c[kMmaElements];
        std::memcpy(a, at(warp, w.src_a, 0, sizeof a), sizeof a);
        const std::size_t copy = w.mma().single_copies ? 0 : kCopyBytes;
        std::memcpy(b, at(warp, w.src_b, copy, sizeof b), sizeof b);
        std::memcpy(c, at(warp, w.dst, 0, sizeof c), sizeof c);
        if (w.fragment_product() == FragmentProduct::kBf16) {
            mma_16x16x16_bf16(a, b, c, c);
        } else {
            mma_16x16x16(a, b, c, c);
        }
        std::memcpy(at(warp, w.dst, 0, sizeof c), c, sizeof c);
    }

    FlatMemory& memory_;
    InstructionCounts& counts_;
    std::vector<std::uint8_t> shared_;
    std::vector<Warp> warps_;
};

}  // namespace

void FlatMemory::add_region(Address base, std::uint64_t bytes, std::uint8_t fill) {
    regions_.push_back({base, std::vector<std::uint8_t>(bytes, fill)});
}

std::size_t FlatMemory::locate(Address address, std::size_t bytes) const {
    for (std::size_t i = 0; i < regions_.size(); ++i) {
        const Region& r = regions_[i];
        if (address >= r.base && address + bytes <= r.base + r.bytes.size()) return i;
    }
    throw std::out_of_range("no region holds address " + std::to_string(address) + ", " +
                            std::to_string(bytes) + " bytes");
}

void FlatMemory::write(Address address, const void* data, std::size_t bytes) {
    if (bytes == 0) return;  // of an empty tensor, which has no data either
    Region& r = regions_[locate(address, bytes)];
    std::memcpy(r.bytes.data() + (address - r.base), data, bytes);
}

void FlatMemory::read(Address address, void* data, std::size_t bytes) const {
    if (bytes == 0) return;
    const Region& r = regions_[locate(address, bytes)];
    std::memcpy(data, r.bytes.data() + (address - r.base), bytes);
}

InstructionCounts interpret(const Kernel& kernel, FlatMemory& memory) {
    InstructionCounts counts;
    for (std::uint32_t cta = 0; cta < kernel.info().ctas; ++cta) {
        CtaInterpreter(kernel, CtaId(cta), memory, counts).run();
    }
    return counts;
}

FlatMemory make_memory(const Workload& workload) {
    FlatMemory memory;
    for (const MemoryRegion& r : workload.regions()) memory.add_region(r.base, r.bytes);
    workload.initialise(memory.writer());
    return memory;
}

}  // namespace tessera::test
