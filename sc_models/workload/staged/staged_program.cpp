#include "sc_models/workload/staged/staged_program.h"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

constexpr std::uint32_t kFragment = kFragmentRows;  // edge of a fragment

/// Line tiles of a CTA that begins at line `first` that are inside a matrix of `lines` lines.
std::uint32_t live_tiles(std::uint64_t first, std::uint32_t tiles, std::uint64_t lines) {
    const std::uint64_t left = ceil_div(lines - first, std::uint64_t{kLineTile});
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(tiles, left));
}

/// Number of steps over `k`.
std::uint32_t steps_of(const StagedProduct& product, std::uint64_t k) {
    return static_cast<std::uint32_t>(ceil_div(k, std::uint64_t{product.depth_tiles} * kDepthTile));
}

std::uint64_t elements_of(const StagedProduct& product) {
    return product.places != nullptr ? product.elements : product.m * product.n;
}

}  // namespace

StagedProgram::StagedProgram(const StagedProductKernel& kernel, CtaId cta, std::uint32_t warp)
    : kernel_(kernel),
      cta_(cta.value()),
      product_(kernel.product()),
      registers_(kernel.registers()),
      warp_(warp),
      tile_(kernel.tile(cta)),
      m_(kernel.member(tile_.member).m),
      k_(kernel.member(tile_.member).k),
      row_(tile_.row),
      column_(tile_.column),
      warp_row_(warp / (product_.tiling.cta_n / product_.tiling.warp_n) * product_.tiling.warp_m),
      warp_column_(warp % (product_.tiling.cta_n / product_.tiling.warp_n) *
                   product_.tiling.warp_n),
      first_step_(std::min(tile_.part * product_.steps_per_part, steps_of(product_, k_))),
      end_step_(kernel.parts() > 1
                    ? std::min(first_step_ + product_.steps_per_part, steps_of(product_, k_))
                    : steps_of(product_, k_)),
      d_(product_.d + Address{tile_.part} * elements_of(product_) * sizeof(float)),
      step_(first_step_) {}

void StagedProgram::make_step() {
    thread_local StagedScratch scratch;
    scratch_ = &scratch;
    pending_.clear();
    order_.clear();
    gathers_.clear();
    lanes_used_ = 0;
    next_ = 0;
    given_ = 0;
    while (pending_.empty() && order_.empty() && phase_ != Phase::kDone) make_more();
    if (order_.empty() && !pending_.empty()) order_.push_back({pending_.data(), pending_.size()});
}

InstructionBatch StagedProgram::next(WarpInstruction* /*room*/) {
    if (next_ == order_.size()) make_step();
    if (next_ == order_.size()) return {};
    const InstructionBatch& batch = order_[next_++];
    const std::size_t given = std::exchange(given_, 0);
    return {batch.begin + given, batch.count - given};
}

std::size_t StagedProgram::fill(WarpInstruction* out, std::size_t capacity) {
    if (next_ == order_.size()) make_step();
    std::size_t count = 0;
    while (count < capacity && next_ < order_.size()) {
        const InstructionBatch& batch = order_[next_];
        const std::size_t some = std::min(capacity - count, batch.count - given_);
        std::copy_n(batch.begin + given_, some, out + count);
        count += some;
        given_ += some;
        if (given_ < batch.count) break;
        given_ = 0;
        ++next_;
    }
    return count;
}

std::vector<WarpInstruction> StagedProgram::fragments_of(std::uint32_t buffer) {
    if (product_.asynchronous) {
        run_matrices(buffer, product_.depth_tiles, true);
    } else {
        run_fragments(buffer, product_.depth_tiles);
    }
    return std::exchange(pending_, {});
}

void StagedProgram::make_more() {
    switch (phase_) {
        case Phase::kBegin:
            read_c();
            if (first_step_ == end_step_) {
                phase_ = Phase::kEnd;
                break;
            }
            if (product_.asynchronous) {
                begin_asynchronous();
                phase_ = Phase::kSteps;
                break;
            }
            if (product_.skip_unmet_tiles) copy_first_descriptors();
            load_copies(first_step_);
            store_copies();
            if (kernel_.sparse() != nullptr && kernel_.steps() > 1) load_copies(1);
            barrier();
            phase_ = Phase::kSteps;
            break;
        case Phase::kSteps:
            run_step(step_);
            if (++step_ == end_step_) phase_ = Phase::kEnd;
            break;
        case Phase::kEnd:
            multiply_waiting();
            write_d();
            emit().opcode = Opcode::kExit;
            phase_ = Phase::kDone;
            break;
        case Phase::kDone:
            break;
    }
}

WarpInstruction& StagedProgram::emit() {
    return pending_.emplace_back();
}

void StagedProgram::emit_alu(std::uint32_t count) {
    if (count == 0) return;
    emit().count = static_cast<std::uint16_t>(count);
}

LaneAccess& StagedProgram::spare_lanes() {
    if (lanes_used_ == lanes_.size()) lanes_.emplace_back();
    return lanes_[lanes_used_];
}

void StagedProgram::load_copies(std::uint32_t step) {
    StagedShares& shares = scratch_->shares;
    if (product_.skip_unmet_tiles) {
        shares.kernel = 0;  // the copies include descriptors
        list_copies(step, shares);
        add_descriptors(step + 2);
        read_descriptors(step);
        give_shares(shares);
    } else if (!shares.are_of(kernel_.number(), cta_, step)) {
        shares.kernel = 0;
        list_copies(step, shares);
        give_shares(shares);
        shares.kernel = kernel_.number();
        shares.cta = cta_;
        shares.step = step;
    }
    take_share(shares);
}

void StagedProgram::list_copies(std::uint32_t step, StagedShares& shares) {
    shares.copies.clear();
    const std::uint32_t first = step * product_.depth_tiles;
    const std::uint32_t buffer = step % product_.stages;
    const std::uint32_t a_live = live_tiles(row_, kernel_.a_tiles(), m_);
    const std::uint32_t b_live = live_tiles(column_, kernel_.b_tiles(), product_.n);
    const auto a_tile = static_cast<std::uint32_t>(row_ / kLineTile);
    const auto b_tile = static_cast<std::uint32_t>(column_ / kLineTile);
    kernel_.a().copies_of_cta({a_tile, a_tile + a_live, tile_.member}, first, product_.depth_tiles,
                              kernel_.slot(buffer, 0), kernel_.a_slot_bytes(), shares.copies);
    shares.of_a = shares.copies.size();
    kernel_.b().copies_of_cta({b_tile, b_tile + b_live, tile_.member}, first, product_.depth_tiles,
                              kernel_.slot(buffer, kernel_.a_tiles()), kernel_.b_slot_bytes(),
                              shares.copies);
}

/// Assigns every copy of a step to the warp with the fewest registers in flight.
void StagedProgram::give_shares(StagedShares& shares) {
    std::vector<std::uint32_t>& held = scratch_->held;
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
void StagedProgram::take_share(const StagedShares& shares) {
    copies_.clear();
    std::uint32_t mine = 0;
    for (std::size_t i = 0; i < shares.copies.size(); ++i) {
        if (shares.warps[i] != warp_) continue;
        StagedCopy copy = shares.copies[i];
        const bool of_a = i < shares.of_a;
        if (product_.skip_unmet_tiles && of_a) {
            emit_alu(1);
            pending_.back().src_a = registers_.first_descriptor();
            if (!copy.cut_to(scratch_->needed)) continue;
        }
        const StagedOperand& operand = of_a ? kernel_.a() : kernel_.b();
        if (product_.asynchronous) {
            pending_.push_back(operand.copy_async(copy, spare_lanes()));
            if (pending_.back().has_lanes()) ++lanes_used_;
            continue;
        }
        const auto reg = static_cast<std::uint8_t>(registers_.first_copy() + mine);
        pending_.push_back(operand.load(copy, reg, spare_lanes()));
        if (product_.convolution_packet != 0 && of_a) name_as_a(pending_.back(), reg);
        if (pending_.back().has_lanes()) ++lanes_used_;
        mine += copy.registers();
        copies_.push_back(copy);
    }
}

/// Marks a load as a copy of A. A renaming unit must observe every such copy, so one without a lane
/// becomes a load without pieces.
void StagedProgram::name_as_a(WarpInstruction& load, std::uint8_t reg) {
    if (load.opcode != Opcode::kLoadGlobal) {
        LaneAccess& none = spare_lanes();
        none.pieces.clear();
        none.bytes = 0;
        none.has_places = true;
        load = WarpInstruction();
        load.opcode = Opcode::kLoadGlobal;
        load.dst = reg;
        load.zero_fill = kCopyRegisters;
        load.set_lanes(&none);
    }
    load.role = FragmentRole::kA;
}

void StagedProgram::store_copies() {
    std::uint32_t held = 0;
    for (const StagedCopy& copy : copies_) {
        WarpInstruction& w = emit();
        w.opcode = Opcode::kStoreShared;
        w.src_a = static_cast<std::uint8_t>(registers_.first_copy() + held);
        held += copy.registers();
        w.rows = static_cast<std::uint16_t>(copy.stored_rows());
        w.row_bytes = static_cast<std::uint16_t>(copy.stored_row_bytes());
        w.row_pitch_bytes = copy.shared_pitch;
        w.register_pitch_bytes = w.row_bytes;
        w.address = copy.shared;
    }
}

void StagedProgram::run_step(std::uint32_t step) {
    if (product_.asynchronous) {
        run_asynchronous(step);
        return;
    }
    const bool more = step + 1 < end_step_;
    if (kernel_.sparse() != nullptr) {
        run_sparse(step, step % 2);
        if (more) merge_copies(step);
        return;
    }
    const auto left = static_cast<std::uint32_t>(ceil_div(k_, std::uint64_t{kDepthTile}) -
                                                 std::uint64_t{step} * product_.depth_tiles);
    const std::uint32_t depth = std::min(product_.depth_tiles, left);
    const std::vector<WarpInstruction>* fragments = kernel_.fragments(warp_, step % 2);
    if (depth != product_.depth_tiles || fragments == nullptr) {
        run_fragments(step, depth);
        take_computation();
        fragments = &computation_;
    }
    std::size_t loads = 0;
    if (more) {
        load_copies(step + 1);
        loads = pending_.size();
        store_copies();
        barrier();
    }
    // If all were issued at once they would fill the path to L2 and block the LDST unit.
    spread(loads, *fragments, fragments->size() / 2);
}

/// Moves the pending instructions to `computation_`, to be interleaved with those that follow.
void StagedProgram::take_computation() {
    computation_.swap(pending_);
    pending_.clear();
}

void StagedProgram::barrier() {
    emit().opcode = Opcode::kBarrier;
    pending_.back().count = 0;
}

/// Interleaves the first `count` pending instructions with the first `among` of `computation`. The
/// other pending ones follow.
void StagedProgram::spread(std::size_t count, const std::vector<WarpInstruction>& computation,
                           std::size_t among) {
    const auto give = [this](const WarpInstruction* begin, std::size_t instructions) {
        if (instructions != 0) order_.push_back({begin, instructions});
    };
    std::size_t done = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t before = ceil_div(i * among, count);
        give(computation.data() + done, before - done);
        done = before;
        give(pending_.data() + i, 1);
    }
    give(computation.data() + done, computation.size() - done);
    give(pending_.data() + count, pending_.size() - count);
}

void StagedProgram::load_shared(std::uint32_t address, std::uint32_t bytes, std::uint8_t dst) {
    for (std::uint32_t at = 0; at < bytes; at += kAccessBytes) {
        WarpInstruction& w = emit();
        w.opcode = Opcode::kLoadShared;
        w.dst = static_cast<std::uint8_t>(dst + at / kWarpRegisterBytes);
        w.rows = 1;
        w.row_bytes = static_cast<std::uint16_t>(std::min(kAccessBytes, bytes - at));
        w.address = address + at;
    }
}

void StagedProgram::load_fragment(FragmentRole role, std::uint32_t slot,
                                  const StagedOperand::Fragment& fragment, std::uint8_t dst) {
    emit_fragment(Opcode::kLoadShared, slot, fragment, dst).role = role;
}

WarpInstruction& StagedProgram::emit_fragment(Opcode opcode, std::uint32_t slot,
                                              const StagedOperand::Fragment& fragment,
                                              std::uint8_t dst) {
    WarpInstruction& w = emit();
    w.opcode = opcode;
    w.dst = dst;
    w.rows = kFragment;
    w.row_bytes = kFragmentRowBytes;
    w.row_pitch_bytes = fragment.pitch_bytes;
    w.register_pitch_bytes = kFragmentRowBytes;
    w.address = slot + fragment.offset;
    if (fragment.transposed) w.set_transposed();
    return w;
}

/// Loads a fragment of A from global memory. Lines are allocated up to whole line tiles.
void StagedProgram::load_a_fragment(std::uint64_t line, std::uint32_t tile, std::uint8_t dst) {
    if (line >= round_up(product_.m, std::uint64_t{kLineTile})) return;
    WarpInstruction& w = emit();
    w.opcode = Opcode::kLoadFragment;
    w.role = FragmentRole::kA;
    w.dst = dst;
    w.rows = kFragment;
    w.row_bytes = kFragmentRowBytes;
    w.row_pitch_bytes = product_.a_line_bytes;
    w.register_pitch_bytes = kFragmentRowBytes;
    w.address = product_.a_lines + line * product_.a_line_bytes + Address{tile} * kFragmentRowBytes;
}

void StagedProgram::run_fragments(std::uint32_t step, std::uint32_t depth) {
    const std::uint32_t buffer = step % 2;
    for (std::uint32_t tile = 0; tile < depth; ++tile) {
        if (tile % product_.fragment_skip != 0) continue;
        emit_alu(product_.tiling.loop_overhead_instructions);
        const std::uint32_t set = tile / product_.fragment_skip % registers_.buffers;
        const auto a_value = [&](std::uint32_t i) {
            return registers_.a_value(set * registers_.sums_m + i);
        };
        const auto b_value = [&](std::uint32_t j) {
            return registers_.b_value(set * registers_.sums_n + j);
        };
        for (std::uint32_t i = 0; i < registers_.sums_m; ++i) {
            const std::uint32_t line = warp_row_ + i * kFragment;
            if (product_.a_lines != 0) {
                load_a_fragment(row_ + line, step * product_.depth_tiles + tile, a_value(i));
                continue;
            }
            load_fragment(FragmentRole::kA, kernel_.slot(buffer, 0),
                          kernel_.a().fragment(line, tile, product_.depth_tiles), a_value(i));
        }
        for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
            const std::uint32_t line = warp_column_ + j * kFragment;
            load_fragment(FragmentRole::kB, kernel_.slot(buffer, kernel_.a_tiles()),
                          kernel_.b().fragment(line, tile, product_.depth_tiles), b_value(j));
        }
        for (std::uint32_t i = 0; i < registers_.sums_m; ++i) {
            for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
                WarpInstruction& w = emit();
                w.opcode = Opcode::kMma;
                w.dst = registers_.sum(i, j);
                w.src_a = a_value(i);
                w.src_b = b_value(j);
            }
        }
    }
}

}  // namespace tessera
