#include "sc_models/run/stimulus_recorder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <iterator>
#include <optional>
#include <regex>
#include <utility>

#include "sc_models/common/clock.h"
#include "sc_models/common/error.h"
#include "sc_models/common/logging.h"
#include "sc_models/common/partial_file.h"
#include "sc_models/noc/core/mesh_message.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/tlm/memory_port.h"

namespace tessera {
// Types of the members of the nested classes below, which a compiler wants to have linkage.
namespace recording {

using Payload = tlm::tlm_generic_payload;
/// Division of addresses among channels and of warps among sub-cores.
struct MachineLayout {
    AddressMap map;
    std::uint32_t warps_per_sub_core;
};
/// Cells of a transaction behind its cycle; empty: the testbench has no such operation. `number`
/// is the last one in the name of the link: port, sub-core or slice.
using Cells = std::optional<std::string> (*)(const Payload& payload, std::uint32_t number,
                                             const MachineLayout& layout);

}  // namespace recording

using recording::Cells;
using recording::MachineLayout;
using recording::Payload;

namespace {

constexpr std::size_t kMostRows = 1'000'000;
constexpr std::uint32_t kDramPorts = 2;  ///< slices above the channel of the testbench
constexpr std::uint32_t kRegisters = 256;
constexpr Address kMeshOwn = Address{1} << 24U;  ///< memory of an SM in the mesh's testbench

std::string memory_cells(const Payload& payload, Address address, std::uint32_t port) {
    const auto* info = payload.get_extension<AccessInfo>();
    const bool bypasses = info != nullptr && info->bypass_l1 && payload.is_read();
    return fmt::format("{},{:#x},{},{}",
                       payload.is_write() ? "write"
                       : bypasses         ? "bypass"
                                          : "read",
                       address, payload.get_data_length(), port);
}

bool is_atomic(const Payload& payload) {
    const auto* info = payload.get_extension<AccessInfo>();
    return info != nullptr && info->atomic != AtomicKind::kNone;
}

bool is_fetching(const Payload& payload) {
    const auto* info = payload.get_extension<AccessInfo>();
    return info != nullptr && info->atomic == AtomicKind::kFetchAdd;
}

std::optional<std::string> l1_cells(const Payload& payload, std::uint32_t /*number*/,
                                    const MachineLayout& /*layout*/) {
    if (is_atomic(payload)) return std::nullopt;
    return memory_cells(payload, payload.get_address(), 0);
}

/// Reads that bypass the L1 are reads for the L2.
std::optional<std::string> l2_cells(const Payload& payload, std::uint32_t /*number*/,
                                    const MachineLayout& /*layout*/) {
    if (is_atomic(payload)) return std::nullopt;
    return fmt::format("{},{:#x},{},0", payload.is_write() ? "write" : "read",
                       payload.get_address(), payload.get_data_length());
}

/// The ports are the SMs. For networks a read that bypasses the L1 is a read, and an atomic that
/// returns nothing is a write.
std::optional<std::string> crossbar_cells(const Payload& payload, std::uint32_t sm,
                                          const MachineLayout& /*layout*/) {
    if (is_fetching(payload)) return std::nullopt;
    return fmt::format("{},{:#x},{},{}", payload.is_write() ? "write" : "read",
                       payload.get_address(), payload.get_data_length(), sm);
}

/// In the testbench each SM has memory of its own, in which the lower bits of addresses remain.
std::optional<std::string> mesh_cells(const Payload& payload, std::uint32_t sm,
                                      const MachineLayout& /*layout*/) {
    if (const auto* message = payload.get_extension<MeshMessage>()) {
        return fmt::format("{},{},0,1,{},{}",
                           message->network == MeshNetwork::kReply ? "reply" : "request", sm,
                           message->destination.value(), message->flits);
    }
    if (is_fetching(payload)) return std::nullopt;
    return fmt::format("{},{},{:#x},{},0,1", payload.is_write() ? "write" : "read", sm,
                       payload.get_address() % kMeshOwn, payload.get_data_length());
}

/// The testbench has one channel, whose addresses are those of its memory.
std::optional<std::string> dram_cells(const Payload& payload, std::uint32_t slice,
                                      const MachineLayout& layout) {
    return fmt::format("{},{:#x},{},{}", payload.is_write() ? "write" : "read",
                       layout.map.channel_local(payload.get_address()), payload.get_data_length(),
                       slice / layout.map.channels() % kDramPorts);
}

/// Rows of equal length and distance, by which a testbench describes an instruction.
struct Rows {
    Address first = 0;
    std::uint32_t count = 0, bytes = 0, pitch = 0;
};

/// Returns the pieces of lanes as rows; empty if they are of different length or distance.
std::optional<Rows> regular(const std::vector<LaneAccess::Piece>& pieces, Address base) {
    if (pieces.empty()) return std::nullopt;
    Rows rows{base + static_cast<Address>(pieces[0].offset),
              static_cast<std::uint32_t>(pieces.size()), pieces[0].bytes, pieces[0].bytes};
    if (pieces.size() > 1) {
        const std::int64_t pitch = pieces[1].offset - pieces[0].offset;
        if (pitch < 0) return std::nullopt;
        rows.pitch = static_cast<std::uint32_t>(pitch);
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::int64_t offset = pieces[0].offset + static_cast<std::int64_t>(i) * rows.pitch;
        if (pieces[i].bytes != rows.bytes || pieces[i].offset != offset) return std::nullopt;
    }
    return rows;
}

/// Word of the testbench for an instruction; empty: it has none.
std::string_view word_of(const WarpInstruction& instruction) {
    switch (instruction.opcode()) {
        case Opcode::kLoadFragment:
            if (instruction.role() == FragmentRole::kA) return "fragment_a";
            return instruction.role() == FragmentRole::kB ? "fragment_b" : "";
        case Opcode::kLoadGlobal:
            if (instruction.bypasses_l1()) return "";
            return instruction.has_lanes() && instruction.lanes().has_places ? "load_lanes"
                                                                             : "load";
        case Opcode::kStoreGlobal:
            return instruction.has_lanes() ? "store_lanes" : "store";
        case Opcode::kAtomicGlobal:
            return instruction.dst == kNoRegister ? "add" : "fetch_add";
        case Opcode::kLoadShared:
            return instruction.has_lanes() || instruction.registers().transposed ? ""
                                                                                 : "load_shared";
        case Opcode::kStoreShared:
            return instruction.has_lanes() ? "" : "store_shared";
        default:
            return "";
    }
}

/// Loads of coalesced lanes are recorded as rows of the sectors that they touch.
std::optional<std::string> ldst_cells(const Payload& payload, std::uint32_t sub_core,
                                      const MachineLayout& layout) {
    const auto* access = payload.get_extension<WarpAccess>();
    const WarpInstruction& instruction = *access->instruction;
    const std::string_view word = word_of(instruction);
    if (word.empty()) return std::nullopt;
    const MemoryAccess& memory = instruction.memory();
    std::optional<Rows> rows = Rows{memory.address, memory.rows, memory.row_bytes,
                                    memory.rows == 1 ? memory.row_bytes : memory.row_pitch_bytes};
    if (memory.lanes != nullptr) rows = regular(memory.lanes->pieces, memory.address);
    constexpr std::uint32_t kMostBytes = kAccessRegisters * kWarpRegisterBytes;
    const bool fragment = instruction.opcode() == Opcode::kLoadFragment;
    if (!rows || rows->count == 0 || (!fragment && rows->count * rows->bytes > kMostBytes)) {
        return std::nullopt;
    }
    const bool stores = instruction.opcode() == Opcode::kStoreGlobal ||
                        instruction.opcode() == Opcode::kStoreShared ||
                        instruction.opcode() == Opcode::kAtomicGlobal;
    // Two sets of registers fit behind the largest number.
    const std::uint32_t reg = std::min<std::uint32_t>(stores ? instruction.src_a : instruction.dst,
                                                      kRegisters - 2 * kRegistersPerFragment);
    return fmt::format("{},{},{},{:#x},{},{},{},{}", sub_core,
                       access->warp.value() % layout.warps_per_sub_core, word, rows->first,
                       rows->count, rows->bytes, rows->pitch, reg);
}

constexpr const char* kMemoryColumns = "cycle,operation,address,bytes,port";

/// Why a testbench's stimulus cannot be recorded; empty: no testbench has this name.
std::string_view why_not_recorded(std::string_view testbench) {
    for (const std::string_view block :
         {"accumulation_buffer", "assign_table", "bitmap_unit", "feop_array", "id_generator",
          "load_history_buffer", "precompute_table", "rename_table"}) {
        if (testbench == block) return "whose operations are no transactions of a link";
    }
    if (testbench == "tensor_core") return "whose testbench makes the tiles of its products itself";
    if (testbench == "sub_core") return "whose testbench plays programs of warps";
    if (testbench == "sm") return "whose testbench plays matrix products";
    if (testbench == "gpu") return "whose testbench plays workloads";
    return {};
}

}  // namespace

/// Description of a module: its links and the columns of its testbench.
struct StimulusRecorder::Module {
    const char* name;
    const char* link;  ///< regular expression of the initiator's full name, with its number
    const char* columns;
    Cells cells;
    std::optional<NocKind> noc = {};  ///< the module exists with this network only
};

const std::vector<StimulusRecorder::Module>& StimulusRecorder::known() {
    static const std::vector<Module> kModules = {
        {"ldst_unit", R"(.*\.sm0\.sub_core(\d+)\.to_ldst)",
         "cycle,sub_core,warp,operation,address,rows,row_bytes,pitch_bytes,register", ldst_cells},
        {"l1", R"(.*\.sm(0)\.ldst\.to_l1)", kMemoryColumns, l1_cells},
        {"l2", R"(.*\.memory\.(?:crossbar|mesh)\.initiator_(0))", kMemoryColumns, l2_cells},
        {"dram", R"(.*\.memory\.l2_(\d+)\.initiator)", kMemoryColumns, dram_cells},
        {"crossbar", R"(.*\.sm([0-7])\.l1\.initiator)", kMemoryColumns, crossbar_cells,
         NocKind::kCrossbar},
        {"mesh", R"(.*\.(?:sm(\d+)\.l1\.initiator|mesh_port_(\d+)\.to_mesh))",
         "cycle,operation,sm,offset,bytes,to,flits", mesh_cells, NocKind::kMesh}};
    return kModules;
}

/// Transactions of one module.
class StimulusRecorder::Recording {
public:
    Recording(const Module& module, const std::string& file, const Config& config)
        : module_(module),
          link_(module.link),
          file_(file),
          clock_(config.gpu.core_clock_mhz),
          layout_{AddressMap(config.l2, config.dram), config.sm.max_warps / config.sm.sub_cores} {}

    [[nodiscard]] const Module& module() const { return module_; }
    [[nodiscard]] std::string file() const { return file_.target().string(); }

    /// Returns the observer of a link; empty: the link is not of this module.
    [[nodiscard]] TransportMonitor::OnRequest observer(const std::string& link) {
        std::smatch match;
        if (!std::regex_match(link, match, link_)) return {};
        const auto number =
            static_cast<std::uint32_t>(std::stoul(match[1].matched ? match[1] : match[2]));
        if (module_.cells == dram_cells && number % layout_.map.channels() != 0) return {};
        return [this, number](const Payload& payload, const sc_core::sc_time& delay) {
            record(payload, number, clock_.cycle_at(sc_core::sc_time_stamp() + delay));
        };
    }
    [[nodiscard]] bool empty() const { return rows_.empty(); }
    void write() {
        if (rows_.empty()) {
            throw ConfigError(
                fmt::format("--record {}: the run had no transaction that its "
                            "testbench has: no file was written",
                            module_.name));
        }
        std::stable_sort(rows_.begin(), rows_.end(),
                         [](const Row& a, const Row& b) { return a.cycle < b.cycle; });
        file_.write(fmt::format("# {} of {} transactions at {} of a run\n{}\n", rows_.size(),
                                transactions_, module_.name, module_.columns));
        for (const Row& row : rows_) file_.write(fmt::format("{},{}\n", row.cycle, row.cells));
        file_.commit();
    }
    [[nodiscard]] std::string line() const {
        std::string line =
            fmt::format("stimulus: {} ({} of {} transactions", file(), rows_.size(), transactions_);
        if (unknown_ != 0) line += fmt::format("; {} have no word in the testbench", unknown_);
        return line + fmt::format("; tools/testbench {} --stimulus {})", module_.name, file());
    }

private:
    struct Row {
        Cycle cycle;
        std::string cells;
    };
    void record(const Payload& payload, std::uint32_t number, Cycle cycle) {
        ++transactions_;
        if (rows_.size() == kMostRows) return;
        std::optional<std::string> cells = module_.cells(payload, number, layout_);
        if (cells) {
            rows_.push_back({cycle, *std::move(cells)});
        } else {
            ++unknown_;
        }
    }

    const Module& module_;
    const std::regex link_;
    PartialFile file_;
    const ClockDomain clock_;
    const MachineLayout layout_;
    std::vector<Row> rows_;
    std::uint64_t transactions_ = 0, unknown_ = 0;
};

StimulusRecorder::StimulusRecorder(const std::vector<std::string>& requests, const Config& config) {
    for (const std::string& request : requests) {
        const std::size_t equals = request.find('=');
        const std::string name = request.substr(0, equals);
        const auto module = std::find_if(known().begin(), known().end(),
                                         [&](const Module& m) { return m.name == name; });
        if (module == known().end() || equals == std::string::npos ||
            equals + 1 == request.size()) {
            const std::string_view reason = why_not_recorded(name);
            throw ConfigError(fmt::format(
                "--record: got '{}'{}{}, expected MODULE=FILE with one of {{{}}}", request,
                reason.empty() ? "" : ", ", reason, fmt::join(modules(), ", ")));
        }
        const NocKind noc = config.noc.kind;
        if (module->noc && *module->noc != noc) {
            const bool mesh = noc == NocKind::kMesh;
            throw ConfigError(
                fmt::format("--record: got '{}' for a machine with noc.kind '{}', expected {}=FILE",
                            request, mesh ? "mesh" : "crossbar", mesh ? "mesh" : "crossbar"));
        }
        const std::string file = request.substr(equals + 1);
        for (const auto& other : recordings_) {
            if (other->module().name != name) continue;
            throw ConfigError(
                fmt::format("--record: got '{}' beside '{}={}', expected one file for a module",
                            request, name, other->file()));
        }
        recordings_.push_back(std::make_unique<Recording>(*module, file, config));
    }
}

StimulusRecorder::~StimulusRecorder() {
    if (finished_) return;
    try {
        for (const auto& recording : recordings_) {
            if (!recording->empty()) recording->write();
        }
    } catch (const std::exception& error) {
        logger("run").error(error.what());
    }
}

std::vector<std::string> StimulusRecorder::modules() {
    std::vector<std::string> names;
    for (const Module& module : known()) names.emplace_back(module.name);
    return names;
}

void StimulusRecorder::bind(tlm::tlm_base_initiator_socket<>& initiator,
                            tlm::tlm_base_target_socket_b<>& target) {
    for (const auto& recording : recordings_) {
        TransportMonitor::OnRequest observer = recording->observer(initiator.name());
        if (!observer) continue;
        monitors_.push_back(
            std::make_unique<TransportMonitor>(fmt::format("recorded_{}", monitors_.size()).c_str(),
                                               initiator.name(), std::move(observer)));
        initiator.bind(monitors_.back()->target);
        monitors_.back()->initiator.bind(target);
        return;
    }
    initiator.bind(target);
}

void StimulusRecorder::finish() {
    finished_ = true;
    for (const auto& recording : recordings_) recording->write();
}

std::vector<std::string> StimulusRecorder::files() const {
    std::vector<std::string> lines;
    for (const auto& recording : recordings_) lines.push_back(recording->line());
    return lines;
}

}  // namespace tessera
