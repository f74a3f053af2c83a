// Naive reference of the mesh: positions, XY routes, latencies without contention, flit counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sc_models/config/mesh_config.h"

namespace tessera::testbench {

/// Mesh with one memory controller a row and SMs at all other nodes, numbered row by row.
class NaiveMesh {
public:
    using Node = std::uint32_t;
    enum Direction : std::uint8_t { kWest, kEast, kNorth, kSouth };
    using Link = std::pair<Node, Direction>;  ///< from that router in that direction

    explicit NaiveMesh(const MeshConfig& config) : config_(config) {
        const std::uint32_t width = config.width;
        for (std::uint32_t row = 0; row < config.height; ++row) {
            const bool last = config.controllers == ControllerPlacement::kLastColumn;
            const std::uint32_t column = last ? width - 1 : row % width;
            for (std::uint32_t x = 0; x < width; ++x) {
                (x == column ? controllers_ : sms_).push_back(row * width + x);
            }
        }
    }

    [[nodiscard]] std::uint32_t nodes() const { return config_.width * config_.height; }
    [[nodiscard]] std::uint32_t sms() const { return static_cast<std::uint32_t>(sms_.size()); }
    [[nodiscard]] std::uint32_t controllers() const {
        return static_cast<std::uint32_t>(controllers_.size());
    }
    [[nodiscard]] Node of_sm(std::uint32_t sm) const { return sms_[sm]; }
    [[nodiscard]] Node of_controller(std::uint32_t index) const { return controllers_[index]; }
    [[nodiscard]] std::uint32_t column(Node node) const { return node % config_.width; }
    [[nodiscard]] std::uint32_t row(Node node) const { return node / config_.width; }

    /// Links of the XY route: along the row first, then along the column.
    [[nodiscard]] std::vector<Link> route(Node from, Node to) const {
        std::vector<Link> links;
        Node at = from;
        while (column(at) != column(to)) {
            const bool east = column(to) > column(at);
            links.emplace_back(at, east ? kEast : kWest);
            at = east ? at + 1 : at - 1;
        }
        while (at != to) {
            const bool south = row(to) > row(at);
            links.emplace_back(at, south ? kSouth : kNorth);
            at = south ? at + config_.width : at - config_.width;
        }
        return links;
    }
    /// Latency of a packet without contention: the head passes every router and link, the other
    /// flits follow in consecutive cycles. Buffers that do not cover the round trip of a credit
    /// delay each further buffer-full of flits until the credits are back.
    [[nodiscard]] Cycle latency(Node from, Node to, std::uint32_t flits) const {
        const Cycle links = route(from, to).size();
        const Cycle stages = config_.router_stages, link = config_.link_cycles;
        const Cycle buffer = config_.buffer_flits;
        const Cycle credit = links > 0 ? 2 * link + stages : stages - 1 + link;
        const Cycle behind = flits - 1;
        return (links + 1) * stages + links * link + behind / buffer * std::max(credit, buffer) +
               behind % buffer;
    }
    /// Counts the flits of a packet on every link of its route.
    void count(Node from, Node to, std::uint32_t flits) {
        for (const Link& link : route(from, to)) flits_[link] += flits;
        sent_[from] += flits;
        received_[to] += flits;
    }
    [[nodiscard]] std::uint64_t on_link(const Link& link) const { return of(flits_, link); }
    [[nodiscard]] std::uint64_t sent(Node node) const { return of(sent_, node); }
    [[nodiscard]] std::uint64_t received(Node node) const { return of(received_, node); }

private:
    template <class Counts, class Key>
    [[nodiscard]] static std::uint64_t of(const Counts& counts, const Key& key) {
        const auto found = counts.find(key);
        return found == counts.end() ? 0 : found->second;
    }

    const MeshConfig config_;
    std::vector<Node> sms_, controllers_;
    std::map<Link, std::uint64_t> flits_;
    std::map<Node, std::uint64_t> sent_, received_;
};

}  // namespace tessera::testbench
