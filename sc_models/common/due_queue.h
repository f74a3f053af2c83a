// Queue of things that are due at a cycle, most of them in the order in which they come.
#pragma once

#include <utility>

#include "sc_models/common/ring_queue.h"
#include "sc_models/common/types.h"

namespace tessera {

/// Values by the cycle they are due, of one cycle in the order in which they were put in. For what
/// follows one latency, or a few: a value goes in from the back, past those due later, or from the
/// front if it is due before half of them. Takes little memory, which a CycleWheel does not.
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
    /// When the first value is due; kNever if there is none.
    [[nodiscard]] Cycle next() const { return queue_.empty() ? kNever : queue_.front().at; }
    /// The value that is due first, of a queue that has one.
    [[nodiscard]] const T& front() const { return queue_.front().value; }
    [[nodiscard]] bool empty() const { return queue_.empty(); }
    [[nodiscard]] std::size_t size() const { return queue_.size(); }
    T pop() { return queue_.pop().value; }
    /// Takes out all values due at `now` or before and hands each to `due`, which may push more.
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
