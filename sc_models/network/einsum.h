// Equation of an Einsum, for its values and for the operators that take its place.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sc_models/network/operators.h"

namespace tessera::network {

/// An equation in labels: letters, and numbers below 0 for the sides of an ellipsis (-1 is the
/// last).
struct EinsumEquation {
    using Labels = std::vector<int>;

    std::vector<Labels> inputs;
    Labels output;
    std::map<int, std::int64_t> sides;

    /// Throws for text that is no equation, for operands that do not fit it, and for labels of the
    /// result that no operand has.
    explicit EinsumEquation(const OperatorCall& call);

    [[nodiscard]] Shape shape_of(const Labels& labels) const;
    /// Labels that the result does not have, each once.
    [[nodiscard]] Labels summed() const;

private:
    void read_operand(const OperatorCall& call, std::size_t input, const std::string& term);
    void read_result(const OperatorCall& call, const std::string& term);
    void find_result();
};

}  // namespace tessera::network
