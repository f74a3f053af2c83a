#include "sc_models/workload/tensor/tensor_access.h"

#include <algorithm>

namespace tessera {

TensorAccess::TensorAccess(const TensorPart& part, const StoredTensor& tensor, bool along_kept,
                           const AccessGranularity& granularity, bool values, std::uint32_t most)
    : part_(part),
      view_(tensor.view),
      base_(tensor.base),
      bytes_(view_.index_bytes > 0 ? view_.index_bytes : bytes_of(tensor.type)),
      along_kept_(along_kept),
      granularity_(granularity),
      values_(values),
      has_outside_(view_.has_outside()),
      plain_(is_plain()) {
    const TensorAxis& inner = view_.axes.back();
    repeats_ = !plain_ && inner.table.empty() && (along_kept ? inner.kept : inner.reduced) == 0;
    width_ = std::min(widest(), most);
}

bool TensorAccess::is_plain() const {
    const TensorShape& moving = along_kept_ ? part_.kept : part_.reduced;
    std::int64_t step = 1;
    for (std::size_t d = moving.size(); d-- > 0;) {
        const TensorAxis& axis = view_.axes[d];
        if (!axis.table.empty()) return false;
        if (moving[d] == 1) continue;
        if ((along_kept_ ? axis.kept : axis.reduced) != step) return false;
        step *= static_cast<std::int64_t>(moving[d]);
    }
    return true;
}

/// The widest vector that fits the innermost axis and is aligned at every start.
std::uint32_t TensorAccess::widest() const {
    const TensorShape& moving = along_kept_ ? part_.kept : part_.reduced;
    const TensorAxis& inner = view_.axes.back();
    const std::int64_t step = along_kept_ ? inner.kept : inner.reduced;
    if (!plain_ && (!inner.table.empty() || (step != 1 && step != 0))) return 1;
    for (std::uint32_t width = kVectorBytes / bytes_; width > 1; width /= 2) {
        // If all elements are neighbours the last vector may be shortened.
        const bool whole = plain_ || moving.back() % width == 0;
        if (whole && (repeats_ || is_aligned(width))) return width;
    }
    return 1;
}

bool TensorAccess::is_aligned(std::uint32_t width) const {
    const auto aligned = [width](std::int64_t elements) {
        return elements == kOutside || elements % width == 0;
    };
    if ((base_ / bytes_) % width != 0 || !aligned(view_.start)) return false;
    for (std::size_t d = 0; d < view_.axes.size(); ++d) {
        const TensorAxis& axis = view_.axes[d];
        // Neighbours need no separate alignment.
        const bool side_by_side = plain_ || d + 1 == view_.axes.size();
        const auto steps = [&](std::uint64_t size, std::int64_t by, bool moves) {
            return size == 1 || (moves && side_by_side) || aligned(by);
        };
        const bool fits = axis.table.empty()
                              ? steps(part_.kept[d], axis.kept, along_kept_) &&
                                    steps(part_.reduced[d], axis.reduced, !along_kept_)
                              : std::all_of(axis.table.begin(), axis.table.end(), aligned);
        if (!fits) return false;
    }
    return true;
}

std::uint32_t TensorAccess::index_instructions() const {
    constexpr std::uint32_t kFirst = 2;  // a 64-bit multiply-add
    constexpr std::uint32_t kDivision =
        4;  // by a constant: multiply high, shift, multiply-subtract
    const TensorShape& moving = along_kept_ ? part_.kept : part_.reduced;
    return kFirst + kDivision * static_cast<std::uint32_t>(moving.size() - 1);
}

Address TensorAccess::plain_address(std::uint64_t first, std::uint64_t fixed) const {
    const TensorWalk walk(part_, view_, along_kept_, first, fixed);
    return base_ + static_cast<Address>(walk.offset()) * bytes_;
}

void TensorAccess::load(std::uint64_t first, std::uint64_t fixed, std::uint32_t n,
                        std::uint8_t slot, std::vector<WarpInstruction>& out,
                        std::deque<LaneAccess>& lanes) const {
    const std::uint32_t a_time = kWarpLanes * width_;
    TensorWalk walk(part_, view_, along_kept_, first, fixed);
    for (std::uint32_t begin = 0, i = 0; begin < n; begin += a_time, ++i) {
        const std::uint32_t count = std::min(a_time, n - begin);
        WarpInstruction w(Opcode::kLoadGlobal);
        if (plain_) {
            const std::uint32_t place = begin * bytes_;
            w.dst = static_cast<std::uint8_t>(slot + kMostAccesses + place / kWarpRegisterBytes);
            w.registers().offset_bytes = static_cast<std::uint16_t>(place % kWarpRegisterBytes);
            w.memory().set_rows(plain_address(first + begin, fixed), 1, count * bytes_);
            out.push_back(w);
            continue;
        }
        LaneOffsets access;
        LaneAccess wanted;
        access.access_bytes = (repeats_ ? 1 : width_) * bytes_;
        const std::uint32_t chunk = (kMostAccesses - i) * kWarpRegisterBytes;
        for (std::uint32_t e = 0; e < count; ++e, walk.next()) {
            const std::int64_t offset = walk.offset();
            if (offset == kOutside) continue;
            const std::int64_t bytes = offset * bytes_;
            const std::uint32_t lane = e / width_;
            if (e % width_ == 0) {
                access.mask |= 1U << lane;
                access.offset[lane] = bytes;
            }
            if (!values_) continue;
            const std::uint32_t place = chunk + (begin + e) * bytes_;
            const bool joins = !wanted.wanted.empty() && e % width_ != 0 && !repeats_;
            if (joins) {
                wanted.wanted.back().bytes += bytes_;
            } else {
                wanted.wanted.push_back({bytes, bytes_, place});
            }
        }
        if (access.mask == 0) continue;
        LaneAccess& kept = lanes.emplace_back(coalesce_global(access, base_, granularity_));
        kept.wanted = std::move(wanted.wanted);
        w.dst = static_cast<std::uint8_t>(slot + i);
        w.memory().address = base_;
        w.memory().lanes = &kept;
        out.push_back(w);
    }
}

void TensorAccess::store(std::uint64_t first, std::uint64_t fixed, std::uint32_t n,
                         std::uint8_t src, std::vector<WarpInstruction>& out,
                         std::deque<LaneAccess>& lanes) const {
    const std::uint32_t a_time = kWarpLanes * width_;
    TensorWalk walk(part_, view_, along_kept_, first, fixed);
    for (std::uint32_t begin = 0; begin < n; begin += a_time) {
        const std::uint32_t count = std::min(a_time, n - begin);
        WarpInstruction w(Opcode::kStoreGlobal);
        w.src_a = src;
        if (plain_) {
            w.registers().offset_bytes = static_cast<std::uint16_t>(begin * bytes_);
            w.memory().set_rows(plain_address(first + begin, fixed), 1, count * bytes_);
            out.push_back(w);
            continue;
        }
        LaneAccess& pieces = lanes.emplace_back();
        pieces.has_places = true;
        for (std::uint32_t e = 0; e < count; ++e, walk.next()) {
            const std::int64_t bytes = walk.offset() * bytes_;
            if (!pieces.pieces.empty() &&
                pieces.pieces.back().offset + pieces.pieces.back().bytes == bytes) {
                pieces.pieces.back().bytes += bytes_;
            } else {
                pieces.pieces.push_back({bytes, bytes_, (begin + e) * bytes_});
            }
            pieces.bytes += bytes_;
        }
        w.memory().address = base_;
        w.memory().lanes = &pieces;
        out.push_back(w);
    }
}

/// Calls use(lane, offset in bytes, position in bytes) for the vectors that begin `begin` elements
/// into those of their lanes.
template <class Use>
void TensorAccess::each_vector(const LaneTile& tile, std::uint32_t begin, const Use& use) const {
    const std::int64_t step = view_.axes.back().kept;
    for (std::uint32_t j = 0; j < tile.rows; ++j) {
        const std::int64_t row = TensorWalk(part_, view_, true, tile.first, tile.row + j).offset();
        for (std::uint32_t l = 0; l < tile.lanes && l * tile.vector < tile.n; ++l) {
            const std::uint32_t lane = j * tile.lanes + l;
            const std::int64_t offset = row + (l * tile.vector + begin) * step;
            use(lane, offset * bytes_, (lane * tile.vector + begin) * bytes_);
        }
    }
}

void TensorAccess::load_tile(const LaneTile& tile, std::uint8_t slot,
                             std::vector<WarpInstruction>& out,
                             std::deque<LaneAccess>& lanes) const {
    const std::uint32_t width = repeats_ ? tile.vector : std::min(width_, tile.vector);
    for (std::uint32_t begin = 0, i = 0; begin < tile.vector; begin += width, ++i) {
        LaneOffsets access;
        LaneAccess wanted;
        access.access_bytes = (repeats_ ? 1 : width) * bytes_;
        const std::uint32_t chunk = (kMostAccesses - i) * kWarpRegisterBytes;
        each_vector(tile, begin, [&](std::uint32_t lane, std::int64_t offset, std::uint32_t place) {
            access.mask |= 1U << lane;
            access.offset.at(lane) = offset;
            if (!values_) return;
            const std::uint32_t pieces = repeats_ ? width : 1;
            for (std::uint32_t e = 0; e < pieces; ++e) {
                wanted.wanted.push_back({offset, access.access_bytes, chunk + place + e * bytes_});
            }
        });
        LaneAccess& kept = lanes.emplace_back(coalesce_global(access, base_, granularity_));
        kept.wanted = std::move(wanted.wanted);
        WarpInstruction& w = out.emplace_back(Opcode::kLoadGlobal);
        w.dst = static_cast<std::uint8_t>(slot + i);
        w.memory().address = base_;
        w.memory().lanes = &kept;
    }
}

void TensorAccess::store_tile(const LaneTile& tile, std::uint8_t src,
                              std::vector<WarpInstruction>& out,
                              std::deque<LaneAccess>& lanes) const {
    const std::uint32_t width = std::min(width_, tile.vector);
    for (std::uint32_t begin = 0; begin < tile.vector; begin += width) {
        LaneAccess& pieces = lanes.emplace_back();
        pieces.has_places = true;
        each_vector(
            tile, begin, [&](std::uint32_t /*lane*/, std::int64_t offset, std::uint32_t place) {
                const std::uint32_t bytes = width * bytes_;
                pieces.bytes += bytes;
                if (!pieces.pieces.empty()) {
                    LaneAccess::Piece& last = pieces.pieces.back();
                    if (last.offset + last.bytes == offset && last.place + last.bytes == place) {
                        last.bytes += bytes;
                        return;
                    }
                }
                pieces.pieces.push_back({offset, bytes, place});
            });
        WarpInstruction& w = out.emplace_back(Opcode::kStoreGlobal);
        w.src_a = src;
        w.memory().address = base_;
        w.memory().lanes = &pieces;
    }
}

}  // namespace tessera
