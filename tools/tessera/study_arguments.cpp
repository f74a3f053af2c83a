#include "tools/tessera/study_arguments.h"

#include <utility>

#include "sc_models/results/study_set.h"
#include "tools/tessera/commands.h"

namespace tessera {

void StudyArguments::add_to(CLI::App& command) {
    command.add_option("-j,--jobs", jobs, "runs at a time; default: one a core")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    command.add_option("--out", out, "folder of the results, resumed if it is there")
        ->capture_default_str()
        ->type_name("DIR");
    command.add_flag("--list", list, "print what would run, run nothing");
    command.add_flag("--keep", keep,
                     "take results of another git revision over instead of refusing them");
    command.add_flag("--no-cache", no_cache, kNoCacheHelp);
    add_progress_option(command, progress);
}

SweepFolder StudyArguments::take_folder(const std::string& name, const std::string& subject) const {
    refuse_other_origin(out, {keep, subject});
    SweepFolder folder(out, name);
    claim_folder(out, {keep, subject});
    return folder;
}

SweepOutcome StudyArguments::run(SweepFolder folder, const SweepTitle& sweep,
                                 const std::vector<PlannedRun>& runs, bool allow_unused) const {
    SweepOptions options;
    options.backend.jobs = jobs;
    options.keep = keep;
    options.no_cache = no_cache;
    options.allow_unused = allow_unused;
    return run_sweep(std::move(folder), sweep, runs, options, progress);
}

}  // namespace tessera
