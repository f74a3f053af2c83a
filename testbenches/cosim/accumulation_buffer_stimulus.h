// OHMMAs for the accumulation buffer's bench: corner cases, k sets of sparse tiles, OWMMAs.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/tensor_core/accumulation_buffer.h"
#include "testbenches/cosim/operand_mix.h"

namespace tessera {

/// Fills in the op_ inputs, valid apart, of one OHMMA after the other.
class OhmmaStimulus {
public:
    /// Draws densities, kinds and values for what comes next.
    void change(OperandMix& random);
    void next(OperandMix& random, AccumulationBuffer::Inputs& in);
    /// Corner cases come first.
    [[nodiscard]] bool directed() const { return directed_ < kDirected; }

private:
    enum class Kind : std::uint32_t { kKSets, kAnyIndices, kFewBanks, kDense, kOwmma, kMixed };
    static constexpr std::uint32_t kKinds = 6;
    static constexpr std::uint32_t kDirectedOwmmas = 64;  ///< OHMMAs of two
    static constexpr std::uint32_t kDirectedConflicts = 32;
    static constexpr std::uint32_t kDirectedEntries = 2 * kOhmmaProducts;
    static constexpr std::uint32_t kDirected =
        kDirectedOwmmas + kDirectedConflicts + kDirectedEntries;
    static constexpr std::uint32_t kPool = 1024;

    void directed_ohmma(OperandMix& random, AccumulationBuffer::Inputs& in);
    static void one_entry(std::uint32_t bank, AccumulationBuffer::Inputs& in);
    void k_set_ohmma(OperandMix& random, AccumulationBuffer::Inputs& in);
    void any_indices(OperandMix& random, AccumulationBuffer::Inputs& in) const;
    void few_banks(OperandMix& random, AccumulationBuffer::Inputs& in) const;
    void any_dense(OperandMix& random, AccumulationBuffer::Inputs& in) const;
    void owmma_ohmma(OperandMix& random, AccumulationBuffer::Inputs& in);
    void fill_values(OperandMix& random, AccumulationBuffer::Inputs& in) const;
    std::uint32_t bitmap(OperandMix& random, std::uint32_t of_16) const;

    std::uint32_t directed_ = 0;
    Kind kind_ = Kind::kKSets;
    std::array<std::uint32_t, kPool> products_{};
    std::array<std::uint32_t, kPool> summands_{};
    std::uint32_t density_a_ = 16;  ///< of 16
    std::uint32_t density_b_ = 16;
    std::uint32_t row_class_ = 0;     ///< of kFewBanks: rows r with r % 4 == row_class_
    std::uint32_t column_class_ = 0;  ///< columns c with c % 4 this or the next
    std::uint32_t a_ = 0;             ///< the k set under way, and the next OHMMA of it
    std::uint32_t b_ = 0;
    std::uint32_t i_ = 0;
    std::uint32_t j_ = 0;
    std::uint32_t step_ = 0;  ///< of the OWMMA, 0..31
};

}  // namespace tessera
