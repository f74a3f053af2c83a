#include "testbenches/dram/dram_cases.h"

#include <vector>

#include "testbenches/harness/random_accesses.h"

namespace tessera::testbench {

void DramCases::rows() {
    for (std::uint32_t bank = 0; bank < config_.banks; ++bank) {
        lone(stimulus_.write({bank, 0}, 0));
        lone(stimulus_.read({bank, 0}, 0));
        lone(stimulus_.read({bank, 1}, 1));
    }
}

void DramCases::rules() {
    const bool fits_two = checker_.fits_case(2 * span());
    if (config_.queue_entries > 1 && fits_two) overtaking();
    if (!session_.approximately_timed()) return;
    hit_cap();
    if (checker_.naive().turns() && fits_two) turnaround();
}

void DramCases::lone(const MemoryOperation& operation) {
    checker_.begin(operation, checker_.begin_case(span()), true);
    traffic_.drain();
}

/// Opens a row; returns the cycle at which a case of `span` DRAM cycles may use it.
Cycle DramCases::open(const DramRow& row, Cycle span) {
    const Cycle at = checker_.begin_case(this->span() + span);
    checker_.begin(stimulus_.read(row, 0), at, true);
    return checker_.end_of_access(at);
}

void DramCases::pair() {
    const NaiveDram& naive = checker_.naive();
    MemoryOperation first = stimulus_.draw();
    if (naive.turns()) first.command = tlm::TLM_READ_COMMAND;  // reads would overtake a write
    const DramRow row = naive.locate(first.address);
    DramRow other = row;
    while (other.row == row.row || naive.is_open(other)) ++other.row;  // hits are served first
    const bool conflict = session_.below(2) == 0;
    const Cycle at = checker_.begin_case(2 * span());
    checker_.begin(first, at, true);
    MemoryOperation second = stimulus_.read(conflict ? other : row, 1);
    second.port = first.port;
    // Loosely timed, the slots of the data bus are not those of the two bursts.
    const bool slots = conflict || session_.approximately_timed();
    checker_.begin(second, at, checker_.is_exact() && slots);
    const Bins& bins = checker_.bins();
    session_.coverage.hit(conflict ? bins.pair_conflict : bins.pair_hit);
    traffic_.drain();
}

/// A read of another row, and behind it one of the open row, which is served first.
void DramCases::overtaking() {
    const Cycle at = open({0, 2}, 2 * span());
    const MemoryOperation conflict = stimulus_.read({0, 3}, 0);
    const MemoryOperation hit = stimulus_.read({0, 2}, 1);
    // Loosely timed, the first one is served before the second one is there.
    const auto of_hit =
        session_.approximately_timed() ? checker_.serve(hit, at) : checker_.preview(hit, at);
    checker_.begin(conflict, at, checker_.is_exact());
    checker_.begin(hit, at, of_hit, checker_.is_exact());
    session_.coverage.hit(checker_.bins().overtaken);
    traffic_.drain();
}

/// A read of another row, and behind it more of the open row than may overtake it.
void DramCases::hit_cap() {
    const std::uint32_t cap = config_.row_hit_cap;
    const Cycle span =
        4 * this->span() + (cap + 4) * (checker_.naive().burst() + config_.t_ccd_l_cycles);
    if (cap + 4 > config_.queue_entries || !checker_.fits_case(span)) return;
    const std::uint32_t bank = 1 % config_.banks;
    const Cycle at = open({bank, 2}, span);
    const MemoryOperation conflict = stimulus_.read({bank, 3}, 0);
    std::vector<MemoryOperation> hits;
    std::vector<DramChecker::Service> services;
    DramChecker::Service of_conflict;
    for (std::uint32_t i = 0; i < cap + 3; ++i) {
        hits.push_back(stimulus_.read({bank, 2}, i % stimulus_.columns()));
        if (i == cap) of_conflict = checker_.serve(conflict, at);
        services.push_back(checker_.serve(hits.back(), at));
    }
    checker_.begin(conflict, at, of_conflict, checker_.is_exact());
    for (std::size_t i = 0; i < hits.size(); ++i) {
        checker_.begin(hits[i], at, services[i], checker_.is_exact());
    }
    traffic_.drain();
}

/// A read right behind a write waits until the bus has turned.
void DramCases::turnaround() {
    const DramRow row{0, 4};
    for (const Cycle distance : {4, 8, 20}) {
        const Cycle at = open(row, 2 * span());
        checker_.begin(stimulus_.write(row, 1), at, checker_.is_exact());
        checker_.begin(stimulus_.read(row, 0), at + distance, checker_.is_exact());
        traffic_.drain();
    }
}

void DramCases::overlapping(std::uint64_t count, Cycle gap) {
    play_overlapping(
        session_, checker_.begin_case(0), count, gap, [this] { return stimulus_.draw(); },
        [this](const MemoryOperation& operation) { checker_.overlap(operation); });
    traffic_.drain();
    close_rows();
}

/// Closes all rows that accesses have opened which the naive channel has not followed.
void DramCases::close_rows() {
    for (std::uint32_t bank = 0; bank < config_.banks; ++bank) {
        MemoryOperation read = stimulus_.read({bank, 5}, 0);
        read.at = checker_.begin_case(span());
        (void)checker_.serve(read, read.at);
        checker_.overlap(read);
        traffic_.drain();
    }
}

}  // namespace tessera::testbench
