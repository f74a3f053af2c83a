#include "sc_models/reproduction/reason.h"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <regex>
#include <sstream>

namespace tessera {
namespace {

/// Cuts a reason into its text and, by turns, the contents of its places.
struct Cut {
    std::vector<std::string> texts, places;
};

Cut cut(const std::string& reason) {
    Cut parts;
    std::size_t at = 0;
    while (true) {
        const std::size_t open = reason.find('{', at);
        const std::size_t close = reason.find('}', open);
        if (open == std::string::npos || close == std::string::npos) break;
        parts.texts.push_back(reason.substr(at, open - at));
        parts.places.push_back(reason.substr(open + 1, close - open - 1));
        at = close + 1;
    }
    parts.texts.push_back(reason.substr(at));
    return parts;
}

ReasonPlace place_of(const std::string& text) {
    std::istringstream in(text);
    ReasonPlace place;
    in >> place.kind;
    place.arguments.assign(std::istream_iterator<std::string>(in), {});
    return place;
}

}  // namespace

std::vector<ReasonPlace> places_of(const std::string& reason, std::string& error) {
    std::vector<ReasonPlace> places;
    for (const std::string& text : cut(reason).places) {
        places.push_back(place_of(text));
        const ReasonPlace& place = places.back();
        const auto* const kind =
            std::find_if(std::begin(kReasonKinds), std::end(kReasonKinds),
                         [&place](const ReasonKind& k) { return k.name == place.kind; });
        if (kind == std::end(kReasonKinds)) {
            std::string known;
            for (const ReasonKind& k : kReasonKinds) {
                known += fmt::format("{}{}", known.empty() ? "" : ", ", k.usage);
            }
            error = fmt::format("got '{{{}}}', expected one of {}", text, known);
        } else if (place.arguments.size() != kind->arguments) {
            error = fmt::format("got '{{{}}}', expected {}", text, kind->usage);
        }
        if (!error.empty()) break;
    }
    return places;
}

std::string mistake_in_reason(const std::string& reason) {
    std::string error;
    (void)places_of(reason, error);
    if (!error.empty()) return error;
    std::string text;
    for (const std::string& part : cut(reason).texts) text += part + "{}";
    static const std::regex kQuotation("\"[^\"]*\"");
    static const std::regex kSource(R"re(([IVX]+(-[A-Z])?|Figure \d+|Table [IVX]+|abstract): $)re");
    std::string outside;
    std::size_t at = 0;
    for (std::sregex_iterator found(text.begin(), text.end(), kQuotation), end; found != end;
         ++found) {
        const auto position = static_cast<std::size_t>(found->position());
        outside += text.substr(at, position - at);
        if (!std::regex_search(outside, kSource)) {
            return fmt::format("got {}, expected its section before it, as in VI-A: \"words\"",
                               found->str());
        }
        at = position + static_cast<std::size_t>(found->length());
    }
    outside += text.substr(at);
    // A number within a name follows a letter (C1, FP16); shapes are names, too (8x8, 4096^3).
    static const std::regex kNumber(R"re((^|[\s(,;+-])(\d[^\s,;:)]*))re");
    static const std::regex kShape(R"re(\d+x\d+(x\d+)?|\d+\^\d+)re");
    static const std::regex kNamed(R"re((Figure|Table|batch) \d+)re");
    const std::string named = std::regex_replace(outside, kNamed, "a name");
    for (std::sregex_iterator found(named.begin(), named.end(), kNumber), end; found != end;
         ++found) {
        const std::string number = (*found)[2];
        if (std::regex_match(number, kShape)) continue;
        return fmt::format(
            "got the typed number '{}', expected a place such as {} or the paper's words in "
            "quotation marks",
            number, kReasonKinds[0].usage);
    }
    return "";
}

std::string filled_reason(const std::string& reason,
                          const std::function<std::string(const ReasonPlace&)>& number) {
    const Cut parts = cut(reason);
    std::string text = parts.texts.front();
    for (std::size_t i = 0; i < parts.places.size(); ++i) {
        text += number(place_of(parts.places[i])) + parts.texts[i + 1];
    }
    return text;
}

}  // namespace tessera
