// Partition of approximately-timed blocks that runs independently within a cycle.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

class CycleAlarm;
class CycleTicker;

/// Notifications of an island, deferred until all islands of the round have run.
class IslandNews {
public:
    virtual ~IslandNews() = default;
    /// Passes on the notifications; called on the SystemC thread.
    virtual void pass_on() = 0;
};

/// Blocks that call each other within a cycle, and no block of another island: an SM, or a DRAM
/// channel with its L2 slices. Messages to the network between islands are kept (CycleAlarm::leave)
/// until all islands have run and are then sent in island order. Islands may thus run in parallel
/// on host threads with the same results. (With values, SMs read the memory's contents directly,
/// which is why the memory runs before them: CycleTicker::run_apart. With vector units or foreign
/// memories other calls leave the island; those are simulated on one thread.)
///
/// An island runs its due blocks in the order in which they joined, repeatedly until none is due.
class Island {
public:
    /// Registers the island; islands of a ticker are numbered in order of construction.
    explicit Island(CycleTicker& ticker);
    Island(const Island&) = delete;
    Island& operator=(const Island&) = delete;

    [[nodiscard]] CycleTicker& ticker() const { return ticker_; }
    /// Returns once all islands before this one have run, as on one thread. Call it within the
    /// island's run, before accessing state shared by islands.
    void in_order();
    /// Returns whether its blocks are being run.
    [[nodiscard]] bool running() const { return running_; }
    /// Sets the notifications to pass on after each run; one object at most, which must outlive all
    /// runs.
    void has_news(IslandNews& news) { news_ = &news; }

private:
    friend class CycleAlarm;
    friend class CycleTicker;
    friend class IslandCrew;

    struct Block {
        Cycle due = kNever;
        CycleAlarm* alarm = nullptr;
        bool leaves = false;  ///< exchange() requested
    };

    /// Adds a block; returns its index.
    std::uint32_t join(CycleAlarm& alarm);
    /// Sets the due cycle of block `place` to `cycle`, which is earlier than before.
    void ask(std::uint32_t place, Cycle cycle);
    /// Requests exchange() of block `place`.
    void leave(std::uint32_t place) { blocks_[place].leaves = leaves_ = true; }
    /// Runs the due blocks; keeps an exception in error_.
    void run(Cycle now) noexcept;
    void pass_on_news() {
        if (news_ != nullptr) news_->pass_on();
    }
    void exchange();
    void warm_host() const;

    CycleTicker& ticker_;
    const std::uint32_t number_;
    std::vector<Block> blocks_;
    Cycle next_ =
        kNever;  ///< due cycle of the first block; during a run: requests that arrived meanwhile
    Cycle registered_ = kNever;  ///< cycle of the next check by the ticker
    bool at_work_ = false;       ///< from its run to the end of the exchange
    bool leaves_ = false;
    bool running_ = false;
    IslandNews* news_ = nullptr;
    std::uint32_t position_ = 0;          ///< index in the round
    std::atomic<std::uint32_t> ran_ = 0;  ///< round in which it ran last
    std::exception_ptr error_;
};

}  // namespace tessera
