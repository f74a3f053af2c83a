// Are functions of a model, and If and Loop that constants decide, replaced by the nodes that run?
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/onnx_reader.h"
#include "tests/support/onnx_model.h"

namespace tessera::network {
namespace {

using test::OnnxModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Graph read(const OnnxModel& model, const OnnxOptions& options = {}, Graph* as_written = nullptr) {
    return parse_onnx(model.bytes(), "m.onnx", "", options, as_written);
}

std::string refusal(const OnnxModel& model, const OnnxOptions& options = {}) {
    try {
        (void)read(model, options);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "accepted";
}

std::vector<std::string> names_of(const Graph& graph) {
    std::vector<std::string> names;
    for (const Node& node : graph.nodes) names.push_back(node.name);
    return names;
}

onnx::ValueInfoProto value(const std::string& name, int type) {
    onnx::ValueInfoProto info;
    info.set_name(name);
    info.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    return info;
}

onnx::NodeProto node(const std::string& operation, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs) {
    onnx::NodeProto made;
    made.set_op_type(operation);
    for (const std::string& input : inputs) made.add_input(input);
    for (const std::string& output : outputs) made.add_output(output);
    return made;
}

/// A graph of these nodes with inputs and outputs.
onnx::GraphProto graph_of(const std::vector<onnx::NodeProto>& nodes,
                          const std::vector<onnx::ValueInfoProto>& inputs,
                          const std::vector<std::string>& outputs) {
    onnx::GraphProto graph;
    graph.set_name("body");
    for (const onnx::NodeProto& one : nodes) *graph.add_node() = one;
    for (const onnx::ValueInfoProto& one : inputs) *graph.add_input() = one;
    for (const std::string& one : outputs) {
        *graph.add_output() = value(one, onnx::TensorProto::FLOAT);
    }
    return graph;
}

void add_graph(onnx::NodeProto& to, const std::string& name, const onnx::GraphProto& graph) {
    onnx::AttributeProto& attribute = *to.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = graph;
}

void truth(OnnxModel& model, const std::string& name, bool is_true) {
    onnx::TensorProto& tensor = *model.graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::BOOL);
    tensor.add_int32_data(is_true ? 1 : 0);
}

/// y = Relu(x) if x has two rows, else Neg(x).
OnnxModel by_rows() {
    OnnxModel model(18);
    model.input("x", {-2, 2}).output("y").integers("zero", {0}).integers("two", {2});
    model.node("Shape", {"x"}, {"sides"}).node("Gather", {"sides", "zero"}, {"rows"});
    model.node("Equal", {"rows", "two"}, {"is_two"}).node("If", {"is_two"}, {"y"}, "either");
    onnx::NodeProto& either = *model.graph().mutable_node(3);
    add_graph(either, "then_branch", graph_of({node("Relu", {"x"}, {"t"})}, {}, {"t"}));
    add_graph(either, "else_branch", graph_of({node("Neg", {"x"}, {"t"})}, {}, {"t"}));
    return model;
}

TEST(ControlFlow, ShapesDecideAnIf) {
    OnnxOptions options;
    options.sides["batch"] = 2;
    Graph as_written;
    const Graph two = read(by_rows(), options, &as_written);
    EXPECT_THAT(names_of(two), ElementsAre("either/Relu_0"));
    EXPECT_THAT(names_of(as_written), ElementsAre("either/Relu_0"));
    EXPECT_THAT(execute(two, {Tensor::of_reals({2, 2}, {-1, 2, -3, 4})})[0].reals,
                ElementsAre(0, 2, 0, 4));
    options.sides["batch"] = 1;
    const Graph one = read(by_rows(), options);
    EXPECT_THAT(execute(one, {Tensor::of_reals({1, 2}, {-1, 2})})[0].reals, ElementsAre(1, -2));
}

TEST(ControlFlow, ABranchMayPassAnOuterTensorOn) {
    OnnxModel model(13);
    model.input("x", {2}).output("y").node("If", {"c"}, {"y"}, "either");
    truth(model, "c", false);
    onnx::NodeProto& either = *model.graph().mutable_node(0);
    add_graph(either, "then_branch", graph_of({node("Relu", {"x"}, {"t"})}, {}, {"t"}));
    add_graph(either, "else_branch", graph_of({}, {}, {"x"}));
    EXPECT_THAT(execute(read(model), {Tensor::of_reals({2}, {-1, 2})})[0].reals,
                ElementsAre(-1, 2));
}

TEST(ControlFlow, ValuesOfTheRunDecideNothing) {
    OnnxModel model(13);
    model.input("x", {2}).input("c", {1}, onnx::TensorProto::BOOL).output("y");
    model.node("If", {"c"}, {"y"}, "either");
    onnx::NodeProto& either = *model.graph().mutable_node(0);
    add_graph(either, "then_branch", graph_of({node("Relu", {"x"}, {"t"})}, {}, {"t"}));
    add_graph(either, "else_branch", graph_of({node("Neg", {"x"}, {"t"})}, {}, {"t"}));
    EXPECT_THAT(refusal(model),
                HasSubstr("node 'either' (If): input 'c': got a condition that is computed at run "
                          "time, expected one that constants and shapes decide"));
    OnnxOptions options;
    options.fixed_inputs["c"] = Tensor::of_integers({1}, {1}, ElementType::kBool);
    EXPECT_EQ(refusal(model, options), "accepted");
}

/// v = x; trips times v = v + x, a result for each; the body says whether to go on.
OnnxModel adding(std::int64_t trips, const std::vector<onnx::NodeProto>& condition) {
    OnnxModel model(18);
    model.input("x", {2}).output("last").output("all").integers("trips", {trips});
    model.integers("limit", {1});
    truth(model, "c", true);
    model.node("Loop", {"trips", "c", "x"}, {"last", "all"}, "loop");
    std::vector<onnx::NodeProto> nodes = {node("Add", {"v", "x"}, {"w"}),
                                          node("Identity", {"w"}, {"row"})};
    nodes.insert(nodes.end(), condition.begin(), condition.end());
    add_graph(*model.graph().mutable_node(0), "body",
              graph_of(nodes,
                       {value("i", onnx::TensorProto::INT64), value("go", onnx::TensorProto::BOOL),
                        value("v", onnx::TensorProto::FLOAT)},
                       {"on", "w", "row"}));
    return model;
}

TEST(ControlFlow, LoopsAreUnrolled) {
    const Graph graph = read(adding(3, {node("Identity", {"go"}, {"on"})}));
    const auto outputs = execute(graph, {Tensor::of_reals({2}, {1, 10})});
    EXPECT_THAT(outputs[0].reals, ElementsAre(4, 40));
    EXPECT_EQ(outputs[1].type.shape, (Shape{3, 2}));
    EXPECT_THAT(outputs[1].reals, ElementsAre(2, 20, 3, 30, 4, 40));
    EXPECT_EQ(graph.nodes[0].name, "loop/0/Add_0");
}

TEST(ControlFlow, ConditionsOfTheBodyEndALoop) {
    const Graph graph = read(adding(9, {node("Less", {"i", "limit"}, {"on"})}));
    EXPECT_THAT(execute(graph, {Tensor::of_reals({2}, {1, 10})})[0].reals, ElementsAre(3, 30));
}

TEST(ControlFlow, LoopsThatCannotBeUnrolled) {
    EXPECT_THAT(refusal(adding(0, {node("Identity", {"go"}, {"on"})})),
                HasSubstr("node 'loop' (Loop): got no iteration, expected some for its output "
                          "'all'"));
    EXPECT_THAT(refusal(adding(5000, {node("Identity", {"go"}, {"on"})})),
                HasSubstr("got more than 4096 iterations"));
    EXPECT_THAT(refusal(adding(3, {node("IsNaN", {"w"}, {"on"})})),
                HasSubstr("got a condition that is computed at run time"));
    EXPECT_THAT(refusal(adding(3, {node("Identity", {"no"}, {"on"})})),
                HasSubstr("(Identity): input 'no': nothing makes it"));
}

/// A model of calls of my.scaled(a, b) = LeakyRelu(a + b), whose slope is an attribute.
OnnxModel with_function() {
    OnnxModel model(18);
    onnx::OperatorSetIdProto& own = *model.proto().add_opset_import();
    own.set_domain("my");
    own.set_version(1);
    onnx::FunctionProto& function = *model.proto().add_functions();
    function.set_name("scaled");
    function.set_domain("my");
    function.add_input("a");
    function.add_input("b");
    function.add_output("o");
    function.add_attribute("slope");
    function.add_opset_import()->set_version(18);
    *function.add_node() = node("Add", {"a", "b"}, {"s"});
    onnx::NodeProto& relu = *function.add_node();
    relu = node("LeakyRelu", {"s"}, {"o"});
    onnx::AttributeProto& slope = *relu.add_attribute();
    slope.set_name("alpha");
    slope.set_ref_attr_name("slope");
    slope.set_type(onnx::AttributeProto::FLOAT);
    return model;
}

TEST(Functions, AreInlinedWithTheAttributesOfTheCall) {
    OnnxModel model = with_function();
    model.input("x", {2}).output("y").output("z");
    model.node("scaled", {"x", "x"}, {"y"}, "first").with_real("slope", 0.5F);
    model.node("scaled", {"x", "y"}, {"z"}, "second");
    for (auto& call : *model.graph().mutable_node()) call.set_domain("my");
    const Graph graph = read(model);
    EXPECT_THAT(names_of(graph), ElementsAre("first/Add_0", "first/LeakyRelu_1", "second/Add_0",
                                             "second/LeakyRelu_1"));
    const auto outputs = execute(graph, {Tensor::of_reals({2}, {-1, 1})});
    EXPECT_THAT(outputs[0].reals, ElementsAre(-1, 2));
    EXPECT_FLOAT_EQ(outputs[1].reals[0], -0.02F);
}

TEST(Functions, ThatCannotBeInlined) {
    OnnxModel model = with_function();
    model.input("x", {2}).output("y").node("scaled", {"x", "x", "x"}, {"y"}, "n");
    model.graph().mutable_node(0)->set_domain("my");
    EXPECT_THAT(refusal(model), HasSubstr("node 'n' (my.scaled): got 3 inputs and 1 outputs, "
                                          "expected at most 2 and 1"));
    OnnxModel endless = with_function();
    endless.input("x", {2}).output("y").node("scaled", {"x", "x"}, {"y"}, "n");
    endless.graph().mutable_node(0)->set_domain("my");
    onnx::NodeProto& call = *endless.proto().mutable_functions(0)->mutable_node(0);
    call.set_op_type("scaled");
    call.set_domain("my");
    EXPECT_THAT(refusal(endless), HasSubstr("functions call each other in more than 64 levels"));
    OnnxModel unknown = with_function();
    unknown.input("x", {2}).output("y").node("scaled", {"x", "x"}, {"y"}, "n");
    unknown.graph().mutable_node(0)->set_domain("my");
    unknown.proto().mutable_functions(0)->mutable_node(0)->set_op_type("Det");
    EXPECT_THAT(refusal(unknown), HasSubstr("not supported: 'Det' (1 node)"));
}

TEST(UnsupportedOperators, StayIfTheFileStatesTheirShapes) {
    OnnxModel model;
    model.input("x", {-2, 2}).output("y");
    model.node("Magic", {"x"}, {"m"}, "n").node("Relu", {"m"}, {"y"});
    model.graph().mutable_node(0)->set_domain("com.example");
    OnnxOptions options;
    options.sides["batch"] = 3;
    EXPECT_THAT(refusal(model, options), HasSubstr("'com.example.Magic' (1 node)"));
    options.keep_unsupported = true;
    EXPECT_THAT(refusal(model, options),
                HasSubstr("node 'n' (com.example.Magic): output 'm': the operator is not "
                          "supported, and the file does not state this tensor's shape"));
    onnx::ValueInfoProto& stated = *model.graph().add_value_info();
    stated = value("m", onnx::TensorProto::FLOAT);
    auto& shape = *stated.mutable_type()->mutable_tensor_type()->mutable_shape();
    shape.add_dim()->set_dim_param("batch");
    shape.add_dim()->set_dim_value(2);
    const Graph graph = read(model, options);
    ASSERT_EQ(graph.nodes.size(), 2U);
    EXPECT_EQ(graph.value(graph.nodes[1].outputs[0]).type.shape, (Shape{3, 2}));
    EXPECT_THROW((void)execute(graph, {Tensor({ElementType::kFloat, {3, 2}})}), ConfigError);
}

}  // namespace
}  // namespace tessera::network
