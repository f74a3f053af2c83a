// Line and sector geometry of a cache.
#pragma once

#include <string>

#include "sc_models/common/error.h"
#include "sc_models/common/types.h"
#include "sc_models/common/xor_fold.h"
#include "sc_models/memory/core/sector_tags.h"

namespace tessera {

/// Address arithmetic of lines and sectors, both powers of two.
class CacheGeometry {
public:
    /// Throws ConfigError, naming keys of section `section`, unless both are powers of two and a
    /// line has one to eight sectors.
    CacheGeometry(const std::string& section, std::uint32_t line_bytes, std::uint32_t sector_bytes)
        : line_bits_(index_bits(line_bytes)), sector_bits_(index_bits(sector_bytes)) {
        if (!is_power_of_two(line_bytes) || !is_power_of_two(sector_bytes) ||
            sector_bytes > line_bytes || line_bytes / sector_bytes > kMaxLineSectors) {
            throw ConfigError(section + ".sector_bytes: got " + std::to_string(sector_bytes) +
                              " with lines of " + std::to_string(line_bytes) +
                              " bytes, expected powers of two and 1 to 8 sectors a line");
        }
    }
    [[nodiscard]] std::uint32_t line_bytes() const { return 1U << line_bits_; }
    [[nodiscard]] std::uint32_t sector_bytes() const { return 1U << sector_bits_; }
    [[nodiscard]] LineNumber line(Address address) const { return address >> line_bits_; }
    [[nodiscard]] std::uint64_t sector(Address address) const { return address >> sector_bits_; }
    [[nodiscard]] LineNumber line_of_sector(std::uint64_t sector) const {
        return sector >> (line_bits_ - sector_bits_);
    }
    [[nodiscard]] std::uint64_t first_sector(LineNumber line) const {
        return line << (line_bits_ - sector_bits_);
    }
    /// Returns the mask bit of a sector within its line.
    [[nodiscard]] SectorMask bit(std::uint64_t sector) const {
        return static_cast<SectorMask>(1U << (sector & ((1U << (line_bits_ - sector_bits_)) - 1)));
    }
    /// Returns the mask of `count` sectors of one line from `first` on.
    [[nodiscard]] SectorMask bits(std::uint64_t first, std::uint32_t count) const {
        return static_cast<SectorMask>(((1U << count) - 1) * bit(first));
    }
    /// Returns the mask of the sectors touched by `bytes` bytes from `address` on, within one line.
    [[nodiscard]] SectorMask sectors(Address address, std::uint32_t bytes) const {
        const std::uint32_t low = bit(sector(address));
        const std::uint32_t high = bit(sector(address + bytes - 1));
        return static_cast<SectorMask>(2 * high - low);
    }
    /// Returns the mask of the sectors that lie wholly within those bytes; may be 0.
    [[nodiscard]] SectorMask whole_sectors(Address address, std::uint32_t bytes) const {
        const std::uint64_t begin = sector(address + sector_bytes() - 1);
        const std::uint64_t end = sector(address + bytes);
        return begin < end ? bits(begin, static_cast<std::uint32_t>(end - begin)) : SectorMask{0};
    }
    [[nodiscard]] Address sector_address(std::uint64_t sector) const {
        return sector << sector_bits_;
    }

private:
    std::uint32_t line_bits_, sector_bits_;
};

}  // namespace tessera
