#include "sc_models/reproduction/paper_rules.h"

namespace tessera {

std::vector<const PaperRule*> rules_of(const PaperFigure& figure) {
    std::vector<const PaperRule*> found;
    for (const auto* rules : {&duplo_rules(), &dual_side_rules(), &opportunistic_rules()}) {
        for (const PaperRule& rule : *rules) {
            if (figure.id == rule.id) found.push_back(&rule);
        }
    }
    return found;
}

}  // namespace tessera
