// Configuration of an operand's sparsity.
#pragma once

#include <string>

#include "sc_models/config/engine/config_visitor.h"

namespace tessera {

enum class SparsityPattern {
    kUniform,     ///< each element is kept independently with the same probability
    kClustered,   ///< the probability differs from one vector of 32 lines to the next
    kVectorWise,  ///< of 16 consecutive k of a line, a constant number is kept
    kBlocks       ///< blocks of 32 lines x 32 k are kept or pruned as a whole
};

/// Sparsity of one operand.
struct SparsityConfig {
    double sparsity = 0;  ///< fraction of zeros
    SparsityPattern pattern = SparsityPattern::kUniform;
    double concentration = 1;  ///< for kClustered: alpha + beta of the beta-binomial distribution
    std::string file;          ///< a Matrix Market file that replaces the pattern; empty: none

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
