// A traced kernel as a kernel of the machine.
#pragma once

#include <tsl/robin_map.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "sc_models/isa/coalescer.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/trace/trace_file.h"

namespace tessera {

/// Base of all threads' local memory: chosen, beyond the 49 bits of Volta's virtual addresses.
inline constexpr Address kTraceLocalMemory = Address{1} << 50U;

/// Asynchronous copies of a warp of a traced kernel that may be in flight at once: chosen;
/// CUTLASS's kernels have up to 32. They share the scoreboard with the registers, so those from
/// kTracedRegisters on have no dependences in kernels with copies.
inline constexpr std::uint32_t kTracedCopies = 32;
inline constexpr std::uint32_t kTracedRegisters = 255 - kTracedCopies;

/// The addresses of one traced instruction.
struct TracedAccess {
    const LanePattern& lanes;
    Address base = 0;  ///< base of the first lane; in local memory an offset in each thread's own
    bool shared = false;
    std::uint32_t matrices = 0;        ///< of an LDSM
    std::optional<LocalLayout> local;  ///< of local memory
    bool copies = false;               ///< global side of an asynchronous copy
};

/// Cache of the coalesced accesses of one kernel: its instructions use few lane patterns at few
/// alignments. References to entries stay valid. Thread-safe.
class LaneAccessTable {
public:
    explicit LaneAccessTable(const AccessGranularity& granularity) : granularity_(granularity) {}
    [[nodiscard]] const LaneAccess& find(const TracedAccess& access);
    /// Computes an access without caching it.
    [[nodiscard]] LaneAccess make(const TracedAccess& access) const;

private:
    using Accesses = tsl::robin_map<std::uint64_t, std::unique_ptr<const LaneAccess>>;

    AccessGranularity granularity_;
    std::mutex mutex_;
    Accesses accesses_;
    std::map<std::uint64_t, Accesses> local_;  ///< by LocalLayout::row_bytes
};

/// One kernel of a trace: CTAs are read from the file in the order in which they are issued, so
/// that memory depends on how many are resident and not on the trace's length.
class TraceKernel : public Kernel {
public:
    /// Reads the header; `number` prefixes the kernel's name, as kernels of a trace may share a
    /// name; `rates` are the tensor-core instructions of the machine. Throws ConfigError as
    /// TraceFile does.
    TraceKernel(const std::string& path, const AccessGranularity& granularity, std::size_t number,
                const MmaShapeSet& rates = MmaShapeSet().set());

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] const TraceHeader& header() const { return header_; }
    /// Makes the program of a warp. CTAs must be requested in ascending order, all warps of one
    /// before the next. Throws ConfigError for errors of the file there.
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    struct Reader;
    struct Shared;
    class Program;

    std::string path_;
    AccessGranularity granularity_;
    MmaShapeSet rates_;
    TraceHeader header_;
    KernelInfo info_;
    /// Position of the reader; the kernel itself is constant.
    mutable std::shared_ptr<Reader> reader_;
};

}  // namespace tessera
