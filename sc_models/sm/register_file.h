// Register file contents, kept only where values are simulated.
#pragma once

#include <cstddef>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// The 256 KB register file of an SM as bytes (Duplo Table III): warp registers of 128 B, addressed
/// by warp slot and architectural register. Timing and renaming live elsewhere; without `configure`
/// it holds nothing.
class RegisterFile {
public:
    /// Room for `warps` warps of `registers` registers a thread, cleared.
    void configure(std::uint32_t warps, std::uint32_t registers) {
        stride_ = std::size_t{registers} * kWarpRegisterBytes;
        bytes_.assign(warps * stride_, std::byte{0});
    }
    [[nodiscard]] bool holds_values() const { return !bytes_.empty(); }
    /// First byte of register `reg` of a warp.
    [[nodiscard]] std::byte* at(WarpId warp, std::uint8_t reg) {
        return bytes_.data() + warp.value() * stride_ + std::size_t{reg} * kWarpRegisterBytes;
    }

private:
    std::size_t stride_ = 0;
    std::vector<std::byte> bytes_;
};

}  // namespace tessera
