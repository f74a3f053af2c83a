// Does the page of a timeline hold every span, kernel and figure, packed as its script unpacks
// them?
#include "sc_models/observe/timeline_page.h"

#include <gmock/gmock.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "sc_models/common/error.h"
#include "sc_models/observe/chrome_timeline.h"
#include "sc_models/observe/chrome_trace_reader.h"
#include "sc_models/observe/page_timeline.h"
#include "sc_models/page/markup.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A page taken apart again, as assets/timeline_data.js does it.
class PageReader {
public:
    explicit PageReader(std::string page) : page_(std::move(page)) {
        head = nlohmann::json::parse(
            between("<script type='application/json' id='timeline-head'>", "</script>"));
        std::vector<std::uint64_t> begins = numbers("timeline-begins");
        std::vector<std::uint64_t> lengths = numbers("timeline-lengths");
        std::vector<std::uint64_t> names = numbers("timeline-names");
        std::size_t i = 0;
        for (const auto& row : head.at("rows")) {
            std::uint64_t time = head.at("first");
            for (std::size_t n = row.at("spans"); n > 0; --n, ++i) {
                time += begins.at(i);
                std::ostringstream text;
                text << row.at("thread").get<std::string>() << " "
                     << head.at("names").at(names.at(i)).get<std::string>() << " " << time << "-"
                     << time + lengths.at(i);
                spans.push_back(text.str());
            }
        }
        EXPECT_EQ(i, begins.size());
        EXPECT_EQ(i, lengths.size());
        EXPECT_EQ(i, names.size());
    }

    /// "span: value" for each span that has the key.
    std::vector<std::string> details(std::size_t key) {
        const std::string id = "timeline-key" + std::to_string(key);
        const auto of = numbers(id + "-spans");
        const auto values = numbers(id + "-values");
        EXPECT_EQ(of.size(), values.size());
        EXPECT_EQ(of.size(), head.at("keys").at(key).at("spans"));
        std::vector<std::string> all;
        std::uint64_t span = 0;
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < of.size(); ++i) {
            span += of[i];
            value += values[i] % 2 == 0 ? values[i] / 2 : ~(values[i] / 2);
            all.push_back(std::to_string(span) + ": " + std::to_string(value));
        }
        return all;
    }

    nlohmann::json head;
    std::vector<std::string> spans;

private:
    std::string between(const std::string& begin, const std::string& end) const {
        const std::size_t at = page_.find(begin);
        if (at == std::string::npos) throw std::runtime_error("no " + begin);
        const std::size_t from = at + begin.size();
        return page_.substr(from, page_.find(end, from) - from);
    }
    std::vector<std::uint64_t> numbers(const std::string& id) const {
        const std::string text = between("<script type='text/plain' id='" + id + "'>", "</script>");
        std::vector<std::uint8_t> bytes;
        std::uint32_t bits = 0;
        std::uint32_t group = 0;
        for (const char c : text) {
            const std::string_view digits =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            if (c == '=') break;
            group = group << 6U | static_cast<std::uint32_t>(digits.find(c));
            bits += 6;
            if (bits < 8) continue;
            bits -= 8;
            bytes.push_back(static_cast<std::uint8_t>(group >> bits));
        }
        std::vector<std::uint64_t> all;
        std::uint64_t value = 0;
        std::uint32_t shift = 0;
        for (const std::uint8_t byte : bytes) {
            value |= std::uint64_t{byte & 0x7fU} << shift;
            shift += 7;
            if (byte >= 0x80) continue;
            all.push_back(value);
            value = shift = 0;
        }
        return all;
    }
    std::string page_;
};

std::string page_of(const TimelineSpans& spans) {
    std::string page;
    write_timeline_page(spans, [&page](std::string_view text) { page += text; });
    return page;
}

TEST(TimelinePage, HoldsEverySpanInOrderWithItsDetails) {
    TimelineSpans spans;
    const std::size_t a = spans.add_row("SM 0", "a");
    const std::size_t b = spans.add_row("SM 0", "b");
    spans.add_span(a, "outer", 100, 900, "");
    spans.add_span(b, "x", 5000000000, 5000000001, R"({"warp":7,"address":"0xffff00000020"})");
    spans.add_span(a, "inner", 100, 200, R"({"warp":3})");
    spans.add_span(a, "early", 50, 60, R"({"warp":5,"address":"0x40","state":"lost"})");
    spans.finish(0, kNever);
    PageReader page(page_of(spans));
    EXPECT_THAT(page.spans, ElementsAre("a early 50-60", "a outer 100-900", "a inner 100-200",
                                        "b x 5000000000-5000000001"));
    EXPECT_EQ(page.head.at("first"), 50);
    EXPECT_EQ(page.head.at("last"), 5000000001);
    ASSERT_THAT(spans.keys(), ElementsAre("warp", "address", "state"));
    EXPECT_THAT(page.details(0), ElementsAre("0: 5", "2: 3", "3: 7"));
    EXPECT_THAT(page.details(1), ElementsAre("0: 64", "3: 281470681743392"));
    EXPECT_THAT(page.details(2), ElementsAre("0: 0"));
    EXPECT_EQ(page.head.at("texts").at(0), "lost");
    EXPECT_EQ(page.head.at("keys").at(1).at("kind"), "address");
}

TEST(TimelinePage, IsSmallAndSays) {
    TimelineSpans spans;
    const std::size_t row = spans.add_row("SM <0>", "issue & more");
    std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same every time
    Cycle now = 0;
    constexpr std::size_t kSpans = 20000;
    for (std::size_t i = 0; i < kSpans; ++i) {
        now += random() % 20;
        spans.add_span(row, i % 2 == 0 ? "mma" : "</script>", now, now + 4, R"({"warp":9})");
        now += 4;
    }
    spans.start_kernel("gemm", 0);
    spans.finish(0, kNever);
    const std::string page = page_of(spans);
    PageReader reader(page);
    EXPECT_EQ(reader.spans.size(), kSpans);
    EXPECT_EQ(reader.head.at("names").at(1), "</script>");
    EXPECT_THAT(page, HasSubstr("SM &lt;0&gt;"));
    EXPECT_THAT(page, HasSubstr("20000 spans in 1 rows"));
    EXPECT_THAT(page, Not(HasSubstr("http")));
    std::string empty = page_of(TimelineSpans{});
    // Begin, length, name, span and value of the detail: a byte each, times 4/3 in base64.
    EXPECT_LT(page.size() - empty.size(), kSpans * 7);
}

TEST(TimelineSpansTest, KernelsEndWithTheNextAndAreCutToTheWindow) {
    TimelineSpans spans;
    spans.start_kernel("a", 0);
    spans.start_kernel("b", 100);
    spans.end_kernel(180);
    spans.start_kernel("c", 200);
    spans.finish(50, 150);
    ASSERT_EQ(spans.kernels().size(), 2U);
    EXPECT_EQ(spans.kernels()[0].begin, 50U);
    EXPECT_EQ(spans.kernels()[0].end, 100U);
    EXPECT_EQ(spans.kernels()[1].name, "b");
    EXPECT_EQ(spans.kernels()[1].end, 150U);
}

/// A machine of two counters.
class SampledMachine : public ::testing::Test {
protected:
    void SetUp() override {
        samples_.watch({{"rate", "a cycle", [this] { return count_; }, {}, 1},
                        {"share", "%", [this] { return count_; }, [this] { return of_; }, 100},
                        {"never", "a cycle", [] { return std::uint64_t{0}; }, {}, 1}});
    }
    std::uint64_t count_ = 0, of_ = 0;
    FigureSamples samples_;
};

TEST_F(SampledMachine, GainsOverCyclesOrOverOthers) {
    samples_.start_kernel(1000);
    count_ = 256;
    of_ = 512;
    samples_.advance(1127);  // the period is not over
    samples_.advance(1128);
    count_ += 100;
    of_ += 100;
    samples_.finish(1138);
    const auto series = samples_.series();
    ASSERT_EQ(series.size(), 2U) << "what never counts is left out";
    EXPECT_THAT(series[0].at, ElementsAre(1000, 1128));
    EXPECT_THAT(series[0].values, ElementsAre(2, 10));
    EXPECT_THAT(series[1].values, ElementsAre(50, 100));
    EXPECT_EQ(series[0].end, 1138U);
}

TEST_F(SampledMachine, AKernelCountsFromNothingAndAWindowFromItsBegin) {
    count_ = 5000;
    samples_.advance(100);  // in the midst of a kernel
    count_ += 128;
    samples_.advance(228);
    samples_.finish(228);
    count_ = 0;  // the statistics are marked
    samples_.start_kernel(300);
    count_ = 64;
    samples_.finish(332);
    const auto series = samples_.series();
    EXPECT_THAT(series[0].at, ElementsAre(100, 300));
    EXPECT_THAT(series[0].values, ElementsAre(1, 2));
}

TEST_F(SampledMachine, TooManySamplesJoinAndNothingIsLost) {
    samples_.start_kernel(0);
    constexpr Cycle kEnd = 40 * FigureSamples::kMost * FigureSamples::kShortest;
    for (Cycle now = FigureSamples::kShortest; now <= kEnd; now += FigureSamples::kShortest) {
        count_ += now % 7;
        samples_.advance(now);
    }
    samples_.finish(kEnd);
    const auto series = samples_.series();
    EXPECT_LE(series[0].at.size(), FigureSamples::kMost + 1);
    EXPECT_GT(series[0].at.size(), FigureSamples::kMost / 3);
    double sum = 0;
    for (std::size_t i = 0; i < series[0].at.size(); ++i) {
        const Cycle end = i + 1 < series[0].at.size() ? series[0].at[i + 1] : series[0].end;
        sum += series[0].values[i] * static_cast<double>(end - series[0].at[i]);
    }
    EXPECT_NEAR(sum, static_cast<double>(count_), 1e-6 * static_cast<double>(count_));
}

TEST_F(SampledMachine, NoSampleExceedsThePeakAndTheSumIsKept) {
    FigureSamples samples;
    samples.watch({{"rate", "a cycle", [this] { return count_; }, {}, 10, 2},
                   {"share", "%", [this] { return count_; }, [this] { return of_; }, 100, 1}});
    samples.start_kernel(0);
    count_ = 1000;  // asked for at once, and done at two a cycle
    of_ = 600;
    samples.advance(200);
    samples.advance(400);
    count_ += 100;
    of_ += 700;
    samples.advance(600);
    samples.finish(800);
    const auto series = samples.series();
    EXPECT_THAT(series[0].values, ElementsAre(20, 20, 15, 0)) << "400 + 400 + 300 of 1100";
    EXPECT_THAT(series[1].values, ElementsAre(100, 0, ::testing::DoubleNear(500.0 / 7, 1e-9), 0));
}

TEST_F(SampledMachine, WhatIsDoneAfterTheEndIsNotShown) {
    FigureSamples samples;
    samples.watch({{"rate", "a cycle", [this] { return count_; }, {}, 1, 2}});
    samples.start_kernel(0);
    count_ = 1000;
    samples.finish(200);
    EXPECT_THAT(samples.series()[0].values, ElementsAre(2));
}

class TimelineFiles : public ::testing::Test {
protected:
    void TearDown() override {
        std::filesystem::remove(path(".json"));
        std::filesystem::remove(path(".html"));
    }
    [[nodiscard]] static std::string path(const std::string& end) {
        return ::testing::TempDir() + "timeline_page_" + std::to_string(getpid()) + end;
    }
    [[nodiscard]] static std::string read(const std::string& file) {
        std::ifstream in(file);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    static void write(const std::string& file, const std::string& text) {
        std::ofstream(file) << text;
    }
    template <class Timeline>
    static void record(Timeline& timeline) {
        const auto a = timeline.add_track("SM 0", "issue");
        const auto b = timeline.add_track("SM 1", "issue");
        timeline.start_kernel("k", 80);
        timeline.span(a, "before", 10, 100, "");
        timeline.span(a, "first", 90, 110, R"({"warp":3})");
        timeline.span(b, "elsewhere", 150, 160, "");
        timeline.span(a, "last", 190, 300, "");
        timeline.end_kernel(290);
        timeline.finish_elaboration();
        timeline.finish();
    }
    const ClockDomain clock_{1200};
};

TEST_F(TimelineFiles, APageAndATraceHoldTheSameSpans) {
    ChromeTimeline trace(path(".json"), {100, 200}, "sm0", clock_);
    record(trace);
    PageTimeline page(path(".html"), {100, 200}, "sm0", clock_);
    record(page);
    PageReader direct(read(path(".html")));
    PageReader converted(page_of(read_chrome_trace(path(".json"))));
    EXPECT_THAT(direct.spans, ElementsAre("issue first 100-110", "issue last 190-200"));
    EXPECT_EQ(converted.spans, direct.spans);
    EXPECT_EQ(converted.details(0), direct.details(0));
    EXPECT_EQ(converted.head.at("core_clock_mhz"), 1200);
    EXPECT_EQ(direct.head.at("core_clock_mhz"), 1200);
    // A trace has no kernels.
    EXPECT_EQ(direct.head.at("kernels").at(0).at("name"), "k");
    EXPECT_EQ(direct.head.at("kernels").at(0).at("end"), 100);  // of the first cycle, 100, on
    EXPECT_TRUE(converted.head.at("kernels").empty());
}

/// Which traces of other programs have.
TEST_F(TimelineFiles, CountersOfATraceAreFigures) {
    write(path(".json"), R"({"traceEvents":[
        {"ph":"X","name":"a","ts":100,"dur":50,"pid":1,"tid":1},
        {"ph":"C","name":"warps","ts":120,"pid":1,"args":{"value":7}},
        {"ph":"C","name":"warps","ts":140,"pid":1,"args":{"value":8}},
        {"ph":"C","name":"queue","ts":130,"pid":1,"args":{"reads":3}}]})");
    PageReader page(page_of(read_chrome_trace(path(".json"))));
    EXPECT_THAT(page.spans, ElementsAre("thread 1 a 100-150"));
    ASSERT_EQ(page.head.at("figures").size(), 2U);
    EXPECT_EQ(page.head.at("figures").at(0).at("name"), "warps");
    EXPECT_EQ(page.head.at("figures").at(0).at("values"), nlohmann::json({7, 8}));
    EXPECT_EQ(page.head.at("figures").at(1).at("name"), "queue reads");
    EXPECT_EQ(page.head.at("figures").at(1).at("values"), nlohmann::json({3}));
}

TEST_F(TimelineFiles, WhatIsNoTraceIsOneError) {
    const auto refused = [](const std::string& text) {
        write(path(".json"), text);
        try {
            static_cast<void>(read_chrome_trace(path(".json")));
        } catch (const ConfigError& error) {
            return std::string(error.what());
        }
        return std::string("taken");
    };
    EXPECT_THAT(refused("{\"traceEvents\":[{\"ph\""), HasSubstr("not a Chrome trace (byte"));
    EXPECT_THAT(refused("[1, 2]"), HasSubstr("no complete events"));
    EXPECT_THAT(refused("{\"traceEvents\":[]}"), HasSubstr("no complete events"));
    EXPECT_THAT(refused(R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"pid":1,"tid":1}]})"),
                HasSubstr("an event lacks its place or time"));
    EXPECT_THAT(
        refused(R"({"traceEvents":[{"ph":"X","name":"a","ts":-5,"dur":1,"pid":1,"tid":1}]})"),
        HasSubstr("an event lacks its place or time"));
    EXPECT_THAT(refused("{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,"
                        "\"pid\":1,\"tid\":1}]}"),
                "taken");
    EXPECT_THROW(static_cast<void>(read_chrome_trace("/nowhere/at/all.json")), ConfigError);
}

TEST_F(TimelineFiles, APageWithoutASpanInItsWindowIsAnError) {
    PageTimeline page(path(".html"), {1000, 2000}, "sm0", clock_);
    const auto track = page.add_track("SM 0", "issue");
    page.span(track, "early", 1, 50, "");
    EXPECT_THROW(page.finish(), ConfigError);
    EXPECT_FALSE(std::filesystem::exists(path(".html")));
}

TEST(Markup, Base64AndWhatMayStandInScripts) {
    EXPECT_EQ(base64({}), "");
    EXPECT_EQ(base64({'M'}), "TQ==");
    EXPECT_EQ(base64({'M', 'a'}), "TWE=");
    EXPECT_EQ(base64({'M', 'a', 'n', 0xff}), "TWFu/w==");
    EXPECT_EQ(script_safe(R"(["</script>","<!-- a"])"), R"(["<\/script>","\u003c!-- a"])");
    EXPECT_EQ(nlohmann::json::parse(script_safe(R"(["</script>","<!-- a"])")),
              nlohmann::json::parse(R"(["</script>","<!-- a"])"));
}

}  // namespace
}  // namespace tessera
