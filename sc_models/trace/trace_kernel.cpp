#include "sc_models/trace/trace_kernel.h"

#include <algorithm>
#include <cctype>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

namespace tessera {

namespace {

constexpr Address kLocalWordBytes = 4;

/// Offsets of a pattern. An LDSM of `matrices` uses only the addresses of its rows' lanes.
LaneOffsets offsets_of(const LanePattern& pattern, std::uint32_t matrices) {
    constexpr std::uint32_t kRows = 8;
    std::uint32_t mask = pattern.mask;
    if (matrices != 0) mask &= ~std::uint32_t{0} >> (kThreadsPerWarp - kRows * matrices);
    return {mask == 0 ? pattern.mask : mask, pattern.access_bytes, pattern.offsets};
}

Operation operation_of(const StaticInstruction& what) {
    switch (what.op_class()) {
        case SassClass::kFp32:
            return Operation::kFp32;
        case SassClass::kFp64:
            return Operation::kFp64;
        case SassClass::kHalf:
            return Operation::kHalf;
        case SassClass::kSpecialFunction:
        case SassClass::kConversion:
            return Operation::kSpecialFunction;
        case SassClass::kTensor:
            return what.mnemonic->fp16_sums ? Operation::kHmmaF16 : Operation::kHmmaF32;
        case SassClass::kBranch:
        case SassClass::kExit:
            return Operation::kBranch;
        case SassClass::kInteger:
        case SassClass::kUniform:
        case SassClass::kLoad:  // LDC
            return Operation::kInteger;
        default:
            return Operation::kMove;
    }
}

/// The name of a kernel, which may be a C++ signature, made safe for a file name.
std::string as_file_name(std::string name) {
    constexpr std::size_t kLongest = 80;
    for (char& c : name) {
        const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
        if (!kept) c = '_';
    }
    return name.substr(0, kLongest);
}

}  // namespace

/// State shared by the programs of a kernel and the reader of its file.
struct TraceKernel::Shared {
    explicit Shared(const AccessGranularity& granularity) : accesses(granularity) {}

    LaneAccessTable accesses;
    /// Guards the instruction tables: reading a CTA extends them while programs on any thread read
    /// them.
    std::shared_mutex tables;
};

class TraceKernel::Program : public WarpProgram {
public:
    /// `place` is that of a machine that holds the whole grid, until place() sets another.
    Program(std::shared_ptr<const ThreadBlock> block, std::uint32_t warp, const CtaPlace& place,
            std::shared_ptr<Shared> shared, const TraceHeader& header)
        : block_(std::move(block)),
          cursor_(block_->warp(warp)),
          left_(block_->warp(warp).instructions()),
          warp_(warp),
          place_(place),
          shared_(std::move(shared)),
          header_(header) {}

    void place(const CtaPlace& place) override { place_ = place; }

    std::size_t fill(WarpInstruction* out, std::size_t /*capacity*/) override {
        const std::shared_lock lock(shared_->tables);
        std::size_t made = 0;
        if (empty_) {  // a warp of a .tracez without instructions
            empty_ = false;
            out[made++] = WarpInstruction(Opcode::kExit);
        }
        for (TraceInstruction traced; made < kAtOnce && cursor_.next(traced); ++made) {
            --left_;
            out[made] = convert(traced, made);
        }
        return made;
    }

private:
    /// Number of instructions decoded ahead; small, so that a warp's buffer stays in the host's
    /// caches.
    static constexpr std::size_t kAtOnce = 8;

    /// Whether an instruction is a copy to shared memory that belongs to a group.
    [[nodiscard]] bool copies(const StaticInstruction& what) const {
        return what.op_class() == SassClass::kAsyncCopy && header_.has_copy_groups();
    }

    /// The memory space that an instruction accesses at this address.
    [[nodiscard]] MemorySpace space_of(const StaticInstruction& what, Address address) const {
        if (copies(what)) return MemorySpace::kGlobal;
        if (what.op_class() == SassClass::kAsyncCopy) {
            // Tracers may write a line for either side; no global address lies below the window's
            // size.
            const bool shared = header_.in_shared_window(address) || address < kTraceWindowBytes;
            return shared ? MemorySpace::kShared : MemorySpace::kGlobal;
        }
        if (what.space() != MemorySpace::kGeneric) return what.space();
        if (header_.in_shared_window(address)) return MemorySpace::kShared;
        return header_.in_local_window(address) ? MemorySpace::kLocal : MemorySpace::kGlobal;
    }

    /// Layout of the warp's words from the one at `offset` on, among those of all resident warps.
    [[nodiscard]] LocalLayout local_layout(Address offset) const {
        const Address warps = header_.warps_per_cta();
        const Address warp = place_.slot * warps + warp_;
        LocalLayout layout;
        layout.row_bytes = place_.slots * warps * kThreadsPerWarp * kLocalWordBytes;
        layout.first_word = kTraceLocalMemory + offset / kLocalWordBytes * layout.row_bytes +
                            warp * kThreadsPerWarp * kLocalWordBytes;
        return layout;
    }

    [[nodiscard]] WarpInstruction convert(const TraceInstruction& traced, std::size_t place) {
        const StaticInstruction& what = *traced.what;
        WarpInstruction w(opcode_of(traced));
        if (what.destinations != 0) w.dst = tracked(what.destination, what.destination_kind);
        std::uint8_t* const sources[] = {&w.src_a, &w.src_b, &w.src_c, &w.src_d};
        for (std::size_t i = 0; i < what.sources; ++i) {
            *sources[i] = tracked(what.source[i], what.source_kind[i]);
        }
        if (w.opcode() == Opcode::kOperation) {
            w.set_operation(operation_of(what));
            if (what.op_class() == SassClass::kTensor) w.set_mma_shape(*what.mnemonic->shape);
        } else if (w.opcode() == Opcode::kWaitCopies) {
            constexpr std::int64_t kMostGroups = 0xffff;
            w.set_groups_left(static_cast<std::uint16_t>(
                std::clamp(what.immediate, std::int64_t{0}, kMostGroups)));
        } else if (is_memory(w.opcode())) {
            access_memory(w, traced, place);
        }
        return w;
    }

    [[nodiscard]] Opcode opcode_of(const TraceInstruction& traced) const {
        const StaticInstruction& what = *traced.what;
        switch (what.op_class()) {
            case SassClass::kBarrier:
                return Opcode::kBarrier;
            case SassClass::kMemoryBarrier:
                return Opcode::kFence;
            case SassClass::kExit:
                return left_ == 0 ? Opcode::kExit : Opcode::kOperation;
            case SassClass::kDependencyBarrier:
                return header_.has_copy_groups() ? group_opcode(what) : Opcode::kOperation;
            default:
                return traced.lanes != nullptr ? memory_opcode(traced) : Opcode::kOperation;
        }
    }

    /// Opcode of a dependency barrier: commits copies, or waits for groups of them.
    [[nodiscard]] static Opcode group_opcode(const StaticInstruction& what) {
        if (what.mnemonic->opcode->name == "LDGDEPBAR") return Opcode::kCommitCopies;
        return what.mnemonic->opcode->name == "DEPBAR" ? Opcode::kWaitCopies : Opcode::kOperation;
    }

    [[nodiscard]] Opcode memory_opcode(const TraceInstruction& traced) const {
        const StaticInstruction& what = *traced.what;
        const bool shared = space_of(what, traced.base) == MemorySpace::kShared;
        switch (what.op_class()) {
            case SassClass::kAsyncCopy:
                return copies(what) ? Opcode::kCopyAsync
                       : shared     ? Opcode::kStoreShared
                                    : Opcode::kLoadGlobal;
            case SassClass::kLoad:
                return shared ? Opcode::kLoadShared : Opcode::kLoadGlobal;
            case SassClass::kStore:
                return shared ? Opcode::kStoreShared : Opcode::kStoreGlobal;
            case SassClass::kAtomic:
                // A shared-memory atomic occupies the banks as a load does.
                return shared ? Opcode::kLoadShared : Opcode::kAtomicGlobal;
            default:
                return Opcode::kOperation;
        }
    }

    /// Scoreboard entry of a register; none for those that the scoreboard does not hold.
    [[nodiscard]] std::uint8_t tracked(std::uint8_t number, RegisterKind kind) const {
        const bool held = kind == RegisterKind::kVector &&
                          (!header_.has_copy_groups() || number < kTracedRegisters);
        return held ? number : kNoRegister;
    }

    void access_memory(WarpInstruction& w, const TraceInstruction& traced, std::size_t place) {
        const StaticInstruction& what = *traced.what;
        const MemorySpace space = space_of(what, traced.base);
        if (copies(what)) {
            w.shared().bypass_l1 = what.mnemonic->bypasses_l1;
        } else if (what.op_class() == SassClass::kLoad) {
            w.registers().bypass_l1 = what.mnemonic->bypasses_l1;
        }
        TracedAccess access{*traced.lanes,           traced.base, space == MemorySpace::kShared,
                            what.mnemonic->matrices, {},          copies(what)};
        MemoryAccess& memory = w.memory();
        memory.address = traced.base;
        if (space == MemorySpace::kLocal) {
            access.base = header_.local_offset(traced.base);
            access.local = local_layout(access.base);
            memory.address = access.local->first_word;
        }
        if (traced.lanes->index == LanePattern::kUnshared) {
            own_.resize(kAtOnce);
            own_[place] = shared_->accesses.make(access);
            memory.lanes = &own_[place];
        } else {
            memory.lanes = &shared_->accesses.find(access);
        }
    }

    std::shared_ptr<const ThreadBlock> block_;
    WarpTrace::Cursor cursor_;
    std::uint32_t left_;  ///< remaining instructions
    bool empty_ = left_ == 0;
    std::uint32_t warp_;
    CtaPlace place_;
    std::shared_ptr<Shared> shared_;
    const TraceHeader& header_;
    std::vector<LaneAccess> own_;  ///< unshared patterns, valid until the next fill
};

const LaneAccess& LaneAccessTable::find(const TracedAccess& access) {
    // Words of local memory are aligned for themselves, and bytes in them.
    const Address place =
        access.local ? access.local->first_word + access.base % kLocalWordBytes : access.base;
    const std::uint64_t alignment = place % granularity_.alignment_bytes();
    constexpr std::uint32_t kMatrixBits = 3, kCopies = 7;
    const std::uint64_t key =
        (std::uint64_t{access.lanes.index} * granularity_.alignment_bytes() + alignment)
            << (kMatrixBits + 1) |
        (access.copies ? kCopies : access.matrices) << 1U | (access.shared ? 1U : 0U);
    const std::lock_guard lock(mutex_);
    Accesses& accesses = access.local ? local_[access.local->row_bytes] : accesses_;
    auto [at, added] = accesses.try_emplace(key);
    if (added) at.value() = std::make_unique<const LaneAccess>(make(access));
    return *at->second;
}

LaneAccess LaneAccessTable::make(const TracedAccess& access) const {
    const LaneOffsets lanes = offsets_of(access.lanes, access.matrices);
    if (access.local) return coalesce_local(lanes, access.base, *access.local, granularity_);
    if (access.copies) {
        LaneAccess made = coalesce_global(lanes, access.base, granularity_);
        // The shared side, which a trace does not have, has no bank conflicts.
        constexpr std::uint32_t kWordBytes = 4;
        const auto active = static_cast<std::uint32_t>(__builtin_popcount(lanes.mask));
        made.wavefronts =
            ceil_div(active * lanes.access_bytes, granularity_.shared_memory_banks * kWordBytes);
        return made;
    }
    return access.shared ? coalesce_shared(lanes, access.base, granularity_)
                         : coalesce_global(lanes, access.base, granularity_);
}

struct TraceKernel::Reader {
    Reader(const std::string& path, const AccessGranularity& granularity, const MmaShapeSet& rates)
        : file(path), shared(std::make_shared<Shared>(granularity)) {
        file.set_rates(rates);
    }

    TraceFile file;
    std::shared_ptr<Shared> shared;
    std::shared_ptr<const ThreadBlock> block;  ///< the last CTA read
    std::uint32_t blocks = 0;                  ///< number of CTAs read
};

TraceKernel::TraceKernel(const std::string& path, const AccessGranularity& granularity,
                         std::size_t number, const MmaShapeSet& rates)
    : path_(path), granularity_(granularity), rates_(rates) {
    const TraceFile file(path);
    header_ = file.header();
    info_.name = std::to_string(number) + "." + as_file_name(header_.name);
    info_.ctas = static_cast<std::uint32_t>(file.thread_blocks());
    info_.warps_per_cta = header_.warps_per_cta();
    info_.registers_per_thread = header_.registers;
    info_.scoreboard_registers = 255;  // the compiler's limit, whatever the header's count
    if (header_.has_copy_groups()) {
        info_.scoreboard_registers = kTracedRegisters;
        info_.copies_in_flight = kTracedCopies;
    }
    info_.shared_memory_bytes = header_.shared_memory_bytes;
    for (std::uint32_t warp = 0; warp < info_.warps_per_cta; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

std::unique_ptr<WarpProgram> TraceKernel::program(CtaId cta, std::uint32_t warp) const {
    if (!reader_ || cta.value() + 1 < reader_->blocks) {
        reader_ = std::make_shared<Reader>(path_, granularity_, rates_);
    }
    const std::shared_ptr<Shared> shared = reader_->shared;
    const std::unique_lock lock(shared->tables);
    while (reader_->blocks <= cta.value()) {
        auto block = std::make_shared<ThreadBlock>();
        if (!reader_->file.next_thread_block(*block)) {
            throw std::logic_error("TraceKernel: the trace has fewer CTAs than it says");
        }
        reader_->block = std::move(block);
        ++reader_->blocks;
    }
    auto program = std::make_unique<Program>(reader_->block, warp,
                                             CtaPlace{cta.value(), info_.ctas}, shared, header_);
    if (cta.value() + 1 == info_.ctas && warp + 1 == info_.warps_per_cta) {
        ThreadBlock none;
        (void)reader_->file.next_thread_block(none);  // checks that the file ends here
        reader_.reset();
    }
    return program;
}

}  // namespace tessera
