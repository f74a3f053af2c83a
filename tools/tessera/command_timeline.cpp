// tessera timeline: a Chrome trace as a page that needs no viewer.
#include <fmt/format.h>
#include <filesystem>
#include <memory>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/partial_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/observe/chrome_trace_reader.h"
#include "sc_models/observe/timeline_page.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/output_page.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

struct TimelineArguments {
    std::string trace, output;
};

int timeline(const TimelineArguments& arguments) {
    expect_page_or_nothing(arguments.output, "-o");
    const fs::path folder = fs::path(arguments.output).parent_path();
    const TimelineSpans spans = read_chrome_trace(arguments.trace);
    if (!folder.empty()) make_output_folder(folder, "-o");
    PartialFile page(arguments.output);
    write_timeline_page(spans, [&page](std::string_view text) { page.write(text); });
    page.commit();
    print_text("timeline: {} ({} spans in {} rows; open it in a browser)\n", arguments.output,
               spans.spans(), spans.rows().size());
    return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_timeline_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "timeline", "A Chrome trace (tessera run --timeline FILE.json) as a page for any browser");
    auto arguments = std::make_shared<TimelineArguments>();
    command->add_option("TRACE", arguments->trace, "Chrome-trace JSON")->required()->type_name("");
    command->add_option("-o,--output", arguments->output, "HTML page to write")
        ->required()
        ->type_name("FILE");
    command->footer(
        "The page is one file that loads nothing. tessera run --timeline FILE.html writes it at "
        "once, with kernels and with counters of the whole machine over time, which a trace has "
        "not.");
    command->callback([arguments, &code] { code = timeline(*arguments); });
}

}  // namespace tessera
