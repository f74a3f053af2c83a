// Blocks of a sub-core's outer-product tensor cores, as modules.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sc_models/tensor_core/matrix_unit.h"
#include "sc_models/tensor_core/shell/accumulation_buffer_module.h"
#include "sc_models/tensor_core/shell/bitmap_unit_module.h"
#include "sc_models/tensor_core/shell/feop_array_module.h"
#include "sc_models/tensor_core/spwmma_unit.h"

namespace tessera {

/// Modules of the outer-product tensor cores of a sub-core, children of the module in whose
/// constructor they are made.
struct OuterProductBlocks {
    /// `of_bitmap` may be kAbsent. `rtl` chooses model or RTL of clocked blocks. Throws like it.
    OuterProductBlocks(BlockDetail of_bitmap, BlockDetail of_array_and_buffer, const RtlMaker& rtl);

    std::unique_ptr<BitmapUnitModule> bitmap;  ///< null: no SpWMMAs
    FeopArrayModule array;
    AccumulationBufferModule buffer;

    /// Counts the work of one SpWMMA in the modules.
    void count(const SpwmmaWork& work);
    /// Registers the counters of SpWMMAs: those of the modules, and those of the pair in `pair`
    /// (`spwmmas` and `nonfinite_tiles`).
    void register_sparse(CounterList pair, StatGroup& statistics) const;
    /// Adds the k-sets of SpWMMAs to a waveform, in `scope`.
    void watch(WaveRecorder& wave, std::string_view scope);
    /// Traces the k-sets of an SpWMMA from `begin` to `end`; only when watched.
    void trace(Cycle begin, Cycle end, const std::vector<SpwmmaSet>& sets);
};

/// Units of the tensor cores of a sub-core, and the modules of their blocks.
struct TensorCoreUnits {
    std::unique_ptr<OuterProductBlocks> blocks;  ///< null: FEDP tensor cores
    std::unique_ptr<MatrixUnit> matrix;
    std::unique_ptr<SpwmmaUnit> sparse;  ///< null: no SpWMMAs
};

}  // namespace tessera
