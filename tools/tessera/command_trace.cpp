// tessera trace: instruction traces of generated kernels, for this and other simulators.
#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "sc_models/common/error.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/run/simulation.h"
#include "sc_models/trace/sass_gemm.h"
#include "sc_models/trace/trace_export.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/progress_line.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

struct TraceWriteArguments {
    ConfigArguments config;
    std::string out;
    bool compress = false, pack = false, sass_gemm = false;
    std::uint32_t tracer = 0;  ///< 0: unset
};

/// The workload's matrix product, rounded up to whole tiles.
SassGemm sass_gemm_of(const Workload& workload) {
    const GemmOperands& operands = workload.gemm().operands();
    const auto whole = [](std::uint64_t size, std::uint32_t tile) {
        return static_cast<std::uint32_t>(round_up(size, std::uint64_t{tile}));
    };
    return {whole(operands.m, SassGemm::kTileM), whole(operands.n, SassGemm::kTileN),
            whole(operands.k, SassGemm::kTileK)};
}

/// Writes the kernels of a workload, one file each, and then their list.
class TraceFolder {
public:
    /// `extension` is that of a kernel's file, ".traceg" for one.
    TraceFolder(fs::path folder, std::string extension)
        : folder_(std::move(folder)), extension_(std::move(extension)) {}

    /// Writes the next kernel; returns false after an interrupt.
    template <typename Write>
    [[nodiscard]] bool add(const std::string& kernel, const Write& write) {
        const std::string file = fmt::format("kernel-{}{}", commands_.size() + 1, extension_);
        const bool whole = write(folder_ / file, [&](std::uint64_t done, std::uint64_t total) {
            progress_.show(kernel, done, total,
                           static_cast<double>(done) / static_cast<double>(total));
            return !interrupt_requested();
        });
        progress_.clear();
        if (!whole) return false;
        fs::remove(list());  // of an earlier trace: it would name kernels of both
        TraceCommand command;
        command.path = file;
        commands_.push_back(command);
        print_text("{}: {}, {:.1f} MiB\n", (folder_ / file).string(), kernel,
                   static_cast<double>(fs::file_size(folder_ / file)) / (1 << 20));
        return true;
    }

    void write_list() const {
        write_trace_command_list(list(), commands_);
        print_text("{}\n", list().string());
    }

private:
    [[nodiscard]] fs::path list() const { return folder_ / "kernelslist.g"; }

    fs::path folder_;
    std::string extension_;
    std::vector<TraceCommand> commands_;
    ProgressLine progress_;
};

bool write_kernels(TraceFolder& folder, const Workload& workload, const TraceVersions& versions,
                   bool as_sass_gemm) {
    if (as_sass_gemm) {
        SassGemm gemm = sass_gemm_of(workload);
        gemm.set_tracer(versions.tracer);
        return folder.add(gemm.header().name,
                          [&](const fs::path& path, const TraceProgress& progress) {
                              return gemm.write(path, progress);
                          });
    }
    std::uint32_t id = 0;
    for (const auto& kernel : workload.kernels()) {
        ++id;
        const auto write = [&](const fs::path& path, const TraceProgress& progress) {
            return export_kernel_trace(*kernel, id, path, versions, progress);
        };
        if (!folder.add(kernel->info().name, write)) return false;
    }
    return true;
}

/// Versions in the traces' headers. Kernels with asynchronous copies are of Ampere and need tracer
/// 6, and so does a .tracez.
TraceVersions versions_of(const TraceWriteArguments& arguments, const Workload& workload) {
    constexpr std::uint32_t kAmpere = 80;
    const bool copies = !arguments.sass_gemm &&
                        std::any_of(workload.kernels().begin(), workload.kernels().end(),
                                    [](const auto& kernel) { return needs_tracer6(*kernel); });
    TraceVersions versions;
    if (copies) versions.binary = kAmpere;
    if (copies || arguments.pack) versions.tracer = 6;
    if (arguments.tracer == 0) return versions;
    if (arguments.tracer < versions.tracer) {
        throw ConfigError(
            fmt::format("--tracer: got {}, expected 6 for {}", arguments.tracer,
                        copies ? "kernels with asynchronous copies (LDGSTS)" : "--tracez"));
    }
    versions.tracer = arguments.tracer;
    return versions;
}

int write_configured(const TraceWriteArguments& arguments, const Config& config,
                     const ConfigSource& source) {
    if (config.workload.kind != WorkloadKind::kConvolution &&
        config.workload.kind != WorkloadKind::kGemm) {
        source.fail({"workload.kind"},
                    "convolution or gemm: only their kernels can be written as traces");
    }
    if (arguments.sass_gemm && config.workload.kind == WorkloadKind::kConvolution &&
        config.workload.layer.groups != 1) {
        source.fail({"workload.layer.groups"}, "1 with --sass-gemm, which is one matrix product");
    }
    const auto workload =
        make_workload(config.workload, config.seed, false, {}, target_machine(config));
    const TraceVersions versions = versions_of(arguments, *workload);
    make_output_folder(arguments.out, "--out");
    TraceFolder folder(arguments.out, arguments.pack       ? ".tracez"
                                      : arguments.compress ? ".traceg.xz"
                                                           : ".traceg");
    if (!write_kernels(folder, *workload, versions, arguments.sass_gemm)) {
        return static_cast<int>(ExitCode::kInterrupted);
    }
    folder.write_list();
    return static_cast<int>(ExitCode::kGood);
}

int write(const TraceWriteArguments& arguments) {
    ConfigSource source;
    try {
        const Config config = arguments.config.load_acting(source);
        return write_configured(arguments, config, source);
    } catch (const ConfigError& error) {
        throw source.located(error);
    }
}

}  // namespace

void add_trace_command(CLI::App& app, int& code) {
    auto* trace = app.add_subcommand("trace", "Instruction traces in Accel-Sim's format");
    trace->require_subcommand(1);
    auto* command = trace->add_subcommand(
        "write", "Write the kernels of a workload as instruction traces with a kernelslist.g");
    auto arguments = std::make_shared<TraceWriteArguments>();
    arguments->config.add_to(*command);
    arguments->config.add_allow_unused_to(*command);
    command
        ->add_option("--out", arguments->out,
                     "folder for kernelslist.g and kernel-N.traceg; files of these names are "
                     "replaced when the new ones are whole")
        ->type_name("DIR")
        ->required();
    auto* compress =
        command->add_flag("--xz", arguments->compress, "compress the kernels: kernel-N.traceg.xz");
    command
        ->add_flag("--tracez", arguments->pack,
                   "pack the kernels as Accel-Sim 2.0 does: kernel-N.tracez")
        ->excludes(compress);
    command
        ->add_option("--tracer", arguments->tracer,
                     "version of the tracer whose lines are written: 5, or 6 for kernels with "
                     "asynchronous copies and for --tracez (default: the older that holds them)")
        ->check(CLI::IsMember({5, 6}));
    command->add_flag("--sass-gemm", arguments->sass_gemm,
                      "instead of our kernels one tensor-core product of the workload's M, N and "
                      "K, rounded up to its 128x64x16 tiles, as a compiler would make it");
    command->callback([arguments, &code] { code = write(*arguments); });
}

}  // namespace tessera
