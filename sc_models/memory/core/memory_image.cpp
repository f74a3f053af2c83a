#include "sc_models/memory/core/memory_image.h"

#include <algorithm>
#include <cstring>

namespace tessera {

namespace {

/// Calls part(page number, offset in page, offset in span, bytes) for each page the span touches.
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

MemoryImage::Page* MemoryImage::find(std::uint64_t number) const {
    if (last_ != nullptr && number == last_number_) return last_;
    const auto it = pages_.find(number);
    if (it == pages_.end()) return nullptr;
    last_number_ = number;
    last_ = it->second.get();
    return last_;
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
                      Page* page = find(number);
                      if (page == nullptr) {
                          page = pages_.emplace(number, std::make_unique<Page>())
                                     .first->second.get();  // value-initialised: zero
                      }
                      std::memcpy(page->data() + offset, in + at, count);
                  });
}

void MemoryImage::clear() {
    pages_.clear();
    last_ = nullptr;
}

}  // namespace tessera
