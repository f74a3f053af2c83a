// Copies of a step's operands by a warp of a staged product.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/workload/staged/staged_descriptors.h"
#include "sc_models/workload/staged/staged_part.h"

namespace tessera {

/// The copies of a CTA's step and the warp that makes each.
struct StagedShares {
    std::uint64_t kernel = 0;  ///< StagedProductKernel::number(), 0: unset
    std::uint32_t cta = 0, step = 0;
    std::vector<StagedCopy> copies;
    std::size_t of_a = 0;              ///< number of leading copies that belong to A
    std::vector<std::uint32_t> warps;  ///< by copy

    [[nodiscard]] bool are_of(std::uint64_t of_kernel, std::uint32_t of_cta,
                              std::uint32_t of_step) const {
        return kernel == of_kernel && cta == of_cta && step == of_step;
    }
};

/// A warp's share of the copies of its CTA, through registers or asynchronous. All warps of a CTA
/// make the same list of copies, of which each takes some.
class StagedCopies : private StagedPart {
public:
    StagedCopies(const StagedWarp& at, StagedInstructions& out)
        : StagedPart(at, out), descriptors_(at, out) {}

    /// Emits the loads of a step's copies, or all of an asynchronous copy.
    void load(std::uint32_t step);
    /// Emits the stores to shared memory of what was loaded last.
    void store();
    /// Drops the copies loaded last, which are stored.
    void clear() { copies_.clear(); }
    /// Copies B's descriptors for the first steps before all else: no copy of A can be omitted
    /// without them.
    void copy_first_descriptors();

private:
    /// Scratch data. All programs of a host thread share one instance, because it runs one at a
    /// time: the host's caches hold one, but not one per warp.
    struct Scratch {
        /// Copies of the step generated last; the other warps of the CTA are about to generate the
        /// same step.
        StagedShares shares;
        std::vector<std::uint32_t> held;  ///< registers of copies, by warp
        std::vector<AddressRange> needed;
    };

    [[nodiscard]] static Scratch& scratch_of_thread();
    void list_copies(std::uint32_t step, StagedShares& shares) const;
    void give_shares(Scratch& scratch) const;
    void take_share(const Scratch& scratch);
    void name_as_a(WarpInstruction& load, std::uint8_t reg);

    StagedDescriptors descriptors_;
    std::vector<StagedCopy> copies_;  ///< loaded last, of the warp
};

}  // namespace tessera
