// Summary of a sparse tile on RTL ports. For wrappers.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sc_models/cosim/flat_ports.h"
#include "sc_models/tensor_core/bitmap_unit.h"

namespace tessera {

/// Reader of the summary ports of the bitmap unit, which are constant while a tile's OHMMAs are
/// made.
template <class Top>
class SummaryPorts {
public:
    const BitmapUnit::Summary& read(const Top& top) {
        follow<6>(top.a_count_o, a_count_, summary_.a_count);
        follow<6>(top.b_count_o, b_count_, summary_.b_count);
        follow<9>(top.a_offset_o, a_offset_, summary_.a_offset);
        follow<9>(top.b_offset_o, b_offset_, summary_.b_offset);
        follow<3>(top.row_groups_o, row_groups_, summary_.row_groups);
        follow<2>(top.column_groups_o, column_groups_, summary_.column_groups);
        follow<8>(top.predicates_o, predicates_, summary_.predicates);
        return summary_;
    }

private:
    /// Unpacks the fields of a port if the port has changed.
    template <std::uint32_t kBits, class Port, std::size_t kCount>
    static void follow(const Port& port, Port& last, std::array<std::uint32_t, kCount>& fields) {
        if (std::memcmp(&port, &last, sizeof port) == 0) return;
        std::memcpy(&last, &port, sizeof port);
        unpack<kBits>(port, fields);
    }

    template <class Port>
    using Copy = std::remove_cv_t<std::remove_reference_t<Port>>;

    BitmapUnit::Summary summary_;
    Copy<decltype(Top::a_count_o)> a_count_{}, b_count_{};
    Copy<decltype(Top::a_offset_o)> a_offset_{}, b_offset_{};
    Copy<decltype(Top::row_groups_o)> row_groups_{};
    Copy<decltype(Top::column_groups_o)> column_groups_{};
    Copy<decltype(Top::predicates_o)> predicates_{};
};

}  // namespace tessera
