// A traced kernel as the machine executes it.
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

/// Where the local memory of all threads begins: chosen, behind the 49 bits of Volta's virtual
/// addresses.
inline constexpr Address kTraceLocalMemory = Address{1} << 50U;

/// The addresses of one traced instruction.
struct TracedAccess {
    const LanePattern& lanes;
    Address base = 0;  ///< of the first lane; in local memory a byte of each thread's own
    bool shared = false;
    std::uint32_t matrices = 0;        ///< of an LDSM
    std::optional<LocalLayout> local;  ///< of local memory
};

/// Coalesced accesses of one kernel, each worked out once: instructions of a kernel use few
/// patterns of lanes, at few alignments. What it hands out stays where it is. Any thread may ask.
class LaneAccessTable {
public:
    explicit LaneAccessTable(const AccessGranularity& granularity) : granularity_(granularity) {}
    [[nodiscard]] const LaneAccess& find(const TracedAccess& access);
    /// The same without keeping it.
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
    /// Reads the header; `number` goes in front of its name, as kernels of a trace share theirs.
    /// Throws ConfigError as TraceFile does.
    TraceKernel(const std::string& path, const AccessGranularity& granularity, std::size_t number);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] const TraceHeader& header() const { return header_; }
    /// CTAs must be asked for in ascending order, all warps of one before the next. Throws
    /// ConfigError for what is wrong with the file there.
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    struct Reader;
    struct Shared;
    class Program;

    std::string path_;
    AccessGranularity granularity_;
    TraceHeader header_;
    KernelInfo info_;
    /// Where reading has got to; the kernel itself does not change.
    mutable std::shared_ptr<Reader> reader_;
};

}  // namespace tessera
