// Testbench of Duplo's load history buffer.
#include <algorithm>
#include <memory>

#include "sc_models/pins/load_history_buffer_pins.h"
#include "testbenches/harness/organisations.h"
#include "testbenches/harness/pin_block.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/load_history_buffer/clocked_history_driver.h"
#include "testbenches/load_history_buffer/history_checker.h"
#include "testbenches/load_history_buffer/history_stimulus.h"
#include "testbenches/load_history_buffer/table2_example.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

using Kind = HistoryOperation::Kind;

Description description() {
    Description d;
    d.name = "load_history_buffer";
    d.module = "load history buffer of Duplo: maps values to the registers that hold them";
    d.operation = "operations";
    d.sections = {"duplo.lhb"};
    d.has_timing = false;
    d.implementations = block_implementations();
    d.columns = history_columns();
    d.errors = {{"small_buffer", "the buffer lacks its last set"},
                {"one_way", "the buffer is direct-mapped"},
                {"wrong_shift", "the index omits two more bits of the element id"},
                {"no_batch", "the batch id is lost on its way to the buffer"},
                {"lost_release", "the buffer misses every 16th release"},
                {"lost_clear", "the buffer misses each clear"}};
    d.examples = {{"table2", "four loads, an LHB of four entries (Duplo IV-C, Table II)",
                   "load_history_buffer_table2.gtkw"}};
    d.view = "load_history_buffer_testbench.gtkw";
    return d;
}
const Description kDescription = description();

std::unique_ptr<HistoryDriver> make_driver(Session& session) {
    if (session.implementation() == "model") return std::make_unique<CoreHistoryDriver>(session);
    session.need_plant_among({"one_way", "wrong_shift", "no_batch"});
    return std::make_unique<ClockedHistoryDriver>(
        session, make_pin_level_block<pins::LoadHistoryBufferBlock, LargestBuffer>(session));
}

/// Buffer beside a naive one.
class HistoryTestbench final : public Testbench {
public:
    explicit HistoryTestbench(Session& session)
        : session_(session), driver_(make_driver(session)), checker_(session, *driver_) {}

    void run(const Session& /*session*/) override {
        if (const Stimulus* stimulus = session_.stimulus()) {
            play_file(*stimulus);
            return;
        }
        play_each(session_, history_organisations(session_, *driver_),
                  [this](const HistoryOrganisation& organisation, std::uint64_t count) {
                      checker_.program(organisation);
                      play_directed();
                      play_random(count);
                      release_all();
                  });
    }
    void run_example(const std::string& /*name*/) override {
        checker_.program(Table2Example::organisation());
        Table2Example(session_, [this](const HistoryOperation& operation, Cycle at) {
            return checker_.play(operation, at);
        }).run();
    }

private:
    void play_directed();
    void play_random(std::uint64_t count);
    void play_file(const Stimulus& stimulus);
    void release_all();
    void load(const HistoryValue& value);
    void insert(const HistoryValue& value);
    HistoryResult issue(const HistoryOperation& operation) {
        return checker_.issue(operation, next_at_++);
    }

    Session& session_;
    std::unique_ptr<HistoryDriver> driver_;
    HistoryChecker checker_;
    Cycle next_at_ = 0;
    std::uint32_t next_register_ = 0;
};

/// Plays a load instruction: a lookup, and an insertion if it misses.
void HistoryTestbench::load(const HistoryValue& value) {
    if (!issue({Kind::kLookup, value}).found) insert(value);
}

/// Inserts a value in a register that no other entry names: an entry names a register once.
void HistoryTestbench::insert(const HistoryValue& value) {
    HistoryOperation operation{Kind::kInsert, value, 0, session_.below(2) == 0};
    operation.phys = next_register_++ % checker_.organisation().registers;
    if (checker_.naive().named_by(operation.phys) != nullptr) {
        issue({Kind::kRelease, {}, operation.phys});
    }
    issue(operation);
}

/// Fills a set, uses its oldest entry, and replaces another one; then release and clear.
void HistoryTestbench::play_directed() {
    const HistoryOrganisation& o = checker_.organisation();
    const std::uint32_t sets = o.entries == 0 ? 1 : o.entries / o.ways;
    const std::uint32_t ways = o.entries == 0 ? 4 : o.ways;
    const auto value = [&o, sets](std::uint64_t i) {
        HistoryValue v;
        v.element = (i * sets) << o.shift;  // one set, without a hash
        return v;
    };
    const Cycle begin = next_at_;
    for (std::uint32_t i = 0; i < ways; ++i) load(value(i));
    load(value(0));     // a hit, which makes the entry the most recently used one
    load(value(ways));  // replaces the least recently used one
    for (std::uint32_t i = 0; i <= ways; ++i) issue({Kind::kLookup, value(i)});
    const HistoryResult last = issue({Kind::kLookup, value(ways)});
    if (last.found) {
        issue({Kind::kInsert, value(ways), last.phys});  // the same value and register
        issue({Kind::kRelease, {}, last.phys});
        issue({Kind::kRelease, {}, last.phys});  // no entry names it any more
        issue({Kind::kLookup, value(ways)});
    }
    issue({Kind::kClear});
    for (std::uint32_t i = 0; i < ways; ++i) issue({Kind::kLookup, value(i)});
    checker_.drain();
    session_.directed += next_at_ - begin;
}

void HistoryTestbench::play_random(std::uint64_t count) {
    HistoryValues values(session_, checker_.organisation());
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t dice = session_.below(64);
        if (session_.below(8) == 0) next_at_ += session_.below(4);
        if (dice < 36) {
            load(values.draw());
        } else if (dice < 44) {
            issue({Kind::kLookup, values.draw()});
        } else if (dice < 50) {
            insert(values.draw());
        } else if (dice < 63 || session_.below(8) != 0) {
            const std::uint64_t registers = checker_.organisation().registers;
            issue({Kind::kRelease, {}, static_cast<std::uint32_t>(session_.below(registers))});
        } else {
            issue({Kind::kClear});
        }
    }
    checker_.drain();
    session_.drawn += count;
}

/// Releases every register: the results show which ones the buffer still names.
void HistoryTestbench::release_all() {
    for (std::uint32_t phys = 0; phys < checker_.organisation().registers; ++phys) {
        issue({Kind::kRelease, {}, phys});
    }
    checker_.drain();
}

void HistoryTestbench::play_file(const Stimulus& stimulus) {
    checker_.program(configured_history(session_.config().duplo));
    const std::uint32_t registers = checker_.organisation().registers;
    for (const HistoryFileOperation& o : history_operations(stimulus, registers)) {
        next_at_ = std::max(next_at_, o.at);
        ++session_.drawn;
        HistoryOperation operation = o.operation;
        if (operation.kind != Kind::kInsert) {
            const bool found = issue(operation).found;
            if (!o.inserts_on_miss || found) continue;
            operation.kind = Kind::kInsert;
        }
        const HistoryValue* named = checker_.naive().named_by(operation.phys);
        if (named != nullptr && !(*named == operation.value)) refuse_register(stimulus, o, *named);
        issue(operation);
    }
    checker_.drain();
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<HistoryTestbench>(argc, argv, kDescription);
}
