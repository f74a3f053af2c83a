#include "sc_models/workload/attention/flash_instructions.h"

namespace tessera {
namespace {

constexpr std::uint32_t kAhead = 4;  // fragments that are loaded before they are needed: chosen

}  // namespace

void FlashEmitter::load(std::uint32_t address, std::uint8_t dst, bool transposed) {
    WarpInstruction& w = emit(Opcode::kLoadMatrix);
    w.dst = dst;
    w.memory().set_rows(address, kFragmentRows, kFragmentRowBytes, kernel_.row_bytes());
    w.registers().pitch_bytes = kFragmentRowBytes;
    w.registers().transposed = transposed;
}

void FlashEmitter::multiply(std::uint8_t sums, std::uint8_t a, std::uint8_t b) {
    WarpInstruction& w = emit(Opcode::kMma);
    w.mma().single_copies = true;
    w.mma().operands = kernel_.problem().operands;
    w.dst = sums;
    w.src_a = a;
    w.src_b = b;
}

/// Fragments of queries have two sets of registers, those of keys rotate in the ring.
void FlashEmitter::scores(std::uint32_t warp) {
    WarpInstruction& clear = emit(Opcode::kAlu);  // the first products have no sums to add to
    clear.dst = registers_.score(0, 0);
    clear.moves().zero_fill = static_cast<std::uint8_t>(registers_.score_registers());
    const std::uint32_t strips = registers_.strips, tiles = registers_.score_tiles;
    const std::uint32_t of_step = strips + tiles;  // fragments of 16 elements of a head
    const std::uint32_t all = registers_.output_tiles * of_step;
    const auto load_fragment = [&](std::uint32_t i) {
        const std::uint32_t step = i / of_step, which = i % of_step;
        const std::uint32_t offset = step * kFragmentRowBytes;
        if (which < strips) {
            const std::uint32_t row = (which * kFlashWarps + warp) * kFragmentRows;
            load(row * kernel_.row_bytes() + offset, registers_.query(step % 2, which), false);
            return;
        }
        const std::uint32_t tile = which - strips;
        load(kernel_.keys_slot() + tile * kFragmentRows * kernel_.row_bytes() + offset,
             registers_.ring(step * tiles + tile), false);
    };
    for (std::uint32_t i = 0; i < kAhead; ++i) load_fragment(i);
    for (std::uint32_t i = 0; i < all; ++i) {
        if (i + kAhead < all) load_fragment(i + kAhead);
        const std::uint32_t step = i / of_step, which = i % of_step;
        if (which < strips) continue;
        const std::uint32_t tile = which - strips;
        for (std::uint32_t strip = 0; strip < strips; ++strip) {
            multiply(registers_.score(strip, tile), registers_.query(step % 2, strip),
                     registers_.ring(step * tiles + tile));
        }
    }
}

void FlashEmitter::update(bool first) {
    for (std::uint32_t strip = 0; strip < registers_.strips; ++strip) {
        maxima(strip, first);
        if (!first) scale_output(strip);
    }
    weights(true);
    output();
}

/// Weights times values; a fragment of values is 16 keys by 16 elements.
void FlashEmitter::output() {
    const std::uint32_t tiles = registers_.output_tiles;
    const std::uint32_t all = registers_.score_tiles * tiles;
    const auto load_fragment = [&](std::uint32_t i) {
        load(kernel_.values_slot() + i / tiles * kFragmentRows * kernel_.row_bytes() +
                 i % tiles * kFragmentRowBytes,
             registers_.ring(i), true);
    };
    for (std::uint32_t i = 0; i < kAhead; ++i) load_fragment(i);
    for (std::uint32_t i = 0; i < all; ++i) {
        if (i + kAhead < all) load_fragment(i + kAhead);
        for (std::uint32_t strip = 0; strip < registers_.strips; ++strip) {
            multiply(registers_.output(strip, i % tiles), registers_.weight(strip, i / tiles),
                     registers_.ring(i));
        }
    }
}

}  // namespace tessera
