#include "tests/fuzz/line_mutator.h"

#include <iterator>
#include <sstream>

namespace tessera::fuzz {
namespace {

constexpr const char* kExtremes[] = {"0",
                                     "1",
                                     "5",
                                     "-1",
                                     "256",
                                     "R255",
                                     "R256",
                                     "ffffffff",
                                     "00000000",
                                     "80000001",
                                     "0x0",
                                     "0x1",
                                     "0x7fffffffffffffff",
                                     "0x8000000000000000",
                                     "9223372036854775807",
                                     "-9223372036854775808",
                                     "18446744073709551616",
                                     "4294967296"};

}  // namespace

LineMutator::LineMutator(std::string_view text, unsigned seed) : state_(seed) {
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        lines_.emplace_back(std::istream_iterator<std::string>(words),
                            std::istream_iterator<std::string>());
    }
    if (lines_.empty()) lines_.emplace_back();
}

std::size_t LineMutator::below(std::size_t n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33) % n;
}

const std::string& LineMutator::any_field() {
    static const std::string kNone;
    const Fields& fields = lines_[below(lines_.size())];
    return fields.empty() ? kNone : fields[below(fields.size())];
}

void LineMutator::mutate_fields() {
    Fields& fields = lines_[below(lines_.size())];
    const std::size_t at = below(fields.size() + 1);
    const auto place = fields.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(6)) {
        case 0:
            fields.insert(place, std::string(any_field()));
            break;
        case 1:
            fields.insert(place, kExtremes[below(std::size(kExtremes))]);
            break;
        case 2:
            if (at < fields.size()) fields.erase(place);
            break;
        case 3:
            if (at < fields.size()) fields.insert(place, 1 + below(3), std::string(*place));
            break;
        case 4:
            if (at < fields.size()) fields[at] = kExtremes[below(std::size(kExtremes))];
            break;
        default:
            if (at < fields.size()) fields[at] = std::string(any_field());
            break;
    }
}

void LineMutator::mutate_lines() {
    const std::size_t from = below(lines_.size());
    const auto to = lines_.begin() + static_cast<std::ptrdiff_t>(below(lines_.size() + 1));
    if (below(4) != 0 || lines_.size() == 1) {
        lines_.insert(to, Fields(lines_[from]));
    } else {
        lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(from));
    }
}

std::string LineMutator::mutated() {
    for (std::size_t i = 1 + below(3); i > 0; --i) {
        if (below(4) == 0) {
            mutate_lines();
        } else {
            mutate_fields();
        }
    }
    std::string text;
    for (const Fields& fields : lines_) {
        for (std::size_t i = 0; i < fields.size(); ++i) text += (i == 0 ? "" : " ") + fields[i];
        text += '\n';
    }
    return text;
}

}  // namespace tessera::fuzz
