// Approximately-timed blocks that run by themselves within a cycle.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

class CycleAlarm;
class CycleTicker;

/// What an island keeps for others until all islands of the round have run.
class IslandNews {
public:
    virtual ~IslandNews() = default;
    /// On the thread that SystemC runs on.
    virtual void pass_on() = 0;
};

/// Blocks that call each other within a cycle, and those of no other island: an SM, or a DRAM
/// channel with its L2 slices. What an island has to say to the network between islands it keeps
/// (CycleAlarm::leave) until all islands have run, and then says it in its turn. So islands may run
/// side by side on threads of the host, with the same outcome. (With values, SMs read what the
/// memory holds at once, which is why it runs before them: CycleTicker::run_apart. With vector
/// units or foreign memories other calls leave the island; one thread simulates those.)
///
/// An island runs its blocks that are due in the order in which they joined, over and over until
/// none is.
class Island {
public:
    /// The islands of a ticker are numbered in the order in which they are made.
    explicit Island(CycleTicker& ticker);
    Island(const Island&) = delete;
    Island& operator=(const Island&) = delete;

    [[nodiscard]] CycleTicker& ticker() const { return ticker_; }
    /// Returns once all islands before this one have run, as they do on one thread. To be called
    /// in the run of the island, before it touches what islands share.
    void in_order();
    /// Whether its blocks are being run.
    [[nodiscard]] bool running() const { return running_; }
    /// `news`, which must outlive all runs, is to be passed on whenever the island has run; one at
    /// most.
    void has_news(IslandNews& news) { news_ = &news; }

private:
    friend class CycleAlarm;
    friend class CycleTicker;
    friend class IslandCrew;

    struct Block {
        Cycle due = kNever;
        CycleAlarm* alarm = nullptr;
        bool leaves = false;  ///< has something to say to the network
    };

    /// Returns the block's place.
    std::uint32_t join(CycleAlarm& alarm);
    /// The block in `place` is due at `cycle`, earlier than it was.
    void ask(std::uint32_t place, Cycle cycle);
    /// The block in `place` will be called to say something to the network.
    void leave(std::uint32_t place) { blocks_[place].leaves = leaves_ = true; }
    /// Keeps what is thrown.
    void run(Cycle now) noexcept;
    void pass_on_news() {
        if (news_ != nullptr) news_->pass_on();
    }
    void exchange();
    void warm_host() const;

    CycleTicker& ticker_;
    const std::uint32_t number_;
    std::vector<Block> blocks_;
    Cycle next_ = kNever;        ///< when the first block is due; while it runs: what came in
    Cycle registered_ = kNever;  ///< when the ticker will look at it
    bool at_work_ = false;       ///< between its run and the end of the exchange
    bool leaves_ = false;
    bool running_ = false;
    IslandNews* news_ = nullptr;
    std::uint32_t position_ = 0;          ///< in the round
    std::atomic<std::uint32_t> ran_ = 0;  ///< the round in which it ran last
    std::exception_ptr error_;
};

}  // namespace tessera
