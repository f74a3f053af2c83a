// Throughput of an accumulation buffer for streams of OHMMAs.
#pragma once

#include <cstdint>

#include "sc_models/tensor_core/accumulation_buffer.h"

namespace tessera {

/// Offers the OHMMAs of k sets to a buffer, one every `initiation` cycles or as fast as the buffer
/// accepts them.
class AccumulationStream {
public:
    explicit AccumulationStream(const AccumulationBufferConfig& config,
                                std::uint32_t initiation = 1);

    /// Offers one 32x32x1 outer product: the rows set in `a` times the columns set in `b`,
    /// condensed to OHMMAs of 8x16, accepted one after the other, back to back with the preceding
    /// set. With values, `products` holds the 32x32 products as FP32 bits, row-major.
    void k_set(std::uint32_t a, std::uint32_t b, const std::uint32_t* products = nullptr);
    /// Runs until the buffer is idle.
    void finish();

    [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
    [[nodiscard]] std::uint64_t ohmmas() const { return ohmmas_; }
    /// Additions issued.
    [[nodiscard]] std::uint64_t additions() const { return buffer_.issued(); }
    /// The accumulators; complete after finish().
    [[nodiscard]] AccumulationBuffer& buffer() { return buffer_; }

private:
    bool step();

    AccumulationBuffer buffer_;
    std::uint32_t initiation_;
    AccumulationBuffer::Inputs in_;
    std::uint64_t cycles_ = 0;
    std::uint64_t ohmmas_ = 0;
};

/// Measures the sustained OHMMAs per cycle over about `ohmmas` of them, for uniformly random
/// bitmaps of these densities (1 - sparsity). Throws ConfigError unless both are in (0, 1].
[[nodiscard]] double sustained_ohmma_rate(const AccumulationBufferConfig& config, double density_a,
                                          double density_b, std::uint64_t ohmmas,
                                          std::uint64_t seed);

}  // namespace tessera
