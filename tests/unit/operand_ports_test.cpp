// When do instructions have their operands, counted by hand?
#include "sc_models/sm/operand_ports.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace tessera {
namespace {

class OperandPortsTest : public testing::Test {
protected:
    OperandPorts& make(std::uint32_t banks = 2, std::uint32_t reads = 1, bool reuse = false,
                       std::uint32_t collectors = 2) {
        RegisterFileConfig config;
        config.banks = banks;
        config.reads_per_bank_cycle = reads;
        config.reuse_cache = reuse;
        config.collectors = collectors;
        statistics_ = std::make_unique<StatGroup>("sub_core");
        ports_ = std::make_unique<OperandPorts>(config, *statistics_);
        return *ports_;
    }
    /// An instruction of warp 0 that reads `registers` and needs them at once.
    Cycle issue(Cycle now, const std::vector<std::uint32_t>& registers, Cycle span = 2) {
        for (std::uint32_t i = 0; i < registers.size(); ++i) {
            ports_->read(WarpId(0), i, registers[i]);
        }
        return ports_->issue(now, span, false);
    }
    Cycle product(Cycle now, std::uint32_t reads, Cycle span = 32) {
        ports_->read_evenly(reads);
        return ports_->issue(now, span, true);
    }
    [[nodiscard]] std::uint64_t sum(const char* name) const {
        return statistics_->sum(std::string("operands.") + name);
    }

    std::unique_ptr<StatGroup> statistics_;
    std::unique_ptr<OperandPorts> ports_;
};

TEST_F(OperandPortsTest, NoBanksNoPorts) {
    EXPECT_FALSE(make(0).modelled());
    EXPECT_FALSE(statistics_->has("operands.reads"));
}

TEST_F(OperandPortsTest, ThreeOperandsConflictOnlyIfAllAreInOneBank) {
    // Volta's FFMA, two cycles on its lanes: Jia et al., 2018.
    make();
    EXPECT_EQ(issue(100, {1, 2, 4}), 0U) << "two cycles";
    EXPECT_EQ(issue(200, {1, 3, 5}), 1U) << "three";
    make(4);
    EXPECT_EQ(issue(200, {1, 3, 5}), 0U) << "banks 1, 3 and 1";
    make(2, 2);
    EXPECT_EQ(issue(200, {1, 3, 5}), 0U) << "two reads a bank and cycle";
}

TEST_F(OperandPortsTest, ConflictsAddUp) {
    make();
    // Bank 1 is busy for three cycles of every two.
    EXPECT_EQ(issue(100, {1, 3, 5}), 1U);
    EXPECT_EQ(issue(102, {1, 3, 5}), 2U);
    EXPECT_EQ(issue(104, {1, 3, 5}), 3U);
    EXPECT_EQ(issue(104, {2}), 0U) << "the other bank is free";
    EXPECT_EQ(sum("reads"), 10U);
    EXPECT_EQ(sum("late_cycles"), 6U);
}

TEST_F(OperandPortsTest, LastOperandInTheSamePlaceIsReused) {
    make(2, 1, true);
    EXPECT_EQ(issue(100, {1, 3, 5}), 1U);
    EXPECT_EQ(issue(110, {1, 3, 7}), 0U) << "one read";
    EXPECT_EQ(issue(120, {3, 1, 5}), 1U) << "other places";
    ports_->written(WarpId(0), 1);
    EXPECT_EQ(issue(130, {3, 1, 5}), 0U);
    ports_->read(WarpId(1), 0, 3);
    EXPECT_EQ(ports_->issue(140, 1, false), 0U);
    EXPECT_EQ(issue(150, {3, 1, 5}), 1U) << "another warp came in between";
    EXPECT_EQ(sum("reused"), 2U + 2);
    EXPECT_EQ(sum("reads"), 3U + 1 + 3 + 1 + 1 + 3);
}

TEST_F(OperandPortsTest, ProductReadsWhileItIsWorkedOn) {
    make();
    EXPECT_EQ(product(100, 48), 0U) << "24 of 32 cycles";
    EXPECT_EQ(product(132, 48), 0U);
    EXPECT_EQ(product(200, 96), 16U) << "48 cycles";
    EXPECT_EQ(product(232, 48), 16U) << "behind those, from 248 on";
}

TEST_F(OperandPortsTest, WhoNeedsOperandsAtOnceGoesAhead) {
    make();
    EXPECT_EQ(product(100, 64), 0U) << "both banks until 132";
    EXPECT_EQ(issue(110, {1, 2}, 1), 0U);
    EXPECT_EQ(product(132, 48), 1U) << "the banks are those of the product before until 133";
}

TEST_F(OperandPortsTest, CollectorsAreTakenUntilTheLastRead) {
    make();
    EXPECT_EQ(product(100, 64), 0U);
    EXPECT_LE(ports_->free_at(), 101U) << "one of two";
    (void)product(101, 10);
    EXPECT_EQ(ports_->free_at(), 132U) << "the first has its last operand";
    make(2, 1, false, 1);
    (void)product(100, 48);
    EXPECT_EQ(ports_->free_at(), 124U);
    (void)ports_->issue(130, 1, false);
    EXPECT_EQ(ports_->free_at(), 124U) << "nothing to read, none taken";
}

TEST_F(OperandPortsTest, RegistersThatLieAnywhereTakeBanksInTurn) {
    make(2);
    ports_->read_evenly(1);
    EXPECT_EQ(ports_->issue(100, 1, false), 0U);
    ports_->read_evenly(1);
    EXPECT_EQ(ports_->issue(100, 1, false), 0U) << "the other bank";
    ports_->read_evenly(1);
    EXPECT_EQ(ports_->issue(100, 1, false), 1U);
    EXPECT_EQ(ports_->idle_cycles(17), 9U);
}

}  // namespace
}  // namespace tessera
