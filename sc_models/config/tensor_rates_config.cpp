#include "sc_models/config/tensor_rates_config.h"

#include <string>

namespace tessera {
namespace {

constexpr MmaShape kFirstWithoutSteps = MmaShape::kHmma1684Tf32;

/// Whether HMMA.884 steps can stand for the shape.
constexpr bool has_steps(std::size_t shape) {
    return shape < static_cast<std::size_t>(kFirstWithoutSteps);
}

}  // namespace

TensorRatesConfig::TensorRatesConfig() {
    for (std::size_t i = 0; i < kMmaShapes; ++i) {
        if (!has_steps(i)) shapes[i].products_per_cycle = 0;
    }
}

MmaShapeSet TensorRatesConfig::available() const {
    MmaShapeSet set;
    for (std::size_t i = 0; i < kMmaShapes; ++i) {
        set[i] = shapes[i].products_per_cycle.unrecorded() != 0;
    }
    return set;
}

void TensorRatesConfig::bind(ConfigVisitor& v) {
    constexpr double kMost = 1 << 20U;
    constexpr std::uint32_t kMaxLatency = 1000;
    for (std::size_t i = 0; i < kMmaShapes; ++i) {
        const MmaShapeText& text = kMmaShapeText[i];
        const std::string name(text.mnemonic);
        v.section(text.key, name + ".", [&] {
            const std::string help = "Multiply-adds of " + name +
                                     " a cycle and SM, fractions allowed; 0: the machine lacks it.";
            if (has_steps(i)) {
                v.real_or("products_per_cycle", shapes[i].products_per_cycle, 0, kMost, "as_steps",
                          TensorRateConfig::kAsSteps,
                          help + " as_steps: it takes the HMMA.884 steps of sm.operations.");
            } else {
                v.real("products_per_cycle", shapes[i].products_per_cycle, 0, kMost, help);
            }
            const bool of_warpgroup = is_of_warpgroup(static_cast<MmaShape>(i));
            v.integer("latency_cycles", shapes[i].latency_cycles, 1, kMaxLatency,
                      std::string(of_warpgroup
                                      ? "The last cycle of its products to the end of a wait for "
                                        "them."
                                      : "Issue of one to issue of an instruction that depends on "
                                        "it.") +
                          " Acts if products_per_cycle is a number.");
        });
    }
}

}  // namespace tessera
