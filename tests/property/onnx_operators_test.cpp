// Do operators compute what ONNX's own test data says, in every case of real numbers?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/tensor_files.h"
#include "tests/support/onnx_cases.h"

namespace tessera::network {
namespace {

using test::OnnxCase;

/// ONNX's own runner allows this much (relative, absolute).
constexpr double kRelative = 1e-3, kAbsolute = 1e-7;

/// Result of one case.
struct CaseOutcome {
    enum class Kind { kPassed, kLeftOut, kFailed } kind = Kind::kPassed;
    std::string why;
};

CaseOutcome left_out(std::string why) {
    return {CaseOutcome::Kind::kLeftOut, std::move(why)};
}
CaseOutcome failed(std::string why) {
    return {CaseOutcome::Kind::kFailed, std::move(why)};
}

std::string difference(const Tensor& got, const Tensor& expected) {
    if (got.type != expected.type) {
        return "got " + got.type.str() + ", expected " + expected.type.str();
    }
    if (got.integers != expected.integers) return "other integers";
    const double relative = expected.type.type == ElementType::kHalf ? 0x1p-10 : kRelative;
    for (std::size_t i = 0; i < got.reals.size(); ++i) {
        const double a = got.reals[i];
        const double b = expected.reals[i];
        const bool same = a == b || (std::isnan(a) && std::isnan(b));
        if (!same && !(std::fabs(a - b) <= kAbsolute + relative * std::fabs(b))) {
            return "element " + std::to_string(i) + ": got " + std::to_string(a) + ", expected " +
                   std::to_string(b);
        }
    }
    return "";
}

CaseOutcome run_case(const OnnxCase& one) {
    try {
        test::ReadCase read = test::read_case(one);
        if (!read.left_out.empty()) return left_out(read.left_out);
        const std::vector<Tensor> outputs = execute(read.graph, std::move(read.inputs));
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const std::string path = one.tensor("output", static_cast<int>(i)).string();
            const std::string wrong = difference(outputs[i], read_tensor_file(path));
            if (!wrong.empty()) return failed("output " + std::to_string(i) + ": " + wrong);
        }
    } catch (const ConfigError& error) {
        return failed(error.what());
    }
    return {};
}

/// Runs the cases of a folder, of which `expected` at least have to pass. With TESSERA_ONNX_CASES
/// in the environment a line for each goes to the end of that file, for tools/onnx_operators.
void run_cases(const std::string& kind, std::size_t expected) {
    const std::vector<OnnxCase> cases = test::onnx_cases(kind);
    ASSERT_FALSE(cases.empty()) << test::kOnnxTestData / kind << " is missing (tools/setup)";
    std::size_t passed = 0;
    std::ofstream out;
    if (const char* path = std::getenv("TESSERA_ONNX_CASES")) out.open(path, std::ios::app);
    for (const OnnxCase& one : cases) {
        const CaseOutcome outcome = run_case(one);
        const bool good = outcome.kind == CaseOutcome::Kind::kPassed;
        if (good) ++passed;
        EXPECT_NE(outcome.kind, CaseOutcome::Kind::kFailed) << one.name << ": " << outcome.why;
        out << "case\t" << kind << '\t' << one.name << '\t' << (good ? "passed" : outcome.why)
            << '\t' << test::operators_of(one.proto()) << '\n';
    }
    std::printf("%s: %zu of %zu cases pass, %zu are left out\n", kind.c_str(), passed, cases.size(),
                cases.size() - passed);
    EXPECT_GE(passed, expected);
}

TEST(OnnxOperators, NodeCasesComeOut) {
    run_cases("node", 659);
}

TEST(OnnxOperators, ConvertedModelsComeOut) {
    run_cases("pytorch-converted", 59);
}

TEST(OnnxOperators, OwnCasesComeOut) {
    run_cases(test::kOwnCases, 230);
}

/// A case with another value in it is seen.
TEST(OnnxOperators, AWrongValueIsSeen) {
    const Tensor right = Tensor::of_reals({2}, {1, 2});
    EXPECT_EQ(difference(right, right), "");
    EXPECT_NE(difference(Tensor::of_reals({2}, {1, 2.01F}), right), "");
    EXPECT_NE(difference(Tensor::of_reals({2}, {1, NAN}), right), "");
    EXPECT_NE(difference(Tensor::of_reals({1, 2}, {1, 2}), right), "");
    EXPECT_NE(difference(Tensor::of_integers({1}, {3}), Tensor::of_integers({1}, {4})), "");
}

TEST(OnnxOperators, HaveNamesOfTheirOwn) {
    std::ofstream out;
    if (const char* path = std::getenv("TESSERA_ONNX_CASES")) out.open(path, std::ios::app);
    std::set<std::string_view> names;
    for (const Operator& one : all_operators()) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        EXPECT_EQ(find_operator(one.name), &one);
        out << "operator\t" << one.name << '\t' << name_of(one.kind) << '\n';
    }
    EXPECT_EQ(find_operator("Convolution"), nullptr);
}

}  // namespace
}  // namespace tessera::network
