// C interface of the sparse tensor core.
#include <cstddef>
#include <cstring>

#include "sc_models/golden/golden_call.h"
#include "sc_models/tensor_core/spwmma_core.h"

struct tessera_golden_spwmma_core {
    tessera::SpwmmaCore model;
};

namespace tessera {
namespace {

using Inputs = tessera_golden_spwmma_core_inputs;
using Outputs = tessera_golden_spwmma_core_outputs;

// Structures of the interface have the members of the model's, in the same order.
static_assert(sizeof(Inputs) == sizeof(SpwmmaCorePins::Inputs));
static_assert(offsetof(Inputs, a_even) == offsetof(SpwmmaCorePins::Inputs, a_even));
static_assert(offsetof(Inputs, preload_data) == offsetof(SpwmmaCorePins::Inputs, preload_data));
static_assert(sizeof(Outputs) == sizeof(SpwmmaCorePins::Outputs));
static_assert(offsetof(Outputs, tile_done) == offsetof(SpwmmaCorePins::Outputs, tile_done));
static_assert(offsetof(Outputs, row_data) == offsetof(SpwmmaCorePins::Outputs, row_data));

Outputs step(SpwmmaCore& model, const Inputs& in) {
    constexpr std::uint32_t kMostTag = (1U << SpwmmaCorePins::kTagBits) - 1, kMostWord = 7;
    if (in.tile_valid != 0) need_at_most(in.tile_tag, kMostTag, "tile_tag");
    if (in.preload_valid != 0) need_at_most(in.preload_word, kMostWord, "preload_word");
    SpwmmaCorePins::Inputs pins;
    std::memcpy(static_cast<void*>(&pins), &in, sizeof in);
    const SpwmmaCorePins::Outputs from = model.step(pins);
    Outputs out;
    std::memcpy(&out, &from, sizeof out);
    return out;
}

}  // namespace
}  // namespace tessera

int tessera_golden_spwmma_core_create(tessera_golden_spwmma_core** handle) {
    return tessera::golden_create(__func__, handle);
}

void tessera_golden_spwmma_core_destroy(tessera_golden_spwmma_core* handle) {
    delete handle;
}

int tessera_golden_spwmma_core_reset(tessera_golden_spwmma_core* handle) {
    return tessera::golden_reset(__func__, handle);
}

int tessera_golden_spwmma_core_step(tessera_golden_spwmma_core* handle,
                                    const tessera_golden_spwmma_core_inputs* in,
                                    tessera_golden_spwmma_core_outputs* out) {
    return tessera::golden_step(__func__, handle, in, out, [](auto& model, const auto& pins) {
        return tessera::step(model, pins);
    });
}
