#include "sc_models/observe/over_time_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tessera {

TimelineRecorder::Track OverTimeFile::add_track(std::string_view process,
                                                std::string_view /*thread*/) {
    if (process_.empty()) process_ = process;
    return process == process_ ? 0 : kNoTrack;
}

void OverTimeFile::span(Track /*track*/, std::string_view /*name*/, Cycle /*begin*/, Cycle /*end*/,
                        std::string_view /*args*/) {
    samples_.advance(clock_.now());
}

void OverTimeFile::start_kernel(std::string_view name, Cycle start) {
    kernels_.start_kernel(name, start);
    samples_.start_kernel(start);
}

void OverTimeFile::end_kernel(Cycle end) {
    kernels_.end_kernel(end);
    samples_.finish(end);
}

void OverTimeFile::finish() {
    using Json = nlohmann::ordered_json;
    Json json = {{"schema_version", 1},
                 {"core_clock_mhz", clock_.frequency_mhz()},
                 {"kernels", Json::array()},
                 {"at", Json::array()},
                 {"end", 0},
                 {"figures", Json::array()}};
    for (const auto& kernel : kernels_.kernels()) {
        json["kernels"].push_back(
            {{"name", kernel.name}, {"begin", kernel.begin}, {"end", kernel.end}});
    }
    for (const TimelineSpans::Series& series : samples_.series()) {
        json["at"] = series.at;  // equal in all series
        json["end"] = series.end;
        Json values = Json::array();
        for (const double value : series.values) {
            values.push_back(std::stod(fmt::format("{:.5g}", value)));
        }
        json["figures"].push_back(
            {{"name", series.name}, {"unit", series.unit}, {"values", std::move(values)}});
    }
    file_.write(json.dump() + "\n");
    file_.commit();
}

}  // namespace tessera
