#include "sc_models/sm/register_file.h"

#include <algorithm>

namespace tessera {

void RegisterFile::configure(std::uint32_t warps, std::uint32_t registers) {
    stride_ = std::size_t{registers} * kWarpRegisterBytes;
    bytes_.assign(warps * stride_, std::byte{0});
    follow_renaming(warps, registers);
}

void RegisterFile::follow_renaming(std::uint32_t warps, std::uint32_t registers) {
    if (units_.count() == 0) return;
    fragments_per_warp_ = ceil_div(registers, kRegistersApart);
    fragments_.assign(std::size_t{warps} * fragments_per_warp_, Fragment{});
}

void RegisterFile::forget_renaming(WarpId warp) {
    const auto first =
        fragments_.begin() + static_cast<std::ptrdiff_t>(warp.value()) * fragments_per_warp_;
    std::for_each(first, first + fragments_per_warp_,
                  [](Fragment& fragment) { fragment.renamed = false; });
}

const std::byte* RegisterFile::read_copy(WarpId warp, std::uint8_t reg,
                                         std::array<std::byte, kFragmentBytes>& scratch) {
    const std::byte* copies[2];
    read_fragment(warp, reg, scratch, copies);
    return copies[0];
}

void RegisterFile::rename(WarpId warp, std::uint8_t reg, std::uint32_t unit, PhysRegId phys) {
    Fragment& renamed = fragment(warp, reg);
    renamed.renamed = true;
    renamed.units[unit] = phys;
}

std::uint32_t RegisterFile::reads_of_fragment(WarpId warp, std::uint8_t reg,
                                              RegisterAddress address) {
    if (fragments_.empty() || !fragment(warp, reg).renamed) return 1;
    const Fragment& renamed = fragment(warp, reg);
    const PhysRegId* const begin = renamed.units.data();
    std::uint32_t most = 0;
    std::array<std::uint32_t, std::size_t{2} * kFragmentRows> of_place{};
    std::uint32_t sets = 0;
    for (const PhysRegId* unit = begin; unit != begin + units_.count(); ++unit) {
        if (!unit->valid() || std::find(begin, unit, *unit) != unit) continue;
        most = std::max(most, ++of_place[unit->value() % units_.count()]);
        const std::uint32_t set = unit->value() / units_.count();
        const auto in_set = [&](PhysRegId other) {
            return other.valid() && other.value() / units_.count() == set;
        };
        if (std::none_of(begin, unit, in_set)) ++sets;
    }
    return address == RegisterAddress::kLane ? most : sets;
}

std::byte* RegisterFile::unit(PhysRegId phys) {
    const std::size_t bytes = units_.bytes();
    const std::size_t needed = (std::size_t{phys.value()} + 1) * bytes;
    if (unit_bytes_.size() < needed) unit_bytes_.resize(std::max(needed, 2 * unit_bytes_.size()));
    return unit_bytes_.data() + phys.value() * bytes;
}

void RegisterFile::read_fragment(WarpId warp, std::uint8_t reg,
                                 std::array<std::byte, kFragmentBytes>& scratch,
                                 const std::byte* (&copies)[2]) {
    if (units_.count() == 0 || !fragment(warp, reg).renamed) {
        copies[0] = at(warp, reg);
        copies[1] = copies[0] + kCopyBytes;
        return;
    }
    const Fragment& renamed = fragment(warp, reg);
    for (std::uint32_t i = 0; i < units_.count(); ++i) {
        std::byte* const to = scratch.data() + units_.copy_of(i) * kCopyBytes +
                              units_.first_row(i) * kFragmentRowBytes;
        const PhysRegId phys = renamed.units[i];
        if (phys.valid()) {
            std::copy_n(unit(phys), units_.bytes(), to);
        } else {
            std::fill_n(to, units_.bytes(), std::byte{0});
        }
    }
    const bool one_copy = units_.count() == units_.groups();
    copies[0] = scratch.data();
    copies[1] = one_copy ? scratch.data() : scratch.data() + kCopyBytes;
}

}  // namespace tessera
