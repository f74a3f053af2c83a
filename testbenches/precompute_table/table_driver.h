// Operations of the precompute table, and drivers that send them to an implementation.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sc_models/opportunistic/precompute_table_module.h"
#include "sc_models/pins/precompute_table_pins.h"
#include "testbenches/harness/clocked_block.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Implementation of a precompute table. Each operation is complete when its call returns; of the
/// table behind pins it takes as many cycles as it needs.
class TableDriver {
public:
    struct Found {
        bool complete = false;
        std::vector<float> results;  ///< if complete
    };
    /// An entry that an assistant warp computes.
    struct Started {
        PrecomputeKey key;
        std::uint32_t slot = 0, generation = 0;
    };

    TableDriver() = default;
    virtual ~TableDriver() = default;
    TableDriver(const TableDriver&) = delete;
    TableDriver& operator=(const TableDriver&) = delete;

    /// Removes the entry of a key; returns nothing if there is none.
    virtual std::optional<Found> look_up(const PrecomputeKey& key) = 0;
    /// Returns whether the key got an entry.
    virtual bool predict(const PrecomputeKey& key) = 0;
    /// Starts the oldest waiting entry, if there is one.
    virtual std::optional<Started> start() = 0;
    /// Returns whether the results were stored. `ignores_generation`: an error to plant.
    virtual bool finish(const Started& job, const std::vector<float>& results,
                        bool ignores_generation) = 0;
    virtual void eliminate(std::uint32_t entries) = 0;
    virtual void flush() = 0;
    [[nodiscard]] virtual std::uint32_t size() const = 0;
    [[nodiscard]] virtual const PrecomputeTable::Counts& counts() const = 0;
};

/// Driver of the functional core.
class CoreTableDriver final : public TableDriver {
public:
    /// `table` has `lanes` results an entry, and outlives the driver.
    CoreTableDriver(PrecomputeTable& table, std::uint32_t lanes) : table_(table), lanes_(lanes) {}

    std::optional<Found> look_up(const PrecomputeKey& key) override;
    bool predict(const PrecomputeKey& key) override;
    std::optional<Started> start() override;
    bool finish(const Started& job, const std::vector<float>& results,
                bool ignores_generation) override;
    void eliminate(std::uint32_t entries) override { table_.eliminate(entries); }
    void flush() override { table_.flush(); }
    [[nodiscard]] std::uint32_t size() const override { return table_.size(); }
    [[nodiscard]] const PrecomputeTable::Counts& counts() const override { return table_.counts(); }

private:
    PrecomputeTable& table_;
    const std::uint32_t lanes_;
};

/// Driver of the table behind its pins, with stalls at its output.
class ClockedTableDriver final : public TableDriver {
public:
    using Rtl = tessera::PrecomputeTableRtl;
    using Block = ClockedBlock<Rtl::Inputs, Rtl::Outputs>;
    /// Throws ConfigError for more entries than the RTL has.
    ClockedTableDriver(Session& session, std::unique_ptr<Block> block, std::uint32_t entries,
                       std::uint32_t lanes);

    std::optional<Found> look_up(const PrecomputeKey& key) override;
    bool predict(const PrecomputeKey& key) override;
    std::optional<Started> start() override;
    bool finish(const Started& job, const std::vector<float>& results,
                bool ignores_generation) override;
    void eliminate(std::uint32_t entries) override { counts_.eliminated += drop(entries); }
    void flush() override { counts_.flushed += drop(Rtl::kMaxEntries); }
    [[nodiscard]] std::uint32_t size() const override { return size_; }
    [[nodiscard]] const PrecomputeTable::Counts& counts() const override { return counts_; }

private:
    static constexpr Cycle kMaxCycles = 10'000;

    Rtl::Outputs step(const Rtl::Inputs& in);
    void set_up();
    /// Passes an operation and returns its answer, in which nothing is done after kMaxCycles.
    Rtl::Outputs call(Rtl::Inputs in);
    std::uint32_t drop(std::uint32_t entries);

    Session& session_;
    const std::unique_ptr<Block> block_;
    const std::uint32_t lanes_;
    StallingReceiver receiver_;
    std::uint32_t entries_ = 0;  ///< of a set-up that comes before the first operation; 0: none
    std::uint32_t size_ = 0;
    PrecomputeTable::Counts counts_;
};

}  // namespace tessera::testbench
