#include "sc_models/memory/core/memory_image.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

namespace tessera {

namespace {

/// Calls part(page number, offset in page, offset in span, bytes) for each page of the span.
template <class Part>
void for_each_page(Address address, std::size_t bytes, Part&& part) {
    std::size_t done = 0;
    while (done < bytes) {
        const Address at = address + done;
        const std::size_t offset = at % MemoryImage::kPageBytes;
        const std::size_t count = std::min(bytes - done, MemoryImage::kPageBytes - offset);
        part(at / MemoryImage::kPageBytes, offset, done, count);
        done += count;
    }
}

}  // namespace

MemoryImage::Found& MemoryImage::found(std::uint64_t number) {
    thread_local std::array<Found, 64> pages;
    return pages[number % pages.size()];
}

std::uint64_t MemoryImage::new_contents() {
    static std::atomic<std::uint64_t> made{0};
    return ++made;
}

MemoryImage::Page* MemoryImage::find(std::uint64_t number) const {
    Found& known = found(number);
    if (known.contents == contents_ && known.number == number) return known.page;
    const std::shared_lock lock(mutex_);
    const auto it = pages_.find(number);
    if (it == pages_.end()) return nullptr;
    known = {contents_, number, it->second.get()};
    return known.page;
}

MemoryImage::Page* MemoryImage::find_or_make(std::uint64_t number) {
    if (Page* const page = find(number)) return page;
    const std::unique_lock lock(mutex_);
    std::unique_ptr<Page>& page = pages_[number];  // another thread may have made it meanwhile
    if (!page) page = std::make_unique<Page>();    // value-initialised: zero
    return page.get();
}

void MemoryImage::read(Address address, void* to, std::size_t bytes) const {
    auto* out = static_cast<std::uint8_t*>(to);
    for_each_page(address, bytes,
                  [&](std::uint64_t number, std::size_t offset, std::size_t at, std::size_t count) {
                      if (const Page* page = find(number)) {
                          std::memcpy(out + at, page->data() + offset, count);
                      } else {
                          std::memset(out + at, 0, count);
                      }
                  });
}

void MemoryImage::write(Address address, const void* from, std::size_t bytes) {
    const auto* in = static_cast<const std::uint8_t*>(from);
    for_each_page(address, bytes,
                  [&](std::uint64_t number, std::size_t offset, std::size_t at, std::size_t count) {
                      std::memcpy(find_or_make(number)->data() + offset, in + at, count);
                  });
}

void MemoryImage::clear() {
    pages_.clear();
    contents_ = new_contents();
}

}  // namespace tessera
