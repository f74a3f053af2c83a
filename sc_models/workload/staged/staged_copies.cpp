#include "sc_models/workload/staged/staged_copies.h"

#include <algorithm>

namespace tessera {
namespace {

/// Line tiles of a CTA that begins at line `first` that are inside a matrix of `lines` lines.
std::uint32_t live_tiles(std::uint64_t first, std::uint32_t tiles, std::uint64_t lines) {
    const std::uint64_t left = ceil_div(lines - first, std::uint64_t{kLineTile});
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(tiles, left));
}

}  // namespace

StagedCopies::Scratch& StagedCopies::scratch_of_thread() {
    thread_local Scratch scratch;
    return scratch;
}

void StagedCopies::load(std::uint32_t step) {
    Scratch& scratch = scratch_of_thread();
    StagedShares& shares = scratch.shares;
    if (product_.skip_unmet_tiles) {
        shares.kernel = 0;  // the copies include descriptors
        list_copies(step, shares);
        descriptors_.add(step + 2, shares.copies);
        descriptors_.read(step, scratch.needed);
        give_shares(scratch);
    } else if (!shares.are_of(kernel_.number(), at_.cta, step)) {
        shares.kernel = 0;
        list_copies(step, shares);
        give_shares(scratch);
        shares.kernel = kernel_.number();
        shares.cta = at_.cta;
        shares.step = step;
    }
    take_share(scratch);
}

void StagedCopies::list_copies(std::uint32_t step, StagedShares& shares) const {
    shares.copies.clear();
    const std::uint32_t first = step * product_.depth_tiles;
    const std::uint32_t buffer = step % product_.stages;
    const std::uint32_t a_live = live_tiles(at_.row, kernel_.a_tiles(), at_.m);
    const std::uint32_t b_live = live_tiles(at_.column, kernel_.b_tiles(), product_.n);
    const auto a_tile = static_cast<std::uint32_t>(at_.row / kLineTile);
    const auto b_tile = static_cast<std::uint32_t>(at_.column / kLineTile);
    kernel_.a().copies_of_cta({a_tile, a_tile + a_live, at_.tile.member}, first,
                              product_.depth_tiles, kernel_.slot(buffer, 0), kernel_.a_slot_bytes(),
                              shares.copies);
    shares.of_a = shares.copies.size();
    kernel_.b().copies_of_cta({b_tile, b_tile + b_live, at_.tile.member}, first,
                              product_.depth_tiles, kernel_.slot(buffer, kernel_.a_tiles()),
                              kernel_.b_slot_bytes(), shares.copies);
}

/// Assigns every copy of a step to the warp with the fewest registers in flight.
void StagedCopies::give_shares(Scratch& scratch) const {
    StagedShares& shares = scratch.shares;
    std::vector<std::uint32_t>& held = scratch.held;
    held.assign(kernel_.info().warps_per_cta, 0);
    shares.warps.clear();
    for (const StagedCopy& copy : shares.copies) {
        const auto least = std::min_element(held.begin(), held.end());
        *least += copy.registers();
        shares.warps.push_back(static_cast<std::uint32_t>(least - held.begin()));
    }
}

/// Takes the warp's share of the copies. With skip_unmet_tiles the warp tests each of its copies of
/// A.
void StagedCopies::take_share(const Scratch& scratch) {
    const StagedShares& shares = scratch.shares;
    copies_.clear();
    std::uint32_t mine = 0;
    for (std::size_t i = 0; i < shares.copies.size(); ++i) {
        if (shares.warps[i] != at_.warp) continue;
        StagedCopy copy = shares.copies[i];
        const bool of_a = i < shares.of_a;
        if (product_.skip_unmet_tiles && of_a) {
            emit_alu(1);
            out_.back().src_a = registers_.first_descriptor();
            if (!copy.cut_to(scratch.needed)) continue;
        }
        const StagedOperand& operand = of_a ? kernel_.a() : kernel_.b();
        if (product_.asynchronous) {
            out_.add(operand.copy_async(copy, out_.spare_lanes()));
            if (out_.back().has_lanes()) out_.keep_lanes();
            continue;
        }
        const auto reg = static_cast<std::uint8_t>(registers_.first_copy() + mine);
        out_.add(operand.load(copy, reg, out_.spare_lanes()));
        if (product_.convolution_packet != 0 && of_a) name_as_a(out_.back(), reg);
        if (out_.back().has_lanes()) out_.keep_lanes();
        mine += copy.registers();
        copies_.push_back(copy);
    }
}

/// Marks a load as a copy of A. A renaming unit must observe every such copy, so one without a lane
/// becomes a load without pieces.
void StagedCopies::name_as_a(WarpInstruction& load, std::uint8_t reg) {
    if (load.opcode() != Opcode::kLoadGlobal) {
        LaneAccess& none = out_.spare_lanes();
        none.pieces.clear();
        none.bytes = 0;
        none.has_places = true;
        load = WarpInstruction(Opcode::kLoadGlobal);
        load.dst = reg;
        load.memory().lanes = &none;
        load.registers().zero_fill = kCopyRegisters;
    }
    load.registers().role = FragmentRole::kA;
}

void StagedCopies::store() {
    std::uint32_t held = 0;
    for (const StagedCopy& copy : copies_) {
        WarpInstruction& w = emit(Opcode::kStoreShared);
        w.src_a = static_cast<std::uint8_t>(registers_.first_copy() + held);
        held += copy.registers();
        w.memory().set_rows(copy.shared, copy.stored_rows(), copy.stored_row_bytes(),
                            copy.shared_pitch);
        w.registers().pitch_bytes = w.memory().row_bytes;
    }
}

void StagedCopies::copy_first_descriptors() {
    Scratch& scratch = scratch_of_thread();
    StagedShares& shares = scratch.shares;
    shares.kernel = 0;
    shares.copies.clear();
    shares.of_a = 0;
    descriptors_.add(0, shares.copies);
    give_shares(scratch);
    take_share(scratch);
    store();
    out_.barrier();
}

}  // namespace tessera
