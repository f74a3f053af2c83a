#include "sc_models/workload/tensor/tensor_golden.h"

#include <algorithm>
#include <array>

#include "sc_models/isa/coalescer.h"
#include "sc_models/tensor_core/half.h"

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
            std::array<float, kMaxPassResults> ends{};
            for (const TensorPass& pass : f.passes) {
                pass.end(sum(pass, ends.data()), count_of(part_, k), ends.data());
            }
            walk_offsets(part_, part_.result, false, 0, k, f.maps ? reduced_ : 1, places_);
            for (std::size_t r = 0; r < places_.size(); ++r) {
                std::array<float, kMostMapOperands> x{};
                for (std::uint32_t i = 0; i < f.operands; ++i)
                    x.at(i) = row_[f.first_operand + i][r];
                const float value = f.result(x.data(), ends.data());
                const TensorType type = plan_.result_type();
                out[static_cast<std::size_t>(places_[r])] =
                    is_half(type) ? rounded(value, format_of(type)) : value;
            }
        }
    }

private:
    /// Reads all elements that the results of kept index `k` depend on.
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

    [[nodiscard]] PassState sum(const TensorPass& pass, PassResults ends) const {
        switch (plan_.mapping) {
            case TensorMapping::kRows:
                return sum_of_row(pass, ends);
            case TensorMapping::kColumns:
                return sum_of_column(pass, ends);
            default:
                return sum_in_order(pass, ends);
        }
    }

    [[nodiscard]] PassState sum_in_order(const TensorPass& pass, PassResults ends) const {
        PassState sum = pass.first;
        for (const float x : row_[0]) sum = pass.step(sum, x, ends);
        return sum;
    }

    /// Sums in the order of the lanes of the row's warps.
    [[nodiscard]] PassState sum_of_row(const TensorPass& pass, PassResults ends) const {
        const std::uint32_t warps = plan_.row.warps;
        std::vector<PassState> sums(std::size_t{warps} * kWarpLanes, pass.first);
        for (std::uint64_t r = 0; r < reduced_; ++r) {
            PassState& sum = sums[plan_.row.thread_of(r)];
            sum = pass.step(sum, row_[0][r], ends);
        }
        const auto join = plan_.row.first_warp_joins ? in_order : halved;
        std::vector<PassState> of_warps(warps);
        for (std::uint32_t warp = 0; warp < warps; ++warp) {
            of_warps[warp] = join(sums.data() + std::size_t{warp} * kWarpLanes, kWarpLanes, pass);
        }
        return join(of_warps.data(), warps, pass);
    }

    /// Sums in the order of the CTAs that take the rows of a column in turn.
    [[nodiscard]] PassState sum_of_column(const TensorPass& pass, PassResults ends) const {
        const std::uint32_t of_cta = plan_.column.rows_of_cta();
        std::vector<PassState> sums(std::size_t{of_cta} * plan_.column.ctas, pass.first);
        for (std::uint64_t r = 0; r < reduced_; ++r) {
            PassState& sum = sums[r % sums.size()];
            sum = pass.step(sum, row_[0][r], ends);
        }
        if (plan_.column.ctas == 1) return sum_of_cta(sums.data(), pass);
        std::vector<PassState> joined(of_cta, pass.first);
        for (std::uint32_t cta = 0; cta < plan_.column.ctas; ++cta) {
            PassState& sum = joined[cta % of_cta];
            sum = pass.join(sum, sum_of_cta(sums.data() + std::size_t{cta} * of_cta, pass));
        }
        return sum_of_cta(joined.data(), pass);
    }

    /// Joins lanes of a warp by halves, then warps one after the other.
    PassState sum_of_cta(PassState* sums, const TensorPass& pass) const {
        const std::uint32_t of_warp = plan_.column.rows_of_warp();
        PassState sum{};
        for (std::uint32_t warp = 0; warp < plan_.column.warps; ++warp) {
            const PassState next = halved(sums + std::size_t{warp} * of_warp, of_warp, pass);
            sum = warp == 0 ? next : pass.join(sum, next);
        }
        return sum;
    }

    /// Joins `n` sums one after the other.
    static PassState in_order(PassState* sums, std::uint32_t n, const TensorPass& pass) {
        PassState sum = pass.first;
        for (std::uint32_t i = 0; i < n; ++i) sum = pass.join(sum, sums[i]);
        return sum;
    }

    /// Joins the halves of `n` sums until one is left.
    static PassState halved(PassState* sums, std::uint32_t n, const TensorPass& pass) {
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
