#include "sc_models/observe/chrome_trace_reader.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

/// Adds the events of a trace to a timeline.
class TraceEvents {
public:
    explicit TraceEvents(TimelineSpans& timeline) : timeline_(timeline) {}

    /// Throws Json::exception for an event that lacks a field of its kind.
    void take(const Json& event) {
        const std::string kind = event.value("ph", "");
        if (kind == "M") {
            describe(event);
        } else if (kind == "X") {
            const Cycle begin = cycle(event.at("ts"));
            const auto args = event.find("args");
            timeline_.add_span(row_of(event), event.at("name").get_ref<const std::string&>(), begin,
                               begin + cycle(event.at("dur")),
                               args == event.end() ? "" : args->dump());
        } else if (kind == "C") {
            for (const auto& [key, value] : event.at("args").items()) {
                std::string name = event.at("name");
                if (key != "value") name += " " + key;
                timeline_.add_point(name, cycle(event.at("ts")), value.get<double>());
            }
        }
    }

private:
    using ThreadKey = std::pair<std::int64_t, std::int64_t>;  ///< process and thread

    static Cycle cycle(const Json& number) {
        const double value = number.get<double>();
        constexpr double kLargest = 9e15;  // counts below this are exact in a double
        if (!(value >= 0 && value < kLargest)) throw std::out_of_range("time");
        return static_cast<Cycle>(std::llround(value));
    }
    static ThreadKey thread_of(const Json& event) {
        return {event.at("pid"), event.value("tid", 0)};
    }

    void describe(const Json& event) {
        const std::string what = event.value("name", "");
        if (what == "process_name") {
            processes_[event.at("pid")] = event.at("args").at("name").get<std::string>();
        } else if (what == "thread_name") {
            threads_[thread_of(event)] = event.at("args").at("name").get<std::string>();
            row_of(event);
        }
    }
    std::size_t row_of(const Json& event) {
        const ThreadKey place = thread_of(event);
        const auto found = rows_.find(place);
        if (found != rows_.end()) return found->second;
        const auto process = processes_.find(place.first);
        const auto thread = threads_.find(place);
        const std::size_t row = timeline_.add_row(
            process == processes_.end() ? fmt::format("process {}", place.first) : process->second,
            thread == threads_.end() ? fmt::format("thread {}", place.second) : thread->second);
        rows_[place] = row;
        return row;
    }

    TimelineSpans& timeline_;
    std::map<std::int64_t, std::string> processes_;
    std::map<ThreadKey, std::string> threads_;
    std::map<ThreadKey, std::size_t> rows_;
};

}  // namespace

TimelineSpans read_chrome_trace(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in || std::filesystem::is_directory(file)) {
        throw ConfigError(fmt::format("{}: no such trace", file.string()));
    }
    TimelineSpans timeline;
    TraceEvents events(timeline);
    // A tree of a million events takes a gigabyte, so the parser's callback handles each event as
    // it ends and discards it.
    bool in_events = false;
    constexpr int kEventDepth = 2;
    const auto take = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::key && depth == 1) {
            in_events = parsed == "traceEvents";
        }
        if (!in_events || depth != kEventDepth || event != Json::parse_event_t::object_end) {
            return true;
        }
        events.take(parsed);
        return false;
    };
    try {
        const Json rest = Json::parse(in, take);
        if (rest.is_object() && rest.contains("otherData")) {
            const Json& other = rest.at("otherData");
            if (other.contains("core_clock_mhz")) {
                timeline.core_clock_mhz = other.at("core_clock_mhz").get<double>();
            }
        }
    } catch (const Json::parse_error& error) {
        throw ConfigError(
            fmt::format("{}: not a Chrome trace (byte {})", file.string(), error.byte));
    } catch (const std::exception&) {
        throw ConfigError(
            fmt::format("{}: not a Chrome trace: an event lacks its place or time", file.string()));
    }
    if (timeline.spans() == 0) {
        throw ConfigError(
            fmt::format(R"({}: no complete events ("ph":"X") in traceEvents)", file.string()));
    }
    timeline.finish(0, kNever);
    return timeline;
}

}  // namespace tessera
