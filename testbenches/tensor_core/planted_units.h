// Units of a pair of tensor cores with planted errors.
#pragma once

#include <memory>
#include <utility>

#include "sc_models/tensor_core/matrix_unit.h"
#include "sc_models/tensor_core/spwmma_unit.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Dense unit with the error that the session plants.
class PlantedMatrix final : public MatrixUnit {
public:
    PlantedMatrix(const Session& session, std::unique_ptr<MatrixUnit> unit)
        : session_(session), unit_(std::move(unit)) {}
    [[nodiscard]] MatrixTiming timing() const override { return unit_->timing(); }
    MatrixTiming multiply(Cycle start, const HalfBits a[kMatrixElements],
                          const HalfBits b[kMatrixElements], const float c[kMatrixElements],
                          float d[kMatrixElements]) override {
        MatrixTiming timing = unit_->multiply(start, a, b, c, d);
        if (session_.plants("stuck_sum")) d[kMatrixElements - 1] = 0;
        if (session_.plants("late_product")) ++timing.initiation;
        return timing;
    }

private:
    const Session& session_;
    std::unique_ptr<MatrixUnit> unit_;
};

/// Sparse unit with the error that the session plants.
class PlantedSpwmma final : public SpwmmaUnit {
public:
    PlantedSpwmma(const Session& session, std::unique_ptr<SpwmmaUnit> unit)
        : session_(session), unit_(std::move(unit)) {}
    void at(Cycle now) override { unit_->at(now); }
    Cycle run(const SpwmmaTile& a, const SpwmmaTile& b, SpwmmaWork& work) override {
        if (session_.plants("lost_spwmma") && ++runs_ % kLostEvery == 0) return 1;
        const Cycle cycles = unit_->run(a, b, work);
        return session_.plants("half_time") ? cycles / 2 : cycles;
    }
    Cycle drain() override { return unit_->drain(); }
    void load(const float* tile) override {
        if (!session_.plants("lost_swap")) unit_->load(tile);
    }
    void store(float* tile) override { unit_->store(tile); }
    void watch(std::vector<SpwmmaSet>* sets) override { unit_->watch(sets); }
    [[nodiscard]] const SpwmmaConfig& config() const override { return unit_->config(); }

private:
    static constexpr std::uint64_t kLostEvery = 64;
    const Session& session_;
    std::unique_ptr<SpwmmaUnit> unit_;
    std::uint64_t runs_ = 0;
};

}  // namespace tessera::testbench
