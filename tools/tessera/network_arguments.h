// Command-line arguments of `tessera network`, and functions that load its network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/network/graph.h"
#include "sc_models/network/transformation_check.h"
#include "sc_models/study/network_study/network_study.h"
#include "tools/tessera/study_arguments.h"

namespace tessera {

struct NetworkArguments {
    std::string model, outputs, machine;
    std::vector<std::string> sides, inputs, mechanisms, sets;
    std::uint64_t seed = 1;
    std::uint64_t seeds = 0;  ///< number of drawn launches; 0: none
    std::string prune = "none";
    std::string type = "auto";  ///< or fp16, bf16
    StudyArguments study{""};
    bool list = false, values = false, fuse = true, skip_unsupported = false;
};

/// Reads the model of the file, pruned with --prune, not fused. `as_written`, if given, receives
/// the graph of the file's own nodes, with the same weights.
[[nodiscard]] network::Graph read_model(const NetworkArguments& arguments,
                                        network::Graph* as_written = nullptr);

/// Inputs in the graph's order: from a file if one is given, else drawn from the seed.
[[nodiscard]] std::vector<network::Tensor> inputs_of(const network::Graph& graph,
                                                     const NetworkArguments& arguments);

/// A graph of halves, its inputs if values matter, and the outputs of the file's own graph for
/// these.
struct Model {
    network::Graph graph;
    std::vector<network::Tensor> inputs, file_outputs;
    std::string check;  ///< line of the comparison with the file's graph
};
/// Loads the model as the kernels of a machine compute it. With `values` the graph,
/// before its numbers become halves, is compared with the file's own, and the result is printed in
/// a line. Throws CheckError if they differ.
[[nodiscard]] Model model_of(const NetworkArguments& arguments,
                             const network::MachineKernels& kernels, bool values);

/// Compares a graph in the file's own types with the file's own graph, and prints a line. Throws
/// CheckError.
[[nodiscard]] network::TransformationReport check_against_file(const network::Graph& as_written,
                                                               const network::Graph& graph,
                                                               std::vector<network::Tensor> inputs);

/// Lowers the model, and compares the outputs of the graph of halves with those of the file's.
/// Prints the outcome in a line, and returns it; empty if there are no values.
std::string add_model(NetworkStudy& study, Model model, const LoweringProgress& progress);

/// Adds --dim, --no-fuse, --prune, --type and --input.
void add_model_options(CLI::App& command, NetworkArguments& arguments);
/// Appends the options that were given to a command line.
void add_model_options(const NetworkArguments& arguments, std::vector<std::string>& argv);
/// The first of these options that was given; empty: none.
[[nodiscard]] std::string first_model_option(const NetworkArguments& arguments);

/// Throws ConfigError if one of these options was given: a YAML network has layers, no operators.
void refuse_model_options(const NetworkArguments& arguments);

/// Adds the layers of a network in YAML, or the operators of a decoder, to the study.
void add_layers(const NetworkArguments& arguments, NetworkStudy& study);

/// Runs the network on the machine and its mechanisms, and prints the table; returns the exit code.
int run_on_machine(NetworkArguments arguments);

}  // namespace tessera
