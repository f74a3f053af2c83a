#include "tests/support/trace_events.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tessera::test {

TraceTracks read_tracks(const nlohmann::json& trace) {
    std::map<int, std::string> processes;
    std::map<std::pair<int, int>, std::string> threads;
    for (const auto& event : trace.at("traceEvents")) {
        if (event.at("ph") != "M") continue;
        const int pid = event.at("pid");
        if (event.at("name") == "process_name") processes[pid] = event.at("args").at("name");
        if (event.at("name") == "thread_name") {
            threads[{pid, event.at("tid")}] = event.at("args").at("name");
        }
    }
    TraceTracks tracks;
    for (const auto& event : trace.at("traceEvents")) {
        if (event.at("ph") != "X") continue;
        const int pid = event.at("pid");
        const auto thread = threads.find({pid, event.at("tid")});
        if (thread == threads.end()) throw std::runtime_error("event on a track without a name");
        const std::uint64_t begin = event.at("ts");
        tracks[processes.at(pid) + "/" + thread->second].push_back(
            {event.at("name"), begin, begin + event.at("dur").get<std::uint64_t>(),
             event.contains("args") ? event.at("args").dump() : ""});
    }
    return tracks;
}

std::vector<std::string> partial_overlaps(const TraceTracks& tracks) {
    std::vector<std::string> found;
    for (const auto& [track, in_file] : tracks) {
        std::vector<TraceSpan> spans = in_file;
        std::stable_sort(spans.begin(), spans.end(), [](const TraceSpan& a, const TraceSpan& b) {
            return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
        });
        std::vector<TraceSpan> open;
        for (const TraceSpan& span : spans) {
            while (!open.empty() && open.back().end <= span.begin) open.pop_back();
            if (!open.empty() && open.back().end < span.end) {
                found.push_back(track + ": " + open.back().name + " and " + span.name + " at " +
                                std::to_string(span.begin));
            }
            open.push_back(span);
        }
    }
    return found;
}

}  // namespace tessera::test
