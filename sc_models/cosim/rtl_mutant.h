// Selection of the mutant of a mutated RTL block.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {

/// Sets the mutant of blocks made from now on; 0: none, the original block.
void set_rtl_mutant(unsigned mutant);
[[nodiscard]] unsigned rtl_mutant();

/// Whether the Verilated model `Top` has the pin that chooses a mutant (tools/rtl_mutation).
template <class Top, class = void>
struct HasMutants : std::false_type {};
template <class Top>
struct HasMutants<Top, std::void_t<decltype(std::declval<Top&>().mutsel)>> : std::true_type {};

/// Activates the selected mutant. Throws ConfigError if one is selected and the block has none.
template <class Top>
void choose_mutant(Top& top, const char* block) {
    if constexpr (HasMutants<Top>::value) {
        using Pin = std::remove_reference_t<decltype(top.mutsel)>;
        top.mutsel = static_cast<Pin>(rtl_mutant());
    } else if (rtl_mutant() != 0) {
        throw ConfigError(std::string("--mutant: this build has no mutants of ") + block +
                          " (tools/rtl_mutation makes one that has)");
    }
}

}  // namespace tessera
