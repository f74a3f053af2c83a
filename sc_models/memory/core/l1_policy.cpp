#include "sc_models/memory/core/l1_policy.h"

#include "sc_models/config/engine/config_entries.h"
#include "sc_models/tlm/memory_port.h"

namespace tessera {

L1Policy::L1Policy(const char* name, const L1Context& context, WaveRecorder* wave)
    : geometry_("l1", context.config.line_bytes, context.config.sector_bytes),
      below_bytes_(std::min(context.config.line_bytes, context.lower_line_bytes)),
      sectors_per_request_(context.config.sectors_per_request),
      mshr_targets_(context.config.mshr_targets),
      allocates_on_miss_(context.config.allocation == L1Allocation::kOnMiss),
      allocates_stores_(context.config.stores == L1Stores::kAllocate),
      tags_(context.config.sets(context.capacity_bytes), context.config.ways,
            context.config.set_hash, context.config.replacement),
      wave_(wave),
      config_(context.config) {
    stats_.register_in(context.statistics);
    if (wave_ != nullptr) {
        waves_ = {wave_->add(name, "accesses", 6),        wave_->add(name, "hits", 6),
                  wave_->add(name, "pending_hits", 6),    wave_->add(name, "misses", 6),
                  wave_->add(name, "mshr_occupancy", 16), wave_->add(name, "id", kAccessIdBits)};
    }
}

/// Reports the loss of a line's sectors to the watcher and prefetcher.
void L1Policy::report_lost(const SectorTags::Victim& victim) {
    if (watcher_ != nullptr) watcher_->on_line_lost(victim.line * geometry_.line_bytes());
    if (prefetch_) prefetch_->on_lost(geometry_.first_sector(victim.line), victim.valid);
}

void L1Policy::attach(std::unique_ptr<Prefetcher> prefetcher, StatGroup& stats) {
    prefetch_ = std::make_unique<PrefetchTracker>(std::move(prefetcher), stats_.prefetch);
    stats_.prefetch.register_in(stats.child("prefetch"));
}

void L1Policy::invalidate() {
    tags_.invalidate();
    if (prefetch_) prefetch_->on_invalidated();
}

void L1Policy::resize(std::uint32_t capacity_bytes) {
    invalidate();
    const std::uint32_t sets = config_.sets(capacity_bytes);
    if (sets == tags_.sets()) return;
    tags_ = SectorTags(sets, config_.ways, config_.set_hash, config_.replacement);
}

void L1Policy::check(const std::string& name, std::uint64_t outstanding,
                     std::vector<std::string>& violations) const {
    stats_.check(name, outstanding, violations);
    if (prefetch_) prefetch_->check(name, violations);
}

}  // namespace tessera
