#include "sc_models/workload/staged/staged_warp.h"

namespace tessera {
namespace {

/// Number of steps over `k`.
std::uint32_t steps_of(const StagedProduct& product, std::uint64_t k) {
    return static_cast<std::uint32_t>(ceil_div(k, std::uint64_t{product.depth_tiles} * kDepthTile));
}

std::uint64_t elements_of(const StagedProduct& product) {
    return product.places != nullptr ? product.elements : product.m * product.n;
}

}  // namespace

StagedWarp::StagedWarp(const StagedProductKernel& of, CtaId of_cta, std::uint32_t of_warp)
    : kernel(of),
      cta(of_cta.value()),
      warp(of_warp),
      tile(of.tile(of_cta)),
      m(of.member(tile.member).m),
      k(of.member(tile.member).k),
      row(tile.row),
      column(tile.column),
      warp_row(warp / (of.product().tiling.cta_n / of.product().tiling.warp_n) *
               of.product().tiling.warp_m),
      warp_column(warp % (of.product().tiling.cta_n / of.product().tiling.warp_n) *
                  of.product().tiling.warp_n),
      first_step(std::min(tile.part * of.product().steps_per_part, steps_of(of.product(), k))),
      end_step(of.parts() > 1
                   ? std::min(first_step + of.product().steps_per_part, steps_of(of.product(), k))
                   : steps_of(of.product(), k)),
      d(of.product().d + Address{tile.part} * elements_of(of.product()) * sizeof(float)) {}

}  // namespace tessera
