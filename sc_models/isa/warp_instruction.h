// Instruction record of a warp. A kernel generates these records lazily.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sc_models/common/types.h"
#include "sc_models/isa/instruction_views.h"
#include "sc_models/isa/opcode.h"

namespace tessera {

/// 32-bit registers per thread of one 16x16 fragment: A and B hold their 256 halves twice, once for
/// each of the two octets that read them (Duplo II-B); accumulators are 256 floats.
inline constexpr std::uint32_t kRegistersPerFragment = 8;
/// Bytes of one 32-bit register over the 32 threads of a warp.
inline constexpr std::uint32_t kWarpRegisterBytes = 128;
/// Bytes of one fragment in the register file.
inline constexpr std::uint32_t kFragmentBytes = kRegistersPerFragment * kWarpRegisterBytes;
/// Warp registers of the largest global or shared memory access that is not a fragment access.
inline constexpr std::uint8_t kAccessRegisters = 4;

/// Registers of sums, from dst on, that a multiply-accumulate adds to; 0 for other opcodes.
[[nodiscard]] constexpr std::uint32_t accumulators_of(Opcode opcode) {
    return opcode == Opcode::kSparseMma ? 32 : opcode == Opcode::kMma ? kRegistersPerFragment : 0;
}
inline constexpr std::uint32_t kFragmentRows = 16;
/// Bytes of one row of 16 halves: the load of one thread, one 32-byte sector.
inline constexpr std::uint32_t kFragmentRowBytes = 32;

/// Bytes that one lane of an LDS.128 loads.
inline constexpr std::uint32_t kPieceBytes = 16;

inline constexpr std::uint8_t kNoRegister = 255;

class WarpInstruction;

/// Effect of a kOperation on its warp's registers, if values are on.
class RegisterFunction {
public:
    virtual ~RegisterFunction() = default;
    /// `registers` points to register 0 of the warp, kWarpRegisterBytes each. May read and write
    /// the registers that `instruction` names.
    virtual void apply(const WarpInstruction& instruction, std::byte* registers) const = 0;
};

/// Opcodes that have a view, as bits.
using OpcodeSet = std::uint32_t;
static_assert(kOpcodes <= 32);
template <class... Opcodes>
[[nodiscard]] constexpr OpcodeSet opcode_set(Opcodes... opcodes) {
    return ((OpcodeSet{1} << static_cast<unsigned>(opcodes)) | ...);
}
[[nodiscard]] constexpr bool contains(OpcodeSet set, Opcode opcode) {
    return (set >> static_cast<unsigned>(opcode) & 1U) != 0;
}

/// One instruction of one warp: its opcode, which never changes, its registers, and views with the
/// fields that only some opcodes have. Access to a view of another opcode is a bug of the caller
/// and throws CheckError in every build.
///
/// Fragments are stored row by row in registers; A and B fragments hold a second copy of all 16
/// rows behind the first. With lanes only pieces with places in registers have values.
///
/// kLoadMatrix loads 16 rows of 32 B, or transposed 16 k of them, into four registers; of 2:4
/// metadata, fewer rows. Its rows, and those of a kCopyAsync or kBulkCopy, lie in shared memory as
/// a swizzle places them, so that no two of an access share a bank. The dst of a copy is free for
/// the machine's use.
class WarpInstruction {
    Opcode opcode_ = Opcode::kAlu;  // here it takes no padding

public:
    WarpInstruction() = default;
    explicit WarpInstruction(Opcode opcode) : opcode_(opcode) {}

    [[nodiscard]] Opcode opcode() const { return opcode_; }
    std::uint8_t dst = kNoRegister;    ///< first warp register written
    std::uint8_t src_a = kNoRegister;  ///< first warp register read (stores: the data; mma: A)
    std::uint8_t src_b = kNoRegister;  ///< mma: B
    std::uint8_t src_c = kNoRegister, src_d = kNoRegister;
    /// Number of instructions, back to back, that a kAlu, kFloats, kOperation or kVectorOp is.
    std::uint16_t count = 1;

    /// Loads, stores, atomics and copies, but loads of pieces; kVectorOp: `address` of its input.
    [[nodiscard]] const MemoryAccess& memory() const {
        return view<kMemory>(views_.loaded.memory, "memory");
    }
    [[nodiscard]] MemoryAccess& memory() { return view<kMemory>(views_.loaded.memory, "memory"); }
    /// kLoadPieces, kLoadGathered.
    [[nodiscard]] const PieceAccess& pieces() const {
        return view<kPieces>(views_.pieces.access, "pieces");
    }
    [[nodiscard]] PieceAccess& pieces() { return view<kPieces>(views_.pieces.access, "pieces"); }
    /// Loads and stores of registers, atomics.
    [[nodiscard]] const RegisterPlace& registers() const {
        return view<kRegisters>(views_.loaded.place, "registers");
    }
    [[nodiscard]] RegisterPlace& registers() {
        return view<kRegisters>(views_.loaded.place, "registers");
    }
    /// kCopyAsync, kBulkCopy.
    [[nodiscard]] const SharedPlace& shared() const {
        return view<kShared>(views_.copied.place, "shared");
    }
    [[nodiscard]] SharedPlace& shared() { return view<kShared>(views_.copied.place, "shared"); }
    /// kAlu, and a kOperation without a function.
    [[nodiscard]] const RegisterMoves& moves() const {
        if (has_function()) refuse("moves");
        return view<kMoves>(views_.moved.moves, "moves");
    }
    [[nodiscard]] RegisterMoves& moves() {
        if (has_function()) refuse("moves");
        return view<kMoves>(views_.moved.moves, "moves");
    }
    /// A kOperation with a function.
    [[nodiscard]] const FunctionCall& call() const {
        if (!has_function()) refuse("call");
        return views_.called.call;
    }
    /// kMma.
    [[nodiscard]] const MmaRegisters& mma() const { return view<kMma>(views_.mma, "mma"); }
    [[nodiscard]] MmaRegisters& mma() { return view<kMma>(views_.mma, "mma"); }
    /// kSparseMma.
    [[nodiscard]] const SpwmmaSources& spwmma() const {
        return view<kSpwmma>(views_.spwmma, "spwmma");
    }
    [[nodiscard]] SpwmmaSources& spwmma() { return view<kSpwmma>(views_.spwmma, "spwmma"); }
    /// kWarpgroupMma.
    [[nodiscard]] const WarpgroupProduct& warpgroup() const {
        return view<kWarpgroup>(views_.warpgroup, "warpgroup");
    }
    [[nodiscard]] WarpgroupProduct& warpgroup() {
        return view<kWarpgroup>(views_.warpgroup, "warpgroup");
    }
    /// kFloats.
    [[nodiscard]] const FloatRows& floats() const { return view<kFloats>(views_.floats, "floats"); }
    [[nodiscard]] FloatRows& floats() { return view<kFloats>(views_.floats, "floats"); }
    /// kArrive.
    [[nodiscard]] const Arrival& arrival() const {
        return view<kArrival>(views_.arrival, "arrival");
    }
    [[nodiscard]] Arrival& arrival() { return view<kArrival>(views_.arrival, "arrival"); }
    /// kAwaitPhase.
    [[nodiscard]] const PhaseWait& wait() const { return view<kWait>(views_.wait, "wait"); }
    [[nodiscard]] PhaseWait& wait() { return view<kWait>(views_.wait, "wait"); }
    /// kBarrier: index of the barrier (0..15).
    [[nodiscard]] std::uint16_t barrier() const {
        return view<kBarrier>(views_.barrier, "barrier");
    }
    void set_barrier(std::uint16_t index) { view<kBarrier>(views_.barrier, "barrier") = index; }
    /// kWaitCopies, kWaitProducts: newest groups that may be incomplete after the wait.
    [[nodiscard]] std::uint16_t groups_left() const {
        return view<kGroups>(views_.groups_left, "groups_left");
    }
    void set_groups_left(std::uint16_t groups) {
        view<kGroups>(views_.groups_left, "groups_left") = groups;
    }

    /// Address of a memory instruction or of a kBulkCopy.
    [[nodiscard]] Address address() const {
        return contains(kPieces, opcode_) ? views_.pieces.access.address : memory().address;
    }
    void set_address(Address address) {
        (contains(kPieces, opcode_) ? views_.pieces.access.address : memory().address) = address;
    }
    /// Whether a memory instruction has an address for each lane.
    [[nodiscard]] bool has_lanes() const {
        return may_have_lanes(opcode_) && views_.loaded.memory.lanes != nullptr;
    }
    [[nodiscard]] const LaneAccess& lanes() const {
        if (!has_lanes()) refuse("lanes");
        return *views_.loaded.memory.lanes;
    }
    /// Role of the fragment that a memory instruction loads or stores; kNone: none.
    [[nodiscard]] FragmentRole role() const {
        return contains(kRegisters, opcode_) ? views_.loaded.place.role : FragmentRole::kNone;
    }
    /// Whether a load or copy goes straight to L2.
    [[nodiscard]] bool bypasses_l1() const {
        return copies_to_shared(opcode_)
                   ? views_.copied.place.bypass_l1
                   : contains(kRegisters, opcode_) && views_.loaded.place.bypass_l1;
    }

    /// Kind of a kOperation.
    [[nodiscard]] Operation operation() const {
        return view<kOperation>(views_.moved.kind, "operation").operation;
    }
    void set_operation(Operation operation) {
        view<kOperation>(views_.moved.kind, "operation").operation = operation;
    }
    /// Whether a kOperation has a function and its source registers.
    [[nodiscard]] bool has_function() const {
        return opcode_ == Opcode::kOperation && views_.moved.kind.has_function;
    }
    /// Replaces the moves() of a kOperation by a call() of `function`, which reads `registers`
    /// registers from src_a on, and returns the call for its arguments.
    FunctionCall& set_function(const RegisterFunction* function, std::uint32_t registers = 1) {
        view<kOperation>(views_.moved.kind, "operation").has_function = true;
        views_.called.call = {function, 0, 0, 0, static_cast<std::uint16_t>(registers)};
        return views_.called.call;
    }
    /// Whether a kOperation runs on the tensor cores.
    [[nodiscard]] bool on_tensor_cores() const {
        return operation() == Operation::kHmmaF32 || operation() == Operation::kHmmaF16;
    }
    /// Shape and types of a kOperation of the tensor cores; Volta's step unless set.
    [[nodiscard]] MmaShape mma_shape() const {
        const OperationKind& kind = view<kOperation>(views_.moved.kind, "operation");
        if (kind.has_shape) return kind.shape;
        return kind.operation == Operation::kHmmaF16 ? MmaShape::kHmma884F16 : MmaShape::kHmma884;
    }
    void set_mma_shape(MmaShape shape) {
        OperationKind& kind = view<kOperation>(views_.moved.kind, "operation");
        kind.has_shape = true;
        kind.shape = shape;
    }
    /// Multiply-adds of a kOperation of the tensor cores, in those of an HMMA.884 step with FP32
    /// sums, or with FP16 sums for kHmmaF16; 1 for other operations.
    [[nodiscard]] std::uint32_t hmma_steps() const {
        if (!on_tensor_cores() || has_function()) return 1;
        const MmaShape step =
            operation() == Operation::kHmmaF16 ? MmaShape::kHmma884F16 : MmaShape::kHmma884;
        return std::max(1U, text_of(mma_shape()).products / text_of(step).products);
    }

    /// kMma: whether it is a product of 16x16x32 with a 2:4 operand B (two mma.sp.m16n8k32 of the
    /// transposed product): src_b has the kept halves of B, src_c their metadata, one word a line,
    /// and A is two fragments of 16 k, at src_a and src_d.
    [[nodiscard]] bool is_structured() const {
        return opcode_ == Opcode::kMma && src_c != kNoRegister;
    }
    /// kMma.
    [[nodiscard]] FragmentProduct fragment_product() const {
        if (is_structured()) return FragmentProduct::kStructured;
        return product_of(mma().operands);
    }
    /// Metadata begins `offset_bytes` into register `metadata`.
    void set_structured(std::uint8_t metadata, std::uint16_t offset_bytes, std::uint8_t second_a) {
        mma() = {offset_bytes, true};
        src_c = metadata;
        src_d = second_a;
    }

private:
    static constexpr OpcodeSet kRegistersOfRows = opcode_set(
        Opcode::kLoadFragment, Opcode::kLoadGlobal, Opcode::kStoreGlobal, Opcode::kLoadShared,
        Opcode::kStoreShared, Opcode::kAtomicGlobal, Opcode::kLoadMatrix);
    static constexpr OpcodeSet kPieces = opcode_set(Opcode::kLoadPieces, Opcode::kLoadGathered);
    static constexpr OpcodeSet kShared = opcode_set(Opcode::kCopyAsync, Opcode::kBulkCopy);
    static constexpr OpcodeSet kMemory = kRegistersOfRows | kShared | opcode_set(Opcode::kVectorOp);
    static constexpr OpcodeSet kRegisters = kRegistersOfRows | kPieces;
    static constexpr OpcodeSet kMoves = opcode_set(Opcode::kAlu, Opcode::kOperation);
    static constexpr OpcodeSet kOperation = opcode_set(Opcode::kOperation);
    static constexpr OpcodeSet kMma = opcode_set(Opcode::kMma);
    static constexpr OpcodeSet kSpwmma = opcode_set(Opcode::kSparseMma);
    static constexpr OpcodeSet kWarpgroup = opcode_set(Opcode::kWarpgroupMma);
    static constexpr OpcodeSet kFloats = opcode_set(Opcode::kFloats);
    static constexpr OpcodeSet kArrival = opcode_set(Opcode::kArrive);
    static constexpr OpcodeSet kWait = opcode_set(Opcode::kAwaitPhase);
    static constexpr OpcodeSet kBarrier = opcode_set(Opcode::kBarrier);
    static constexpr OpcodeSet kGroups = opcode_set(Opcode::kWaitCopies, Opcode::kWaitProducts);

    /// Returns `view` if the opcode is one of `kOf`.
    template <OpcodeSet kOf, class View>
    [[nodiscard]] View& view(View& view, const char* name) const {
        if (!contains(kOf, opcode_)) refuse(name);
        return view;
    }
    /// Throws CheckError that names the opcode and the view.
    [[noreturn]] void refuse(const char* view) const;

    struct OperationKind {
        Operation operation = Operation::kInteger;
        MmaShape shape{};
        bool has_shape = false, has_function = false;
    };
    /// The views of the opcode. Members that several structs have at the same place are always
    /// accessed through the first of these.
    union Views {
        Views() : barrier(0) { std::memset(static_cast<void*>(this), 0, sizeof(Views)); }

        struct {
            MemoryAccess memory;
            RegisterPlace place;
        } loaded;
        struct {
            MemoryAccess memory;
            SharedPlace place;
        } copied;
        struct {
            PieceAccess access;
            RegisterPlace place;
        } pieces;
        struct {
            OperationKind kind;
            RegisterMoves moves;
        } moved;
        struct {
            OperationKind kind;
            FunctionCall call;
        } called;
        MmaRegisters mma;
        SpwmmaSources spwmma;
        WarpgroupProduct warpgroup;
        FloatRows floats;
        Arrival arrival;
        PhaseWait wait;
        std::uint16_t barrier;
        std::uint16_t groups_left;
    };

    Views views_;
};
static_assert(sizeof(WarpInstruction) <= 40);
static_assert(std::is_trivially_copyable_v<WarpInstruction>);

/// First register of each source, kNoRegister if unused.
[[nodiscard]] inline std::array<std::uint8_t, 4> sources_of(const WarpInstruction& instruction) {
    return {instruction.src_a, instruction.src_b, instruction.src_c, instruction.src_d};
}

/// Bytes of a row of floats of a kFloats.
inline constexpr std::uint32_t kFloatRowBytes = kFragmentRows * sizeof(float);
/// Warp registers that `rows` rows of floats, or of halves, occupy.
[[nodiscard]] constexpr std::uint32_t registers_of_floats(std::uint32_t rows) {
    return ceil_div(rows * kFloatRowBytes, kWarpRegisterBytes);
}
[[nodiscard]] constexpr std::uint32_t registers_of_halves(std::uint32_t rows,
                                                          std::uint32_t pitch_bytes) {
    return ceil_div((rows - 1) * pitch_bytes + kFloatRowBytes / 2, kWarpRegisterBytes);
}

/// Warp registers from src_a on that a kFloats reads.
[[nodiscard]] inline std::uint32_t float_sources_of(const WarpInstruction& instruction) {
    const FloatRows& floats = instruction.floats();
    return floats.operation == FloatOperation::kAddHalves
               ? registers_of_halves(floats.rows, floats.halves_pitch_bytes)
               : registers_of_floats(floats.rows);
}

/// Warp registers from src_a on that a kOperation with a function reads.
[[nodiscard]] inline std::uint32_t function_sources_of(const WarpInstruction& instruction) {
    return instruction.has_function() ? instruction.call().registers : 0;
}

/// Whether the rows of a copy come with those of a partner CTA.
[[nodiscard]] inline bool comes_with_partner(const WarpInstruction& instruction) {
    return copies_to_shared(instruction.opcode()) &&
           instruction.shared().fetched == BoxRows::kOfPartner;
}

/// Bytes a memory instruction touches.
[[nodiscard]] inline std::uint32_t bytes_of(const WarpInstruction& instruction) {
    if (takes_pieces(instruction.opcode())) return instruction.pieces().row_bytes;
    const MemoryAccess& memory = instruction.memory();
    return memory.lanes != nullptr ? memory.lanes->bytes
                                   : std::uint32_t{memory.rows} * memory.row_bytes;
}

}  // namespace tessera
