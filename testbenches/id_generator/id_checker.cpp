#include "testbenches/id_generator/id_checker.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera::testbench {

IdChecker::IdChecker(Session& session, IdDriver& driver)
    : session_(session), driver_(driver), bins_(make_bins(session.coverage, driver.has_groups())) {
    driver.operations().on_result = [this](const IdOperation& operation, const IdResult& ids,
                                           Cycle begin,
                                           Cycle end) { check(operation, ids, begin, end); };
    WaveRecorder* const wave = session.observers().wave;
    if (wave == nullptr) return;
    make_signals(*wave);
    driver.operations().on_begin = [this](const IdOperation& operation, Cycle begin) {
        signals_.wave->pulse(signals_.valid, begin, 1);
        signals_.wave->set(signals_.address, begin, operation.address);
    };
}

IdChecker::Bins IdChecker::make_bins(Coverage& c, bool groups) {
    Bins bins{};
    bins.id = c.add("id", "a chunk has an id");
    bins.duplicate = c.add("duplicate", "a chunk has the id of a chunk at another address");
    bins.second_image = c.add("second_image", "a chunk of the second image or a later one");
    bins.zero = c.add("zero", "all halves of a chunk are padding or inserted zeros");
    bins.below = c.add("below", "an address below the workspace");
    bins.above = c.add("above", "an address above the workspace");
    bins.unaligned = c.add("unaligned", "an address within a chunk");
    bins.crossing = c.add("crossing", "a chunk with halves of two filter rows");
    bins.row_tail = c.add("row_tail", "a chunk behind the last filter row");
    bins.batch_tail = c.add("batch_tail", "a chunk of a row behind the last image");
    bins.strided = c.add("strided", "an id of a layer with a stride");
    bins.transposed = c.add("transposed", "an id of a transposed layer");
    bins.grouped = c.add("grouped", "an id of a layer in groups");
    if (!groups) return bins;
    bins.half_tile = c.add("half_tile", "an id of eight rows");
    bins.tile = c.add("tile", "an id of sixteen rows");
    bins.pitch = c.add("pitch", "a group of rows that are not neighbours in the workspace");
    bins.wrap = c.add("wrap", "a group of rows that continues in the next image");
    return bins;
}

void IdChecker::program(const Workspace& workspace) {
    driver_.program(workspace.packet());
    workspace_ = workspace;
    naive_.emplace(workspace);
    first_at_.clear();
    groups_.clear();
    const LayerConfig& l = workspace.layer;
    session_.scoreboard.note("layer: {} images of {} x {}, {} channels", l.batch, l.height, l.width,
                             l.channels);
    session_.scoreboard.note("filter: {} x {}, pad {}, stride {}", l.filter_height, l.filter_width,
                             l.pad, l.stride);
}

void IdChecker::issue(const IdOperation& operation, Cycle at) {
    std::vector<NaiveId>& expected = expected_.emplace_back();
    for (std::uint32_t i = 0; i < operation.ids; ++i) {
        const Address first =
            operation.address + Address{operation.row_pitch} * operation.group_rows * i;
        expected.push_back(naive_->id(first, operation.row_pitch, operation.group_rows));
        count(operation, expected.back(), i);
    }
    driver_.operations().issue(operation, at);
}

void IdChecker::drain() {
    driver_.operations().drain();
    if (expected_.empty()) return;
    session_.violations({fmt::format("{} operations have no result", expected_.size())});
    expected_.clear();
}

IdResult IdChecker::play(const IdOperation& operation, Cycle at) {
    issue(operation, at);
    drain();
    return last_;
}

void IdChecker::count(const IdOperation& operation, const NaiveId& id, std::uint32_t index) {
    Coverage& c = session_.coverage;
    const Address address =
        operation.address + Address{operation.row_pitch} * operation.group_rows * index;
    const bool outside = id.bypass == BypassReason::kOutsideWorkspace;
    c.hit_if(bins_.below, outside && address < workspace_.base);
    c.hit_if(bins_.above, outside && address >= workspace_.base);
    c.hit_if(bins_.unaligned, id.bypass == BypassReason::kUnaligned);
    c.hit_if(bins_.crossing, id.bypass == BypassReason::kCrossing);
    c.hit_if(bins_.row_tail, id.bypass == BypassReason::kRowTail);
    c.hit_if(bins_.batch_tail, id.bypass == BypassReason::kBatchTail);
    const bool group = operation.group_rows > 1;
    if (group) c.hit_if(bins_.pitch, id.bypass == BypassReason::kPitch);
    if (id.bypass != BypassReason::kNone) return;
    c.hit(bins_.id);
    c.hit_if(bins_.second_image, id.image > 0);
    c.hit_if(bins_.zero, id.zero);
    c.hit_if(bins_.strided, workspace_.layer.stride > 1 && !workspace_.layer.transposed);
    c.hit_if(bins_.transposed, workspace_.layer.transposed);
    c.hit_if(bins_.grouped, workspace_.layer.groups > 1);
    if (group) {
        c.hit(operation.group_rows == 8 ? bins_.half_tile : bins_.tile);
        c.hit_if(bins_.wrap, id.rows[id.rows.size() - 2] != id.image);
        return;
    }
    const auto [first, fresh] = first_at_.try_emplace({id.image, id.element}, address);
    c.hit_if(bins_.duplicate, !fresh && first->second != address);
}

void IdChecker::check(const IdOperation& operation, const IdResult& ids, Cycle begin, Cycle end) {
    if (expected_.empty()) {
        session_.violations({"a result without an operation"});
        return;
    }
    const std::vector<NaiveId> expected = std::move(expected_.front());
    expected_.pop_front();
    last_ = ids;
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(begin);
    board.note("{} ids of {} rows from {:#x} on, {} bytes apart", operation.ids,
               operation.group_rows, operation.address, operation.row_pitch);
    board.describe_inputs_by([&operation, this] {
        return fmt::format("address {:#x} (the workspace begins at {:#x}), rows {} bytes apart",
                           operation.address, workspace_.base, operation.row_pitch);
    });
    if (signals_.wave != nullptr) record_id(ids.front(), end);
    board.expect_count("number of ids", expected.size(), ids.size());
    for (std::size_t i = 0; i < std::min(expected.size(), ids.size()); ++i) {
        check_id(operation, expected[i], ids[i]);
    }
    board.describe_inputs_by(nullptr);
    if (end > begin) session_.latency.add("address to id", end - begin);
}

void IdChecker::check_id(const IdOperation& operation, const NaiveId& expected, const DataId& got) {
    Scoreboard& board = session_.scoreboard;
    if (!board.expect("bypass", static_cast<std::uint64_t>(expected.bypass),
                      static_cast<std::uint64_t>(got.bypass)) ||
        expected.bypass != BypassReason::kNone) {
        return;
    }
    board.expect_count("batch_id", expected.image, got.batch);
    board.expect_count("element_id", expected.element, got.element);
    board.expect("zero", expected.zero ? 1 : 0, got.zero ? 1 : 0);
    if (operation.group_rows == 1) {
        board.expect("group tag", 0, got.extra);
        return;
    }
    const auto [same, fresh] = groups_.try_emplace(
        {operation.group_rows, got.batch, got.element, got.extra}, expected.rows);
    board.expect("groups with this id hold the same data", 1,
                 fresh || same->second == expected.rows ? 1 : 0);
}

void IdChecker::make_signals(WaveRecorder& wave) {
    const auto add = [&wave](const char* name, std::uint32_t bits) {
        return wave.add("id_generator", name, bits);
    };
    signals_.wave = &wave;
    signals_.valid = add("valid", 1);
    signals_.address = add("address", 48);
    signals_.bypass = add("bypass", 4);
    signals_.batch = add("batch_id", 10);
    signals_.element = add("element_id", 48);
    signals_.zero = add("zero", 1);
}

/// Records the first id of an operation.
void IdChecker::record_id(const DataId& id, Cycle end) {
    WaveRecorder& wave = *signals_.wave;
    wave.set(signals_.bypass, end, static_cast<std::uint64_t>(id.bypass));
    if (!id.valid()) return;
    wave.set(signals_.batch, end, id.batch);
    wave.set(signals_.element, end, id.element);
    wave.set(signals_.zero, end, id.zero ? 1 : 0);
}

}  // namespace tessera::testbench
