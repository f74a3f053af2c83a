#include "sc_models/common/statistics.h"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "sc_models/common/csv.h"

namespace tessera {

StatGroup& StatGroup::child(std::string_view name) {
    for (const auto& c : children_) {
        if (c->name_ == name && c->index_ < 0) return *c;
    }
    children_.push_back(std::make_unique<StatGroup>(std::string(name)));
    return *children_.back();
}

StatGroup& StatGroup::instance(std::string_view name, std::uint32_t index) {
    for (const auto& c : children_) {
        if (c->name_ == name && c->index_ == static_cast<int>(index)) return *c;
    }
    children_.push_back(std::make_unique<StatGroup>(std::string(name)));
    children_.back()->index_ = static_cast<int>(index);
    return *children_.back();
}

void StatGroup::counter(std::string_view name, const std::uint64_t& value, std::string_view unit,
                        std::string_view description) {
    counters_.push_back({std::string(name), std::string(unit), std::string(description), &value});
}

void StatGroup::ratio(std::string_view name, std::vector<std::string> numerators,
                      std::vector<std::string> denominators, std::string_view unit,
                      std::string_view description, double scale) {
    ratios_.push_back({std::string(name), std::string(unit), std::string(description),
                       std::move(numerators), std::move(denominators), scale});
}

void StatGroup::collect(const Members& alike, const std::string& prefix, Detail detail,
                        std::vector<Row>& rows) {
    const StatGroup& first = *alike.front();
    const auto total = [&](const std::string& counter) {
        std::uint64_t sum = 0;
        bool found = false;
        for (const StatGroup* g : alike) {
            for (const Counter& c : g->counters_) {
                if (c.name != counter) continue;
                sum += c.count();
                found = true;
            }
        }
        if (!found) throw std::out_of_range("no counter '" + counter + "' in '" + prefix + "'");
        return sum;
    };
    for (const Counter& c : first.counters_) {
        Row row;
        row.path = prefix + c.name;
        row.count = total(c.name);
        row.unit = &c.unit;
        row.description = &c.description;
        rows.push_back(std::move(row));
    }
    for (const Ratio& r : first.ratios_) {
        std::uint64_t over = 0;
        std::uint64_t under = 0;
        for (const std::string& n : r.numerators) over += total(n);
        for (const std::string& d : r.denominators) under += total(d);
        Row row;
        row.path = prefix + r.name;
        row.is_ratio = true;
        row.real =
            under == 0 ? 0.0 : r.scale * static_cast<double>(over) / static_cast<double>(under);
        row.unit = &r.unit;
        row.description = &r.description;
        rows.push_back(std::move(row));
    }

    std::vector<const StatGroup*> done;
    for (const auto& model : first.children_) {
        if (std::find(done.begin(), done.end(), model.get()) != done.end()) continue;
        Members members;
        for (const StatGroup* g : alike) {
            for (const auto& c : g->children_) {
                const bool same_instance = c->index_ == model->index_;
                const bool summed = detail == Detail::kSummed && model->index_ >= 0;
                if (c->name_ == model->name_ && (same_instance || (summed && c->index_ >= 0))) {
                    members.push_back(c.get());
                    done.push_back(c.get());
                }
            }
        }
        std::string label = prefix + model->name_;
        if (model->index_ >= 0 && detail == Detail::kFull) {
            label += "[" + std::to_string(model->index_) + "]";
        }
        collect(members, label + ".", detail, rows);
    }
}

void StatGroup::mark() {
    for (Counter& c : counters_) {
        c.marked = *c.value;
        c.factor = 1;
    }
    for (const auto& c : children_) c->mark();
}

void StatGroup::scale(double factor) {
    for (Counter& c : counters_) c.factor = factor;
    for (const auto& c : children_) c->scale(factor);
}

std::vector<StatGroup::Row> StatGroup::rows(Detail detail) const {
    std::vector<Row> result;
    collect({this}, "", detail, result);
    return result;
}

nlohmann::ordered_json StatGroup::to_json(Detail detail) const {
    nlohmann::ordered_json root = nlohmann::ordered_json::object();
    for (const Row& row : rows(detail)) {
        nlohmann::ordered_json* node = &root;
        std::stringstream parts(row.path);
        std::string part;
        while (std::getline(parts, part, '.')) node = &(*node)[part];
        if (row.is_ratio) {
            *node = row.real;
        } else {
            *node = row.count;
        }
    }
    return root;
}

std::string StatGroup::to_text(Detail detail) const {
    const std::vector<Row> all = rows(detail);
    std::size_t path_width = 0;
    for (const Row& row : all) path_width = std::max(path_width, row.path.size());
    std::ostringstream out;
    for (const Row& row : all) {
        out << std::left << std::setw(static_cast<int>(path_width)) << row.path << "  "
            << std::right << std::setw(16);
        if (row.is_ratio) {
            out << std::fixed << std::setprecision(3) << row.real;
        } else {
            out << row.count;
        }
        out << "  " << std::left << std::setw(10) << *row.unit << "  " << *row.description << '\n';
    }
    return out.str();
}

std::string StatGroup::to_csv(Detail detail) const {
    std::ostringstream out;
    out << "path,value,unit,description\n";
    for (const Row& row : rows(detail)) {
        out << csv_text(row.path) << ',';
        if (row.is_ratio) {
            out << std::setprecision(9) << row.real;
        } else {
            out << row.count;
        }
        out << ',' << csv_text(*row.unit) << ",\"" << *row.description << "\"\n";
    }
    return out.str();
}

bool StatGroup::has(std::string_view path) const {
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) {
        return std::any_of(counters_.begin(), counters_.end(),
                           [path](const Counter& c) { return c.name == path; });
    }
    return std::any_of(children_.begin(), children_.end(), [path, dot](const auto& c) {
        return c->name_ == path.substr(0, dot) && c->has(path.substr(dot + 1));
    });
}

std::uint64_t StatGroup::sum(std::string_view path) const {
    const std::size_t dot = path.find('.');
    std::uint64_t total = 0;
    bool found = false;
    if (dot == std::string_view::npos) {
        for (const Counter& c : counters_) {
            if (c.name != path) continue;
            total += c.count();
            found = true;
        }
    } else {
        for (const auto& c : children_) {
            if (c->name_ != path.substr(0, dot)) continue;
            total += c->sum(path.substr(dot + 1));
            found = true;
        }
    }
    if (!found)
        throw std::out_of_range("no statistic '" + std::string(path) + "' in '" + name_ + "'");
    return total;
}

}  // namespace tessera
