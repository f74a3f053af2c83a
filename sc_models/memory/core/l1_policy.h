// Policy of an L1 data cache, which both levels of timing share.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/memory/core/block_watch.h"
#include "sc_models/memory/core/cache_geometry.h"
#include "sc_models/memory/core/l1_statistics.h"
#include "sc_models/memory/core/prefetcher.h"
#include "sc_models/memory/core/sector_tags.h"

namespace tessera {

/// Configuration and size of an L1. The objects must outlive its constructor, the statistics the
/// cache.
struct L1Context {
    const L1Config& config;
    std::uint32_t capacity_bytes;    ///< part of the unified L1 not used as shared memory
    std::uint32_t lower_line_bytes;  ///< no request below crosses a multiple of it
    bool values;                     ///< transactions carry data
    StatGroup& statistics;
};

/// Neighbouring sectors that missed together and share a request to the level below.
struct MissedSectors {
    std::uint64_t first = 0;
    std::uint32_t sectors = 0;
    bool bypass = false;     ///< uses no miss register
    bool prefetch = false;   ///< no access waits for it
    bool multicast = false;  ///< AccessInfo::multicast
};

/// Policy of a sectored write-through L1 without timing: the tags, the time at which a line takes a
/// way, which misses merge and which share a request, how a write is split, what is prefetched, and
/// the counters. The shells L1Cache and L1CacheAt own the miss registers and the queues, and pass
/// the cycle of each lookup for the waveforms.
class L1Policy {
public:
    /// `name` is that of the cache in waveforms. Throws ConfigError if the capacity is no positive
    /// multiple of ways x line bytes, or on invalid lines and sectors.
    L1Policy(const char* name, const L1Context& context, WaveRecorder* wave);
    L1Policy(const L1Policy&) = delete;
    L1Policy& operator=(const L1Policy&) = delete;

    [[nodiscard]] const CacheGeometry& geometry() const { return geometry_; }
    [[nodiscard]] L1Statistics& statistics() { return stats_; }
    [[nodiscard]] const L1Statistics& statistics() const { return stats_; }
    [[nodiscard]] bool prefetches() const { return prefetch_ != nullptr; }
    /// Returns whether nothing observes single sectors, so that a shell may serve several at once.
    [[nodiscard]] bool serves_hits_together() const { return wave_ == nullptr && !prefetch_; }
    [[nodiscard]] bool sends_misses_together() const { return watcher_ == nullptr; }

    /// Returns the valid sectors of a line, which counts as a use of it.
    SectorMask use(LineNumber line) { return tags_.probe(line); }
    [[nodiscard]] SectorMask valid(LineNumber line) const { return tags_.valid(line); }
    [[nodiscard]] bool holds(std::uint64_t sector) const {
        return (tags_.valid(geometry_.line_of_sector(sector)) & geometry_.bit(sector)) != 0;
    }
    void host_prefetch(LineNumber line) const { tags_.host_prefetch(line); }

    /// Counts hits on sectors that nothing observes one by one.
    void count_hits(std::uint32_t sectors) {
        stats_.reads += sectors;
        stats_.read_hits += sectors;
    }
    void count_hit(std::uint64_t sector, Cycle at) {
        count_hits(1);
        if (prefetch_) prefetch_->on_read(sector, true);
        if (wave_ != nullptr) wave_->pulse(waves_.hits, at, 1);
    }
    /// Returns whether a read may wait for the fill of `sectors` pending sectors that already
    /// serves `targets` reads. If not, the lookup stalls until the fill.
    [[nodiscard]] bool merges(std::uint32_t targets, std::uint32_t sectors) const {
        return targets < mshr_targets_ * sectors;
    }
    /// Counts a read that waits for a pending sector.
    void count_pending_hit(std::uint64_t sector, Cycle at) {
        ++stats_.reads;
        ++stats_.read_pending_hits;
        if (prefetch_) prefetch_->on_read(sector, false);
        if (wave_ != nullptr) wave_->pulse(waves_.pending_hits, at, 1);
    }
    /// Counts misses of reads. `bypass`: they leave the cache unchanged.
    void count_misses(std::uint32_t sectors, bool bypass) {
        stats_.reads += sectors;
        stats_.read_misses += sectors;
        if (bypass) stats_.bypasses += sectors;
    }
    /// Reports that a sector is about to take a miss register.
    void report_miss(std::uint64_t sector) const {
        if (watcher_ != nullptr) watcher_->on_sector_missed(geometry_.sector_address(sector));
    }
    void report_fill() const {
        if (watcher_ != nullptr) watcher_->on_sector_filled();
    }
    /// Returns whether a missing sector extends the request of those before it.
    [[nodiscard]] bool joins(std::uint64_t sector, const MissedSectors& missed) const {
        return missed.first + missed.sectors == sector && missed.sectors < sectors_per_request_ &&
               (geometry_.sector_address(sector) & (below_bytes_ - 1)) != 0;
    }
    /// Returns whether `sectors` sectors from `first` on fit one request.
    [[nodiscard]] bool fits_request(std::uint64_t first, std::uint32_t sectors) const {
        const Address begin = geometry_.sector_address(first);
        return sectors <= sectors_per_request_ &&
               sectors * geometry_.sector_bytes() <= below_bytes_ - (begin & (below_bytes_ - 1));
    }
    [[nodiscard]] std::uint32_t sectors_per_request() const { return sectors_per_request_; }
    /// Allocates a way for a line whose miss is sent, if that is when lines take one.
    void allocate_on_miss(LineNumber line) {
        if (allocates_on_miss_) allocate(line, 0);
    }
    /// Installs sectors that have arrived.
    void install(LineNumber line, SectorMask sectors) {
        allocate(line, sectors);
        stats_.fills += static_cast<std::uint32_t>(__builtin_popcount(sectors));
    }

    /// Returns how many bytes of a write from `first` to `end` the next request below holds.
    [[nodiscard]] std::uint32_t write_bytes(Address first, Address end) const {
        return static_cast<std::uint32_t>(std::min(end, (first | (below_bytes_ - 1)) + 1) - first);
    }
    /// Counts a request that writes `bytes` bytes from `address` on through to the level below, to
    /// a line with the sectors `present`. A store may allocate, an atomic does not. Returns the
    /// number of sectors.
    std::uint32_t write(Address address, std::uint32_t bytes, SectorMask present, bool atomic) {
        const std::uint32_t sectors =
            stats_.count_write(geometry_.sectors(address, bytes), present, bytes);
        if (allocates_stores_ && !atomic) {
            allocate(geometry_.line(address), geometry_.whole_sectors(address, bytes));
        }
        return sectors;
    }

    /// Prefetches the sectors predicted after a read of `bytes` bytes at `address`. `shell` has
    /// `bool pending(sector)`, `bool has_room(sector)` for another request, and
    /// `request(sector)`. Requests without room are dropped.
    template <class Shell>
    void prefetch(std::uint32_t stream, Address address, Address bytes, Shell&& shell) {
        for (const Address expected : prefetch_->expected_after(stream, address)) {
            const std::uint64_t last = geometry_.sector(expected + bytes - 1);
            for (std::uint64_t sector = geometry_.sector(expected); sector <= last; ++sector) {
                if (shell.pending(sector) || holds(sector)) continue;
                if (!shell.has_room(sector)) {
                    prefetch_->on_dropped();
                    continue;
                }
                prefetch_->on_issued(sector);
                shell.request(sector);
            }
        }
    }

    // Waveforms, if they are recorded.
    void record_access(Cycle at, std::uint64_t id) {
        if (wave_ == nullptr) return;
        wave_->pulse(waves_.accesses, at, 1);
        wave_->set(waves_.id, at, id);
    }
    /// Records `sectors` misses at `at`, whose registers are taken until `ready`.
    void record_misses(std::uint32_t sectors, Cycle at, Cycle ready) {
        for (std::uint32_t i = 0; i < sectors && wave_ != nullptr; ++i) {
            wave_->pulse(waves_.misses, at, 1);
            wave_->pulse(waves_.mshr_occupancy, at, ready - at);
        }
    }
    void record_miss(Cycle at) {
        if (wave_ != nullptr) wave_->pulse(waves_.misses, at, 1);
    }
    /// Records the number of registers taken from `at` on.
    void record_registers(Cycle at, std::uint32_t taken) {
        if (wave_ != nullptr) wave_->set(waves_.mshr_occupancy, at, taken);
    }

    void watch(BlockWatcher* watcher) { watcher_ = watcher; }
    /// Its counters become child "prefetch" of `stats`, the group of the cache.
    void attach(std::unique_ptr<Prefetcher> prefetcher, StatGroup& stats);
    /// Drops all contents; nothing may be pending.
    void invalidate();
    /// invalidate(), and sets the capacity; throws ConfigError as the constructor does.
    void resize(std::uint32_t capacity_bytes);
    /// Appends a line for each broken conservation law of cache `name`, of which `outstanding`
    /// sectors are pending.
    void check(const std::string& name, std::uint64_t outstanding,
               std::vector<std::string>& violations) const;

private:
    struct Waves {
        WaveRecorder::Signal accesses, hits, pending_hits, misses, mshr_occupancy, id;
    };

    /// Allocates a way for the line, with `valid` sectors added.
    void allocate(LineNumber line, SectorMask valid) {
        const auto victim = tags_.fill(line, valid, 0);
        stats_.evictions += static_cast<std::uint64_t>(__builtin_popcount(victim.valid));
        const bool is_followed = watcher_ != nullptr || prefetch_ != nullptr;
        if (is_followed && victim.valid != 0) report_lost(victim);
    }
    void report_lost(const SectorTags::Victim& victim);

    CacheGeometry geometry_;
    Address below_bytes_;  ///< requests below do not cross its multiples
    std::uint32_t sectors_per_request_, mshr_targets_;
    bool allocates_on_miss_, allocates_stores_;
    SectorTags tags_;
    WaveRecorder* wave_;
    BlockWatcher* watcher_ = nullptr;
    std::unique_ptr<PrefetchTracker> prefetch_;  ///< null: no prefetching
    L1Statistics stats_;
    Waves waves_{};
    L1Config config_;
};

}  // namespace tessera
