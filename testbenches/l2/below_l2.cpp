#include "testbenches/l2/below_l2.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera::testbench {

void BelowL2::expect_alone(const std::vector<Address>& fetches,
                           const std::vector<Address>& write_backs) {
    due_.insert(due_.end(), write_backs.begin(), write_backs.end());
    Scoreboard& board = session_.scoreboard;
    std::size_t fetched = 0;
    for (; seen_ < events_.size(); ++seen_) {
        const MemoryEvent& event = events_[seen_];
        board.begin_cycle(event.at);
        if (event.command == tlm::TLM_READ_COMMAND) {
            const bool expected = fetched < fetches.size();
            board.expect("address of a fetch", expected ? fetches[fetched] : ~Address{0},
                         event.address);
            ++fetched;
            continue;
        }
        board.expect("address of a write-back", due_.empty() ? ~Address{0} : due_.front(),
                     event.address);
        if (!due_.empty()) due_.pop_front();
    }
    board.expect_count("fetches of an access", fetches.size(), fetched);
}

void BelowL2::expect_all_written_back() {
    session_.scoreboard.expect_count("write-backs that never reached the memory below", 0,
                                     due_.size());
}

void BelowL2::check_overlapping(std::uint32_t registers) {
    std::vector<MemoryEvent> fetches;
    std::map<Address, std::uint64_t> write_backs;
    for (const MemoryEvent& event : events_) {
        if (event.command == tlm::TLM_WRITE_COMMAND) ++write_backs[event.address];
    }
    Scoreboard& board = session_.scoreboard;
    for (const auto& [address, count] : write_backs) {
        const std::uint64_t written = writes_[address];
        board.expect_count(fmt::format("write-backs of {:#x} beyond its writes", address), 0,
                           count - std::min(count, written));
    }
    for (std::size_t i = seen_; i < events_.size(); ++i) {
        if (events_[i].command == tlm::TLM_READ_COMMAND) fetches.push_back(events_[i]);
    }
    std::sort(fetches.begin(), fetches.end(),
              [](const MemoryEvent& a, const MemoryEvent& b) { return a.at < b.at; });
    std::map<Address, Cycle> fetched;
    for (std::size_t i = 0; i < fetches.size(); ++i) {
        const MemoryEvent& fetch = fetches[i];
        board.begin_cycle(fetch.at);
        const auto before = fetched.find(fetch.address);
        if (before != fetched.end()) {
            board.expect(fmt::format("{:#x} is fetched again only when it is there", fetch.address),
                         1, fetch.at >= before->second + round_trip_ ? 1 : 0);
        }
        fetched[fetch.address] = fetch.at;
        if (i < registers) continue;
        board.expect(fmt::format("no more than {} sectors are on their way", registers), 1,
                     fetch.at >= fetches[i - registers].at + round_trip_ ? 1 : 0);
    }
}

void BelowL2::expect_counts(std::uint64_t fetches, std::uint64_t write_backs) {
    std::uint64_t reads = 0;
    for (const MemoryEvent& event : events_) {
        reads += event.command == tlm::TLM_READ_COMMAND ? 1 : 0;
    }
    session_.scoreboard.expect_count("fetches counted by the slice", reads, fetches);
    session_.scoreboard.expect_count("write-backs counted by the slice", events_.size() - reads,
                                     write_backs);
}

}  // namespace tessera::testbench
