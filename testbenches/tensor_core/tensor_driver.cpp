#include "testbenches/tensor_core/tensor_driver.h"

#include <cstddef>

#include "sc_models/tensor_core/matrix_units.h"
#include "sc_models/tensor_core/spwmma.h"
#include "sc_models/tensor_core/spwmma_pipeline.h"
#include "testbenches/tensor_core/planted_units.h"

namespace tessera::testbench {
namespace {

HalfBits half_of(int value) {
    return float_to_half(static_cast<float>(value));
}

/// Bitmaps and values of one side of a SpWMMA, k by k.
struct EncodedSide {
    std::array<std::uint32_t, kDepth> masks{};
    std::array<std::uint8_t, kDepth> counts{};
    std::vector<HalfBits> values;

    void add(std::uint32_t k, std::uint32_t line, int value) {
        if (value == 0) return;
        masks[k] |= 1U << line;
        ++counts[k];
        values.push_back(half_of(value));
    }
    [[nodiscard]] SpwmmaTile tile() const {
        return {masks.data(), counts.data(), values.data(), false};
    }
};

}  // namespace

TensorDriver::TensorDriver(const sc_core::sc_module_name& name, Session& session)
    : sc_module(name),
      session_(session),
      pair_(std::make_unique<TensorCorePair>(
          "pair", [this] { return make_units(); }, session.clock, statistics_)),
      operations_("operations", session.clock,
                  [this](const TensorOperation& operation) { return perform(operation); }) {
    links_.bind(socket, pair_->from_sub_core);
    if (WaveRecorder* wave = session.observers().wave) pair_->watch(*wave, "pair");
}

SpwmmaConfig TensorDriver::settings(const Session& session) {
    SpwmmaConfig config = session.config().tensor_core.spwmma;
    if (session.implementation() == "clocked") config.accumulation = AccumulationDetail::kCollector;
    return config;
}

TensorCoreUnits TensorDriver::make_units() {
    const bool clocked = session_.implementation() == "clocked";
    const BlockDetail detail = clocked ? BlockDetail::kClocked : BlockDetail::kWhole;
    TensorCoreUnits units;
    units.blocks = std::make_unique<OuterProductBlocks>(detail, detail, models_only());
    units.matrix = std::make_unique<OuterProductUnit>();
    const SpwmmaConfig config = settings(session_);
    if (clocked) {
        units.sparse = std::make_unique<SpwmmaPipeline>(
            config, std::make_shared<JoinedSpwmmaCore>(units.blocks->bitmap->device(),
                                                       units.blocks->array.device(),
                                                       units.blocks->buffer.device()));
    } else {
        units.sparse = std::make_unique<SpwmmaSequencer>(config, true);
    }
    if (session_.options().plant.empty()) return units;
    units.matrix = std::make_unique<PlantedMatrix>(session_, std::move(units.matrix));
    units.sparse = std::make_unique<PlantedSpwmma>(session_, std::move(units.sparse));
    return units;
}

TensorResult TensorDriver::perform(const TensorOperation& operation) {
    if (operation.kind == TensorOperation::Kind::kProduct) return multiply_dense(*operation.values);
    return multiply_sparse(operation);
}

template <class Operands>
void TensorDriver::send(Operands& operands, TensorResult& result) {
    // The extension has the operands; the checker of the protocol wants data all the same.
    std::array<unsigned char, 4> data{};
    tlm::tlm_generic_payload payload;
    payload.set_extension(&operands);
    payload.set_data_ptr(data.data());
    payload.set_data_length(data.size());
    payload.set_streaming_width(data.size());
    sc_core::sc_time delay;
    const Cycle now = session_.clock.now();
    socket->b_transport(payload, delay);
    result.ok = payload.get_response_status() == tlm::TLM_OK_RESPONSE;
    payload.clear_extension(&operands);
    result.done = session_.clock.cycle_at(sc_core::sc_time_stamp() + delay) - now;
    result.busy = operands.free_at - now;
}

TensorResult TensorDriver::multiply_dense(const TensorValues& values) {
    std::array<HalfBits, kMatrixElements> left{}, right{}, b{};
    TensorResult result;
    for (std::uint32_t i = 0; i < kDense; ++i) {
        for (std::uint32_t j = 0; j < kDense; ++j) {
            left[i * kDense + j] = half_of(values.a[i][j]);
            right[i * kDense + j] = half_of(values.a_right[i][j]);
            b[i * kDense + j] = half_of(values.b[j][i]);  // 16 columns of B
            result.d[i * kDense + j] = static_cast<float>(values.c[i][j]);
        }
    }
    MmaOperands operands;
    operands.a[0] = reinterpret_cast<const std::byte*>(left.data());
    operands.a[1] = reinterpret_cast<const std::byte*>(right.data());
    operands.b = reinterpret_cast<const std::byte*>(b.data());
    operands.c = reinterpret_cast<std::byte*>(result.d.data());
    send(operands, result);
    return result;
}

TensorResult TensorDriver::multiply_sparse(const TensorOperation& operation) {
    EncodedSide a, b;
    if (operation.values) {
        for (std::uint32_t k = 0; k < kDepth; ++k) {
            for (std::uint32_t line = 0; line < kSparse; ++line) {
                a.add(k, line, operation.values->a[line][k]);
                b.add(k, line, operation.values->b[k][line]);
            }
        }
    }
    SpwmmaOperands operands;
    if (operation.values) {
        operands.a = a.tile();
        operands.b = b.tile();
    }
    operands.warp = WarpId(operation.warp);
    operands.sums = reinterpret_cast<std::byte*>(sums_[operation.warp].data());
    TensorResult result;
    send(operands, result);
    result.swapped = operands.swapped;
    return result;
}

}  // namespace tessera::testbench
