// Messages between SMs over the mesh.
#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include "sc_models/common/types.h"

namespace tessera {

/// Requests and replies have separate virtual channels, so that a reply never waits behind a
/// request that waits for it. A message that is answered is a request, its answer a reply.
enum class MeshNetwork : std::uint8_t { kRequest, kReply };

/// Kinds of messages between SMs and assign tables (opportunistic computing, III-B).
enum class MeshMessageKind : std::uint8_t {
    kLookup,       ///< query: the SM of the cluster that holds this pair of blocks
    kLookupReply,  ///< that SM, or none, and whether room for an assignment is reserved there
    kInsert,       ///< the sender holds this pair of blocks from now on
    kInvalidate,   ///< the sender's L1 has lost a block
    kAssign,       ///< assignment of work
    kAcknowledge,  ///< the work is done
    kRefuse,       ///< the assignment is refused; the sender computes it itself
    kCredit,       ///< room for assignments at `holder` is free again
    kDrain         ///< number of the sender's pending assignments, now that its CTAs are done
};
inline constexpr std::size_t kMeshMessageKinds = 9;
inline constexpr std::array<const char*, kMeshMessageKinds> kMeshMessageNames = {
    "lookup",      "lookup_reply", "insert", "invalidate", "assign",
    "acknowledge", "refuse",       "credit", "drain"};

/// Message to the node of another SM, or to the own node, which may hold the table of the cluster.
/// Fields that a kind does not use keep their defaults.
class MeshMessage : public tlm::tlm_extension<MeshMessage> {
public:
    MeshMessageKind kind = MeshMessageKind::kLookup;
    MeshNetwork network = MeshNetwork::kRequest;
    SmId source;  ///< set by the port
    SmId destination;
    std::uint32_t flits = 1;  ///< on the mesh, including the header

    std::uint64_t id = 0;                       ///< assigned by the sender, returned in the answer
    Address input = 0, weight = 0, output = 0;  ///< blocks of a pair, or operands and result
    std::uint32_t geometry = 0;  ///< rule of the lanes' addresses, relative to the first
    std::uint32_t lanes = 0;     ///< mask
    std::uint32_t count = 0;     ///< elements of a vector, or another count
    std::uint32_t window_row = 0, windows_below = 0;  ///< of a vector operation, for prediction
    std::uint32_t credits = 0;  ///< assignments for which `holder` has reserved or freed room
    SmId holder;  ///< SM that holds the pair, or to which the credits belong; invalid: none

    tlm::tlm_extension_base* clone() const override { return new MeshMessage(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const MeshMessage&>(other);
    }
};

}  // namespace tessera
