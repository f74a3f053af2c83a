// Mutations of text made of lines and blank-separated fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::fuzz {

/// Changes instruction lines the way a careless tool would: fields and lines are dropped, repeated,
/// copied from elsewhere or set to extreme numbers. Random bytes hardly ever get past the first
/// columns.
class LineMutator {
public:
    LineMutator(std::string_view text, unsigned seed);

    /// The text after a few mutations.
    [[nodiscard]] std::string mutated();

private:
    using Fields = std::vector<std::string>;

    [[nodiscard]] std::size_t below(std::size_t n);
    [[nodiscard]] const std::string& any_field();
    void mutate_fields();
    void mutate_lines();

    std::vector<Fields> lines_;
    std::uint64_t state_;
};

}  // namespace tessera::fuzz
