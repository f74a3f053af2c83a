#include "tools/tessera/observer_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/observe/wave_writer.h"
#include "sc_models/run/stimulus_recorder.h"

namespace tessera {
namespace {

constexpr const char* kGroup = "Watching the run";
constexpr std::uint64_t kMostRecordedRows = 100'000'000;

/// Whether two options name the same file; an empty name is that of no file.
bool is_same(const std::filesystem::path& a, const std::filesystem::path& b) {
    return !a.empty() && !b.empty() &&
           std::filesystem::absolute(a).lexically_normal() ==
               std::filesystem::absolute(b).lexically_normal();
}

/// Throws ConfigError if two options name the same file.
void check_files(const ObserverOptions& options) {
    std::vector<std::pair<const char*, std::string>> files = {
        {"--wave", options.wave_file},
        {"--timeline", options.timeline_file},
        {"--dram-trace", options.dram_trace_file},
        {"--record-transactions", options.transactions_file}};
    for (const std::string& recorded : options.recorded) {
        files.emplace_back("--record", recorded.substr(recorded.find('=') + 1));
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t before = 0; before < i; ++before) {
            if (!is_same(files[i].second, files[before].second)) continue;
            throw ConfigError(fmt::format("{}: got '{}', which is the file of {}", files[i].first,
                                          files[i].second, files[before].first));
        }
    }
}

}  // namespace

void ObserverArguments::add_to(CLI::App& command) {
    command
        .add_option(
            "--wave", options_.wave_file,
            "write a waveform: VCD if FILE ends in .vcd, FST if it ends in .fst; the run names "
            "the saved view of waveforms/ that shows it in groups")
        ->type_name("FILE")
        ->group(kGroup);
    command
        .add_option(
            "--timeline", options_.timeline_file,
            "write a timeline: a page that any browser shows without a network if FILE ends in "
            ".html, otherwise Chrome-trace JSON for https://ui.perfetto.dev, 1 us a cycle")
        ->type_name("FILE")
        ->group(kGroup);
    command
        .add_option("--wave-window", window_,
                    "record from core cycle A up to B of the run only, either of which may be left "
                    "out; KERNEL:A:B counts from that kernel's start and ends with it (gemm:0:500)")
        ->type_name("[KERNEL:]A:B")
        ->group(kGroup);
    command
        .add_option("--dram-trace", options_.dram_trace_file,
                    "write every command of every DRAM channel (activate, read, write, precharge, "
                    "refresh) with its cycle, bank and row as CSV; the whole run, whatever the "
                    "window; needs timing=at")
        ->type_name("FILE")
        ->group(kGroup);
    command
        .add_option("--record", options_.recorded,
                    fmt::format("write the transactions that reach a module (SM 0, L2 slice 0, "
                                "DRAM channel 0, the crossbar from SMs 0 to 7, the mesh) as a "
                                "stimulus file of its testbench; MODULE is one of {}; several are "
                                "allowed",
                                fmt::join(StimulusRecorder::modules(), ", ")))
        ->type_name("MODULE=FILE")
        ->expected(1)
        ->take_all()
        ->group(kGroup);
    command
        .add_option("--record-transactions", options_.transactions_file,
                    "write every transaction from warp instruction to DRAM bank for tessera align; "
                    "compressed if FILE ends in .xz; with values on, hashes of the data, too")
        ->type_name("FILE")
        ->group(kGroup);
    limit_option_ =
        command
            .add_option("--record-limit", options_.transactions_limit,
                        "record the first ROWS transactions only, some 90 bytes of memory each")
            ->type_name("ROWS")
            ->check(CLI::Range(std::uint64_t{1}, kMostRecordedRows))
            ->capture_default_str()
            ->group(kGroup);
    command
        .add_option("--plant-fault", options_.planted_fault,
                    "break one transaction of the machine's models, to see what notices: "
                    "LINK:KIND@N, the N-th of a link from 0 on, as in "
                    "sm0.ldst.to_l1:address:7@120; KIND is address:BIT, data:BIT, operand:BIT, "
                    "late:CYCLES, served, twice or lost")
        ->type_name("FAULT")
        ->group(kGroup);
    command
        .add_option("--mismatch-wave", options_.mismatch_wave,
                    "waveform of the failing SM's last cycles, written if a block's RTL differs "
                    "from its model (impl.BLOCK: both); without this option it is mismatch.fst in "
                    "the folder of --out, or in the present one; 'none' keeps no cycles")
        ->type_name("FILE")
        ->group(kGroup);
    scope_option_ =
        command
            .add_option(
                "--wave-scope", options_.scope,
                "record blocks whose names match, with what is inside: sm0, 'sm[0-3].ldst', 'sm?', "
                "memory, '*'; several with commas")
            ->type_name("PATTERN")
            ->capture_default_str()
            ->group(kGroup);
}

bool ObserverArguments::any() const {
    const ObserverOptions& o = options_;
    return !(o.wave_file.empty() && o.timeline_file.empty() && o.dram_trace_file.empty() &&
             o.recorded.empty() && o.transactions_file.empty() && o.planted_fault.empty() &&
             o.mismatch_wave.empty() && window_.empty() && scope_option_->count() == 0 &&
             limit_option_->count() == 0);
}

ObserverOptions ObserverArguments::options(const std::string& out) const {
    ObserverOptions options = options_;
    if (options.wave_file.empty() && options.timeline_file.empty()) {
        const bool scope = scope_option_->count() > 0;
        if (scope || !window_.empty()) {
            throw ConfigError(fmt::format("{}: has nothing to act on without --wave or --timeline",
                                          scope ? "--wave-scope" : "--wave-window"));
        }
    }
    if (limit_option_->count() > 0 && options.transactions_file.empty()) {
        throw ConfigError("--record-limit: has nothing to act on without --record-transactions");
    }
    if (options.mismatch_wave.empty()) {
        options.mismatch_wave =
            (std::filesystem::path(out) / (has_fst() ? "mismatch.fst" : "mismatch.vcd")).string();
    } else if (options.mismatch_wave == "none") {
        options.mismatch_wave.clear();
    }
    check_files(options);
    if (!options.mismatch_wave.empty()) (void)wave_format(options.mismatch_wave);
    if (!options.wave_file.empty()) (void)wave_format(options.wave_file);
    if (!window_.empty()) options.window = CycleWindow::parse(window_, "--wave-window");
    return options;
}

}  // namespace tessera
