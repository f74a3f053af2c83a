// A traced kernel as the machine executes it.
#pragma once

#include <tsl/robin_map.h>

#include <memory>
#include <mutex>
#include <string>

#include "sc_models/isa/coalescer.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/trace/trace_file.h"

namespace tessera {

/// Coalesced accesses of one kernel, each worked out once: instructions of a kernel use few
/// patterns of lanes, at few alignments. What it hands out stays where it is. Any thread may ask.
class LaneAccessTable {
public:
    explicit LaneAccessTable(const AccessGranularity& granularity) : granularity_(granularity) {}
    [[nodiscard]] const LaneAccess& find(const LanePattern& pattern, Address base, bool shared);
    /// The same without keeping it.
    [[nodiscard]] LaneAccess make(const LanePattern& pattern, Address base, bool shared) const;

private:
    AccessGranularity granularity_;
    std::mutex mutex_;
    tsl::robin_map<std::uint64_t, std::unique_ptr<const LaneAccess>> accesses_;
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
