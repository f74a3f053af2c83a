#include "sc_models/config/sparsity_config.h"

namespace tessera {

void SparsityConfig::bind(ConfigVisitor& v) {
    v.real("sparsity", sparsity, 0, 1, "Fraction of the elements that are zero.");
    v.choice("pattern", pattern,
             {{"uniform", SparsityPattern::kUniform},
              {"clustered", SparsityPattern::kClustered},
              {"vector_wise", SparsityPattern::kVectorWise},
              {"blocks", SparsityPattern::kBlocks}},
             "Where the zeros are: anywhere; more in some vectors of 32 lines (rows of A, columns "
             "of B) than in others; the same number in every 16 consecutive k of a line "
             "(vector-wise pruning; sparsity then in sixteenths); or whole blocks of 32 lines x 32 "
             "k (block pruning).");
    constexpr double kMost = 10000;
    v.real("concentration", concentration, 1e-3, kMost,
           "Of pattern clustered: alpha + beta of the beta distribution that a vector's density is "
           "drawn from; small: vectors are nearly empty or nearly full.");
    v.text("file", file,
           "A Matrix Market file (.mtx) with the operand, in place of a generated one; relative to "
           "the file that names it.");
}

}  // namespace tessera
