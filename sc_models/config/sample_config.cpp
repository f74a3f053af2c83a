#include "sc_models/config/sample_config.h"

#include "sc_models/config/key_conditions.h"

namespace tessera {
namespace {

constexpr KeyCondition kSamples = {"sample.enabled on",
                                   [](const Config& c) { return bool{c.sample.enabled}; }};

}  // namespace

void SampleConfig::bind(ConfigVisitor& v) {
    v.boolean("enabled", enabled,
              "Whether some waves of CTAs stand for all of a kernel's; its time is then an "
              "estimate with an interval, and its counts are scaled (docs/sampling.md).");
    v.acts_if(kSamples).real(
        "error_percent", error_percent, 0.01, 50,
        "A kernel is sampled until half of the 95 % interval of its time is at most so much.");
    v.acts_if(kSamples).integer(
        "warm_waves", warm_waves, 1, 64,
        "Waves in front of those that are measured, whose times stand for no others.");
}

}  // namespace tessera
