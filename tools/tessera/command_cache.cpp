// tessera cache: the store of results.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <chrono>
#include <ctime>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/common/text_table.h"
#include "sc_models/store/result_store.h"
#include "tools/tessera/commands.h"

namespace tessera {
namespace {

std::string size_text(std::uintmax_t bytes) {
    return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

/// Local time of a file's clock, which has an epoch of its own.
std::string time_text(std::filesystem::file_time_type time) {
    const auto ago = std::filesystem::file_time_type::clock::now() - time;
    const auto when = std::chrono::system_clock::now() -
                      std::chrono::duration_cast<std::chrono::system_clock::duration>(ago);
    return fmt::format("{:%Y-%m-%d %H:%M}",
                       fmt::localtime(std::chrono::system_clock::to_time_t(when)));
}

std::uintmax_t bytes_of(const std::vector<StoreEntry>& entries) {
    return std::accumulate(
        entries.begin(), entries.end(), std::uintmax_t{0},
        [](std::uintmax_t sum, const StoreEntry& entry) { return sum + entry.bytes; });
}

void print_state(const ResultStore& store, const std::vector<StoreEntry>& entries) {
    print_text("{}: {} results, {} of at most {}\n", store.folder().string(), entries.size(),
               size_text(bytes_of(entries)), size_text(store.limit()));
}

int list(const ResultStore& store) {
    const std::vector<StoreEntry> entries = store.entries();
    TextTable table({"last used", "KiB", "run"});
    table.set_text_columns(1);
    table.set_last_are_text(1);
    for (const StoreEntry& entry : entries) {
        const std::string title = ResultStore::title(entry);
        table.add({time_text(entry.used), std::to_string(entry.bytes >> 10),
                   title.empty() ? "damaged" : title});
    }
    if (!entries.empty()) print_text("{}", table.str(0));
    print_state(store, entries);
    return static_cast<int>(ExitCode::kGood);
}

int check(const ResultStore& store) {
    const std::vector<StoreEntry> entries = store.entries();
    std::size_t damaged = 0;
    for (const StoreEntry& entry : entries) {
        if (ResultStore::is_intact(entry) || !std::filesystem::exists(entry.file)) continue;
        ++damaged;
        print_error("{}: damaged; the next equal run replaces it\n", entry.file.string());
    }
    print_text("{} results checked, {} damaged\n", entries.size(), damaged);
    return static_cast<int>(damaged == 0 ? ExitCode::kGood : ExitCode::kCheckFailed);
}

int clear(const ResultStore& store) {
    const std::vector<StoreEntry> entries = store.entries();
    store.clear();
    print_text("{} results removed, {}\n", entries.size(), size_text(bytes_of(entries)));
    return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void keep_for_later(const std::function<void()>& keep) {
    try {
        keep();
    } catch (const std::exception& error) {
        print_error("warning: the result is not stored for later runs: {}\n", error.what());
    }
}

void add_cache_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "cache", "The store of results: equal runs of one program are simulated once");
    auto action = std::make_shared<std::string>("list");
    command
        ->add_option("ACTION", *action,
                     "list: every result, the last used first; check: read all; clear: remove all")
        ->check(CLI::IsMember({"list", "check", "clear"}))
        ->capture_default_str()
        ->type_name("");
    command->footer(
        "TESSERA_CACHE of the environment is the folder (default ~/.cache/tessera), or off;\n"
        "TESSERA_CACHE_MIB is its largest size (default 2048).");
    command->callback([action, &code] {
        const std::optional<ResultStore> store = ResultStore::of_user();
        if (!store) {
            throw ConfigError(
                "cache: there is no store: TESSERA_CACHE is off, or HOME is not set; expected "
                "TESSERA_CACHE=FOLDER");
        }
        code = *action == "clear"   ? clear(*store)
               : *action == "check" ? check(*store)
                                    : list(*store);
    });
}

}  // namespace tessera
