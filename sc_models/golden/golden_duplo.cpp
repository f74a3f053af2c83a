// C interface of Duplo's blocks: ID generator and load history buffer.
#include <cstring>

#include "sc_models/golden/golden_call.h"
#include "sc_models/pins/clocked_id_generator.h"
#include "sc_models/pins/clocked_load_history_buffer.h"

struct tessera_golden_id_generator {
    tessera::ClockedIdGenerator model;
};

struct tessera_golden_load_history_buffer {
    tessera::ClockedLoadHistoryBuffer model;
};

namespace tessera {
namespace {

constexpr std::uint64_t kMostElementHigh = 0xffff;  // element ids have 48 bits

tessera_golden_id_generator_outputs step(ClockedIdGenerator& model,
                                         const tessera_golden_id_generator_inputs& in) {
    need_at_most(in.tag, 0xff, "tag");
    ClockedIdGenerator::Inputs pins;
    pins.program_valid = in.program_valid != 0;
    std::memcpy(pins.packet.data(), in.packet, sizeof in.packet);
    pins.in_valid = in.in_valid != 0;
    pins.address = wide(in.address_low, in.address_high);
    pins.tag = static_cast<std::uint8_t>(in.tag);
    pins.out_ready = in.out_ready != 0;
    const ClockedIdGenerator::Outputs from = model.outputs(pins);
    model.edge(pins);
    tessera_golden_id_generator_outputs out{};
    out.program_ready = from.program_ready;
    out.busy = from.busy;
    out.packet_error = from.packet_error;
    out.in_ready = from.in_ready;
    out.out_valid = from.out_valid;
    out.element_low = from.element_low;
    out.element_high = from.element_high;
    out.batch = from.batch;
    out.bypass = from.bypass;
    out.zero = from.zero;
    out.tag = from.tag;
    return out;
}

/// Refuses offered inputs that do not fit the pins.
void check(const tessera_golden_load_history_buffer_inputs& in) {
    if (in.setup_valid != 0 && in.setup_keep == 0) {
        need_at_most(in.setup_log_sets, 15, "setup_log_sets");
        need_at_most(in.setup_log_ways, 7, "setup_log_ways");
        need_at_most(in.setup_shift, LoadHistoryBufferRtl::kMaxShift, "setup_shift");
    }
    if (in.in_valid == 0) return;
    need_at_most(in.op, static_cast<std::uint64_t>(LoadHistoryBufferRtl::Op::kRelease), "op");
    need_at_most(in.element_high, kMostElementHigh, "element_high");
    need_at_most(in.batch, 0xffff, "batch");
    need_at_most(in.phys, (1U << LoadHistoryBufferRtl::kPhysBits) - 1, "phys");
}

tessera_golden_load_history_buffer_outputs step(
    ClockedLoadHistoryBuffer& model, const tessera_golden_load_history_buffer_inputs& in) {
    check(in);
    ClockedLoadHistoryBuffer::Inputs pins;
    pins.setup_valid = in.setup_valid != 0;
    pins.setup_keep = in.setup_keep != 0;
    pins.setup_fold = in.setup_fold != 0;
    if (pins.setup_valid && !pins.setup_keep) {
        pins.setup_log_sets = static_cast<std::uint8_t>(in.setup_log_sets);
        pins.setup_log_ways = static_cast<std::uint8_t>(in.setup_log_ways);
        pins.setup_shift = static_cast<std::uint8_t>(in.setup_shift);
    }
    pins.in_valid = in.in_valid != 0;
    if (pins.in_valid) {
        pins.op = static_cast<LoadHistoryBufferRtl::Op>(in.op);
        pins.key.low = wide(in.element_low, in.element_high) | std::uint64_t{in.batch} << 48U;
        pins.key.high = wide(in.owner_low, in.owner_high);
        pins.phys = in.phys;
    }
    pins.out_ready = in.out_ready != 0;
    const ClockedLoadHistoryBuffer::Outputs from = model.outputs(pins);
    const bool inserts =
        pins.in_valid && from.in_ready != 0 && pins.op == LoadHistoryBufferRtl::Op::kInsert;
    if (inserts && model.names(pins.phys)) {
        throw GoldenRefusal(TESSERA_GOLDEN_BAD_OPERATION,
                            "an entry names register " + std::to_string(pins.phys) + " already");
    }
    model.edge(pins);
    tessera_golden_load_history_buffer_outputs out{};
    out.setup_ready = from.setup_ready;
    out.setup_error = from.setup_error;
    out.in_ready = from.in_ready;
    out.out_valid = from.out_valid;
    out.found = from.found;
    out.same_key = from.same_key;
    out.phys = from.phys;
    return out;
}

}  // namespace
}  // namespace tessera

int tessera_golden_id_generator_create(tessera_golden_id_generator** handle) {
    return tessera::golden_create(__func__, handle);
}

void tessera_golden_id_generator_destroy(tessera_golden_id_generator* handle) {
    delete handle;
}

int tessera_golden_id_generator_reset(tessera_golden_id_generator* handle) {
    return tessera::golden_reset(__func__, handle);
}

int tessera_golden_id_generator_step(tessera_golden_id_generator* handle,
                                     const tessera_golden_id_generator_inputs* in,
                                     tessera_golden_id_generator_outputs* out) {
    return tessera::golden_step(__func__, handle, in, out, [](auto& model, const auto& pins) {
        return tessera::step(model, pins);
    });
}

int tessera_golden_load_history_buffer_create(tessera_golden_load_history_buffer** handle) {
    return tessera::golden_create(__func__, handle);
}

void tessera_golden_load_history_buffer_destroy(tessera_golden_load_history_buffer* handle) {
    delete handle;
}

int tessera_golden_load_history_buffer_reset(tessera_golden_load_history_buffer* handle) {
    return tessera::golden_reset(__func__, handle);
}

int tessera_golden_load_history_buffer_step(tessera_golden_load_history_buffer* handle,
                                            const tessera_golden_load_history_buffer_inputs* in,
                                            tessera_golden_load_history_buffer_outputs* out) {
    return tessera::golden_step(__func__, handle, in, out, [](auto& model, const auto& pins) {
        return tessera::step(model, pins);
    });
}
