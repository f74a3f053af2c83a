// Charts of a network's layers, for the page of the network.
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace tessera {

/// Kinds of layers; each kind has a colour.
inline constexpr std::array<const char*, 3> kNetworkKinds = {"convolutions", "products",
                                                             "other operators"};
inline constexpr std::array<const char*, 3> kNetworkKindColours = {"#3f8cc4", "#e0812a", "#7a9a54"};

/// Kind of a layer of network.json: index into kNetworkKinds.
[[nodiscard]] std::size_t network_kind(const nlohmann::ordered_json& layer);

/// Sections of the page with a chart each: time, limits and zeros by layer, and the roofline.
/// `network`: content of network.json.
[[nodiscard]] std::string network_layer_charts(const nlohmann::ordered_json& network);

}  // namespace tessera
