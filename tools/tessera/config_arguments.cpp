#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/configure/config_use.h"
#include "tools/tessera/commands.h"

namespace tessera {

void ConfigArguments::add_to(CLI::App& command) {
    command
        .add_option("CONFIG", configs,
                    "a machine, mechanisms and a workload, in any order: YAML files, short names "
                    "(duplo_titan_v, duplo_paper) or layers (resnet.C2, net.yaml:C2; of run and "
                    "sweep also model.onnx:conv1)")
        ->type_name("");
    command.add_option("--set", sets, "set one key, over all CONFIGs: key.path=value")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void ConfigArguments::add_sample_to(CLI::App& command) {
    command.add_flag_callback(
        "--sample", [this] { sets.emplace_back("sample.enabled=on"); },
        "simulate some waves of the CTAs of large kernels, and expect the others to take as long: "
        "short for --set sample.enabled=on");
}

void ConfigArguments::add_threads_to(CLI::App& command) {
    command
        .add_option_function<std::string>(
            "--threads",
            [this](const std::string& threads) { sets.emplace_back("host.threads=" + threads); },
            "threads that simulate the run, which is the same with any number of them: "
            "short for --set host.threads=N; auto: one for each core")
        ->type_name("N");
}

Config ConfigArguments::load(ConfigSource& source) const {
    const ConfigCatalog catalog;
    for (const std::string& config : configs) catalog.add_to(source, config);
    for (const std::string& set : sets) source.add_set(set);
    return load_config(source);
}

Config ConfigArguments::load_acting(ConfigSource& source) const {
    Config config = load(source);
    if (allow_unused) return config;
    const std::vector<std::string> idle = idle_keys(source, config);
    if (!idle.empty()) refuse_idle(source, idle.front(), config);
    return config;
}

void ConfigArguments::add_allow_unused_to(CLI::App& command) {
    command.add_flag("--allow-unused", allow_unused,
                     "take keys that could not act in a run, as sweeps over variants may want; "
                     "otherwise they are refused");
}

}  // namespace tessera
