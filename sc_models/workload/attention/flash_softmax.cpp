#include "sc_models/workload/attention/flash_softmax.h"

namespace tessera {
namespace {

constexpr std::uint32_t kOfThread = 8;        // elements of a thread in a 16x16 tile
constexpr std::uint32_t kRowsOfThread = 2;    // of a 16x16 tile
constexpr std::uint32_t kShuffles = 2;        // of a quad: two and one lanes apart
constexpr std::uint32_t kMaskOfElement = 2;   // a comparison and a choice
constexpr std::uint32_t kHalvesOfThread = 4;  // columns of a thread in a 16x16 tile
constexpr std::uint32_t kEightHalves = 16;    // bytes of the mask of eight columns
constexpr std::uint32_t kInversion = 8;       // chosen: reciprocal and division of two rows

}  // namespace

WarpInstruction& FlashSoftmax::work(const Step& step) {
    WarpInstruction& w = emit(Opcode::kOperation);
    w.set_operation(step.operation);
    w.count = static_cast<std::uint16_t>(step.count);
    w.dst = step.dst;
    w.src_a = step.src;
    return w;
}

FunctionCall& FlashSoftmax::apply(const Step& step, FlashFunction::What what, std::uint32_t strip,
                                  std::uint32_t tile) {
    FunctionCall& call = work(step).set_function(&function_, step.registers);
    FlashFunction::encode(call, what, strip, tile);
    return call;
}

void FlashSoftmax::begin(std::uint32_t strip) {
    constexpr std::uint32_t kMoves = 4;
    apply({Operation::kMove, kMoves, registers_.maxima(), kNoRegister, 0}, FlashFunction::kBegin,
          strip);
}

void FlashSoftmax::mask(std::uint32_t strip, std::uint64_t row, std::uint64_t key) {
    for (std::uint32_t tile = 0; tile < registers_.score_tiles; ++tile) {
        const std::uint8_t score = registers_.score(strip, tile);
        FunctionCall& call = apply(
            {Operation::kInteger, kMaskOfElement * kOfThread, score, score, kRegistersPerFragment},
            FlashFunction::kMask, strip, tile);
        FlashFunction::encode(call, FlashFunction::kMask, strip, tile, row,
                              key + std::uint64_t{tile} * kFragmentRows);
    }
}

/// Masks of some tiles are loaded ahead. A thread reads two halves of each eight columns, makes
/// them floats, and adds them to its elements of all strips.
void FlashSoftmax::add_mask(std::uint32_t slot) {
    constexpr std::uint32_t kAhead = FlashRegisters::kRing - 1;
    for (std::uint32_t i = 0; i < registers_.score_tiles + kAhead; ++i) {
        for (std::uint32_t part = 0; part < 2 && i < registers_.score_tiles; ++part) {
            WarpInstruction& load = emit(Opcode::kLoadShared);
            load.dst = registers_.mask_of_tile(i);
            load.memory().set_rows(slot + (2 * i + part) * kEightHalves, 1, kEightHalves);
            load.registers().offset_bytes = static_cast<std::uint16_t>(part * kEightHalves);
        }
        if (i < kAhead) continue;
        const std::uint32_t tile = i - kAhead;
        work({Operation::kFp32, kHalvesOfThread, kNoRegister, registers_.mask_of_tile(tile)});
        for (std::uint32_t strip = 0; strip < registers_.strips; ++strip) {
            const std::uint8_t score = registers_.score(strip, tile);
            apply({Operation::kFp32, kOfThread, score, score, kRegistersPerFragment},
                  FlashFunction::kAddMask, strip, tile);
        }
    }
}

void FlashSoftmax::maxima(std::uint32_t strip, bool first) {
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
}

void FlashSoftmax::scale_output(std::uint32_t strip) {
    for (std::uint32_t tile = 0; tile < registers_.output_tiles; ++tile) {
        const std::uint8_t output = registers_.output(strip, tile);
        apply({Operation::kFp32, kOfThread, output, output, kRegistersPerFragment},
              FlashFunction::kScaleOutput, strip, tile);
    }
}

void FlashSoftmax::weights(bool packs) {
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
        if (packs) pack(strip, tile);
    }
}

void FlashSoftmax::pack() {
    for (std::uint32_t strip = 0; strip < registers_.strips; ++strip) {
        for (std::uint32_t tile = 0; tile < registers_.score_tiles; ++tile) pack(strip, tile);
    }
}

void FlashSoftmax::pack(std::uint32_t strip, std::uint32_t tile) {
    apply({Operation::kFp32, kOfThread / 2, registers_.weight(strip, tile),
           registers_.score(strip, tile), kRegistersPerFragment},
          FlashFunction::kPack, strip, tile);
}

void FlashSoftmax::divide(std::uint32_t strip) {
    const std::uint8_t factors = registers_.factors(), sums = registers_.weight_sums(strip);
    for (std::uint32_t i = 0; i < kShuffles; ++i) {
        work({Operation::kMove, kRowsOfThread, factors, sums});
        work({Operation::kFp32, kRowsOfThread, factors, factors});
    }
    work({Operation::kSpecialFunction, kRowsOfThread, factors, factors});
    apply({Operation::kFp32, kInversion, factors, sums, 2}, FlashFunction::kInvert, strip);
    scale_output(strip);
}

void FlashSoftmax::round(std::uint32_t strip) {
    for (std::uint32_t tile = 0; tile < registers_.output_tiles; ++tile) {
        apply({Operation::kFp32, kOfThread / 2, registers_.result(strip),
               registers_.output(strip, tile), kRegistersPerFragment},
              FlashFunction::kRound, strip, tile);
    }
}

}  // namespace tessera
