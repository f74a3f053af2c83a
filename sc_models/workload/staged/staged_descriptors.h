// Descriptors of B that tell which copies of A a CTA omits.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/workload/staged/staged_part.h"

namespace tessera {

/// Descriptors of bitmap operands with StagedProduct::skip_unmet_tiles: they are copied before the
/// copies of A that they select.
class StagedDescriptors : private StagedPart {
public:
    StagedDescriptors(const StagedWarp& at, StagedInstructions& out) : StagedPart(at, out) {}

    /// Adds B's descriptors that the copies of step `step` use, if the copies of two steps before
    /// bring some: they are in shared memory when those of `step` begin. The descriptors of
    /// consecutive windows are in different buffers.
    void add(std::uint32_t step, std::vector<StagedCopy>& copies);
    /// Loads the descriptors of the step's tiles of B from shared memory, votes which have
    /// elements, joins the votes of the CTA's line tiles, and writes the needed ranges of A to
    /// `needed`.
    void read(std::uint32_t step, std::vector<AddressRange>& needed);

private:
    [[nodiscard]] std::uint32_t met_tiles(std::uint32_t step) const;
};

}  // namespace tessera
