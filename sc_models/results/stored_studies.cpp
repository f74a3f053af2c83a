#include "sc_models/results/stored_studies.h"

#include <fmt/format.h>

#include "sc_models/common/error.h"
#include "sc_models/results/config_differences.h"
#include "sc_models/results/network_results.h"
#include "sc_models/results/summary.h"

namespace tessera {
namespace {

constexpr const char* kSweepPlanSchema = R"({
  "type": "object", "required": ["experiment", "title", "set", "runs"],
  "properties": {
    "experiment": {"type": "string"},
    "title": {"type": "string"},
    "set": {"type": "array", "items": {"type": "string"}},
    "runs": {"type": "array", "items": {
      "type": "object",
      "required": ["layer", "variant", "baseline", "seed", "folder", "config_hash"],
      "properties": {
        "layer": {"type": "string"}, "variant": {"type": "string"},
        "baseline": {"type": "string"}, "seed": {"type": "integer", "minimum": 0},
        "folder": {"type": "string", "format": "inner_path"},
        "config_hash": {"type": "string", "format": "hash"},
        "arguments": {"type": "array", "items": {"type": "string"}},
        "grid": {"type": "object", "additionalProperties": {"type": "string"}}}}}
  }
})";

constexpr const char* kSummarySchema = R"({
  "type": "object",
  "required": ["experiment", "title", "set", "tool", "variants", "rows", "config"],
  "properties": {
    "experiment": {"type": "string"},
    "title": {"type": "string"},
    "set": {"type": "array", "items": {"type": "string"}},
    "tool": {"type": "string"},
    "planned_runs": {"type": "integer", "minimum": 0},
    "variants": {"type": "array", "items": {
      "type": "object", "required": ["name", "baseline", "changes"],
      "properties": {
        "name": {"type": "string"}, "baseline": {"type": "string"},
        "changes": {"type": "object",
                    "additionalProperties": {"type": "string", "format": "change"}},
        "mean": {"type": "object", "additionalProperties": {"type": ["number", "null"]}},
        "network_time_change_percent": {"type": ["number", "null"]},
        "network_total_time_change_percent": {"type": ["number", "null"]}}}},
    "rows": {"type": "array", "items": {
      "type": "object", "required": ["layer", "variant", "baseline", "seed", "config_hash", "values"],
      "properties": {
        "layer": {"type": "string"}, "variant": {"type": "string"},
        "baseline": {"type": "string"}, "seed": {"type": "integer", "minimum": 0},
        "config_hash": {"type": "string"},
        "values": {"type": "object",
                   "additionalProperties": {"type": ["number", "string", "null"]}}}}},
    "config": {"type": "string"}
  }
})";

constexpr const char* kOriginSchema = R"({
  "type": "object", "required": ["git_revision"],
  "properties": {"git_revision": {"type": "string"}, "version": {"type": "string"},
                 "subject": {"type": "string"}}
})";

constexpr const char* kNetworkSchema = R"({
  "type": "object",
  "required": ["tool", "network", "command", "core_clock_mhz", "sampled", "peaks", "variants"],
  "properties": {
    "tool": {"type": "object", "required": ["name", "version", "git_revision"],
             "properties": {"name": {"const": "tessera"}, "version": {"type": "string"},
                            "git_revision": {"type": "string"}}},
    "network": {"type": "string"},
    "command": {"type": "string"},
    "core_clock_mhz": {"type": "number", "minimum": 1, "maximum": 1000000},
    "seeds": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0}},
    "sampled": {"type": "boolean"},
    "peaks": {"type": "object",
              "required": ["compute", "flop_per_cycle", "l2_bytes_per_cycle",
                           "dram_bytes_per_cycle"],
              "properties": {"compute": {"type": "string"},
                             "flop_per_cycle": {"$ref": "#/$defs/amount"},
                             "l2_bytes_per_cycle": {"$ref": "#/$defs/amount"},
                             "dram_bytes_per_cycle": {"$ref": "#/$defs/amount"}}},
    "variants": {"type": "array", "minItems": 1, "items": {
      "type": "object",
      "required": ["name", "configs", "sets", "cycles", "cycles_with_faster_kernels", "speedup",
                   "speedup_with_faster_kernels", "speedup_same_launches",
                   "speedup_with_faster_kernels_same_launches", "launch_percent",
                   "layers_of_its_own", "layers_checked"],
      "properties": {
        "name": {"type": "string"},
        "configs": {"type": "array", "items": {"type": "string"}},
        "sets": {"type": "array", "items": {"type": "string"}},
        "cycles": {"$ref": "#/$defs/amount"},
        "cycles_half_width": {"$ref": "#/$defs/amount"},
        "cycles_with_faster_kernels": {"$ref": "#/$defs/amount"},
        "cycles_with_faster_kernels_half_width": {"$ref": "#/$defs/amount"},
        "speedup": {"$ref": "#/$defs/amount"},
        "speedup_half_width": {"$ref": "#/$defs/amount"},
        "speedup_with_faster_kernels": {"$ref": "#/$defs/amount"},
        "speedup_with_faster_kernels_half_width": {"$ref": "#/$defs/amount"},
        "speedup_same_launches": {"$ref": "#/$defs/amount"},
        "speedup_same_launches_half_width": {"$ref": "#/$defs/amount"},
        "speedup_with_faster_kernels_same_launches": {"$ref": "#/$defs/amount"},
        "speedup_with_faster_kernels_same_launches_half_width": {"$ref": "#/$defs/amount"},
        "launch_percent": {"$ref": "#/$defs/amount"},
        "speedup_same_launches": {"$ref": "#/$defs/amount"},
        "speedup_same_launches_half_width": {"$ref": "#/$defs/amount"},
        "speedup_with_faster_kernels_same_launches": {"$ref": "#/$defs/amount"},
        "speedup_with_faster_kernels_same_launches_half_width": {"$ref": "#/$defs/amount"},
        "launch_percent": {"$ref": "#/$defs/amount"},
        "layers_of_its_own": {"$ref": "#/$defs/small_count"},
        "layers_checked": {"$ref": "#/$defs/small_count"}}}},
    "of_no_use": {"type": "array", "items": {"type": "string"}},
    "layers": {"type": "array", "items": {
      "type": "object",
      "required": ["name", "node", "operator", "is_product", "shape", "flop", "bytes", "times"],
      "properties": {
        "name": {"type": "string"}, "node": {"type": "string"}, "operator": {"type": "string"},
        "is_product": {"type": "boolean"}, "shape": {"type": "string"},
        "type": {"type": "string"},
        "flop": {"$ref": "#/$defs/amount"}, "bytes": {"$ref": "#/$defs/amount"},
        "zeros_a": {"type": "number", "minimum": 0, "maximum": 1},
        "zeros_b": {"type": "number", "minimum": 0, "maximum": 1},
        "times": {"type": "array", "minItems": 1, "items": {
          "type": "object",
          "required": ["variant", "own", "cycles", "speedup", "speedup_same_launches",
                       "launch_cycles", "kernel", "bound_by", "l2_bytes", "dram_bytes", "checked",
                       "runs"],
          "properties": {
            "variant": {"type": "string"}, "own": {"type": "boolean"},
            "cycles": {"$ref": "#/$defs/amount"}, "cycles_half_width": {"$ref": "#/$defs/amount"},
            "speedup": {"$ref": "#/$defs/amount"}, "speedup_half_width": {"$ref": "#/$defs/amount"},
            "speedup_same_launches": {"$ref": "#/$defs/amount"},
            "speedup_same_launches_half_width": {"$ref": "#/$defs/amount"},
            "launch_cycles": {"$ref": "#/$defs/amount"},
            "speedup_same_launches": {"$ref": "#/$defs/amount"},
            "speedup_same_launches_half_width": {"$ref": "#/$defs/amount"},
            "launch_cycles": {"$ref": "#/$defs/amount"},
            "kernel": {"type": "string"}, "bound_by": {"type": "string"},
            "l2_bytes": {"$ref": "#/$defs/amount"}, "dram_bytes": {"$ref": "#/$defs/amount"},
            "checked": {"type": "boolean"}, "why_not": {"type": "string"},
            "runs": {"type": "array", "minItems": 1,
                     "items": {"type": "string", "format": "inner_path"}}}}}}}},
    "not_simulated": {"type": "array", "items": {
      "type": "object", "required": ["node", "operator", "flop", "percent_of_flop", "reason"],
      "properties": {"node": {"type": "string"}, "operator": {"type": "string"},
                     "flop": {"$ref": "#/$defs/amount"},
                     "percent_of_flop": {"$ref": "#/$defs/amount"},
                     "reason": {"type": "string"}}}}
  },
  "$defs": {
    "amount": {"type": "number", "minimum": 0},
    "small_count": {"type": "integer", "minimum": 0, "maximum": 1000000000}
  }
})";

bool is_change(const std::string& text) {
    return ConfigDifference::of_text("", text).has_value();
}

}  // namespace

const StoredFile& sweep_plan_file() {
    static const StoredFile kFile{"the plan of a sweep", 0, JsonSchema(kSweepPlanSchema)};
    return kFile;
}

const StoredFile& summary_file() {
    static const StoredFile kFile{
        "the summary of a sweep", kSummarySchemaVersion,
        JsonSchema(kSummarySchema, {{"change", {is_change, "'A -> B'"}}})};
    return kFile;
}

const StoredFile& origin_file() {
    static const StoredFile kFile{"the origin of results", 0, JsonSchema(kOriginSchema)};
    return kFile;
}

nlohmann::ordered_json read_network(const std::filesystem::path& folder) {
    static const StoredFile kFile{"the results of a network", kNetworkSchemaVersion,
                                  JsonSchema(kNetworkSchema)};
    const std::filesystem::path file = folder / "network.json";
    auto network = read_stored(file, kFile);
    const std::size_t variants = network.at("variants").size();
    std::size_t place = 0;
    for (const auto& layer : network.value("layers", nlohmann::ordered_json::array())) {
        const std::size_t times = layer.at("times").size();
        if (times != variants) {
            throw ConfigError(
                fmt::format("{}: layers[{}].times: got {}, expected {}, one for each variant",
                            file.string(), place, times, variants));
        }
        ++place;
    }
    return network;
}

}  // namespace tessera
