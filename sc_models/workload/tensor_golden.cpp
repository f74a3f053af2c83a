#include "sc_models/workload/tensor_golden.h"

#include <algorithm>
#include <array>

#include "sc_models/isa/coalescer.h"
#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/tensor_kernels.h"

namespace tessera {
namespace {

class Golden {
public:
    Golden(const TensorPlan& plan, const TensorPart& part, const TensorValues& operands)
        : plan_(plan),
          part_(part),
          operands_(operands),
          kept_(elements_of(part.kept)),
          reduced_(elements_of(part.reduced)) {}

    void make(TensorValues& results) {
        const TensorFormula& f = plan_.formula;
        std::vector<float>& out = results[part_.result.tensor];
        for (std::uint64_t k = 0; k < kept_; ++k) {
            if (f.operands > 0 || !f.passes.empty()) read(k);
            std::array<float, kMostPasses> ends{};
            for (std::size_t pass = 0; pass < f.passes.size(); ++pass) {
                const float sum = plan_.mapping == TensorMapping::kRows
                                      ? sum_of_row(f.passes[pass], ends.data())
                                      : sum_in_order(f.passes[pass], ends.data());
                ends.at(pass) = f.passes[pass].end(sum, count_of(part_, k), ends.data());
            }
            walk_offsets(part_, part_.result, false, 0, k, f.maps ? reduced_ : 1, places_);
            for (std::size_t r = 0; r < places_.size(); ++r) {
                std::array<float, kMostMapOperands> x{};
                for (std::uint32_t i = 0; i < f.operands; ++i)
                    x.at(i) = row_[f.first_operand + i][r];
                const float value = f.result(x.data(), ends.data());
                out[static_cast<std::size_t>(places_[r])] =
                    plan_.type == TensorType::kFp16 ? half_to_float(float_to_half(value)) : value;
            }
        }
    }

private:
    /// All elements that results of kept index `k` are made of.
    void read(std::uint64_t k) {
        const TensorFormula& f = plan_.formula;
        const std::size_t count = std::max<std::size_t>(f.first_operand + f.operands, 1);
        row_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            walk_offsets(part_, part_.operands[i], false, 0, k, reduced_, offsets_);
            row_[i].resize(reduced_);
            for (std::uint64_t r = 0; r < reduced_; ++r) {
                float x = plan_.formula.outside;
                if (offsets_[r] != kOutside) {
                    x = operands_[part_.operands[i].tensor][static_cast<std::size_t>(offsets_[r])];
                }
                const bool weighs = !part_.weights.empty() && i == 0;
                row_[i][r] = weighs ? x * weight_of(part_, k, r) : x;
            }
        }
    }

    [[nodiscard]] float sum_in_order(const TensorPass& pass, PassEnds ends) const {
        float sum = pass.first;
        for (const float x : row_[0]) sum = pass.step(sum, x, ends);
        return sum;
    }

    /// As the lanes of the row's warps do.
    [[nodiscard]] float sum_of_row(const TensorPass& pass, PassEnds ends) const {
        const std::uint32_t warps = warps_of_row(plan_.type, reduced_);
        const std::uint32_t chunk = chunk_elements(plan_.type);
        const std::uint32_t of_lane = chunk / kWarpLanes;
        std::vector<float> sums(std::size_t{warps} * kWarpLanes, pass.first);
        for (std::uint64_t r = 0; r < reduced_; ++r) {
            float& sum = sums[r / chunk % warps * kWarpLanes + r % chunk / of_lane];
            sum = pass.step(sum, row_[0][r], ends);
        }
        std::vector<float> of_warps(warps);
        for (std::uint32_t warp = 0; warp < warps; ++warp) {
            of_warps[warp] = halved(sums.data() + std::size_t{warp} * kWarpLanes, kWarpLanes, pass);
        }
        return halved(of_warps.data(), warps, pass);
    }

    /// Joins the halves of `n` sums, until one is left.
    static float halved(float* sums, std::uint32_t n, const TensorPass& pass) {
        for (n /= 2; n > 0; n /= 2) {
            for (std::uint32_t i = 0; i < n; ++i) sums[i] = pass.join(sums[i], sums[i + n]);
        }
        return sums[0];
    }

    const TensorPlan& plan_;
    const TensorPart& part_;
    const TensorValues& operands_;
    const std::uint64_t kept_, reduced_;
    std::vector<std::vector<float>> row_;  ///< by operand
    std::vector<std::int64_t> offsets_, places_;
};

}  // namespace

TensorValues tensor_golden(const TensorPlan& plan, const TensorValues& operands,
                           const std::vector<TensorShape>& results) {
    TensorValues values;
    for (const TensorShape& shape : results) values.emplace_back(elements_of(shape));
    for (const TensorPart& part : plan.parts) Golden(plan, part, operands).make(values);
    return values;
}

}  // namespace tessera
