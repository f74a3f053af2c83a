#include "sc_models/tensor_core/accumulation_rate.h"

#include <random>

#include <fmt/format.h>

#include "sc_models/common/error.h"
#include "sc_models/tensor_core/condensing.h"

namespace tessera {
namespace {

AccumulationBufferConfig timing_only(AccumulationBufferConfig config) {
    config.values = false;
    return config;
}

void check_density(const char* name, double density) {
    if (density > 0 && density <= 1) return;
    throw ConfigError(fmt::format("accumulation rate: {}: got {}, expected above 0 and at most 1",
                                  name, density));
}

std::uint32_t random_bitmap(std::mt19937_64& random, double density) {
    const auto threshold = static_cast<std::uint64_t>(density * 0x1p32);
    std::uint32_t bitmap = 0;
    for (std::uint32_t bit = 0; bit < kTileSize; ++bit) {
        if ((random() >> 32U) < threshold) bitmap |= 1U << bit;
    }
    return bitmap;
}

}  // namespace

AccumulationStream::AccumulationStream(const AccumulationBufferConfig& config,
                                       std::uint32_t initiation)
    : buffer_(config), initiation_(initiation) {}

bool AccumulationStream::step() {
    ++cycles_;
    return buffer_.step(in_).op_ready != 0;
}

void AccumulationStream::k_set(std::uint32_t a, std::uint32_t b, const std::uint32_t* products) {
    for (std::uint32_t i = 0;; ++i) {
        const auto rows = condensed_group<kOhmmaRows>(a, i);
        if (rows.valid == 0) return;
        in_.op_row = rows.index;
        in_.op_row_valid = rows.valid;
        for (std::uint32_t j = 0;; ++j) {
            const auto columns = condensed_group<kOhmmaColumns>(b, j);
            if (columns.valid == 0) break;
            in_.op_column = columns.index;
            in_.op_column_valid = columns.valid;
            if (products != nullptr) {
                for (std::uint32_t lane = 0; lane < kOhmmaProducts; ++lane) {
                    in_.op_product[lane] = products[rows.index[lane / kOhmmaColumns] * kTileSize +
                                                    columns.index[lane % kOhmmaColumns]];
                }
            }
            in_.op_valid = 1;
            while (!step()) {
            }
            in_.op_valid = 0;
            for (std::uint32_t idle = 1; idle < initiation_; ++idle) step();
            ++ohmmas_;
        }
    }
}

void AccumulationStream::finish() {
    in_.op_valid = 0;
    do {
        ++cycles_;
    } while (buffer_.step(in_).idle == 0);
}

double sustained_ohmma_rate(const AccumulationBufferConfig& config, double density_a,
                            double density_b, std::uint64_t ohmmas, std::uint64_t seed) {
    check_density("density_a", density_a);
    check_density("density_b", density_b);
    AccumulationStream stream(timing_only(config));
    std::mt19937_64 random(seed);
    while (stream.ohmmas() < ohmmas) {
        const std::uint32_t a = random_bitmap(random, density_a);
        stream.k_set(a, random_bitmap(random, density_b));
    }
    return static_cast<double>(stream.ohmmas()) / static_cast<double>(stream.cycles());
}

}  // namespace tessera
