// tessera im2col-table: what lowering a sparse feature map costs, method by method.
#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <ctime>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/common/text_table.h"
#include "sc_models/config/engine/yaml_reader.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/study/im2col_methods.h"
#include "tools/tessera/commands.h"

namespace tessera {
namespace {

struct Im2colTableArguments {
    std::string layer = "56x56x128";
    Im2colShape shape;
    std::vector<double> sparsities = {0, 25, 50, 75, 99, 99.9};  ///< percent
    std::uint64_t seed = 1;
    std::uint32_t repeat = 20;
    bool no_time = false;
    std::string json;
};

/// A method at one sparsity.
struct Point {
    Im2colOperations operations;
    std::optional<double> seconds;
    std::optional<double> ratio;  ///< to the shortest time of the dense method at any sparsity
};

/// A row of the paper's Table III.
struct PaperRow {
    std::string id;
    std::vector<std::pair<double, double>> ratios;  ///< by sparsity in percent

    [[nodiscard]] std::optional<double> at(double sparsity) const {
        for (const auto& [stated, ratio] : ratios) {
            if (stated == sparsity) return ratio;
        }
        return std::nullopt;
    }
};

/// HxWxC into the shape.
void read_layer(const std::string& text, Im2colShape& shape) {
    const char* next = text.data();
    const char* end = text.data() + text.size();
    bool good = true;
    for (std::uint32_t* size : {&shape.height, &shape.width, &shape.channels}) {
        if (size != &shape.height) good = good && next != end && *next++ == 'x';
        if (!good) break;
        const auto [stop, error] = std::from_chars(next, end, *size);
        good = error == std::errc() && *size > 0;
        next = stop;
    }
    if (good && next == end) return;
    throw ConfigError(
        fmt::format("--layer: got '{}', expected height x width x channels "
                    "(56x56x128)",
                    text));
}

double thread_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Measures each method's shortest time over several runs, since other load only lengthens them;
/// the methods alternate, so that a busy moment affects all of them.
void measure(const FeatureMap& map, std::uint32_t repeat, std::vector<Point>& points) {
    std::vector<Lowered> lowered(points.size());
    for (std::uint32_t i = 0; i <= repeat; ++i) {
        for (std::size_t m = 0; m < points.size(); ++m) {
            const double start = thread_seconds();
            lower(kIm2colMethods[m].method, map, lowered[m]);
            const double seconds = thread_seconds() - start;
            if (i == 0) continue;  // the memory is new
            points[m].seconds = std::min(points[m].seconds.value_or(seconds), seconds);
        }
    }
}

/// Measures all points, by sparsity, then method.
std::vector<std::vector<Point>> measure_all(const Im2colTableArguments& arguments) {
    std::vector<std::vector<Point>> points;
    double dense = std::numeric_limits<double>::infinity();
    for (const double percent : arguments.sparsities) {
        const FeatureMap map(arguments.shape, percent / 100, arguments.seed);
        std::vector<Point>& row = points.emplace_back();
        Lowered lowered;
        for (const Im2colMethodInfo& info : kIm2colMethods) {
            row.push_back({lower_counted(info.method, map, lowered), {}, {}});
        }
        if (arguments.no_time) continue;
        measure(map, arguments.repeat, row);
        dense = std::min(dense, *row.front().seconds);
    }
    for (auto& row : points) {
        for (Point& point : row) {
            if (point.seconds) point.ratio = *point.seconds / dense;
        }
    }
    return points;
}

std::vector<PaperRow> read_paper() {
    const std::string path = (ConfigCatalog().root() / "reference" / "paper_results.yaml").string();
    const ConfigNode root = parse_yaml_file(path);
    const double lowest = std::numeric_limits<double>::lowest();
    const double highest = std::numeric_limits<double>::max();
    std::vector<PaperRow> rows;
    for (const ConfigNode::Member& paper : root.members) {
        const ConfigNode* results = paper.value.find("results");
        if (results == nullptr) continue;
        for (const ConfigNode& entry : results->items) {
            const ConfigNode* id = entry.find("id");
            const ConfigNode* sparsities = entry.find("at_sparsity");
            const ConfigNode* ratios = entry.find("value");
            if (id == nullptr || id->scalar.rfind("S.table3.", 0) != 0) continue;
            if (sparsities == nullptr || ratios == nullptr ||
                sparsities->items.size() != ratios->items.size()) {
                entry.fail(id->scalar, "expected as many values as sparsities");
            }
            PaperRow& row = rows.emplace_back();
            row.id = id->scalar;
            for (std::size_t i = 0; i < ratios->items.size(); ++i) {
                row.ratios.emplace_back(sparsities->items[i].as_real(row.id, lowest, highest),
                                        ratios->items[i].as_real(row.id, lowest, highest));
            }
        }
    }
    return rows;
}

std::vector<std::string> sparsity_header(const Im2colTableArguments& arguments, const char* first) {
    std::vector<std::string> header = {first};
    for (const double percent : arguments.sparsities)
        header.push_back(fmt::format("{:g}", percent));
    return header;
}

void print_ratios(const Im2colTableArguments& arguments,
                  const std::vector<std::vector<Point>>& points,
                  const std::vector<PaperRow>& paper) {
    const Point& dense = points.front().front();
    print_text("\ntime, as a multiple of dense ({:.2f} ms), by sparsity in percent\n",
               1e3 * *dense.seconds / *dense.ratio);
    TextTable table(sparsity_header(arguments, "method"));
    for (std::size_t m = 0; m < kIm2colMethods.size(); ++m) {
        std::vector<std::string> row = {kIm2colMethods[m].name};
        for (const auto& at : points) row.push_back(number_cell(at[m].ratio, 2));
        table.add(std::move(row));
    }
    table.add_rule();
    for (const PaperRow& figures : paper) {
        std::vector<std::string> row = {"paper: " + figures.id};
        for (const double percent : arguments.sparsities) {
            row.push_back(number_cell(figures.at(percent), 2));
        }
        table.add(std::move(row));
    }
    print_text("{}", table.str());
}

void print_operations(const Im2colTableArguments& arguments,
                      const std::vector<std::vector<Point>>& points) {
    print_text("\noperations per 32 elements of the lowered feature map\n");
    TextTable table({"method", "sparsity", "shifts", "masks", "popcounts", "adds", "index reads",
                     "value reads"});
    const double groups =
        static_cast<double>(arguments.shape.columns()) * arguments.shape.outputs() / 32;
    for (std::size_t m = 0; m < kIm2colMethods.size(); ++m) {
        for (std::size_t s = 0; s < points.size(); ++s) {
            const Im2colOperations& o = points[s][m].operations;
            std::vector<std::string> row = {s == 0 ? kIm2colMethods[m].name : "",
                                            fmt::format("{:g}", arguments.sparsities[s])};
            for (const std::uint64_t count :
                 {o.shifts, o.masks, o.popcounts, o.adds, o.index_reads, o.value_reads}) {
                row.push_back(number_cell(static_cast<double>(count) / groups, 2));
            }
            table.add(std::move(row));
        }
    }
    print_text("{}", table.str());
}

void write_json(const Im2colTableArguments& arguments,
                const std::vector<std::vector<Point>>& points, const std::vector<PaperRow>& paper) {
    const Im2colShape& shape = arguments.shape;
    nlohmann::ordered_json root;
    root["layer"] = {{"height", shape.height},
                     {"width", shape.width},
                     {"channels", shape.channels},
                     {"filter", shape.filter},
                     {"pad", shape.pad}};
    root["seed"] = arguments.seed;
    root["lowered_elements"] = std::uint64_t{shape.columns()} * shape.outputs();
    for (std::size_t m = 0; m < kIm2colMethods.size(); ++m) {
        nlohmann::ordered_json method = {{"name", kIm2colMethods[m].name},
                                         {"what", kIm2colMethods[m].what}};
        for (std::size_t s = 0; s < points.size(); ++s) {
            const Point& point = points[s][m];
            const Im2colOperations& o = point.operations;
            nlohmann::ordered_json at = {{"sparsity_percent", arguments.sparsities[s]}};
            if (point.seconds) at["seconds"] = *point.seconds;
            if (point.ratio) at["ratio_to_dense"] = *point.ratio;
            at["operations"] = {{"shifts", o.shifts},           {"masks", o.masks},
                                {"popcounts", o.popcounts},     {"adds", o.adds},
                                {"index_reads", o.index_reads}, {"value_reads", o.value_reads}};
            method["points"].push_back(std::move(at));
        }
        root["methods"].push_back(std::move(method));
    }
    for (const PaperRow& row : paper) {
        nlohmann::ordered_json ratios = nlohmann::ordered_json::array();
        for (const auto& [sparsity, ratio] : row.ratios) {
            ratios.push_back({{"sparsity_percent", sparsity}, {"ratio_to_dense", ratio}});
        }
        root["paper"][row.id] = std::move(ratios);
    }
    write_file_atomically(arguments.json, root.dump(2) + "\n");
}

int make_table(Im2colTableArguments arguments) {
    read_layer(arguments.layer, arguments.shape);
    arguments.shape.check();
    const std::vector<PaperRow> paper = read_paper();
    const auto points = measure_all(arguments);
    const Im2colShape& shape = arguments.shape;
    print_text("im2col of {} x {} x {} under {} x {}, pad {}, in FP32 on one thread\n",
               shape.height, shape.width, shape.channels, shape.filter, shape.filter, shape.pad);
    for (const Im2colMethodInfo& info : kIm2colMethods) {
        print_text("  {:<15} {}\n", info.name, info.what);
    }
    if (!arguments.no_time) print_ratios(arguments, points, paper);
    print_operations(arguments, points);
    if (!arguments.json.empty()) write_json(arguments, points, paper);
    return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_im2col_table_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "im2col-table", "Lower a sparse feature map on this CPU in several formats, and count");
    auto arguments = std::make_shared<Im2colTableArguments>();
    command->add_option("--layer", arguments->layer, "height x width x channels of the feature map")
        ->type_name("HxWxC")
        ->capture_default_str();
    command->add_option("--filter", arguments->shape.filter, "rows and columns of the filter")
        ->type_name("N")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    command->add_option("--pad", arguments->shape.pad, "zeros around the feature map")
        ->type_name("N")
        ->check(CLI::Range(0, 63))
        ->capture_default_str();
    command->add_option("--sparsity", arguments->sparsities, "zeros of the feature map, in percent")
        ->type_name("PERCENT")
        ->delimiter(',')
        ->check(CLI::Range(0.0, 100.0))
        ->capture_default_str();
    command->add_option("--seed", arguments->seed, "seed of the feature map")
        ->type_name("N")
        ->capture_default_str();
    auto* repeat = command
                       ->add_option("--repeat", arguments->repeat,
                                    "runs of each method, of which the shortest counts")
                       ->type_name("N")
                       ->check(CLI::Range(1, 1000))
                       ->capture_default_str();
    command->add_flag("--no-time", arguments->no_time, "count operations only")->excludes(repeat);
    command->add_option("--json", arguments->json, "file for all numbers")->type_name("FILE");
    command->callback([arguments, &code] { code = make_table(*arguments); });
}

}  // namespace tessera
