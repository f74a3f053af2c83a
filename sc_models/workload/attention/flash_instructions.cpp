#include "sc_models/workload/attention/flash_instructions.h"

namespace tessera {
namespace {

constexpr std::uint32_t kAhead = 4;  // fragments that are loaded before they are needed: chosen
constexpr std::uint32_t kRowsOfThread = 2;  // of a 16x16 tile
constexpr std::uint32_t kShuffles = 2;      // of a quad: two and one lanes apart

}  // namespace

WarpInstruction& FlashEmitter::work(const Step& step) {
    WarpInstruction& w = emit(Opcode::kOperation);
    w.set_operation(step.operation);
    w.count = static_cast<std::uint16_t>(step.count);
    w.dst = step.dst;
    w.src_a = step.src;
    return w;
}

FunctionCall& FlashEmitter::apply(const Step& step, FlashFunction::What what, std::uint32_t strip,
                                  std::uint32_t tile) {
    FunctionCall& call = work(step).set_function(&kernel_.function(), step.registers);
    FlashFunction::encode(call, what, strip, tile);
    return call;
}

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
    for (std::uint32_t strip = 0; strip < registers_.strips; ++strip) maxima(strip, first);
    weights();
    output();
}

/// Maxima of a strip with this block, and what they do to earlier sums.
void FlashEmitter::maxima(std::uint32_t strip, bool first) {
    const std::uint8_t maxima = registers_.maxima(), factors = registers_.factors();
    const std::uint8_t sums = registers_.weight_sums(strip);
    apply({Operation::kMove, kRowsOfThread, factors, maxima}, FlashFunction::kKeepMaxima, strip);
    for (std::uint32_t tile = 0; tile < registers_.score_tiles; ++tile) {
        apply({Operation::kInteger, kOfThread, maxima, registers_.score(strip, tile),
               kRegistersPerFragment},
              FlashFunction::kMax, strip, tile);
    }
    for (std::uint32_t i = 0; i < kShuffles; ++i) {
        work({Operation::kMove, kRowsOfThread, factors, maxima});
        work({Operation::kInteger, kRowsOfThread, maxima, factors});
    }
    // The product with the scale, and the test for rows without a key.
    work({Operation::kFp32, 2 * kRowsOfThread, maxima, maxima});
    if (first) return;
    work({Operation::kFp32, 2 * kRowsOfThread, factors, maxima});
    apply({Operation::kSpecialFunction, kRowsOfThread, factors, factors}, FlashFunction::kFactor,
          strip);
    apply({Operation::kFp32, kRowsOfThread, sums, factors}, FlashFunction::kScaleSums, strip);
    scale_output(strip);
}

void FlashEmitter::scale_output(std::uint32_t strip) {
    for (std::uint32_t tile = 0; tile < registers_.output_tiles; ++tile) {
        const std::uint8_t output = registers_.output(strip, tile);
        apply({Operation::kFp32, kOfThread, output, output, kRegistersPerFragment},
              FlashFunction::kScaleOutput, strip, tile);
    }
}

/// Weights of all tiles: exponentials of one tile while those of the one before are added and
/// packed.
void FlashEmitter::weights() {
    const std::uint32_t tiles = registers_.strips * registers_.score_tiles;
    for (std::uint32_t i = 0; i <= tiles; ++i) {
        if (i < tiles) {
            const std::uint32_t strip = i / registers_.score_tiles;
            const std::uint32_t tile = i % registers_.score_tiles;
            const std::uint8_t score = registers_.score(strip, tile);
            work({Operation::kFp32, kOfThread, score, registers_.maxima()});
            apply({Operation::kSpecialFunction, kOfThread, score, score, kRegistersPerFragment},
                  FlashFunction::kWeights, strip, tile);
        }
        if (i == 0) continue;
        const std::uint32_t strip = (i - 1) / registers_.score_tiles;
        const std::uint32_t tile = (i - 1) % registers_.score_tiles;
        const std::uint8_t score = registers_.score(strip, tile);
        apply({Operation::kFp32, kOfThread, registers_.weight_sums(strip), score,
               kRegistersPerFragment},
              FlashFunction::kAddWeights, strip, tile);
        apply({Operation::kFp32, kOfThread / 2, registers_.weight(strip, tile), score,
               kRegistersPerFragment},
              FlashFunction::kPack, strip, tile);
    }
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
