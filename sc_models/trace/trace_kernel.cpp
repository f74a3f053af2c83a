#include "sc_models/trace/trace_kernel.h"

#include <cctype>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

namespace tessera {

namespace {

/// Windows of shared and local memory among generic addresses.
constexpr Address kWindowBytes = Address{1} << 24U;

LaneOffsets offsets_of(const LanePattern& pattern) {
    return {pattern.mask, pattern.access_bytes, pattern.offsets};
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

/// The name of a kernel, which may be a C++ signature, as part of a file's name.
std::string as_file_name(std::string name) {
    constexpr std::size_t kLongest = 80;
    for (char& c : name) {
        const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
        if (!kept) c = '_';
    }
    return name.substr(0, kLongest);
}

}  // namespace

/// What the programs of a kernel share with each other and with the reader of its file.
struct TraceKernel::Shared {
    explicit Shared(const AccessGranularity& granularity) : accesses(granularity) {}

    LaneAccessTable accesses;
    /// Reading a CTA adds to the tables of instructions, which programs look at, on any thread.
    std::shared_mutex tables;
};

class TraceKernel::Program : public WarpProgram {
public:
    Program(std::shared_ptr<const ThreadBlock> block, std::uint32_t warp,
            std::shared_ptr<Shared> shared, const TraceHeader& header)
        : block_(std::move(block)),
          cursor_(block_->warp(warp)),
          left_(block_->warp(warp).instructions()),
          shared_(std::move(shared)),
          header_(header) {}

    std::size_t fill(WarpInstruction* out, std::size_t /*capacity*/) override {
        const std::shared_lock lock(shared_->tables);
        std::size_t made = 0;
        for (TraceInstruction traced; made < kAtOnce && cursor_.next(traced); ++made) {
            --left_;
            out[made] = convert(traced, made);
        }
        return made;
    }

private:
    /// Instructions decoded ahead; few, so that a warp's buffer stays small in the host's caches.
    static constexpr std::size_t kAtOnce = 8;

    [[nodiscard]] bool is_shared(const StaticInstruction& what, Address address) const {
        if (what.space() != MemorySpace::kGeneric) return what.space() == MemorySpace::kShared;
        return address >= header_.shared_base && address < header_.shared_base + kWindowBytes;
    }

    [[nodiscard]] WarpInstruction convert(const TraceInstruction& traced, std::size_t place) {
        const StaticInstruction& what = *traced.what;
        WarpInstruction w;
        if (what.destinations != 0) w.dst = what.destination;
        std::uint8_t* const sources[] = {&w.src_a, &w.src_b, &w.src_c, &w.src_d};
        for (std::size_t i = 0; i < what.sources; ++i) *sources[i] = what.source[i];
        w.opcode = Opcode::kOperation;
        w.operation = operation_of(what);
        switch (what.op_class()) {
            case SassClass::kBarrier:
                w.opcode = Opcode::kBarrier;
                w.count = 0;
                break;
            case SassClass::kMemoryBarrier:
                w.opcode = Opcode::kFence;
                break;
            case SassClass::kExit:
                if (left_ == 0) w.opcode = Opcode::kExit;
                break;
            default:
                if (traced.lanes != nullptr) access_memory(w, traced, place);
                break;
        }
        return w;
    }

    void access_memory(WarpInstruction& w, const TraceInstruction& traced, std::size_t place) {
        const StaticInstruction& what = *traced.what;
        const bool shared = is_shared(what, traced.base);
        switch (what.op_class()) {
            case SassClass::kLoad:
            case SassClass::kAsyncCopy:
                w.opcode = shared ? Opcode::kLoadShared : Opcode::kLoadGlobal;
                w.bypass_l1 = what.mnemonic->bypasses_l1;
                break;
            case SassClass::kStore:
                w.opcode = shared ? Opcode::kStoreShared : Opcode::kStoreGlobal;
                break;
            case SassClass::kAtomic:
                // In shared memory an atomic takes the banks as a load does.
                w.opcode = shared ? Opcode::kLoadShared : Opcode::kAtomicGlobal;
                break;
            default:
                return;
        }
        w.address = traced.base;
        if (traced.lanes->index == LanePattern::kUnshared) {
            own_.resize(kAtOnce);
            own_[place] = shared_->accesses.make(*traced.lanes, traced.base, shared);
            w.set_lanes(&own_[place]);
        } else {
            w.set_lanes(&shared_->accesses.find(*traced.lanes, traced.base, shared));
        }
    }

    std::shared_ptr<const ThreadBlock> block_;
    WarpTrace::Cursor cursor_;
    std::uint32_t left_;  ///< instructions still to come
    std::shared_ptr<Shared> shared_;
    const TraceHeader& header_;
    std::vector<LaneAccess> own_;  ///< of patterns that do not repeat, until the next fill
};

const LaneAccess& LaneAccessTable::find(const LanePattern& pattern, Address base, bool shared) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t alignment = base % granularity_.alignment_bytes();
    const std::uint64_t key =
        (std::uint64_t{pattern.index} * granularity_.alignment_bytes() + alignment) << 1U |
        (shared ? 1U : 0U);
    auto [at, added] = accesses_.try_emplace(key);
    if (added) at.value() = std::make_unique<const LaneAccess>(make(pattern, base, shared));
    return *at->second;
}

LaneAccess LaneAccessTable::make(const LanePattern& pattern, Address base, bool shared) const {
    return shared ? coalesce_shared(offsets_of(pattern), base, granularity_)
                  : coalesce_global(offsets_of(pattern), base, granularity_);
}

struct TraceKernel::Reader {
    Reader(const std::string& path, const AccessGranularity& granularity)
        : file(path), shared(std::make_shared<Shared>(granularity)) {}

    TraceFile file;
    std::shared_ptr<Shared> shared;
    std::shared_ptr<const ThreadBlock> block;  ///< the CTA read last
    std::uint32_t blocks = 0;                  ///< read so far
};

TraceKernel::TraceKernel(const std::string& path, const AccessGranularity& granularity,
                         std::size_t number)
    : path_(path), granularity_(granularity), header_(TraceFile(path).header()) {
    info_.name = std::to_string(number) + "." + as_file_name(header_.name);
    info_.ctas = static_cast<std::uint32_t>(header_.grid.count());
    info_.warps_per_cta = header_.warps_per_cta();
    info_.registers_per_thread = header_.registers;
    info_.scoreboard_registers = 255;  // what a compiler may use, whatever the header says
    info_.shared_memory_bytes = header_.shared_memory_bytes;
    for (std::uint32_t warp = 0; warp < info_.warps_per_cta; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

std::unique_ptr<WarpProgram> TraceKernel::program(CtaId cta, std::uint32_t warp) const {
    if (!reader_ || cta.value() + 1 < reader_->blocks) {
        reader_ = std::make_shared<Reader>(path_, granularity_);
    }
    const std::shared_ptr<Shared> shared = reader_->shared;
    const std::unique_lock lock(shared->tables);
    while (reader_->blocks <= cta.value()) {
        auto block = std::make_shared<ThreadBlock>();
        if (!reader_->file.next_thread_block(*block)) {
            throw std::logic_error("TraceKernel: the grid has fewer CTAs than its header says");
        }
        reader_->block = std::move(block);
        ++reader_->blocks;
    }
    auto program = std::make_unique<Program>(reader_->block, warp, shared, header_);
    if (cta.value() + 1 == info_.ctas && warp + 1 == info_.warps_per_cta) {
        ThreadBlock none;
        (void)reader_->file.next_thread_block(none);  // checks that the file ends here
        reader_.reset();
    }
    return program;
}

}  // namespace tessera
