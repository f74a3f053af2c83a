// Functional coverage of a testbench: named bins that the stimulus must reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tessera::testbench {

/// Counts how often each named situation occurred. A bin that stays at zero fails a run of the
/// built-in stimulus.
class Coverage {
public:
    using Bin = std::size_t;

    /// Declares a bin: a short name ("miss", "queue_full") and one line that explains it.
    Bin add(std::string name, std::string meaning);
    /// Declares a bin of situations that a module or a check has counted itself.
    void add_counted(std::string name, std::uint64_t hits, std::string meaning) {
        hit(add(std::move(name), std::move(meaning)), hits);
    }
    void hit(Bin bin, std::uint64_t times = 1) { bins_[bin].hits += times; }
    /// Counts a hit if `occurred`.
    void hit_if(Bin bin, bool occurred) { bins_[bin].hits += occurred ? 1 : 0; }
    [[nodiscard]] std::uint64_t hits(Bin bin) const { return bins_[bin].hits; }

    [[nodiscard]] std::size_t size() const { return bins_.size(); }
    [[nodiscard]] std::size_t reached() const;
    [[nodiscard]] std::vector<std::string> missed() const;
    /// Table of all bins with their hits.
    [[nodiscard]] std::string table() const;

private:
    struct State {
        std::string name, meaning;
        std::uint64_t hits = 0;
    };
    std::vector<State> bins_;
};

}  // namespace tessera::testbench
