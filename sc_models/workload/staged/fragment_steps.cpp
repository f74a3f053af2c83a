#include "sc_models/workload/staged/fragment_steps.h"

namespace tessera {

void FragmentSteps::begin() {
    copies_.load(at_.first_step);
    copies_.store();
    out_.barrier();
}

void FragmentSteps::run(std::uint32_t step) {
    const std::uint32_t depth = at_.depth(step);
    const std::vector<WarpInstruction>* fragments = kernel_.fragments(at_.warp, step % 2);
    if (depth != product_.depth_tiles || fragments == nullptr) {
        multiply(step, depth);
        fragments = &out_.take_computation();
    }
    std::size_t loads = 0;
    if (step + 1 < at_.end_step) {
        copies_.load(step + 1);
        loads = out_.size();
        copies_.store();
        out_.barrier();
    }
    // If all were issued at once they would fill the path to L2 and block the LDST unit.
    out_.spread(loads, *fragments, fragments->size() / 2);
}

void FragmentSteps::load_fragment(FragmentRole role, std::uint32_t slot,
                                  const StagedOperand::Fragment& fragment, std::uint8_t dst) {
    emit_fragment(Opcode::kLoadShared, slot, fragment, dst).registers().role = role;
}

/// Emits the loads and products of `depth` k-tiles of a step.
void FragmentSteps::multiply(std::uint32_t step, std::uint32_t depth) {
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
            const std::uint32_t line = at_.warp_row + i * kFragmentRows;
            if (product_.a_lines != 0) {
                load_a_fragment(at_.row + line, step * product_.depth_tiles + tile, a_value(i));
                continue;
            }
            load_fragment(FragmentRole::kA, kernel_.slot(buffer, 0),
                          kernel_.a().fragment(line, tile, product_.depth_tiles), a_value(i));
        }
        for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
            const std::uint32_t line = at_.warp_column + j * kFragmentRows;
            load_fragment(FragmentRole::kB, kernel_.slot(buffer, kernel_.a_tiles()),
                          kernel_.b().fragment(line, tile, product_.depth_tiles), b_value(j));
        }
        for (std::uint32_t i = 0; i < registers_.sums_m; ++i) {
            for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
                WarpInstruction& w = emit(Opcode::kMma);
                w.dst = registers_.sum(i, j);
                w.src_a = a_value(i);
                w.src_b = b_value(j);
            }
        }
    }
}

}  // namespace tessera
