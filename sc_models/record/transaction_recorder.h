// Recorder of a run's transactions, from warp instruction to DRAM bank.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sc_models/align/recording.h"
#include "sc_models/common/clock.h"
#include "sc_models/common/dram_command_recorder.h"
#include "sc_models/common/observer.h"
#include "sc_models/common/transaction_observer.h"
#include "sc_models/config/config.h"
#include "sc_models/record/planted_fault.h"
#include "sc_models/record/recorded_rows.h"
#include "sc_models/record/transaction_tap.h"
#include "sc_models/record/warp_issues.h"
#include "sc_models/tlm/lt/link_binder.h"

namespace tessera {

/// Binds the links of a machine and keeps every transaction as a row of a Recording. Runs on one
/// host thread, so requests and responses have an order. Construct it before the machine; it must
/// outlive the machine.
class TransactionRecorder final : public LinkBinder,
                                  public TransactionObserver,
                                  public DramCommandRecorder,
                                  public RunListener,
                                  private TapListener {
public:
    /// `dram` (null: none) receives the DRAM commands, too.
    TransactionRecorder(const Config& config, RecordedSpan span,
                        std::optional<PlantedPlan> fault = std::nullopt,
                        DramCommandRecorder* dram = nullptr);
    TransactionRecorder(const TransactionRecorder&) = delete;
    TransactionRecorder& operator=(const TransactionRecorder&) = delete;

    void bind(tlm::tlm_base_initiator_socket<>& initiator,
              tlm::tlm_base_target_socket_b<>& target) override;
    [[nodiscard]] bool reads_time() const override { return true; }
    void launch(SmId sm, WarpId slot, CtaId cta, std::uint32_t warp_of_cta) override {
        issues_.launch(sm, slot, cta, warp_of_cta);
    }
    void issue(SmId sm, SubCoreId sub_core, WarpId slot, std::uint32_t opcode, Cycle at) override {
        issues_.issue(sm, sub_core, slot, opcode, at);
    }
    void look_up(SmId sm, const LookUp& look_up, Cycle at) override;
    std::uint32_t add_block(std::string_view scope, const std::uint64_t* access) override;
    void output(std::uint32_t block, std::uint32_t hash, Cycle at) override;
    Channel add_channel(const std::vector<DramParameter>& parameters,
                        std::function<void()> close) override;
    void record(Channel channel, const DramCommand& command) override;
    void advance(Channel channel, Cycle cycle) override;
    void start_kernel(std::string_view name, Cycle start) override;

    /// Ends the recording, which is complete if `end` is empty; once. The rows move to the caller.
    [[nodiscard]] Recording take(const std::string& end);
    /// Number of rows recorded.
    [[nodiscard]] std::uint64_t rows() const { return rows_.size(); }
    /// Throws ConfigError if a planned fault changed nothing.
    void require_planted() const {
        if (fault_) fault_->require_changed();
    }

    /// Instruction with access number `id` (AccessInfo::id; 0: unknown), or the one that sub-core
    /// `sub_core` of the SM issued last, and the last transactions of that SM, as lines of a
    /// report.
    [[nodiscard]] std::string history(SmId sm, std::optional<SubCoreId> sub_core,
                                      std::uint64_t id) const;

private:
    static constexpr std::uint64_t kNoRow = RecordedRows::kNoRow;
    static constexpr std::uint64_t kInstructionRow = std::uint64_t{1} << 63U;

    enum class LinkKind : std::uint8_t { kToLdst, kToTensor, kMemory };
    struct Link {
        LinkKind kind = LinkKind::kMemory;
        std::uint32_t sm = kNoNumber, sub_core = kNoNumber;
    };
    /// Instructions in service of an SM, and its link of lookups.
    struct Sm {
        std::uint64_t in_service = kNoRow;  ///< instruction whose call to the LDST unit runs
        std::map<std::uint32_t, std::uint64_t> in_tensor_cores;  ///< likewise, by sub-core
        std::uint32_t filter_link = kNoNumber;
    };
    /// An RTL block, and the row that its outputs go to.
    struct Block {
        std::uint32_t link = 0;
        const std::uint64_t* access = nullptr;
        std::uint64_t row = kNoRow;
    };

    std::uint64_t on_request(std::uint32_t link, Payload& payload,
                             const sc_core::sc_time& delay) override;
    void on_response(std::uint32_t link, std::uint64_t row, Payload& payload,
                     const sc_core::sc_time& delay) override;
    void on_return(std::uint32_t link, std::uint64_t row, const Payload& payload) override;
    void on_planted(std::uint32_t link, std::uint64_t row) override;

    /// Returns the number of a link that is no socket's, in an SM or none (kNoNumber).
    std::uint32_t add_link(const std::string& name, std::uint32_t sm, std::uint32_t sub_core);
    /// Returns the instruction that a block works for; kNoRow: none.
    [[nodiscard]] std::uint64_t instruction_of(const Block& block);
    std::uint64_t add_instruction(const Link& link, Payload& payload, Cycle at);
    std::uint64_t add_transaction(std::uint32_t link, const Payload& payload, Cycle at);
    /// Returns the row of the instruction with access number `id`; kNoRow: none.
    [[nodiscard]] std::uint64_t instruction_of(std::uint64_t id);
    [[nodiscard]] RecordedInstruction instruction_at(std::uint32_t sm,
                                                     std::uint32_t sub_core) const;

    const bool values_;
    const ClockDomain clock_;
    const ClockRatio from_dram_clock_;
    std::optional<PlantedFault> fault_;
    DramCommandRecorder* const dram_;
    RecordedRows rows_;
    WarpIssues issues_;
    std::vector<Link> links_;  ///< by number
    std::vector<Block> blocks_;
    std::map<std::uint32_t, Sm> sms_;
    std::unordered_map<std::uint64_t, std::uint64_t> rows_by_id_;
    std::vector<std::function<void()>> close_channels_;
    std::vector<std::unique_ptr<TransactionTap>> taps_;
};

}  // namespace tessera
