// Einsum: sums of products over labelled sides.
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "sc_models/network/einsum.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

constexpr const char* kEllipsis = "...";
constexpr std::size_t kEllipsisLength = 3;

bool has(const EinsumEquation::Labels& labels, int label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == at) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::string without_blanks(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
}

/// Labels of a term whose ellipsis stands for `missing` sides.
EinsumEquation::Labels labels_of(const OperatorCall& call, const std::string& term,
                                 std::size_t missing) {
    EinsumEquation::Labels labels;
    for (std::size_t i = 0; i < term.size(); ++i) {
        if (term.compare(i, kEllipsisLength, kEllipsis) == 0) {
            for (std::size_t side = missing; side > 0; --side) {
                labels.push_back(-static_cast<int>(side));
            }
            i += kEllipsisLength - 1;
        } else if (std::isalpha(static_cast<unsigned char>(term[i])) != 0) {
            labels.push_back(term[i]);
        } else {
            call.fail("equation: got '" + term + "', expected letters and at most one ellipsis");
        }
    }
    return labels;
}

bool has_ellipsis(const std::string& term) {
    return term.find(kEllipsis) != std::string::npos;
}

std::vector<TensorType> infer_einsum(const OperatorCall& call) {
    const EinsumEquation equation(call);
    for (std::size_t input = 0; input < call.inputs(); ++input) {
        call.expect_real(input);
        call.expect_same_type(0, input);
    }
    return {{call.type(0).type, equation.shape_of(equation.output)}};
}

double flop_of_einsum(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    const EinsumEquation equation(call);
    return static_cast<double>(outputs[0].elements()) *
           static_cast<double>(element_count(equation.shape_of(equation.summed()))) *
           static_cast<double>(std::max<std::size_t>(call.inputs(), 1));
}

/// Offsets into an operand for each index of sides with these labels.
std::vector<std::size_t> offsets_of(const EinsumEquation& equation,
                                    const EinsumEquation::Labels& labels, const OperatorCall& call,
                                    std::size_t input) {
    const std::vector<std::size_t> strides = strides_of(call.shape(input));
    std::vector<std::size_t> steps(labels.size());
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
        if (call.shape(input)[axis] == 1) continue;  // broadcast
        for (std::size_t i = 0; i < labels.size(); ++i) {
            if (equation.inputs[input][axis] == labels[i]) steps[i] += strides[axis];
        }
    }
    const Shape shape = equation.shape_of(labels);
    std::vector<std::size_t> offsets(element_count(shape));
    walk(shape, steps, [&](std::size_t i, std::size_t at) { offsets[i] = at; });
    return offsets;
}

void run_einsum(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const EinsumEquation equation(call);
    std::vector<std::vector<std::size_t>> bases, terms;
    for (std::size_t input = 0; input < call.inputs(); ++input) {
        bases.push_back(offsets_of(equation, equation.output, call, input));
        terms.push_back(offsets_of(equation, equation.summed(), call, input));
    }
    for (std::size_t i = 0; i < outputs[0].reals.size(); ++i) {
        double sum = 0;
        for (std::size_t t = 0; t < terms[0].size(); ++t) {
            double product = 1;
            for (std::size_t input = 0; input < call.inputs(); ++input) {
                product *= call.reals(input)[bases[input][i] + terms[input][t]];
            }
            sum += product;
        }
        outputs[0].reals[i] = static_cast<float>(sum);
    }
}

}  // namespace

EinsumEquation::EinsumEquation(const OperatorCall& call) {
    const std::string text = without_blanks(call.attributes().text("equation"));
    const std::size_t arrow = text.find("->");
    const std::vector<std::string> terms = split(text.substr(0, arrow), ',');
    if (terms.size() != call.inputs()) {
        call.fail("equation: got " + std::to_string(terms.size()) + " operands in '" + text +
                  "', expected " + std::to_string(call.inputs()));
    }
    for (std::size_t input = 0; input < terms.size(); ++input) {
        read_operand(call, input, terms[input]);
    }
    if (arrow == std::string::npos) {
        find_result();
    } else {
        read_result(call, text.substr(arrow + 2));
    }
}

void EinsumEquation::read_operand(const OperatorCall& call, std::size_t input,
                                  const std::string& term) {
    const Shape& shape = call.shape(input);
    const std::size_t letters = term.size() - (has_ellipsis(term) ? kEllipsisLength : 0);
    const std::size_t missing = shape.size() - std::min(shape.size(), letters);
    inputs.push_back(labels_of(call, term, has_ellipsis(term) ? missing : 0));
    if (inputs.back().size() != shape.size()) {
        call.fail_input(input, "got shape " + shape_text(shape) + " for '" + term + "', expected " +
                                   std::to_string(inputs.back().size()) + " sides");
    }
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        std::int64_t& side = sides.emplace(inputs.back()[axis], 1).first->second;
        if (shape[axis] == side || shape[axis] == 1) continue;
        if (side != 1) {
            call.fail_input(input, "got side " + std::to_string(shape[axis]) + " in '" + term +
                                       "', expected " + std::to_string(side) +
                                       " as elsewhere in the equation");
        }
        side = shape[axis];
    }
}

void EinsumEquation::read_result(const OperatorCall& call, const std::string& term) {
    std::size_t missing = 0;
    for (const auto& [label, side] : sides) {
        if (label < 0) missing = std::max(missing, static_cast<std::size_t>(-label));
    }
    output = labels_of(call, term, missing);
    for (const int label : output) {
        if (sides.count(label) != 0 && std::count(output.begin(), output.end(), label) == 1) {
            continue;
        }
        call.fail("equation: got the result '" + term +
                  "', expected labels of operands, each once");
    }
}

/// Without an arrow the result has the ellipsis and all letters that occur once, sorted.
void EinsumEquation::find_result() {
    for (const auto& [label, side] : sides) {  // sorted: the ellipsis comes first
        std::ptrdiff_t count = 0;
        for (const Labels& labels : inputs) {
            count += std::count(labels.begin(), labels.end(), label);
        }
        if (label < 0 || count == 1) output.push_back(label);
    }
}

Shape EinsumEquation::shape_of(const Labels& labels) const {
    Shape shape;
    for (const int label : labels) shape.push_back(sides.at(label));
    return shape;
}

EinsumEquation::Labels EinsumEquation::summed() const {
    Labels labels;
    for (const auto& [label, side] : sides) {
        if (!has(output, label)) labels.push_back(label);
    }
    return labels;
}

std::vector<Operator> einsum_operators() {
    return {{"Einsum", WorkKind::kComposite, infer_einsum, run_einsum, flop_of_einsum}};
}

}  // namespace tessera::network
