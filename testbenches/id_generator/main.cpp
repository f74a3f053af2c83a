// Testbench of Duplo's ID generator.
#include <fmt/format.h>
#include <algorithm>
#include <memory>

#include "sc_models/pins/id_generator_pins.h"
#include "testbenches/harness/pin_block.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/id_generator/clocked_id_driver.h"
#include "testbenches/id_generator/figure6_example.h"
#include "testbenches/id_generator/id_checker.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr std::uint32_t kOperationsOfLayer = 100;
constexpr Address kAddressEnd = Address{1} << 48U;
constexpr std::uint64_t kPitchEnd = std::uint64_t{1} << 32U;

enum : std::size_t { kCycle, kAddress, kRows, kPitch };

Description description() {
    Description d;
    d.name = "id_generator";
    d.module = "ID generator of Duplo: maps addresses of a workspace to ids of their data";
    d.operation = "fragments";
    d.sections = {"workload.layer", "workload.channel_rule", "duplo.zero_rule"};
    d.count = 10'000;
    d.has_timing = false;
    d.implementations = block_implementations();
    d.columns = {
        {"cycle", Column::Kind::kNumber, "earliest cycle, not before that of the line above"},
        {"address", Column::Kind::kAddress,
         fmt::format("of a chunk; the workspace begins at {:#x}", Workspace::kBase)},
        {"rows", Column::Kind::kChoice, "that share an id;", {"1", "8", "16"}, true},
        {"pitch", Column::Kind::kNumber, "bytes between rows; 0: that of the workspace", {}, true}};
    d.errors = {{"paper_formula", "ids by the formula that the paper prints (Duplo III-C)"},
                {"notes_formula", "the same, with the stride along a row"},
                {"stale_packet", "the generator keeps the packet of its first layer"},
                {"shifted_base", "the packet names a workspace 32 bytes higher"},
                {"lost_zero_rule", "the packet lacks the zero rule"}};
    d.examples = {{"figure6",
                   "unique ids of a 4x4 input under a 3x3 filter (Duplo III-B, Figure 6)",
                   "id_generator_figure6.gtkw"}};
    d.view = "id_generator_testbench.gtkw";
    return d;
}
const Description kDescription = description();

std::unique_ptr<IdDriver> make_driver(Session& session) {
    if (session.implementation() == "model") return std::make_unique<CoreIdDriver>(session);
    session.need_plant_among({"shifted_base", "lost_zero_rule"});
    return std::make_unique<ClockedIdDriver>(
        session, make_pin_level_block<pins::IdGeneratorBlock, IdGeneratorRtl>(session));
}

/// ID generator beside a naive one.
class IdTestbench final : public Testbench {
public:
    explicit IdTestbench(Session& session)
        : session_(session), driver_(make_driver(session)), checker_(session, *driver_) {}

    void run(const Session& /*session*/) override {
        checker_.program(configured_workspace(session_.config()));
        if (const Stimulus* stimulus = session_.stimulus()) {
            play_file(*stimulus);
            return;
        }
        // Other settings select the layer of the whole run.
        const bool one_layer = session_.has_settings();
        play_directed();
        std::uint64_t left = session_.options().count;
        while (left > 0 && session_.scoreboard.errors() == 0) {
            const std::uint64_t count = std::min<std::uint64_t>(left, kOperationsOfLayer);
            for (std::uint64_t i = 0; i < count; ++i) draw();
            checker_.drain();
            session_.drawn += count;
            left -= count;
            if (left == 0 || one_layer) continue;
            checker_.program(random_workspace(session_));
            play_directed();
        }
    }
    void run_example(const std::string& /*name*/) override {
        checker_.program(Figure6Example::workspace());
        Figure6Example(session_, [this](const IdOperation& operation, Cycle at) {
            return checker_.play(operation, at);
        }).run();
    }

private:
    void play_directed();
    void draw();
    [[nodiscard]] Address draw_address();
    void play_file(const Stimulus& stimulus);
    /// Sends a fragment load of all its 16 rows.
    void issue(Address address, std::uint64_t row_pitch, std::uint32_t group_rows = 1) {
        checker_.issue({address, static_cast<std::uint32_t>(row_pitch), group_rows,
                        kFragmentRows / group_rows},
                       next_at_++);
    }

    Session& session_;
    std::unique_ptr<IdDriver> driver_;
    IdChecker checker_;
    Cycle next_at_ = 0;
};

/// The corners of a workspace: its ends, the end of the first image, filter rows, and addresses
/// outside.
void IdTestbench::play_directed() {
    const NaiveIds& n = checker_.naive();
    const Address base = checker_.workspace().base;
    const std::uint64_t pitch = n.pitch_bytes();
    const Cycle begin = next_at_;
    issue(base, pitch);
    issue(base + n.bytes() - kFragmentRowBytes, pitch);  // the last chunk, and 15 rows above
    issue(base + n.bytes(), pitch);
    issue(base + 2, pitch);  // unaligned
    if (base >= pitch) issue(base - pitch, pitch);
    issue(base + (n.image_rows() - 1) * pitch, pitch);
    issue(base + n.filter_bytes() / kFragmentRowBytes * kFragmentRowBytes, pitch);
    issue(base + n.filter_row_bytes() / kFragmentRowBytes * kFragmentRowBytes, pitch);
    issue(base, kFragmentRowBytes);
    if (driver_->has_groups()) {
        for (const std::uint32_t group : {8U, 16U}) {
            issue(base, pitch, group);
            issue(base + (n.image_rows() - 1) * pitch, pitch, group);
            issue(base + (n.rows() - 1) * pitch, pitch, group);
            issue(base, pitch + kFragmentRowBytes, group);
        }
    }
    checker_.drain();
    session_.directed += next_at_ - begin;
}

/// Returns a chunk of the workspace, sometimes of its last rows or outside.
Address IdTestbench::draw_address() {
    const NaiveIds& n = checker_.naive();
    const std::uint64_t chunks = n.bytes() / kFragmentRowBytes;
    const Address base = checker_.workspace().base;
    const std::uint64_t dice = session_.below(32);
    if (dice == 0) return base + n.bytes() + session_.below(8) * kFragmentRowBytes;
    if (dice == 1) {
        const Address below = (1 + session_.below(20)) * n.pitch_bytes();
        return base >= below ? base - below : 0;
    }
    if (dice < 5) return base + n.bytes() - (1 + session_.below(chunks)) * kFragmentRowBytes;
    if (dice == 5) return session_.below(kAddressEnd);
    const Address address = base + session_.below(chunks) * kFragmentRowBytes;
    return dice == 6 ? address + 1 + session_.below(kFragmentRowBytes - 1) : address;
}

void IdTestbench::draw() {
    const std::uint64_t pitch = checker_.naive().pitch_bytes();
    if (session_.below(8) == 0) next_at_ += session_.below(4);
    const std::uint64_t dice = session_.below(16);
    const std::uint64_t other = session_.below(4) * pitch + session_.below(64) * 16;
    const std::uint32_t group = !driver_->has_groups() || dice < 10 ? 1 : dice < 13 ? 8 : 16;
    issue(draw_address(), session_.below(8) == 0 ? other : pitch, group);
}

void IdTestbench::play_file(const Stimulus& stimulus) {
    constexpr std::array<std::uint32_t, 3> kGroups = {1, 8, 16};
    for (const StimulusRow& row : stimulus.rows()) {
        if (row[kAddress] >= kAddressEnd) {
            stimulus.fail(row, kAddress, "is outside, expected below 2^48");
        }
        if (row[kPitch] >= kPitchEnd) stimulus.fail(row, kPitch, "expected below 2^32");
        const std::uint32_t group = kGroups[row[kRows]];
        if (group > 1 && !driver_->has_groups()) {
            stimulus.fail(row, kRows, "this implementation has ids of single rows only");
        }
        next_at_ = std::max(next_at_, row[kCycle]);
        const std::uint64_t pitch = row[kPitch] == 0 ? checker_.naive().pitch_bytes() : row[kPitch];
        checker_.issue({row[kAddress], static_cast<std::uint32_t>(pitch), group, 1}, next_at_++);
        ++session_.drawn;
    }
    checker_.drain();
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<IdTestbench>(argc, argv, kDescription);
}
