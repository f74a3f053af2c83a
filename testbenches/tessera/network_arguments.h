// What `tessera network` takes from the command line, and the network that it names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/network/graph.h"
#include "testbenches/tessera/study_arguments.h"

namespace tessera {

struct NetworkArguments {
    std::string model, outputs, machine;
    std::vector<std::string> sides, inputs, mechanisms, sets;
    std::uint64_t seed = 1;
    std::string prune = "none";
    StudyArguments study{""};
    bool list = false, values = false, fuse = true, skip_unsupported = false;
};

/// The model as its file has it, pruned if that is wanted, not fused.
[[nodiscard]] network::Graph read_model(const NetworkArguments& arguments);

/// Inputs in the graph's order: from files where there are such, else from the seed.
[[nodiscard]] std::vector<network::Tensor> inputs_of(const network::Graph& graph,
                                                     const NetworkArguments& arguments);

/// Runs the network on the machine and its mechanisms, and prints the table; returns the exit code.
int run_on_machine(NetworkArguments arguments);

}  // namespace tessera
