// C interface of the tables of opportunistic computing.
#include <cstring>
#include <optional>

#include "sc_models/golden/golden_call.h"
#include "sc_models/pins/clocked_assign_table.h"
#include "sc_models/pins/clocked_precompute_table.h"

namespace tessera {
namespace {

/// Refuses a number of more than 32 bits that does not fit its pin.
void need_bits(std::uint64_t value, std::uint32_t bits, const char* high_word) {
    need_at_most(value >> 32U, (std::uint64_t{1} << (bits - 32)) - 1, high_word);
}

/// Refuses an operation that changes before it was taken.
template <class Inputs>
class HeldOperation {
public:
    void reset() { held_.reset(); }
    void check(const Inputs& in) const {
        if (!held_ || (in.in_valid != 0 && same(*held_, in))) return;
        throw GoldenRefusal(TESSERA_GOLDEN_BAD_OPERATION,
                            "the operation changed before it was taken");
    }
    /// Follows a clock cycle, in which `taken` says whether an operation was taken.
    void follow(const Inputs& in, bool taken) {
        held_.reset();
        if (in.in_valid != 0 && !taken) held_ = in;
    }

private:
    /// Compares what belongs to an operation.
    static bool same(Inputs a, Inputs b) {
        a.setup_valid = b.setup_valid = 0;
        a.setup_entries = b.setup_entries = 0;
        a.out_ready = b.out_ready = 0;
        return std::memcmp(&a, &b, sizeof a) == 0;
    }

    std::optional<Inputs> held_;
};

class GoldenPrecomputeTable {
public:
    using Inputs = tessera_golden_precompute_table_inputs;
    using Outputs = tessera_golden_precompute_table_outputs;

    void reset() {
        table_.reset();
        operation_.reset();
    }
    Outputs step(const Inputs& in) {
        const Rtl::Inputs pins = pins_of(in);
        operation_.check(in);
        const Rtl::Outputs from = table_.outputs(pins);
        table_.edge(pins);
        operation_.follow(in, from.in_ready != 0);
        Outputs out{from.setup_ready,
                    from.setup_error,
                    from.in_ready,
                    from.out_valid,
                    from.done,
                    from.present,
                    from.replaced,
                    from.complete,
                    from.slot,
                    from.generation,
                    static_cast<std::uint32_t>(from.input),
                    static_cast<std::uint32_t>(from.input >> 32U),
                    static_cast<std::uint32_t>(from.weights),
                    static_cast<std::uint32_t>(from.weights >> 32U),
                    from.geometry,
                    from.count,
                    {},
                    from.size,
                    from.waiting};
        static_assert(sizeof out.results == sizeof from.results);
        std::memcpy(out.results, from.results.data(), sizeof out.results);
        return out;
    }

private:
    using Rtl = PrecomputeTableRtl;

    static Rtl::Inputs pins_of(const Inputs& in) {
        Rtl::Inputs pins;
        pins.setup_valid = in.setup_valid != 0;
        if (pins.setup_valid) {
            need_at_most(in.setup_entries, 2 * Rtl::kMaxEntries - 1, "setup_entries");
            pins.setup_entries = in.setup_entries;
        }
        pins.out_ready = in.out_ready != 0;
        pins.in_valid = in.in_valid != 0;
        if (!pins.in_valid) return pins;
        constexpr std::uint32_t kMostOp = 7;
        need_at_most(in.op, kMostOp, "op");
        pins.op = static_cast<Rtl::Op>(in.op);
        pins.key = {wide(in.input_low, in.input_high), wide(in.weights_low, in.weights_high),
                    in.geometry};
        need_bits(pins.key.input, Rtl::kAddressBits, "input_high");
        need_bits(pins.key.weights, Rtl::kAddressBits, "weights_high");
        need_at_most(in.geometry, (1U << Rtl::kGeometryBits) - 1, "geometry");
        need_at_most(in.slot, Rtl::kMaxEntries - 1, "slot");
        need_at_most(in.generation, Rtl::kGenerations - 1, "generation");
        need_at_most(in.count, 2 * Rtl::kMaxEntries - 1, "count");
        pins.slot = in.slot;
        pins.after = in.after != 0;
        pins.generation = in.generation;
        pins.count = in.count;
        std::memcpy(pins.results.data(), in.results, sizeof in.results);
        return pins;
    }

    ClockedPrecomputeTable table_;
    HeldOperation<Inputs> operation_;
};

class GoldenAssignTable {
public:
    using Inputs = tessera_golden_assign_table_inputs;
    using Outputs = tessera_golden_assign_table_outputs;

    void reset() {
        table_.reset();
        operation_.reset();
    }
    Outputs step(const Inputs& in) {
        const Rtl::Inputs pins = pins_of(in);
        operation_.check(in);
        const Rtl::Outputs from = table_.outputs(pins);
        table_.edge(pins);
        operation_.follow(in, from.in_ready != 0);
        return {from.setup_ready, from.setup_error, from.in_ready, from.out_valid, from.done,
                from.replaced,    from.sm,          from.count,    from.size};
    }

private:
    using Rtl = AssignTableRtl;

    static Rtl::Inputs pins_of(const Inputs& in) {
        Rtl::Inputs pins;
        pins.setup_valid = in.setup_valid != 0;
        if (pins.setup_valid) {
            need_at_most(in.setup_entries, 2 * Rtl::kMaxEntries - 1, "setup_entries");
            pins.setup_entries = in.setup_entries;
        }
        pins.out_ready = in.out_ready != 0;
        // in_ready depends on the operation whether one is offered or not.
        constexpr std::uint32_t kMostOp = 3;
        need_at_most(in.op, kMostOp, "op");
        pins.op = static_cast<Rtl::Op>(in.op);
        pins.pair = {wide(in.input_low, in.input_high), wide(in.weights_low, in.weights_high)};
        need_bits(pins.pair.input, Rtl::kBlockBits, "input_high");
        need_bits(pins.pair.weights, Rtl::kBlockBits, "weights_high");
        need_at_most(in.sm, Rtl::kMaxSms - 1, "sm");
        pins.sm = in.sm;
        pins.in_valid = in.in_valid != 0;
        return pins;
    }

    ClockedAssignTable table_;
    HeldOperation<Inputs> operation_;
};

}  // namespace
}  // namespace tessera

struct tessera_golden_precompute_table {
    tessera::GoldenPrecomputeTable model;
};

struct tessera_golden_assign_table {
    tessera::GoldenAssignTable model;
};

int tessera_golden_precompute_table_create(tessera_golden_precompute_table** handle) {
    return tessera::golden_create(__func__, handle);
}

void tessera_golden_precompute_table_destroy(tessera_golden_precompute_table* handle) {
    delete handle;
}

int tessera_golden_precompute_table_reset(tessera_golden_precompute_table* handle) {
    return tessera::golden_reset(__func__, handle);
}

int tessera_golden_precompute_table_step(tessera_golden_precompute_table* handle,
                                         const tessera_golden_precompute_table_inputs* in,
                                         tessera_golden_precompute_table_outputs* out) {
    return tessera::golden_step(__func__, handle, in, out,
                                [](auto& model, const auto& pins) { return model.step(pins); });
}

int tessera_golden_assign_table_create(tessera_golden_assign_table** handle) {
    return tessera::golden_create(__func__, handle);
}

void tessera_golden_assign_table_destroy(tessera_golden_assign_table* handle) {
    delete handle;
}

int tessera_golden_assign_table_reset(tessera_golden_assign_table* handle) {
    return tessera::golden_reset(__func__, handle);
}

int tessera_golden_assign_table_step(tessera_golden_assign_table* handle,
                                     const tessera_golden_assign_table_inputs* in,
                                     tessera_golden_assign_table_outputs* out) {
    return tessera::golden_step(__func__, handle, in, out,
                                [](auto& model, const auto& pins) { return model.step(pins); });
}
