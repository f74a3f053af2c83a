// Figure 6 of the Duplo paper, played step by step.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <utility>

#include "sc_models/reproduction/duplo_examples.h"
#include "testbenches/id_generator/id_driver.h"
#include "testbenches/id_generator/workspace.h"

namespace tessera::testbench {

/// The 36 workspace elements of Figure 6 (Duplo III-B) through the ID generator. Each element is
/// one 32-byte chunk of 16 channels, as the hardware loads it.
class Figure6Example {
public:
    /// Sends one operation to the generator at a cycle, checks its ids and returns them.
    using Play = std::function<IdResult(const IdOperation&, Cycle)>;

    Figure6Example(Session& session, Play play);
    /// Workspace of the figure.
    [[nodiscard]] static Workspace workspace();
    /// Plays the elements, prints each position of the filter and checks it against the paper.
    void run();

private:
    void play_position(std::uint32_t position);
    [[nodiscard]] std::uint64_t element_id(std::uint32_t array_index);
    void check(std::uint32_t array_index, std::uint64_t element);
    void check_patches();

    Session& session_;
    const Play play_;
    std::set<std::uint64_t> unique_;
    /// Row and column of a patch in the figure to its elements and its patch ID.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint64_t>> patch_elements_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> patch_ids_;
    WaveRecorder* const wave_;
    WaveRecorder::Signal array_index_ = 0, patch_ = 0, element_ = 0, seen_ = 0, unique_ids_ = 0;
};

}  // namespace tessera::testbench
