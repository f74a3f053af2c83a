// The RTL with its second sets of parameters. tessera_rtl_second_set() of each block Verilates it.
#include <Vassign_table_second.h>
#include <Vassign_table_second_assign_table.h>
#include <Vbitmap_im2col_second.h>
#include <Vbitmap_im2col_second_bitmap_im2col.h>
#include <Vbitmap_unit_second.h>
#include <Vduplo_core_second.h>
#include <Vduplo_core_second_duplo_core.h>
#include <Vfeop_array_second.h>
#include <Vload_history_buffer_second.h>
#include <Vload_history_buffer_second_load_history_buffer.h>
#include <Vprecompute_table_second.h>
#include <Vprecompute_table_second_precompute_table.h>
#include <Vrename_table_second.h>
#include <Vrename_table_second_rename_table.h>
#include <Vspwmma_core_second.h>
#include <Vspwmma_core_second_spwmma_core.h>

#include <fmt/format.h>
#include <climits>
#include <cstdint>
#include <string>
#include <utility>

#include "sc_models/cosim/assign_table_ports.h"
#include "sc_models/cosim/bitmap_im2col_ports.h"
#include "sc_models/cosim/bitmap_unit_ports.h"
#include "sc_models/cosim/duplo_core_ports.h"
#include "sc_models/cosim/feop_array_ports.h"
#include "sc_models/cosim/load_history_buffer_ports.h"
#include "sc_models/cosim/precompute_table_ports.h"
#include "sc_models/cosim/rename_table_ports.h"
#include "sc_models/cosim/spwmma_core_ports.h"
#include "sc_models/cosim/verilated_block.h"
#include "testbenches/cosim/second_set.h"

namespace tessera {
namespace {

/// The second set of the wrapper `Rtl`, whose Verilated class is `Top`. `text` names and gives the
/// parameters.
template <class Rtl, template <class> class Ports, class Top>
class Registered {
public:
    Registered(const typename Rtl::Parameters& parameters, std::string text)
        : build_(verilated_build<Rtl, Ports, Top>(parameters)) {
        second_build<Rtl>() = &build_;
        register_second_set({Rtl::kName, std::move(text)});
    }

private:
    const RtlBuild<Rtl> build_;
};

using Assign = Vassign_table_second_assign_table;
const Registered<AssignTableRtl, AssignTablePorts, Vassign_table_second> kAssign(
    {Assign::EntryBits, Assign::BlockBits, Assign::SmBits},
    fmt::format("EntryBits {}, BlockBits {}, SmBits {}", Assign::EntryBits, Assign::BlockBits,
                Assign::SmBits));

using Im2col = Vbitmap_im2col_second_bitmap_im2col;
const Registered<BitmapIm2colRtl, BitmapIm2colPorts, Vbitmap_im2col_second> kIm2col(
    {Im2col::RowBits, Im2col::AddressBits},
    fmt::format("RowBits {}, AddressBits {}", Im2col::RowBits, Im2col::AddressBits));

// A k set has 32 bits of A's bitmap.
constexpr std::uint32_t kDepth = sizeof(Vbitmap_unit_second::a_bitmap_i) / sizeof(std::uint32_t);
const Registered<BitmapUnitRtl, BitmapUnitPorts, Vbitmap_unit_second> kBitmap(
    {kDepth}, fmt::format("Depth {}", kDepth));

using Duplo = Vduplo_core_second_duplo_core;
const Registered<DuploCoreRtl, DuploCorePorts, Vduplo_core_second> kDuplo(
    {Duplo::UnitBits, Duplo::PhysBits},
    fmt::format("UnitBits {}, PhysBits {}", Duplo::UnitBits, Duplo::PhysBits));

// The width is that of a C++ type.
constexpr std::uint32_t kMetaWidth = CHAR_BIT * sizeof(Vfeop_array_second::meta_i);
const Registered<FeopArrayRtl, FeopArrayPorts, Vfeop_array_second> kArray(
    {kMetaWidth}, fmt::format("MetaWidth {}", kMetaWidth));

using History = Vload_history_buffer_second_load_history_buffer;
const Registered<LoadHistoryBufferRtl, LoadHistoryBufferPorts, Vload_history_buffer_second>
    kHistory({History::MaxEntries, History::MaxWays, History::PhysBits},
             fmt::format("MaxEntries {}, MaxWays {}, PhysBits {}", History::MaxEntries,
                         History::MaxWays, History::PhysBits));

using Precompute = Vprecompute_table_second_precompute_table;
const Registered<PrecomputeTableRtl, PrecomputeTablePorts, Vprecompute_table_second> kPrecompute(
    {Precompute::EntryBits, Precompute::AddressBits, Precompute::GeometryBits,
     Precompute::GenerationBits, Precompute::Lanes, Precompute::ResultBits},
    fmt::format("EntryBits {}, AddressBits {}, GeometryBits {}, GenerationBits {}, Lanes {}, "
                "ResultBits {}",
                Precompute::EntryBits, Precompute::AddressBits, Precompute::GeometryBits,
                Precompute::GenerationBits, Precompute::Lanes, Precompute::ResultBits));

using Rename = Vrename_table_second_rename_table;
const Registered<RenameTableRtl, RenameTablePorts, Vrename_table_second> kRename(
    {Rename::UnitBits, Rename::PhysBits},
    fmt::format("UnitBits {}, PhysBits {}", Rename::UnitBits, Rename::PhysBits));

using Spwmma = Vspwmma_core_second_spwmma_core;
const Registered<SpwmmaCoreRtl, SpwmmaCorePorts, Vspwmma_core_second> kSpwmma(
    {Spwmma::TagBits}, fmt::format("TagBits {}", Spwmma::TagBits));

}  // namespace
}  // namespace tessera
