// Small whole runs for system tests: layers and products of a few CTAs on a small machine.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "sc_models/config/config.h"

namespace tessera::test {

struct NamedWorkload {
    const char* name;
    std::function<void(WorkloadConfig&)> set;
};

inline void set_layer(WorkloadConfig& w, std::uint32_t batch, std::uint32_t height,
                      std::uint32_t width, std::uint32_t channels, std::uint32_t filters,
                      std::uint32_t filter, std::uint32_t pad, std::uint32_t stride,
                      bool transposed = false) {
    w.kind = WorkloadKind::kConvolution;
    w.layer = {"",     batch,  height, width,  channels,  filters,
               filter, filter, pad,    stride, transposed};
}

/// Padding, stride, both, large filters, zero insertion, few channels, groups and ragged edges.
inline const std::array<NamedWorkload, 13>& small_workloads() {
    static const std::array<NamedWorkload, 13> kAll = {{
        {"padded", [](WorkloadConfig& w) { set_layer(w, 2, 8, 8, 16, 40, 3, 1, 1); }},
        {"strided", [](WorkloadConfig& w) { set_layer(w, 2, 11, 9, 32, 32, 3, 0, 2); }},
        {"padded_strided", [](WorkloadConfig& w) { set_layer(w, 2, 9, 9, 16, 32, 3, 1, 2); }},
        {"large_filter", [](WorkloadConfig& w) { set_layer(w, 1, 10, 10, 16, 24, 5, 2, 1); }},
        {"one_by_one", [](WorkloadConfig& w) { set_layer(w, 2, 7, 7, 48, 32, 1, 0, 1); }},
        {"transposed", [](WorkloadConfig& w) { set_layer(w, 2, 4, 4, 32, 32, 5, 2, 2, true); }},
        {"three_channels", [](WorkloadConfig& w) { set_layer(w, 1, 12, 12, 3, 16, 3, 1, 1); }},
        {"three_channels_rows",
         [](WorkloadConfig& w) {
             set_layer(w, 1, 12, 12, 3, 16, 3, 1, 1);
             w.channel_rule = ChannelRule::kPad8FilterRow;
         }},
        {"three_channels_dense",
         [](WorkloadConfig& w) {
             set_layer(w, 1, 12, 12, 3, 16, 3, 1, 1);
             w.channel_rule = ChannelRule::kDense;
         }},
        {"ragged_product",
         [](WorkloadConfig& w) {
             w.kind = WorkloadKind::kGemm;
             w.gemm = {70, 50, 41};
         }},
        {"two_groups",
         [](WorkloadConfig& w) {
             set_layer(w, 2, 7, 7, 32, 48, 3, 1, 1);
             w.layer.groups = 2;
         }},
        {"depthwise",
         [](WorkloadConfig& w) {
             set_layer(w, 2, 7, 7, 6, 6, 3, 1, 1);
             w.layer.groups = 6;
         }},
        {"transposed_groups_dense",
         [](WorkloadConfig& w) {
             set_layer(w, 1, 4, 4, 15, 6, 5, 2, 2, true);
             w.layer.groups = 3;
             w.channel_rule = ChannelRule::kDense;
         }},
    }};
    return kAll;
}

/// Two SMs in front of a small memory, values on; CTAs of 64 x 32 with 4 warps.
inline Config small_machine(const NamedWorkload& workload) {
    Config config;
    config.gpu.sms = 2;
    config.values = true;
    config.l2.slices = config.dram.channels = 4;
    config.l2.sets_per_slice = 8;
    config.logging.level = "warn";
    TilingConfig& t = config.workload.tiling;
    t.cta_m = 64;
    t.cta_n = 32;
    t.warp_m = 32;
    t.warp_n = 16;
    workload.set(config.workload);
    return config;
}

}  // namespace tessera::test
