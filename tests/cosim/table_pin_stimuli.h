// Random legal stimuli at the pins of the ID generator and of the tables.
#pragma once

#include <cstdint>

#include "sc_models/pins/assign_table_pins.h"
#include "sc_models/pins/duplo_core_pins.h"
#include "sc_models/pins/id_generator_pins.h"
#include "sc_models/pins/load_history_buffer_pins.h"
#include "sc_models/pins/precompute_table_pins.h"
#include "sc_models/pins/rename_table_pins.h"
#include "testbenches/cosim/packet_source.h"
#include "tests/cosim/random_bits.h"

namespace tessera::test {

class IdGeneratorStimulus {
public:
    using Block = pins::IdGeneratorBlock;
    explicit IdGeneratorStimulus(std::uint32_t seed) : random_(seed), packets_(random_.engine()) {}

    void reset(Block::Inputs& in) {
        in = {};
        addresses_ = 0;
    }
    void next(Block::Inputs& in, const Block::Outputs& out) {
        if (out.program_ready != 0) in.program_valid = false;
        if (out.in_ready != 0) in.in_valid = false;
        in.out_ready = !random_.one_in(3);
        if (!in.program_valid && !in.in_valid && addresses_ == 0) {
            in.program_valid = true;
            in.packet = packets_.next();
            addresses_ = 40 + random_.below(80);
        } else if (!in.in_valid && !random_.one_in(3) && addresses_ > 0) {
            --addresses_;
            in.in_valid = true;
            in.address =
                ConvolutionPacket::decode(in.packet).base + 32 * Address{random_.below(4096)};
            in.tag = static_cast<std::uint8_t>(random_.bits());
        }
    }

private:
    RandomBits random_;
    PacketSource packets_;
    std::uint32_t addresses_ = 0;  ///< left before the next packet
};

class LoadHistoryBufferStimulus {
public:
    using Block = pins::LoadHistoryBufferBlock;
    explicit LoadHistoryBufferStimulus(std::uint32_t seed) : random_(seed) {}

    void reset(Block::Inputs& in) {
        in = {};
        ready_ = false;
    }
    void next(Block::Inputs& in, const Block::Outputs& out) {
        if (in.setup_valid && out.setup_ready != 0) {
            ready_ = in.setup_keep
                         ? ready_
                         : in.setup_log_sets + in.setup_log_ways <= 11 && in.setup_log_ways <= 3;
            in.setup_valid = false;
        }
        if (out.in_ready != 0) in.in_valid = false;
        in.out_ready = !random_.one_in(3);
        if (in.setup_valid || in.in_valid || random_.one_in(4)) return;
        if (!ready_ || random_.one_in(128)) {
            set_up(in);
        } else {
            operate(in);
        }
    }

private:
    void set_up(Block::Inputs& in) {
        in.setup_valid = true;
        in.setup_keep = random_.one_in(3);
        in.setup_log_sets = static_cast<std::uint8_t>(random_.below(6));
        in.setup_log_ways = static_cast<std::uint8_t>(random_.below(random_.one_in(4) ? 8 : 4));
        in.setup_shift = static_cast<std::uint8_t>(random_.below(6));
        in.setup_fold = random_.one_in(2);
    }
    /// A register is released before it is inserted, since at most one entry may name it.
    void operate(Block::Inputs& in) {
        in.in_valid = true;
        in.key = {random_.below(3000), random_.below(2)};
        if (released_) {
            in.op = LoadHistoryBufferRtl::Op::kInsert;
        } else if (random_.one_in(3)) {
            in.op = LoadHistoryBufferRtl::Op::kRelease;
            in.phys = random_.below(200);
        } else {
            in.op = LoadHistoryBufferRtl::Op::kLookup;
        }
        released_ = in.op == LoadHistoryBufferRtl::Op::kRelease;
    }

    RandomBits random_;
    bool ready_ = false;
    bool released_ = false;  ///< in.phys was released by the operation before
};

class RenameTableStimulus {
public:
    using Block = pins::RenameTableBlock;
    explicit RenameTableStimulus(std::uint32_t seed) : random_(seed) {}

    void reset(Block::Inputs& in) {
        in = {};
        set_up_ = under_way_ = ended_ = has_last_ = false;
        unit_ = 0;
    }
    /// Each unit in turn is ended, then mapped; some share the register of the unit before.
    void next(Block::Inputs& in, const Block::Outputs& out) {
        if (in.map_valid && out.map_ready != 0) {
            in.map_valid = false;
            last_ = out.map_phys;
            has_last_ = in.map_op != RenameTableRtl::Op::kUnmapped;
            unit_ = (unit_ + 1) % kUnits;
            ended_ = false;
        }
        if (in.setup_valid && out.setup_ready != 0) {
            in.setup_valid = false;
            set_up_ = in.setup_units != 0;
        }
        if (out.in_ready != 0) in.in_valid = false;
        if (out.out_valid != 0 && in.out_ready) under_way_ = !(ended_ = true);
        in.out_ready = !random_.one_in(3);
        if (in.setup_valid || in.in_valid || in.map_valid || under_way_) return;
        if (!set_up_ || (!ended_ && random_.one_in(600))) {
            in.setup_valid = true;
            in.setup_units = random_.one_in(4) ? 0 : kUnits;
            in.setup_registers = kUnits;
            has_last_ = ended_ = false;
        } else if (!ended_) {
            in.in_valid = under_way_ = true;
            in.unit = unit_;
        } else if (!random_.one_in(4)) {
            in.map_valid = true;
            in.map_unit = unit_;
            in.map_op = random_.one_in(8)                ? RenameTableRtl::Op::kUnmapped
                        : has_last_ && random_.one_in(2) ? RenameTableRtl::Op::kShare
                                                         : RenameTableRtl::Op::kNew;
            in.map_phys = last_;
        }
    }

private:
    static constexpr std::uint32_t kUnits = 90;

    RandomBits random_;
    bool set_up_ = false;
    bool under_way_ = false;  ///< the unit is offered or not taken yet
    bool ended_ = false;      ///< the unit was taken and is not mapped yet
    bool has_last_ = false;
    std::uint32_t unit_ = 0;
    std::uint32_t last_ = 0;  ///< register of the unit before
};

/// Units in turn with any operation, clears, and set-ups, of which some are refused.
class DuploCoreStimulus {
public:
    using Block = pins::DuploCoreBlock;
    explicit DuploCoreStimulus(std::uint32_t seed) : random_(seed), packets_(random_.engine()) {}

    void reset(Block::Inputs& in) {
        in = {};
        set_up_ = false;
    }
    void next(Block::Inputs& in, const Block::Outputs& out) {
        if (in.setup_valid && out.setup_ready != 0) {
            in.setup_valid = false;
            set_up_ = true;
            base_ = ConvolutionPacket::decode(in.setup.packet).base;
        }
        if (out.clear_ready != 0) in.clear_valid = false;
        if (in.in_valid && out.in_ready != 0) in.in_valid = false;
        const bool refused = set_up_ && out.setup_error != 0;
        if (!in.setup_valid && (!set_up_ || refused || random_.one_in(1000))) set_up(in);
        if (!in.clear_valid) in.clear_valid = random_.one_in(200);
        if (in.in_valid || random_.one_in(4)) return;
        in.in_valid = true;
        in.op = static_cast<PipeUnit::Op>(random_.one_in(2) ? 0 : random_.below(3));
        in.unit = unit_;
        unit_ = (unit_ + 1) % kUnits;
        in.address = base_ + 32 * Address{random_.below(40)};
        in.domain = random_.below(2);
    }

private:
    static constexpr std::uint32_t kUnits = 40;  ///< more than 16: none comes again too early

    void set_up(Block::Inputs& in) {
        in.setup_valid = true;
        in.setup = {};
        in.setup.packet = random_.one_in(4) ? packets_.broken() : packets_.any();
        in.setup.log_sets = static_cast<std::uint8_t>(random_.below(6));
        in.setup.log_ways = static_cast<std::uint8_t>(random_.below(random_.one_in(4) ? 8 : 4));
        in.setup.units = random_.one_in(8) ? 0 : kUnits;
        in.setup.registers = kUnits;
    }

    RandomBits random_;
    PacketSource packets_;
    bool set_up_ = false;
    std::uint32_t unit_ = 0;
    Address base_ = 0;
};

/// Operations in any order on a few keys, with set-ups between them; every other one is refused.
class PrecomputeTableStimulus {
public:
    using Block = pins::PrecomputeTableBlock;
    explicit PrecomputeTableStimulus(std::uint32_t seed) : random_(seed) {}

    void reset(Block::Inputs& in) {
        in = {};
        set_up_ = false;
    }
    void next(Block::Inputs& in, const Block::Outputs& out) {
        if (in.in_valid && out.in_ready != 0) in.in_valid = false;
        if (in.setup_valid && out.setup_ready != 0) {
            in.setup_valid = false;
            set_up_ = in.setup_entries != 0;
        }
        in.out_ready = !random_.one_in(3);
        if (in.setup_valid || in.in_valid) return;
        if (!set_up_ || random_.one_in(300)) {
            in.setup_valid = true;
            in.setup_entries = random_.one_in(2) ? 0 : 1 + random_.below(kEntries);
            return;
        }
        in.in_valid = true;
        in.op = static_cast<PrecomputeTableRtl::Op>(random_.below(8));
        in.key = {random_.below(kEntries), random_.below(2), random_.below(2)};
        in.slot = random_.below(kEntries);
        in.after = random_.one_in(2);
        in.generation = random_.below(2);
        in.count = random_.below(3);
        random_.fill(in.results);
    }

private:
    static constexpr std::uint32_t kEntries = 12;

    RandomBits random_;
    bool set_up_ = false;
};

/// Operations in any order on a few pairs, with set-ups between them; every other one is refused.
class AssignTableStimulus {
public:
    using Block = pins::AssignTableBlock;
    explicit AssignTableStimulus(std::uint32_t seed) : random_(seed) {}

    void reset(Block::Inputs& in) {
        in = {};
        set_up_ = false;
    }
    void next(Block::Inputs& in, const Block::Outputs& out) {
        if (in.in_valid && out.in_ready != 0) in.in_valid = false;
        if (in.setup_valid && out.setup_ready != 0) {
            in.setup_valid = false;
            set_up_ = in.setup_entries != 0;
        }
        in.out_ready = !random_.one_in(3);
        if (in.setup_valid || in.in_valid) return;
        if (!set_up_ || random_.one_in(300)) {
            in.setup_valid = true;
            in.setup_entries = random_.one_in(2) ? 0 : 1 + random_.below(kEntries);
            return;
        }
        in.in_valid = true;
        in.op = static_cast<AssignTableRtl::Op>(random_.one_in(100) ? 3 : random_.below(3));
        in.pair = {random_.below(kEntries), random_.below(3)};
        in.sm = random_.below(3);
    }

private:
    static constexpr std::uint32_t kEntries = 12;

    RandomBits random_;
    bool set_up_ = false;
};

}  // namespace tessera::test
