// Queue of values by due cycle, for values that arrive mostly in order.
#pragma once

#include <utility>

#include "sc_models/common/ring_queue.h"
#include "sc_models/common/types.h"

namespace tessera {

/// Values ordered by due cycle; those of one cycle stay in insertion order. For values with one
/// latency, or a few: insertion starts at the back, or at the front if the value is due before the
/// middle one. Takes less memory than a TimingWheel.
template <class T>
class DueQueue {
public:
    void push(Cycle at, T value) {
        if (!queue_.empty() && at < queue_[queue_.size() / 2].at) {
            queue_.push_front({at, std::move(value)});
            for (std::size_t i = 1; queue_[i].at <= at; ++i) std::swap(queue_[i - 1], queue_[i]);
            return;
        }
        queue_.push({at, std::move(value)});
        for (std::size_t i = queue_.size() - 1; i > 0 && at < queue_[i - 1].at; --i) {
            std::swap(queue_[i], queue_[i - 1]);
        }
    }
    /// Cycle of the first value; kNever if empty.
    [[nodiscard]] Cycle next() const { return queue_.empty() ? kNever : queue_.front().at; }
    /// The first value. Precondition: not empty.
    [[nodiscard]] const T& front() const { return queue_.front().value; }
    [[nodiscard]] bool empty() const { return queue_.empty(); }
    [[nodiscard]] std::size_t size() const { return queue_.size(); }
    T pop() { return queue_.pop().value; }
    /// Removes all values due at `now` or before and passes each to `due`, which may push more.
    template <class Due>
    void drain(Cycle now, Due&& due) {
        while (next() <= now) due(pop());
    }

private:
    struct Entry {
        Cycle at = 0;
        T value{};
    };
    RingQueue<Entry> queue_;
};

}  // namespace tessera
