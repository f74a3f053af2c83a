// Messages between SMs over the mesh.
#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include "sc_models/common/types.h"

namespace tessera {

/// Requests and replies have virtual channels of their own, so that a reply never waits behind a
/// request that waits for it. A message that is answered is a request, its answer a reply.
enum class MeshNetwork : std::uint8_t { kRequest, kReply };

/// What SMs and assign tables tell each other (opportunistic computing, III-B).
enum class MeshMessageKind : std::uint8_t {
    kLookup,       ///< which SM of the cluster has this pair of blocks?
    kLookupReply,  ///< that one, or none, and whether it has kept room for an assignment
    kInsert,       ///< the sender has this pair of blocks from now on
    kInvalidate,   ///< the sender's L1 has lost a block
    kAssign,       ///< please carry out this work
    kAcknowledge,  ///< it has been
    kRefuse,       ///< it will not; do it yourself
    kCredit,       ///< room for assignments at `holder` is free again
    kDrain         ///< how much of what the sender assigned is not over, now that its CTAs are
};
inline constexpr std::size_t kMeshMessageKinds = 9;
inline constexpr std::array<const char*, kMeshMessageKinds> kMeshMessageNames = {
    "lookup",      "lookup_reply", "insert", "invalidate", "assign",
    "acknowledge", "refuse",       "credit", "drain"};

/// A message to the node of another SM, or of the same one, where the table of a cluster may live.
/// Fields that a kind has no use for stay as they are.
class MeshMessage : public tlm::tlm_extension<MeshMessage> {
public:
    MeshMessageKind kind = MeshMessageKind::kLookup;
    MeshNetwork network = MeshNetwork::kRequest;
    SmId source;  ///< the port fills it in
    SmId destination;
    std::uint32_t flits = 1;  ///< on the mesh, header included

    std::uint64_t id = 0;                       ///< the sender's, for the answer
    Address input = 0, weight = 0, output = 0;  ///< blocks of a pair, or operands and result
    std::uint32_t geometry = 0;                 ///< how lanes' addresses follow from the first's
    std::uint32_t lanes = 0;                    ///< mask
    std::uint32_t count = 0;                    ///< elements of a vector, or of whatever counts
    std::uint32_t window_row = 0, windows_below = 0;  ///< of a vector operation, to predict from
    std::uint32_t credits = 0;  ///< assignments that `holder` has kept room for, or has room again
    SmId holder;                ///< who has the pair, or whose the credits are; invalid: none

    tlm::tlm_extension_base* clone() const override { return new MeshMessage(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const MeshMessage&>(other);
    }
};

}  // namespace tessera
