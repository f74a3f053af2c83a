#include "testbenches/id_generator/figure6_example.h"

#include <fmt/format.h>

namespace tessera::testbench {
namespace {

constexpr std::uint32_t kChannels = 16;

// Sizes of the figure, in its own words.
constexpr std::uint32_t kFilterWidth = 3, kFilterHeight = 3;
constexpr std::uint32_t kOutputWidth = 2, kOutputHeight = 2;
constexpr std::uint32_t kInputWidth = 4;
constexpr std::uint32_t kUniqueIds = 16;  ///< "total 16 unique element IDs from 0 to 15"
constexpr std::uint32_t kRowElements = kFilterWidth * kFilterHeight;
constexpr std::uint32_t kPositions = kOutputWidth * kOutputHeight;

/// The printed rules of III-B, term by term.
struct PrintedIds {
    std::uint32_t patch_id, element_id;
};
PrintedIds printed_ids(std::uint32_t array_idx) {
    const std::uint32_t worksp_row_idx = array_idx / (kFilterWidth * kFilterHeight);
    const std::uint32_t worksp_col_idx = array_idx % (kFilterWidth * kFilterHeight);
    const std::uint32_t patch_row_idx = worksp_row_idx / kOutputHeight;
    const std::uint32_t patch_col_idx = worksp_col_idx / kFilterWidth;
    const std::uint32_t patch_id = patch_row_idx + patch_col_idx;
    const std::uint32_t offset = patch_id * kInputWidth;
    return {patch_id, worksp_row_idx % kOutputWidth + worksp_col_idx % kFilterWidth + offset};
}

}  // namespace

Figure6Example::Figure6Example(Session& session, Play play)
    : session_(session), play_(std::move(play)), wave_(session.observers().wave) {
    if (wave_ == nullptr) return;
    array_index_ = wave_->add("figure6", "array_index", 8);
    patch_ = wave_->add("figure6", "patch_id", 4);
    element_ = wave_->add("figure6", "element_id", 8);
    seen_ = wave_->add("figure6", "seen_before", 1);
    unique_ids_ = wave_->add("figure6", "unique_ids", 8);
}

Workspace Figure6Example::workspace() {
    const LoweredGeometry g = duplo_figure6(kChannels);
    Workspace workspace;
    LayerConfig& l = workspace.layer;
    l.batch = g.batch;
    l.height = g.input_height;
    l.width = g.input_width;
    l.channels = g.channels;
    l.filter_height = g.filter_height;
    l.filter_width = g.filter_width;
    l.pad = g.pad;
    l.stride = g.stride;
    return workspace;
}

void Figure6Example::run() {
    session_.print(
        "  Duplo, Figure 6 (III-B): a 3x3 filter over a 4x4 input, one row of the workspace for "
        "each "
        "position\n  Each element is one 32-byte chunk; a star marks an id that came before.\n");
    for (std::uint32_t position = 0; position < kPositions; ++position) play_position(position);
    check_patches();
    session_.scoreboard.expect_count("Figure 6, unique element IDs", kUniqueIds, unique_.size());
    session_.print(fmt::format(
        "\n  {} elements, {} unique ids ({} to {})    paper: \"total 16 unique element IDs from 0 "
        "to "
        "15\"\n  The other {} elements are duplicates, which Duplo need not load again.\n",
        kPositions * kRowElements, unique_.size(), *unique_.begin(), *unique_.rbegin(),
        kPositions * kRowElements - unique_.size()));
}

/// Plays a row of the workspace: three patches of three elements.
void Figure6Example::play_position(std::uint32_t position) {
    const std::uint32_t first = position * kRowElements;
    std::string text = fmt::format("\n  filter at row {}, column {}: array_idx {} to {}\n",
                                   position / kOutputWidth, position % kOutputWidth, first,
                                   first + kRowElements - 1);
    std::uint32_t seen = 0;
    for (std::uint32_t column = 0; column < kFilterHeight; ++column) {
        const std::uint32_t patch = printed_ids(first + column * kFilterWidth).patch_id;
        text += fmt::format("    patch {}:", patch);
        for (std::uint32_t i = 0; i < kFilterWidth; ++i) {
            const std::size_t before = unique_.size();
            const std::uint64_t element = element_id(first + column * kFilterWidth + i);
            const bool fresh = unique_.size() > before;
            seen += fresh ? 0 : 1;
            text += fmt::format(" {:>3}{}", element, fresh ? ' ' : '*');
        }
    }
    text.erase(text.find_last_not_of(' ') + 1);
    session_.print(text + fmt::format("\n    {} new, {} seen before; {} unique ids so far\n",
                                      kRowElements - seen, seen, unique_.size()));
}

/// Returns the id of an element of the figure, from the generator.
std::uint64_t Figure6Example::element_id(std::uint32_t array_index) {
    IdOperation operation;
    operation.address = Workspace::kBase + Address{array_index} * kFragmentRowBytes;
    operation.row_pitch = kRowElements * kFragmentRowBytes;
    const Cycle at = array_index + 1;
    const std::uint64_t element = play_(operation, at).front().element / kChannels;
    const bool fresh = unique_.insert(element).second;
    check(array_index, element);
    if (wave_ != nullptr) {
        wave_->set(array_index_, at, array_index);
        wave_->set(patch_, at, printed_ids(array_index).patch_id);
        wave_->set(element_, at, element);
        wave_->set(seen_, at, fresh ? 0 : 1);
        wave_->set(unique_ids_, at, unique_.size());
    }
    return element;
}

void Figure6Example::check(std::uint32_t array_index, std::uint64_t element) {
    const PrintedIds printed = printed_ids(array_index);
    session_.scoreboard.expect_count(
        fmt::format("Figure 6, element_id of array_idx {}", array_index), printed.element_id,
        element);
    // The elements of a patch: those of two filter positions side by side.
    const std::uint32_t row = array_index / kRowElements / kOutputWidth;
    const std::uint32_t column = array_index % kRowElements / kFilterWidth;
    patch_elements_[{row, column}].insert(element);
    patch_ids_[{row, column}] = printed.patch_id;
}

/// Patches with the same id hold the same elements, others do not.
void Figure6Example::check_patches() {
    for (const auto& [a, elements_a] : patch_elements_) {
        for (const auto& [b, elements_b] : patch_elements_) {
            session_.scoreboard.expect(
                fmt::format("Figure 6, patches ({}, {}) and ({}, {}) are equal", a.first, a.second,
                            b.first, b.second),
                patch_ids_[a] == patch_ids_[b] ? 1 : 0, elements_a == elements_b ? 1 : 0);
        }
    }
    session_.print(
        "\n  Patches of the same ID hold the same elements.    paper: \"patches in the same "
        "diagonal "
        "contain\n  the identical set of values\"\n");
}

}  // namespace tessera::testbench
