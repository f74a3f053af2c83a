#include "sc_models/reproduction/setting_search.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

bool is_chosen(const std::string& source, const std::string& side) {
    return source == "chosen" || source.find(side + ": chosen") != std::string::npos;
}

SearchSet with(SearchSet set, std::size_t setting) {
    set.insert(std::lower_bound(set.begin(), set.end(), setting), setting);
    return set;
}

SearchSet without(SearchSet set, std::size_t setting) {
    set.erase(std::find(set.begin(), set.end(), setting));
    return set;
}

class Search {
public:
    Search(const std::vector<SearchSetting>& settings, std::size_t budget,
           const SearchEvaluation& evaluate)
        : settings_(settings), budget_(budget), evaluate_(evaluate) {}

    SearchResult run() {
        if (const auto shipped = scores({{}}); !shipped.empty()) {
            result_.steps.push_back({{}, shipped.front()});
            while (add()) {
            }
            while (leave_out()) {
            }
        }
        return std::move(result_);
    }

private:
    /// Scores of as many of the sets as the budget allows.
    std::vector<SearchScore> scores(std::vector<SearchSet> sets) {
        if (result_.interrupted) return {};
        const std::size_t left = budget_ - result_.tried;
        if (sets.size() > left) {
            sets.resize(left);
            result_.budget_spent = true;
        }
        if (sets.empty()) return {};
        std::vector<SearchScore> found = evaluate_(sets);
        result_.interrupted = found.empty();
        result_.tried += found.size();
        return found;
    }

    /// Adds the best setting; false if none makes the score rise.
    bool add() {
        const SearchStep& best = result_.best();
        std::vector<SearchSet> sets;
        for (std::size_t i = 0; i < settings_.size(); ++i) {
            const bool is_taken = std::any_of(best.set.begin(), best.set.end(), [&](std::size_t j) {
                return settings_[j].setting == settings_[i].setting;
            });
            if (!is_taken) sets.push_back(with(best.set, i));
        }
        return take_best(
            sets, [&best](const SearchScore& score) { return score.better_than(best.score); });
    }

    /// Leaves out a setting without which as many figures come out; false if there is none. Sets
    /// of one setting less were tried on the way only in the order of their choice.
    bool leave_out() {
        const SearchStep& best = result_.best();
        if (best.set.size() < 2) return false;
        std::vector<SearchSet> sets;
        for (const std::size_t setting : best.set) sets.push_back(without(best.set, setting));
        return take_best(sets, [&best](const SearchScore& score) {
            return score.better_than(best.score) || score.counts_as(best.score);
        });
    }

    template <class Accept>
    bool take_best(const std::vector<SearchSet>& sets, const Accept& accept) {
        const std::vector<SearchScore> found = scores(sets);
        const auto best = std::max_element(
            found.begin(), found.end(),
            [](const SearchScore& a, const SearchScore& b) { return b.better_than(a); });
        if (best == found.end() || !accept(*best)) return false;
        result_.steps.push_back({sets[static_cast<std::size_t>(best - found.begin())], *best});
        return true;
    }

    const std::vector<SearchSetting>& settings_;
    std::size_t budget_;
    const SearchEvaluation& evaluate_;
    SearchResult result_;
};

}  // namespace

std::vector<SearchSetting> sourced_settings(const std::vector<AtlasStudy>& studies) {
    std::vector<SearchSetting> found;
    for (const AtlasStudy& study : studies) {
        for (const AtlasSetting& setting : study.settings) {
            const auto add = [&](const char* side, const KeyValues& values) {
                const std::string name = setting.name + "." + side;
                const bool is_there =
                    std::any_of(found.begin(), found.end(),
                                [&](const SearchSetting& other) { return other.name == name; });
                if (values.empty() || is_there || is_chosen(setting.source, side)) return;
                SearchSetting one{name, setting.name, setting.source, {}};
                for (const auto& [key, value] : values) one.sets.push_back(key + "=" + value);
                found.push_back(std::move(one));
            };
            add("low", setting.low);
            add("high", setting.high);
        }
    }
    return found;
}

bool SearchScore::better_than(const SearchScore& other) const {
    if (reproduced != other.reproduced) return reproduced > other.reproduced;
    if (partly != other.partly) return partly > other.partly;
    return distance < other.distance;
}

bool SearchScore::counts_as(const SearchScore& other) const {
    return reproduced == other.reproduced && partly == other.partly;
}

std::string SearchScore::text() const {
    return fmt::format("{} of {} reproduced, {} partly, distance {:.2f}", reproduced, figures,
                       partly, distance);
}

SearchScore score_of(const std::vector<PaperAnswer>& answers) {
    SearchScore score;
    for (const PaperAnswer& answer : answers) {
        ++score.figures;
        score.reproduced += answer.verdict == Verdict::kReproduced ? 1 : 0;
        score.partly += answer.verdict == Verdict::kPartly ? 1 : 0;
        const double paper = answer.paper.value.value_or(0);
        const double apart =
            answer.ours && paper != 0 ? std::abs(answer.ours->mean / paper - 1) : 1;
        score.distance += std::min(apart, 1.0);
    }
    if (score.figures > 0) score.distance /= static_cast<double>(score.figures);
    return score;
}

SearchResult search_settings(const std::vector<SearchSetting>& settings, std::size_t budget,
                             const SearchEvaluation& evaluate) {
    return Search(settings, budget, evaluate).run();
}

}  // namespace tessera
