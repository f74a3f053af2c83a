#include <fmt/format.h>
#include <algorithm>
#include <stdexcept>

#include "sc_models/memory/lt/l1_cache.h"

// L1 cache, loosely timed: quanta that run ahead of SystemC's time.

namespace tessera {

/// Returns whether requests below are deferred. The number of deferred requests is limited to the
/// entries of the miss queue, beyond which the time of a free entry is unknown.
bool L1Cache::notes_requests() {
    if (ahead_ == nullptr || !ahead_->active()) return false;
    if (noted_requests_ < miss_queue_.entries()) return true;
    ahead_->catch_up();
    return false;
}

/// Returns when a request that is looked up at `at` finds room in the miss queue.
Cycle L1Cache::room_below(Cycle at) {
    return notes_requests() ? miss_queue_.enter_behind(noted_requests_, at) : miss_queue_.enter(at);
}

/// Defers a request: does the part of send_below() that is known, and that of fetch() for a read.
void L1Cache::note_request(Note note, Outcome& outcome) {
    hold_lookup(miss_queue_.enter_behind(noted_requests_, outcome.looked_up), queue_stall_cycles_,
                outcome);
    ++noted_requests_;
    note.at = outcome.looked_up + to_below_;
    const auto number = static_cast<std::uint32_t>(notes_.size());
    notes_.push_back(note);
    const Run& run = note.run;
    if (note.kind != Note::Kind::kRead || run.bypass) return;
    const LineNumber line = geometry_.line_of_sector(run.first);
    mshr_.insert_open(line, geometry_.bits(run.first, run.sectors), number).targets =
        run.ahead ? 0 : run.sectors;
    if (rules_.allocates_on_miss) allocate(line, 0);
}

/// Defers the return of the data of an open entry to an access.
void L1Cache::note_return(const MshrTableLt::Entry& entry) {
    Note note;
    note.kind = Note::Kind::kReturnOf;
    note.of = entry.request();
    notes_.push_back(note);
}

/// returned(), but behind deferred results: then returns 0 and adds a note.
Cycle L1Cache::returned_after_deferred(Cycle ready) {
    const bool behind_notes = rules_.returns_limited && settled_ < notes_.size() &&
                              returns_.first_free(ready) >= ahead_->bound();
    if (!behind_notes) return returned(ready);
    Note note;
    note.kind = Note::Kind::kReturn;
    note.at = ready;
    notes_.push_back(note);
    return 0;
}

/// Returns the completion of an access with notes; kNever: they are unresolved, and a promise is
/// created.
Cycle L1Cache::close(const Outcome& outcome) {
    Cycle done = std::max(outcome.done, time_.now());
    if (settled_ < outcome.noted_end) {
        promises_.push_back({ahead_->promise(), outcome.noted, outcome.noted_end, done});
        return kNever;
    }
    for (std::size_t i = outcome.noted; i < outcome.noted_end; ++i) {
        done = std::max(done, notes_[i].done);
    }
    return done;
}

void L1Cache::settle() {
    time_.look();
    for (; settled_ < notes_.size(); ++settled_) settle(notes_[settled_]);
    noted_requests_ = 0;
    for (const Promise& promise : promises_) {
        Cycle done = promise.known;
        for (std::size_t i = promise.first; i < promise.end; ++i) {
            done = std::max(done, notes_[i].done);
        }
        ahead_->answer(promise.number, done);
    }
    promises_.clear();
}

void L1Cache::settle(Note& note) {
    switch (note.kind) {
        case Note::Kind::kRead:
            settle_read(note);
            break;
        case Note::Kind::kWrite:
            note.done = pass_noted(tlm::TLM_WRITE_COMMAND, note.address, note.bytes, note.at);
            break;
        case Note::Kind::kReturn:
            note.done = returned(note.at);
            break;
        case Note::Kind::kReturnOf:
            note.done = returned(notes_[note.of].ready);
            break;
    }
}

Cycle L1Cache::pass_noted(tlm::tlm_command command, Address address, std::uint32_t bytes,
                          Cycle at) {
    auto& request = request_.request(command, address, scratch_.data(), bytes);
    request_.info().moved = true;  // the quantum moved the bytes already
    const Cycle back = pass_below(request, at);
    if (request.is_response_error()) report_refused(*this, request);
    return back;
}

void L1Cache::settle_read(Note& note) {
    const Run& run = note.run;
    note.ready =
        from_below_ + pass_noted(tlm::TLM_READ_COMMAND, geometry_.sector_address(run.first),
                                 run.sectors * geometry_.sector_bytes(), note.at);
    if (note.ready < ahead_->bound()) {
        throw std::logic_error(fmt::format("{}: an answer at cycle {}, before {}", name(),
                                           note.ready, ahead_->bound()));
    }
    for (std::uint32_t i = 0; i < run.sectors && !run.ahead; ++i) {
        note.done = std::max(note.done, returned(note.ready));
    }
    if (run.bypass) return;
    mshr_.settle(geometry_.line_of_sector(run.first), geometry_.bits(run.first, run.sectors),
                 note.ready);
}

}  // namespace tessera
