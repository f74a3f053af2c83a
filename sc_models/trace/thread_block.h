// Instructions of one CTA of a traced kernel.
#pragma once

#include <memory>
#include <vector>

#include "sc_models/trace/warp_trace.h"

namespace tessera {

/// The instructions of all warps of a CTA. Keeps the kernel's table alive, so it may outlive its
/// TraceFile. Cursors stay valid when it is moved.
class ThreadBlock {
public:
    /// Coordinates in the grid, as in the file.
    [[nodiscard]] const Dim3& index() const { return index_; }
    [[nodiscard]] std::uint32_t warps() const { return static_cast<std::uint32_t>(warps_.size()); }
    [[nodiscard]] WarpTrace warp(std::uint32_t w) const {
        const Span& span = warps_[w];
        const std::uint8_t* begin = bytes_.data() + span.begin;
        return {table_.get(), begin, begin + span.size, span.instructions};
    }
    /// Number of instructions of all warps.
    [[nodiscard]] std::uint64_t instructions() const;
    /// Memory of this CTA alone (the table is shared).
    [[nodiscard]] std::size_t memory_bytes() const {
        return bytes_.capacity() + warps_.capacity() * sizeof(Span);
    }

    /// A warp's range in the encoder's buffer.
    struct Span {
        std::size_t begin = 0;
        std::size_t size = 0;
        std::uint32_t instructions = 0;
        bool present = false;
    };
    /// Replaces the contents; reuses the memory.
    void assign(const Dim3& index, std::shared_ptr<const InstructionTable> table,
                const WarpEncoder& encoded, const std::vector<Span>& warps);

private:
    Dim3 index_;
    std::shared_ptr<const InstructionTable> table_;
    std::vector<std::uint8_t> bytes_;
    std::vector<Span> warps_;
};

}  // namespace tessera
