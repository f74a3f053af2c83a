#include "sc_models/run/stored_results.h"

#include "sc_models/common/error.h"
#include "sc_models/config/engine/yaml_reader.h"
#include "sc_models/energy/energy_events.h"
#include "sc_models/run/kernel_limits.h"
#include "sc_models/run/run_files.h"

namespace tessera {
namespace {

constexpr const char* kResultSchema = R"({
  "type": "object",
  "required": ["schema_version", "tool", "workload", "config_hash", "seed", "complete", "metrics",
               "verification", "violations", "kernels", "config"],
  "properties": {
    "tool": {"type": "object", "required": ["name", "version", "git_revision"],
             "properties": {"name": {"const": "tessera"}, "version": {"type": "string"},
                            "git_revision": {"type": "string"}, "compiler": {"type": "string"},
                            "systemc": {"type": "string"}}},
    "workload": {"type": "string"},
    "config_hash": {"type": "string", "format": "hash"},
    "seed": {"$ref": "#/$defs/count"},
    "complete": {"type": "boolean"},
    "sampled": {"type": "boolean"},
    "metrics": {"type": "object", "required": ["cycles"],
                "properties": {"cycles": {"$ref": "#/$defs/count"},
                               "cycles_of_all_kernels": {"type": "number", "minimum": 0},
                               "warm_cycles": {"type": "number", "minimum": 0}},
                "additionalProperties": {"type": ["number", "null"]}},
    "mechanisms": {"type": "array", "items": {
      "type": "object", "required": ["name", "acted", "figure"],
      "properties": {"name": {"type": "string"}, "acted": {"type": "boolean"},
                     "figure": {"type": "string"}}}},
    "energy": {"$ref": "#/$defs/energy"},
    "verification": {
      "type": "object", "required": ["checked"],
      "properties": {"checked": {"type": "boolean"}, "outputs": {"$ref": "#/$defs/count"},
                     "mismatches": {"$ref": "#/$defs/count"},
                     "scalar_samples": {"$ref": "#/$defs/count"},
                     "scalar_mismatches": {"$ref": "#/$defs/count"},
                     "first_mismatch": {"type": "string"}},
      "if": {"properties": {"checked": {"const": true}}},
      "then": {"required": ["outputs", "mismatches", "scalar_samples", "scalar_mismatches"]}},
    "violations": {"type": "array", "items": {"type": "string"}},
    "kernels": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/kernel"}},
    "config": {"type": "string", "format": "configuration"}
  },
  "$defs": {
    "count": {"type": "integer", "minimum": 0},
    "amount": {"type": "number", "minimum": 0},
    "sum": {"type": "object", "required": ["uj", "low_uj", "high_uj"],
            "additionalProperties": {"type": "number"}},
    "energy": {
      "type": "object",
      "required": ["table", "core_clock_mhz", "total", "on_chip", "storage", "parts", "unpriced"],
      "properties": {
        "table": {"type": "string"},
        "core_clock_mhz": {"type": "integer", "minimum": 1, "maximum": 1000000},
        "total": {"$ref": "#/$defs/sum"},
        "on_chip": {"$ref": "#/$defs/sum"},
        "storage": {"$ref": "#/$defs/sum"},
        "parts": {"type": "array", "items": {
          "type": "object", "required": ["part", "event", "count", "pj", "uj", "low_uj", "high_uj"],
          "properties": {"part": {"type": "string"}, "event": {"type": "string", "format": "energy_event"},
                         "count": {"$ref": "#/$defs/count"}, "size": {"$ref": "#/$defs/count"},
                         "pj": {"type": "number"}, "uj": {"type": "number"},
                         "low_uj": {"type": "number"}, "high_uj": {"type": "number"}}}},
        "unpriced": {"type": "array", "items": {
          "type": "object", "required": ["part", "event", "count", "why"],
          "properties": {"part": {"type": "string"}, "event": {"type": "string", "format": "energy_event"},
                         "count": {"$ref": "#/$defs/count"}, "size": {"$ref": "#/$defs/count"},
                         "why": {"type": "string"}}}}}},
    "statistic": {"type": ["object", "number", "null"],
                  "additionalProperties": {"$ref": "#/$defs/statistic"}},
    "kernel": {
      "type": "object",
      "required": ["name", "cycles", "launch_cycles", "queued_launch_cycles", "ctas", "issue_slots",
                   "bound_by", "percent_of_peak", "statistics"],
      "properties": {
        "name": {"type": "string", "format": "file_name"},
        "cycles": {"$ref": "#/$defs/count"},
        "launch_cycles": {"$ref": "#/$defs/count"},
        "queued_launch_cycles": {"$ref": "#/$defs/count"},
        "ctas": {"$ref": "#/$defs/count"},
        "ctas_per_sm": {"$ref": "#/$defs/count"},
        "occupancy_limited_by": {"type": "string"},
        "sample": {
          "type": "object",
          "required": ["sampled", "ctas", "ctas_of_a_wave", "waves", "skipped_waves",
                       "simulated_cycles", "half_width_cycles"],
          "properties": {"sampled": {"type": "boolean"}, "ctas": {"$ref": "#/$defs/amount"},
                         "ctas_of_a_wave": {"$ref": "#/$defs/amount"},
                         "waves": {"$ref": "#/$defs/amount"},
                         "skipped_waves": {"$ref": "#/$defs/amount"},
                         "simulated_cycles": {"$ref": "#/$defs/amount"},
                         "half_width_cycles": {"$ref": "#/$defs/amount"}}},
        "issue_slots": {
          "type": "object",
          "required": ["issued", "stall_no_warp", "stall_memory", "stall_tensor_result",
                       "stall_alu_result", "stall_barrier", "stall_ldst_busy", "stall_tensor_busy",
                       "stall_alu_busy", "stall_launch", "stall_operands"],
          "properties": {
            "issued": {"$ref": "#/$defs/count"}, "stall_no_warp": {"$ref": "#/$defs/count"},
            "stall_memory": {"$ref": "#/$defs/count"},
            "stall_tensor_result": {"$ref": "#/$defs/count"},
            "stall_alu_result": {"$ref": "#/$defs/count"},
            "stall_barrier": {"$ref": "#/$defs/count"},
            "stall_ldst_busy": {"$ref": "#/$defs/count"},
            "stall_tensor_busy": {"$ref": "#/$defs/count"},
            "stall_alu_busy": {"$ref": "#/$defs/count"}, "stall_launch": {"$ref": "#/$defs/count"},
            "stall_operands": {"$ref": "#/$defs/count"}},
          "additionalProperties": {"$ref": "#/$defs/count"}},
        "bound_by": {"type": "string"},
        "percent_of_peak": {"type": "array", "items": {
          "type": "object", "required": ["unit", "percent", "peak"],
          "properties": {"unit": {"type": "string"}, "percent": {"$ref": "#/$defs/amount"},
                         "peak": {"type": "string", "format": "peak"}}}},
        "energy": {"$ref": "#/$defs/energy"},
        "statistics": {
          "type": "object",
          "properties": {"sm": {
            "type": "object",
            "properties": {"opportunistic": {
              "type": "object", "properties": {"assistant_cycles": {"$ref": "#/$defs/count"}},
              "additionalProperties": {"$ref": "#/$defs/statistic"}}},
            "additionalProperties": {"$ref": "#/$defs/statistic"}}},
          "additionalProperties": {"$ref": "#/$defs/statistic"}}}}
  }
})";

constexpr const char* kHostSchema = R"({
  "type": "object", "required": ["build_type"],
  "properties": {
    "seconds": {"type": "number", "minimum": 0},
    "threads": {"type": "integer", "minimum": 0},
    "peak_memory_bytes": {"type": "integer", "minimum": 0},
    "warp_instructions": {"type": "integer", "minimum": 0},
    "kernel_events": {"type": "integer", "minimum": 0},
    "warp_instructions_per_second": {"type": "number", "minimum": 0},
    "build_type": {"type": "string"},
    "shared_with": {"type": "string"},
    "stored": {"const": true},
    "unread_keys": {"type": "array", "items": {"type": "string"}}
  }
})";

constexpr const char* kOverTimeSchema = R"({
  "type": "object", "required": ["kernels", "at", "end", "figures"],
  "properties": {
    "core_clock_mhz": {"type": "number", "minimum": 0},
    "kernels": {"type": "array", "items": {
      "type": "object", "required": ["name", "begin", "end"],
      "properties": {"name": {"type": "string"}, "begin": {"type": "integer", "minimum": 0},
                     "end": {"type": "integer", "minimum": 0}}}},
    "at": {"type": "array", "items": {"type": "number"}},
    "end": {"type": "number"},
    "figures": {"type": "array", "items": {
      "type": "object", "required": ["name", "unit", "values"],
      "properties": {"name": {"type": "string"}, "unit": {"type": "string"},
                     "values": {"type": "array", "items": {"type": "number"}}}}}
  }
})";

bool is_configuration(const std::string& text) {
    try {
        static_cast<void>(stored_machine(text));
        return true;
    } catch (const ConfigError&) {
        return false;
    }
}

bool is_energy_event(const std::string& text) {
    return energy_event_named(text) != nullptr;
}

/// Whether the text is a number with its unit ("125.3 TFLOP/s") or the words for a peak without a
/// rate.
bool is_peak(const std::string& text) {
    return text == "their cycles" || peak_in(text).has_value();
}

}  // namespace

StoredMachine stored_machine(const std::string& config) {
    constexpr double kMostMhz = 1e6;
    constexpr std::uint64_t kMostSms = 1'000'000;
    const ConfigNode root = parse_yaml(config, "config");
    const ConfigNode* const gpu = root.find("gpu");
    const ConfigNode* const clock = gpu == nullptr ? nullptr : gpu->find("core_clock_mhz");
    const ConfigNode* const sms = gpu == nullptr ? nullptr : gpu->find("sms");
    if (clock == nullptr || sms == nullptr) {
        throw ConfigError("config: got no gpu.core_clock_mhz or no gpu.sms, expected both");
    }
    return {clock->as_real("gpu.core_clock_mhz", 1, kMostMhz),
            sms->as_integer("gpu.sms", 1, kMostSms)};
}

const StoredFile& result_file() {
    static const StoredFile kFile{
        "a result file", kResultSchemaVersion,
        JsonSchema(kResultSchema,
                   {{"configuration", {is_configuration, "an effective configuration in YAML"}},
                    {"energy_event", {is_energy_event, "an event of energy accounts"}},
                    {"peak", {is_peak, "a rate (4.9 TFLOP/s) or 'their cycles'"}}})};
    return kFile;
}

const StoredFile& host_file() {
    static const StoredFile kFile{"figures of the host", 0, JsonSchema(kHostSchema)};
    return kFile;
}

const StoredFile& over_time_file() {
    static const StoredFile kFile{"figures over time", 1, JsonSchema(kOverTimeSchema)};
    return kFile;
}

}  // namespace tessera
