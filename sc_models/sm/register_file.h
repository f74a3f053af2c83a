// Register file contents (with values), and the mapping of renamed fragments.
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
/// physical units instead, which several fragments may share. Timing is modelled elsewhere; without
/// `configure` or `follow_renaming` the file holds nothing.
class RegisterFile {
public:
    /// Allocates `warps` warps of `registers` registers a thread, cleared; nothing is renamed.
    void configure(std::uint32_t warps, std::uint32_t registers);
    /// Tracks renaming only, without contents, for `warps` warps; nothing is renamed at first.
    void follow_renaming(std::uint32_t warps, std::uint32_t registers);
    /// Sets the units in which a load filter renames fragments; once, before the first `configure`.
    void rename_in(const FragmentUnits& units) { units_ = units; }
    /// Returns whether `rename` must be called.
    [[nodiscard]] bool follows_renaming() const { return !fragments_.empty(); }
    [[nodiscard]] bool holds_values() const { return !bytes_.empty(); }
    /// Returns the first byte of register `reg` of a warp.
    [[nodiscard]] std::byte* at(WarpId warp, std::uint8_t reg) {
        return bytes_.data() + warp.value() * stride_ + std::size_t{reg} * kWarpRegisterBytes;
    }

    /// Removes all renaming of a warp that has exited.
    void forget_renaming(WarpId warp);
    /// Maps unit `unit` of the fragment at `reg` to `phys`; invalid: the unit is zero.
    void rename(WarpId warp, std::uint8_t reg, std::uint32_t unit, PhysRegId phys);
    /// Returns how often each register of the fragment at `reg` has to be read: once, if it is not
    /// renamed. The units of a fragment lie side by side in the lanes of eight warp registers, unit
    /// u in place u mod units of such a set; those of a renamed fragment lie in several sets.
    [[nodiscard]] std::uint32_t reads_of_fragment(WarpId warp, std::uint8_t reg,
                                                  RegisterAddress address);
    /// Returns the contents of a physical unit.
    [[nodiscard]] std::byte* unit(PhysRegId phys);
    /// Reads both octet copies of the fragment at `reg`, gathered into `scratch` if it is renamed.
    void read_fragment(WarpId warp, std::uint8_t reg,
                       std::array<std::byte, kFragmentBytes>& scratch,
                       const std::byte* (&copies)[2]);
    /// Returns the 16 rows of a staged copy at `reg`, gathered into `scratch` if it is renamed.
    [[nodiscard]] const std::byte* read_copy(WarpId warp, std::uint8_t reg,
                                             std::array<std::byte, kFragmentBytes>& scratch);

private:
    /// Bytes of one of the two octet copies of a fragment.
    static constexpr std::uint32_t kCopyBytes = kFragmentRows * kFragmentRowBytes;
    struct Fragment {
        bool renamed = false;
        std::array<PhysRegId, std::size_t{2} * kFragmentRows> units;
    };
    /// Fragments and staged copies are at least this many registers apart.
    static constexpr std::uint32_t kRegistersApart = kCopyBytes / kWarpRegisterBytes;
    [[nodiscard]] Fragment& fragment(WarpId warp, std::uint8_t reg) {
        return fragments_[warp.value() * fragments_per_warp_ + reg / kRegistersApart];
    }

    std::size_t stride_ = 0;
    std::vector<std::byte> bytes_;
    FragmentUnits units_{kFragmentRows, 0};  ///< count 0: no renaming
    std::uint32_t fragments_per_warp_ = 0;
    std::vector<Fragment> fragments_;
    std::vector<std::byte> unit_bytes_;  ///< contents of the physical units
};

}  // namespace tessera
