// FIFO queue in contiguous memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera {

/// Ring buffer that doubles when it is full; no allocation in the steady state.
template <class T>
class RingQueue {
public:
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] T& front() { return ring_[first_]; }
    [[nodiscard]] const T& front() const { return ring_[first_]; }
    /// Element `i` from the front.
    [[nodiscard]] const T& operator[](std::size_t i) const { return ring_[place(i)]; }
    [[nodiscard]] T& operator[](std::size_t i) { return ring_[place(i)]; }
    void push(T value) {
        if (size_ == ring_.size()) grow();
        ring_[place(size_++)] = std::move(value);
    }
    /// Inserts an element before all others.
    void push_front(T value) {
        if (size_ == ring_.size()) grow();
        first_ = place(ring_.size() - 1);
        ring_[first_] = std::move(value);
        ++size_;
    }
    T pop() {
        T value = std::move(ring_[first_]);
        first_ = place(1);
        --size_;
        return value;
    }

private:
    [[nodiscard]] std::uint32_t place(std::size_t i) const {
        return static_cast<std::uint32_t>((first_ + i) & (ring_.size() - 1));
    }
    void grow() {
        std::vector<T> larger(ring_.empty() ? 8 : 2 * ring_.size());
        for (std::size_t i = 0; i < size_; ++i) {
            larger[i] = std::move(ring_[place(i)]);
        }
        ring_.swap(larger);
        first_ = 0;
    }

    std::vector<T> ring_;  ///< size is a power of two, or zero
    std::uint32_t first_ = 0, size_ = 0;
};

}  // namespace tessera
