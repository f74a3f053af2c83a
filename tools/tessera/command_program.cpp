// tessera program: what one warp executes.
#include <fmt/format.h>
#include <array>
#include <memory>

#include "sc_models/common/error.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/isa/disassembly.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/run/simulation.h"
#include "tools/tessera/commands.h"

namespace tessera {
namespace {

struct ProgramArguments {
    ConfigArguments config;
    std::string kernel;
    std::uint32_t cta = 0, warp = 0;
    std::uint64_t limit = 0;
};

const Kernel& find_kernel(const Workload& workload, const std::string& name) {
    if (name.empty()) return *workload.kernels().back();  // the matrix product, if there is one
    std::string known;
    for (const auto& kernel : workload.kernels()) {
        if (kernel->info().name == name) return *kernel;
        known += (known.empty() ? "" : ", ") + kernel->info().name;
    }
    throw ConfigError(fmt::format("--kernel: got '{}', expected one of {{{}}}", name, known));
}

void check_below(const char* option, std::uint32_t value, std::uint32_t bound) {
    if (value >= bound) {
        throw ConfigError(fmt::format("{}: got '{}', expected 0..{}", option, value, bound - 1));
    }
}

void print_program(const ProgramArguments& arguments) {
    ConfigSource source;
    const Config config = arguments.config.load_acting(source);
    const auto workload =
        make_workload(config.workload, config.seed, false, {}, target_machine(config));
    const Kernel& kernel = find_kernel(*workload, arguments.kernel);
    const KernelInfo& info = kernel.info();
    check_below("--cta", arguments.cta, info.ctas);
    check_below("--warp", arguments.warp, info.warps_per_cta);

    print_text("// kernel {}: {} CTAs of {} warps, {} registers a thread, {} B shared memory\n",
               info.name, info.ctas, info.warps_per_cta, info.registers_per_thread,
               info.shared_memory_bytes);
    for (const MemoryRegion& region : workload->regions()) {
        print_text("// {:<10} [{:#x}, {:#x})\n", region.name, region.base,
                   region.base + region.bytes);
    }
    print_text("// CTA {}, warp {}\n", arguments.cta, arguments.warp);
    const auto program = kernel.program(CtaId(arguments.cta), arguments.warp);
    std::array<WarpInstruction, kFillCapacity> batch;
    std::uint64_t index = 0;
    while (const std::size_t count = program->fill(batch.data(), batch.size())) {
        for (std::size_t i = 0; i < count; ++i, ++index) {
            if (arguments.limit != 0 && index == arguments.limit) return;
            print_text("{:6}  {}\n", index, disassemble(batch[i]));
        }
    }
}

}  // namespace

void add_program_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand("program", "Print the instructions of one warp");
    auto arguments = std::make_shared<ProgramArguments>();
    arguments->config.add_to(*command);
    arguments->config.add_allow_unused_to(*command);
    command->add_option("--kernel", arguments->kernel,
                        "kernel by name; default: the matrix product, else the last");
    command->add_option("--cta", arguments->cta, "CTA, in issue order")->capture_default_str();
    command->add_option("--warp", arguments->warp, "warp of the CTA")->capture_default_str();
    command->add_option("--limit", arguments->limit, "print at most so many instructions; 0: all")
        ->capture_default_str();
    command->callback([arguments, &code] {
        print_program(*arguments);
        code = 0;
    });
}

}  // namespace tessera
