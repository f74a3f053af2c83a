// Which deliberate error of a mutated RTL block is switched on.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {

/// For blocks made from now on; 0 is none, the block as it was written.
void set_rtl_mutant(unsigned mutant);
[[nodiscard]] unsigned rtl_mutant();

/// Whether the Verilated model `Top` has the pin that chooses a mutant (tools/rtl_mutation).
template <class Top, class = void>
struct HasMutants : std::false_type {};
template <class Top>
struct HasMutants<Top, std::void_t<decltype(std::declval<Top&>().mutsel)>> : std::true_type {};

/// Switches the chosen mutant on. Throws ConfigError if there is one and the block has no mutants.
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
