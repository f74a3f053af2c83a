// tessera table: times of a decoder's operators for serving simulators.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/common/text_table.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/study/decoder.h"
#include "sc_models/study/network_study/network_study.h"
#include "sc_models/study/sweep/host_figures.h"
#include "sc_models/study/sweep/unread_keys.h"
#include "tools/tessera/network_variants.h"
#include "tools/tessera/study_arguments.h"
#include "tools/tessera/sweep_progress.h"
#include "tools/tessera/table_arguments.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

struct DecoderTableArguments {
    std::string machine, decoder;
    std::vector<std::uint32_t> tokens = {1, 16, 128, 512, 2048, 4096};
    std::vector<std::uint32_t> cards = {1};
    std::vector<std::string> prompts;  ///< TOKENS or TOKENS+CONTEXT
    std::vector<std::string> decodes;  ///< BATCHxCONTEXT
    std::vector<std::string> sets;
    StudyArguments study{""};
};

constexpr const char* kVariant = "model";
constexpr const char* kTable = "mlp.csv";
constexpr const char* kAttentionTable = "attention.csv";

/// Operators of one line of the table, and the studies of their runs.
struct Line {
    std::uint32_t tokens = 0, cards = 0;
    std::vector<DecoderOperator> operators;
    std::vector<std::size_t> studies;
};

/// A line of the table of attention, and its only operator.
struct AttentionLine {
    DecoderLoad load;
    Line line;
};

struct DecoderPlan {
    Decoder decoder;
    std::vector<Line> lines;
    std::vector<AttentionLine> attention;
    std::vector<Study> studies;
    double core_clock_mhz = 0;
};

NetworkVariant machine_of(const DecoderTableArguments& arguments) {
    NetworkArguments network;
    network.machine = arguments.machine;
    network.sets = arguments.sets;
    return variants_of(network).front();
}

/// Configurations and keys of products, and of all other operators, which mechanisms do not change.
ConfigArguments configurations_of(const NetworkVariant& machine, bool product) {
    ConfigArguments all;
    all.sets = machine.sets;
    for (const std::string& config : machine.configs) {
        if (product || mechanism_of(config).empty()) all.configs.push_back(config);
    }
    ConfigSource source = source_of(all.configs, all.sets, "");
    (void)source.load<Config>();  // which finds out what is set
    if (!source.is_set("workload.repeat")) all.sets.emplace_back("workload.repeat=auto");
    if (product && !source.is_set("workload.kernel")) {
        all.sets.emplace_back("workload.kernel=auto");
    }
    return all;
}

/// Refuses settings of keys that the operators set: all would have the same sizes.
void refuse_sizes(const NetworkVariant& machine, const std::vector<Line*>& lines) {
    const auto key_of = [](const std::string& set) { return set.substr(0, set.find('=')); };
    for (const std::string& set : machine.sets) {
        for (const Line* const line : lines) {
            for (const DecoderOperator& op : line->operators) {
                const bool is_set = std::any_of(op.sets.begin(), op.sets.end(),
                                                [&](const std::string& of_operator) {
                                                    return key_of(of_operator) == key_of(set);
                                                });
                if (!is_set) continue;
                throw ConfigError(fmt::format(
                    "{}: got a key of {}, expected another: the decoder sets it", set, op.name));
            }
        }
    }
}

/// FIRST and SECOND of "FIRST<separator>SECOND"; SECOND may be left out if it has a default.
std::pair<std::uint32_t, std::uint32_t> numbers_of(const char* option, const std::string& text,
                                                   char separator,
                                                   std::optional<std::uint32_t> second) {
    constexpr std::uint32_t kMost = 1U << 20;
    std::uint32_t first = 0, behind = second.value_or(0);
    const char* const end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data(), end, first);
    bool good = error == std::errc() && first > 0 && first <= kMost;
    if (good && rest != end) {
        good = *rest == separator;
        if (good) {
            const auto [last, wrong] = std::from_chars(rest + 1, end, behind);
            good = wrong == std::errc() && last == end && behind > 0 && behind <= kMost;
        }
    } else {
        good = good && second.has_value();
    }
    if (good) return {first, behind};
    throw ConfigError(fmt::format("{}: got {}, expected {} with numbers from 1 to {}", option,
                                  in_quotes(text),
                                  second ? "TOKENS or TOKENS+CONTEXT" : "BATCHxCONTEXT", kMost));
}

/// Lines of the table of attention: prompts, then sequences that decode, for each number of cards.
std::vector<AttentionLine> attention_lines(const DecoderTableArguments& arguments,
                                           const Decoder& decoder) {
    std::vector<AttentionLine> lines;
    const auto add = [&](const DecoderLoad& load) {
        AttentionLine line{load, {load.tokens, load.tensor_parallel, {}, {0}}};
        line.line.operators = {attention_of(decoder, load)};
        lines.push_back(std::move(line));
    };
    for (const std::uint32_t cards : arguments.cards) {
        for (const std::string& text : arguments.prompts) {
            const auto [tokens, context] = numbers_of("--prefill", text, '+', 0);
            add({1, tokens, context, cards});
        }
        for (const std::string& text : arguments.decodes) {
            const auto [batch, context] = numbers_of("--decode", text, 'x', std::nullopt);
            add({batch, 1, context, cards});
        }
    }
    return lines;
}

DecoderPlan plan_of(const DecoderTableArguments& arguments, const NetworkVariant& machine) {
    DecoderPlan plan;
    plan.decoder = read_decoder(arguments.decoder, ConfigCatalog());
    TableArguments of_table;
    of_table.allow_unused = true;  // sizes of operators have keys that some kernels do not read
    for (const std::uint32_t cards : arguments.cards) {
        for (const std::uint32_t tokens : arguments.tokens) {
            plan.lines.push_back({tokens, cards, operators_of(plan.decoder, tokens, cards), {}});
            plan.lines.back().studies.resize(plan.lines.back().operators.size());
        }
    }
    plan.attention = attention_lines(arguments, plan.decoder);
    std::vector<Line*> lines;
    for (Line& line : plan.lines) lines.push_back(&line);
    for (AttentionLine& line : plan.attention) lines.push_back(&line.line);
    refuse_sizes(machine, lines);
    std::size_t number = 0;
    for (const bool product : {false, true}) {
        std::vector<MeasuredRow> rows;
        std::vector<std::size_t*> places;
        for (Line* const line : lines) {
            for (std::size_t i = 0; i < line->operators.size(); ++i) {
                if (line->operators[i].is_product != product) continue;
                MeasuredRow row;
                row.line = number++;
                row.sets = line->operators[i].sets;
                // The user's keys of products must not make another workload of it.
                if (!product) row.sets.push_back("workload.kind=" + line->operators[i].section());
                rows.push_back(std::move(row));
                places.push_back(&line->studies[i]);
            }
        }
        TablePlan part =
            plan_of_table("table", of_table, std::move(rows), configurations_of(machine, product),
                          [](const Config&) -> std::vector<ExperimentVariant> {
                              return {{kVariant, {}, {}, kVariant}};
                          });
        for (std::size_t i = 0; i < places.size(); ++i) {
            *places[i] = plan.studies.size() + part.study_of_row[i];
        }
        plan.core_clock_mhz = part.configs.front().gpu.core_clock_mhz;
        for (Study& study : part.studies) plan.studies.push_back(std::move(study));
    }
    return plan;
}

/// Milliseconds of each operator of a line.
std::vector<double> times_of(const DecoderPlan& plan, const Line& line,
                             const std::vector<Summary>& summaries) {
    std::vector<double> times;
    for (const std::size_t study : line.studies) {
        times.push_back(cycles_of(summaries[study], kVariant).value() / plan.core_clock_mhz / 1000);
    }
    return times;
}

/// Writes the table of attention and returns it for people.
std::string attention_table(const DecoderPlan& plan, const std::vector<Summary>& summaries,
                            const fs::path& file) {
    const Decoder& d = plan.decoder;
    std::string csv =
        "n_embd,n_q_head,n_kv_head,block_size,num_tensor_parallel_workers,batch_size,"
        "prefill_chunk_size,kv_cache_size,is_prefill,time_stats.attn_prefill.median,"
        "time_stats.attn_decode.median\n";
    TextTable text({"tokens", "context", "batch", "cards", "attn_prefill", "attn_decode"});
    for (const AttentionLine& one : plan.attention) {
        const double ms = times_of(plan, one.line, summaries).front();
        const DecoderLoad& load = one.load;
        const bool decodes = load.decodes();
        const std::string exact = fmt::format("{:.6g}", ms),
                          shown = fmt::format("{:.1f}", ms * 1000);
        csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", d.hidden, d.heads, d.kv_heads,
                           kPageTokens, load.tensor_parallel, load.batch, decodes ? 0 : load.tokens,
                           load.context, decodes ? "False" : "True", decodes ? "" : exact,
                           decodes ? exact : "");
        text.add({std::to_string(load.tokens), std::to_string(load.context),
                  std::to_string(load.batch), std::to_string(load.tensor_parallel),
                  decodes ? "-" : shown, decodes ? shown : "-"});
    }
    write_file_atomically(file, csv);
    return text.str(0);
}

int table(DecoderTableArguments arguments) {
    const NetworkVariant machine = machine_of(arguments);
    const DecoderPlan plan = plan_of(arguments, machine);
    const std::vector<PlannedRun> runs = runs_of(plan.studies);
    if (arguments.study.list) {
        print_text("{} runs for {} lines of {} operators\n", runs.size(), plan.lines.size(),
                   plan.lines.front().operators.size());
        return static_cast<int>(ExitCode::kGood);
    }
    if (arguments.study.out.empty()) arguments.study.out = "results/table_" + plan.decoder.name;
    const fs::path out = arguments.study.out;
    const SweepOutcome outcome =
        arguments.study.run({"table", plan.decoder.name, {kTable, kAttentionTable}}, runs, true);
    if (outcome.interrupted) return static_cast<int>(ExitCode::kInterrupted);
    if (!outcome.failed.empty()) {
        print_failures(outcome, runs, "there is no table without them");
        return exit_code_of(outcome);
    }
    refuse_unread(machine.sets, runs, out);
    const std::vector<Summary> summaries = summaries_of(plan.studies, out);
    const Decoder& d = plan.decoder;
    std::vector<std::string> header = {
        "n_head",     "n_kv_head",     "n_embd",     "n_expanded_embd",
        "vocab_size", "use_gated_mlp", "num_tokens", "num_tensor_parallel_workers"};
    std::vector<std::string> shown = {"tokens", "cards"};
    for (const DecoderOperator& op : plan.lines.front().operators) {
        header.push_back(fmt::format("time_stats.{}.median", op.name));
        shown.push_back(op.name);
    }
    shown.emplace_back("sum");
    std::string csv = fmt::format("{}\n", fmt::join(header, ","));
    TextTable text(shown);
    for (const Line& line : plan.lines) {
        std::vector<std::string> cells = {std::to_string(d.heads),      std::to_string(d.kv_heads),
                                          std::to_string(d.hidden),     std::to_string(d.mlp),
                                          std::to_string(d.vocabulary), d.gated ? "True" : "False",
                                          std::to_string(line.tokens),  std::to_string(line.cards)};
        std::vector<std::string> row = {std::to_string(line.tokens), std::to_string(line.cards)};
        double sum = 0;
        for (const double ms : times_of(plan, line, summaries)) {
            cells.push_back(fmt::format("{:.6g}", ms));
            row.push_back(fmt::format("{:.1f}", ms * 1000));
            sum += ms;
        }
        row.push_back(fmt::format("{:.1f}", sum * 1000));
        csv += fmt::format("{}\n", fmt::join(cells, ","));
        text.add(row);
    }
    write_file_atomically(out / kTable, csv);
    print_text("{} on {}, one layer without attention, and the embedding [us]\n{}\n", d.name,
               arguments.machine, text.str(0));
    if (!plan.attention.empty()) {
        print_text("attention of one layer [us]\n{}\n",
                   attention_table(plan, summaries, out / kAttentionTable));
    }
    print_text("{}table: {}\n", rate_text(runs, out), (out / kTable).string());
    return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_table_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "table", "Times of a decoder's operators on a machine, in the columns of vidur's profiles");
    auto arguments = std::make_shared<DecoderTableArguments>();
    command
        ->add_option("MACHINE", arguments->machine,
                     "the machine, with how it computes products: a100,multistage or v100,library")
        ->required()
        ->type_name("");
    command
        ->add_option("DECODER", arguments->decoder,
                     "sizes of the decoder: a short name of configs/decoders, or a YAML file")
        ->required()
        ->type_name("");
    command
        ->add_option("--tokens", arguments->tokens,
                     "tokens at a time: of prompts, or sequences that decode; with commas between")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str()
        ->type_name("N");
    command
        ->add_option("--tensor-parallel", arguments->cards,
                     "cards that share heads and MLP; time of one, without what they exchange")
        ->delimiter(',')
        ->check(CLI::Range(1, 1024))
        ->capture_default_str()
        ->type_name("N");
    command
        ->add_option("--prefill", arguments->prompts,
                     "attention of prompts, too: TOKENS, or TOKENS+CONTEXT, with commas between")
        ->delimiter(',')
        ->type_name("N[+N]");
    command
        ->add_option("--decode", arguments->decodes,
                     "attention of sequences that decode, too: BATCHxCONTEXT, with commas between")
        ->delimiter(',')
        ->type_name("NxN");
    command->add_option("--set", arguments->sets, "set one key of every run: key.path=value")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command->add_flag_callback(
        "--sample", [arguments] { arguments->sets.emplace_back("sample.enabled=on"); },
        "simulate some waves of the CTAs of large kernels: short for --set sample.enabled=on");
    arguments->study.add_to(*command);
    command->callback([arguments, &code] { code = table(*arguments); });
}

}  // namespace tessera
