// Register file contents, kept only where values are simulated, and where renamed fragments lie.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/sm_config.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/sm/fragment_units.h"

namespace tessera {

/// The 256 KB register file of an SM as bytes (Duplo Table III): warp registers of 128 B, addressed
/// by warp slot and architectural register. A fragment that a load filter has renamed lies in
/// physical units instead, which several fragments may share. Timing lives elsewhere; without
/// `configure` or `follow_renaming` it holds nothing.
class RegisterFile {
public:
    /// Room for `warps` warps of `registers` registers a thread, cleared; nothing is renamed.
    void configure(std::uint32_t warps, std::uint32_t registers);
    /// Without contents: where the renamed fragments of `warps` warps lie; none is renamed.
    void follow_renaming(std::uint32_t warps, std::uint32_t registers);
    /// A load filter renames fragments in these units; once, before the first `configure`.
    void rename_in(const FragmentUnits& units) { units_ = units; }
    /// Whether `rename` has to be told.
    [[nodiscard]] bool follows_renaming() const { return !fragments_.empty(); }
    [[nodiscard]] bool holds_values() const { return !bytes_.empty(); }
    /// First byte of register `reg` of a warp.
    [[nodiscard]] std::byte* at(WarpId warp, std::uint8_t reg) {
        return bytes_.data() + warp.value() * stride_ + std::size_t{reg} * kWarpRegisterBytes;
    }

    /// Nothing of a warp that has exited is renamed any more.
    void forget_renaming(WarpId warp);
    /// Unit `unit` of the fragment at `reg` lives in `phys` from now on; invalid: it is zero.
    void rename(WarpId warp, std::uint8_t reg, std::uint32_t unit, PhysRegId phys);
    /// How often each register of the fragment at `reg` has to be read: once, if it is not renamed.
    /// The units of a fragment lie side by side in the lanes of eight warp registers, unit u in
    /// place u mod units of such a set; those of a renamed one lie in several sets.
    [[nodiscard]] std::uint32_t reads_of_fragment(WarpId warp, std::uint8_t reg,
                                                  RegisterAddress address);
    /// Contents of a physical unit.
    [[nodiscard]] std::byte* unit(PhysRegId phys);
    /// The two octet copies of the fragment at `reg`, gathered into `scratch` if it is renamed.
    void read_fragment(WarpId warp, std::uint8_t reg,
                       std::array<std::byte, kFragmentBytes>& scratch,
                       const std::byte* (&copies)[2]);
    /// The 16 rows of a staged copy at `reg`, gathered into `scratch` if it is renamed.
    [[nodiscard]] const std::byte* read_copy(WarpId warp, std::uint8_t reg,
                                             std::array<std::byte, kFragmentBytes>& scratch);

private:
    /// What each of the two octets that read a fragment gets of it.
    static constexpr std::uint32_t kCopyBytes = kFragmentRows * kFragmentRowBytes;
    struct Fragment {
        bool renamed = false;
        std::array<PhysRegId, std::size_t{2} * kFragmentRows> units;
    };
    /// No two fragments, or staged copies, share four registers.
    static constexpr std::uint32_t kRegistersApart = kCopyBytes / kWarpRegisterBytes;
    [[nodiscard]] Fragment& fragment(WarpId warp, std::uint8_t reg) {
        return fragments_[warp.value() * fragments_per_warp_ + reg / kRegistersApart];
    }

    std::size_t stride_ = 0;
    std::vector<std::byte> bytes_;
    FragmentUnits units_{kFragmentRows, 0};  ///< none: nobody renames
    std::uint32_t fragments_per_warp_ = 0;
    std::vector<Fragment> fragments_;
    std::vector<std::byte> unit_bytes_;  ///< of the physical units
};

}  // namespace tessera
