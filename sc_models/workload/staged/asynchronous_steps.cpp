#include "sc_models/workload/staged/asynchronous_steps.h"

#include <algorithm>

namespace tessera {

void AsynchronousSteps::begin() {
    for (std::uint32_t ahead = 0; ahead + 1 < product_.stages; ++ahead) {
        copy_step(at_.first_step + ahead);
        commit_copies();
    }
    await_copies();
    load_matrices(at_.first_step, 0);
}

/// Emits the warp's share of the copies of `step`, if there is such a step.
void AsynchronousSteps::copy_step(std::uint32_t step) {
    if (step < at_.end_step) copies_.load(step);
}

/// Closes the group of a step's copies; behind the last step groups are empty, so that waits count
/// the same.
void AsynchronousSteps::commit_copies() {
    emit(Opcode::kCommitCopies);
}

/// Waits until the copies of the next step have arrived, those of all warps.
void AsynchronousSteps::await_copies() {
    emit(Opcode::kWaitCopies).set_groups_left(static_cast<std::uint16_t>(product_.stages - 2));
    out_.barrier();
}

void AsynchronousSteps::run(std::uint32_t step) {
    const std::uint32_t depth = at_.depth(step);
    const bool more = step + 1 < at_.end_step;
    const std::vector<WarpInstruction>* computation =
        kernel_.fragments(at_.warp, step % product_.stages);
    if (depth != product_.depth_tiles || !more || computation == nullptr) {
        multiply(step, depth, more);
        computation = &out_.take_computation();
    }
    copy_step(step + product_.stages - 1);
    const auto commit =
        std::find_if(computation->begin(), computation->end(),
                     [](const WarpInstruction& w) { return w.opcode() == Opcode::kCommitCopies; });
    out_.spread(out_.size(), *computation, static_cast<std::size_t>(commit - computation->begin()));
}

/// Emits the products of a step's `depth` tiles, or pairs of tiles if B is compressed; with `more`
/// the first fragments of the next step are loaded during the last one.
void AsynchronousSteps::multiply(std::uint32_t step, std::uint32_t depth, bool more) {
    for (std::uint32_t tile = 0; tile < depth / registers_.a_depth; ++tile) {
        emit_alu(product_.tiling.loop_overhead_instructions);
        const bool last = tile + 1 == depth / registers_.a_depth;
        if (last && more) {
            commit_copies();
            await_copies();
        }
        const std::size_t loads = out_.size();
        if (!last) {
            load_matrices(step, tile + 1);
        } else if (more) {
            load_matrices(step + 1, 0);
        }
        const std::size_t products = out_.size();
        if (kernel_.compressed() != nullptr) {
            multiply_compressed(tile);
        } else {
            multiply_matrices(tile);
        }
        // The tensor cores then do not wait for the turn of a warp at the LDST unit.
        out_.alternate(loads, products);
    }
}

/// Loads the warp's fragments of a tile, or of a pair of tiles if B is compressed, into the set of
/// registers that the one before leaves free.
void AsynchronousSteps::load_matrices(std::uint32_t step, std::uint32_t tile) {
    const std::uint32_t buffer = step % product_.stages;
    const std::uint32_t set = tile % registers_.buffers;
    const std::uint32_t depth = registers_.a_depth;
    for (std::uint32_t i = 0; i < registers_.sums_m * depth; ++i) {
        emit_fragment(Opcode::kLoadMatrix, kernel_.slot(buffer, 0),
                      kernel_.a().fragment(at_.warp_row + i / depth * kFragmentRows,
                                           tile * depth + i % depth, product_.depth_tiles),
                      registers_.a_value(set * registers_.sums_m * depth + i));
    }
    for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
        emit_fragment(Opcode::kLoadMatrix, kernel_.slot(buffer, kernel_.a_tiles()),
                      kernel_.b().fragment(at_.warp_column + j * kFragmentRows, tile * depth,
                                           product_.depth_tiles),
                      registers_.b_value(set * registers_.sums_n + j));
    }
    if (kernel_.compressed() != nullptr) load_metadata(step, tile);
}

/// Loads the metadata of the warp's lines of B for a pair of tiles.
void AsynchronousSteps::load_metadata(std::uint32_t step, std::uint32_t tile) {
    const CompressedLines& b = *kernel_.compressed();
    WarpInstruction& w = emit(Opcode::kLoadMatrix);
    w.dst = registers_.metadata_value(tile % registers_.buffers);
    w.memory().set_rows(
        kernel_.slot(step % product_.stages, kernel_.a_tiles()) +
            b.metadata_offset(at_.warp_column, tile * registers_.a_depth, product_.depth_tiles),
        product_.tiling.warp_n * CompressedLines::kWordBytes / kFragmentRowBytes, kFragmentRowBytes,
        kFragmentRowBytes);
    w.registers().pitch_bytes = kFragmentRowBytes;
}

void AsynchronousSteps::multiply_matrices(std::uint32_t tile) {
    const std::uint32_t set = tile % registers_.buffers;
    for (std::uint32_t i = 0; i < registers_.sums_m; ++i) {
        for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
            WarpInstruction& w = emit(Opcode::kMma);
            w.mma().single_copies = true;
            w.mma().operands = product_.operands;
            w.dst = registers_.sum(i, j);
            w.src_a = registers_.a_value(set * registers_.sums_m + i);
            w.src_b = registers_.b_value(set * registers_.sums_n + j);
        }
    }
}

/// Multiplies compressed fragments of B by pairs of fragments of A.
void AsynchronousSteps::multiply_compressed(std::uint32_t tile) {
    const std::uint32_t set = tile % registers_.buffers;
    constexpr std::uint32_t kMetadataBytes = kFragmentRows * CompressedLines::kWordBytes;
    for (std::uint32_t i = 0; i < registers_.sums_m; ++i) {
        const std::uint32_t a = (set * registers_.sums_m + i) * registers_.a_depth;
        for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
            WarpInstruction& w = emit(Opcode::kMma);
            w.dst = registers_.sum(i, j);
            w.src_a = registers_.a_value(a);
            w.src_b = registers_.b_value(set * registers_.sums_n + j);
            w.set_structured(registers_.metadata_value(set),
                             static_cast<std::uint16_t>(j * kMetadataBytes),
                             registers_.a_value(a + 1));
        }
    }
}

}  // namespace tessera
