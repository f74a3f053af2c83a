// Statistics: plain counters in the blocks, registered once, written as text, JSON or CSV.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tessera {

/// A node of the statistics tree, which follows the module hierarchy. A block registers its
/// counters (plain uint64_t members, so counting costs one addition) with name, unit and
/// description; values are read only on output. A node registered as `instance` (an SM, a slice) is
/// one of several equal ones: unless full detail is requested, they are written as one node with
/// their sums.
class StatGroup {
public:
    explicit StatGroup(std::string name) : name_(std::move(name)) {}
    StatGroup(const StatGroup&) = delete;
    StatGroup& operator=(const StatGroup&) = delete;

    /// Child of that name, created on first use.
    StatGroup& child(std::string_view name);
    /// Instance `index` of the children called `name` (written as name[index], or summed as name).
    StatGroup& instance(std::string_view name, std::uint32_t index);

    /// Registers a counter of events or cycles; `value` must outlive the group.
    void counter(std::string_view name, const std::uint64_t& value, std::string_view unit,
                 std::string_view description);
    /// Registers a ratio of two sums, formed after instances are added up; 0 if the denominator is
    /// 0.
    void ratio(std::string_view name, std::vector<std::string> numerators,
               std::vector<std::string> denominators, std::string_view unit,
               std::string_view description, double scale = 1.0);

    /// Restarts counting: numbers exclude earlier events (for a kernel's own share of a run).
    void mark();
    /// Multiplies and rounds numbers until the next mark: extrapolates counts of a part to the
    /// whole.
    void scale(double factor);

    enum class Detail { kSummed, kFull };
    /// Numbers since the last mark as a JSON tree.
    [[nodiscard]] nlohmann::ordered_json to_json(Detail detail = Detail::kSummed) const;
    /// One line each: path, value, unit, description.
    [[nodiscard]] std::string to_text(Detail detail = Detail::kSummed) const;
    /// `path,value,unit,description` with a header line.
    [[nodiscard]] std::string to_csv(Detail detail = Detail::kSummed) const;

    /// Sum of the counter at dotted `path` over all instances ("sm.ldst.requests"), since the last
    /// mark. Throws std::out_of_range if there is none, so that a typo does not read as zero.
    [[nodiscard]] std::uint64_t sum(std::string_view path) const;
    /// Whether there is a counter at `path`, for parts that only some machines have.
    [[nodiscard]] bool has(std::string_view path) const;

private:
    struct Counter {
        std::string name, unit, description;
        const std::uint64_t* value;
        std::uint64_t marked = 0;
        double factor = 1;
        [[nodiscard]] std::uint64_t count() const {
            const std::uint64_t since = *value - marked;
            if (factor == 1) return since;
            return static_cast<std::uint64_t>(std::llround(static_cast<double>(since) * factor));
        }
    };
    struct Ratio {
        std::string name, unit, description;
        std::vector<std::string> numerators, denominators;
        double scale;
    };
    struct Row {
        std::string path;
        bool is_ratio = false;
        std::uint64_t count = 0;
        double real = 0;
        const std::string* unit = nullptr;
        const std::string* description = nullptr;
    };
    using Members = std::vector<const StatGroup*>;
    static void collect(const Members& alike, const std::string& prefix, Detail detail,
                        std::vector<Row>& rows);
    [[nodiscard]] std::vector<Row> rows(Detail detail) const;

    std::string name_;
    int index_ = -1;  ///< -1: not an instance
    std::vector<Counter> counters_;
    std::vector<Ratio> ratios_;
    std::vector<std::unique_ptr<StatGroup>> children_;
};

}  // namespace tessera
