#include "sc_models/cosim/accumulation_buffer_rtl.h"

#include <Vaccumulation_buffer.h>
#include <Vaccumulation_buffer_accumulation_buffer_pkg.h>

#include "sc_models/cosim/flat_ports.h"
#include "sc_models/cosim/rtl_model.h"

namespace tessera {

static_assert(Vaccumulation_buffer_accumulation_buffer_pkg::TileSize == kTileSize);
static_assert(Vaccumulation_buffer_accumulation_buffer_pkg::Rows == kOhmmaRows);
static_assert(Vaccumulation_buffer_accumulation_buffer_pkg::Columns == kOhmmaColumns);
static_assert(Vaccumulation_buffer_accumulation_buffer_pkg::Banks ==
              AccumulationBufferConfig{}.banks);
static_assert(Vaccumulation_buffer_accumulation_buffer_pkg::Words *
                  AccumulationBufferConfig{}.banks ==
              kTileElements);
static_assert(Vaccumulation_buffer_accumulation_buffer_pkg::FifoDepth ==
              AccumulationBufferConfig{}.depth_entries);

struct AccumulationBufferRtl::Model : RtlModel<Vaccumulation_buffer> {
    explicit Model(std::uint32_t seed) : RtlModel("accumulation_buffer", seed) {}
    AccumulationBuffer::Outputs out;
};

namespace {

constexpr std::uint32_t kIndexBits = 5;

void drive_indices(Vaccumulation_buffer& top, const AccumulationBuffer::Inputs& in) {
    std::uint64_t rows = 0;
    for (std::uint32_t i = 0; i < kOhmmaRows; ++i) {
        rows |= std::uint64_t{in.op_row[i]} << (i * kIndexBits);
    }
    top.op_row_i = rows;
    std::array<std::uint32_t, 3> columns{};
    for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) {
        const std::uint32_t bit = j * kIndexBits;
        const std::uint64_t placed = std::uint64_t{in.op_column[j]} << (bit % 32);
        columns[bit / 32] |= static_cast<std::uint32_t>(placed);
        if ((placed >> 32U) != 0)
            columns[bit / 32 + 1] |= static_cast<std::uint32_t>(placed >> 32U);
    }
    copy_port(top.op_column_i, columns);
}

}  // namespace

AccumulationBufferRtl::AccumulationBufferRtl(std::uint32_t seed)
    : model_(std::make_unique<Model>(seed)) {}
AccumulationBufferRtl::~AccumulationBufferRtl() = default;

void AccumulationBufferRtl::trace(WaveRecorder& wave, const std::string& scope) {
    model_->trace(wave, scope);
}

void AccumulationBufferRtl::not_before(Cycle at) {
    model_->not_before(at);
}

std::uint64_t AccumulationBufferRtl::clock_cycles() const {
    return model_->cycles();
}

void AccumulationBufferRtl::reset() {
    Vaccumulation_buffer& top = **model_;
    top.op_valid_i = 0;
    top.preload_valid_i = 0;
    top.drain_valid_i = 0;
    model_->reset();
}

AccumulationBuffer::Outputs& AccumulationBufferRtl::step(const AccumulationBuffer::Inputs& in) {
    Vaccumulation_buffer& top = **model_;
    top.op_valid_i = in.op_valid != 0;
    if (in.op_valid != 0) {
        top.op_dense_i = in.op_dense != 0;
        top.op_first_i = in.op_first != 0;
        top.op_last_i = in.op_last != 0;
        top.op_word_i = in.op_word;
        top.op_row_valid_i = in.op_row_valid;
        top.op_column_valid_i = in.op_column_valid;
        drive_indices(top, in);
        copy_port(top.op_product_i, in.op_product);
        if (in.op_first != 0) copy_port(top.op_c_i, in.op_c);
    }
    top.preload_valid_i = in.preload_valid != 0;
    if (in.preload_valid != 0) {
        top.preload_word_i = in.preload_word;
        copy_port(top.preload_data_i, in.preload_data);
    }
    top.drain_valid_i = in.drain_valid != 0;
    top.drain_clear_i = in.drain_clear != 0;
    top.row_ready_i = in.row_ready != 0;
    top.result_ready_i = in.result_ready != 0;
    model_->settle();

    AccumulationBuffer::Outputs& out = model_->out;
    out.op_ready = top.op_ready_o;
    out.preload_ready = top.preload_ready_o;
    out.drain_ready = top.drain_ready_o;
    out.row_valid = top.row_valid_o;
    out.row_word = top.row_word_o;
    if (out.row_valid != 0) copy_port(out.row_data, top.row_data_o);
    out.result_valid = top.result_valid_o;
    out.result_word = top.result_word_o;
    if (out.result_valid != 0) copy_port(out.result_data, top.result_data_o);
    out.idle = top.idle_o;
    model_->edge();
    return out;
}

}  // namespace tessera
