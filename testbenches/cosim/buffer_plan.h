// Coverage plan of the accumulation buffer's bench.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/tensor_core/accumulation_buffer.h"
#include "testbenches/cosim/word_pins.h"

namespace tessera {

/// Input pins of the accumulation buffer that carry numbers, by the transactions that use them.
namespace buffer_pins {

using Inputs = AccumulationBuffer::Inputs;
using Pins = WordPins<Inputs>;

inline const Pins& kinds() {
    static const Pins pins = Pins().add("op_dense_i", 1, &Inputs::op_dense);
    return pins;
}
/// Rows and columns mean something where they are valid.
inline const Pins& sparse() {
    static const Pins pins = Pins()
                                 .add("op_row_valid_i", kOhmmaRows, &Inputs::op_row_valid)
                                 .add("op_column_valid_i", kOhmmaColumns, &Inputs::op_column_valid)
                                 .add("op_row_i", 5, &Inputs::op_row)
                                 .add("op_column_i", 5, &Inputs::op_column);
    return pins;
}
inline const Pins& dense() {
    static const Pins pins = Pins()
                                 .add("op_first_i", 1, &Inputs::op_first)
                                 .add("op_last_i", 1, &Inputs::op_last)
                                 .add("op_word_i", 3, &Inputs::op_word)
                                 .add("op_product_i", 30, &Inputs::op_product, 2);
    return pins;
}
inline const Pins& summands() {
    static const Pins pins = Pins().add("op_c_i", 32, &Inputs::op_c);
    return pins;
}
inline const Pins& preloads() {
    static const Pins pins = Pins()
                                 .add("preload_word_i", 3, &Inputs::preload_word)
                                 .add("preload_data_i", 32, &Inputs::preload_data);
    return pins;
}
inline const Pins& drains() {
    static const Pins pins = Pins().add("drain_clear_i", 1, &Inputs::drain_clear);
    return pins;
}

}  // namespace buffer_pins

/// Situations and pins that the bench must reach. It follows the block by its pins alone. The two
/// lowest bits of a product have no bins: they are 0 of exact products, and a NaN is one without
/// them.
class BufferPlan : public CoveragePlan {
public:
    using Inputs = AccumulationBuffer::Inputs;
    using Outputs = AccumulationBuffer::Outputs;

    const Bin no_entry = add("sparse OHMMA without an entry"),
              one_entry = add("sparse OHMMA of one entry"),
              all_entries = add("sparse OHMMA of 128 entries"),
              row_twice = add("sparse OHMMA with a row twice"),
              first = add("dense OHMMA takes its summand"), last = add("dense OHMMA gives sums"),
              middle = add("dense OHMMA between first and last"),
              first_and_last = add("dense OHMMA that is first and last"),
              negative_zero = add("summand -0 of a dense OHMMA"),
              same_word = add("dense OHMMAs of one word in two cycles running"),
              streak_sparse = add("sparse OHMMAs in four cycles running"),
              streak_dense = add("dense OHMMAs in eight cycles running"),
              dense_behind = add("dense OHMMA waits behind a sparse one"),
              sparse_behind = add("sparse OHMMA waits behind a dense one"),
              refused = add("sparse OHMMA waits behind a sparse one"), stalls = add("result waits"),
              stalls_dense = add("dense OHMMA waits behind a result"),
              results = add("results in two cycles running");
    const Bin preload_waits = add("preload waits"), preload_zero = add("preload of -0"),
              preload_beside_op = add("preload beside an OHMMA"),
              preload_beside_drain = add("preload beside a drain"),
              drain_waits = add("drain waits"), drain_beside_op = add("drain beside an OHMMA"),
              clears = add("drain clears the sums"), keeps = add("drain keeps the sums"),
              drain_idle = add("drain of an idle buffer"), row_waits = add("row waits"),
              op_waits_for_drain = add("OHMMA waits for a drain"),
              reset_op = add("reset with an OHMMA that was taken"),
              reset_result = add("reset with a result that waits"),
              reset_drain = add("reset in a drain");

    /// Notes a clock cycle. Outputs are those of the model.
    void cycle(const Inputs& in, const Outputs& out);
    /// Notes a reset behind the cycle that was noted last.
    void reset();

    [[nodiscard]] bool holds_op() const { return taken_; }
    [[nodiscard]] bool holds_result() const { return result_waits_; }
    [[nodiscard]] bool draining() const { return draining_; }

private:
    void note_op(const Inputs& in);
    void note_waiting_op(const Inputs& in);
    void note_preload(const Inputs& in, const Outputs& out);
    void note_drain(const Inputs& in, const Outputs& out);

    const Pin kinds_ = buffer_pins::kinds().plan_in(*this),
              sparse_ = buffer_pins::sparse().plan_in(*this),
              dense_ = buffer_pins::dense().plan_in(*this),
              summands_ = buffer_pins::summands().plan_in(*this),
              preloads_ = buffer_pins::preloads().plan_in(*this),
              drains_ = buffer_pins::drains().plan_in(*this);
    bool taken_ = false;        ///< an OHMMA in the last cycle
    bool was_dense_ = false;    ///< the last OHMMA
    std::uint32_t word_ = 0;    ///< of the last OHMMA
    std::uint32_t streak_ = 0;  ///< OHMMAs of its kind in cycles running
    bool result_waits_ = false, result_before_ = false;
    bool draining_ = false;
};

/// Error of the RTL at its inputs, which the bench has to find.
struct BufferError {
    using Inputs = AccumulationBuffer::Inputs;

    StuckPin stuck;
    std::string wrong;  ///< situation of the plan; empty: none

    [[nodiscard]] bool is(std::string_view situation) const { return wrong == situation; }
    [[nodiscard]] bool active() const { return !stuck.pin.empty() || !wrong.empty(); }
    /// Returns the inputs with the error. Outputs are those of the model.
    [[nodiscard]] Inputs seen_by_rtl(const Inputs& in,
                                     const AccumulationBuffer::Outputs& out) const;
    /// Returns the words in which a stuck bit shows.
    [[nodiscard]] static std::vector<std::pair<std::string, std::uint32_t>> pins();
};

}  // namespace tessera
