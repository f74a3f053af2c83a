// Deliberate error in one transaction of a machine's models, to see that a comparison finds it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/tlm/memory_port.h"

namespace tessera {

/// Kinds of errors in a transaction.
enum class PlantedKind : std::uint8_t {
    kAddress,  ///< a bit of the request's address is inverted
    kData,     ///< a bit of the data sent (writes) or returned (reads, products) is inverted
    kOperand,  ///< a bit of operand A of a product is inverted
    kLate,     ///< the response comes some cycles later (timing lt)
    kServed,   ///< the response names another level of the memory
    kTwice,    ///< the request is sent twice (timing lt)
    kLost      ///< the request is answered without being passed on (timing lt)
};

/// One error: link, kind and the number of the transaction on that link.
struct PlantedPlan {
    std::string link;  ///< full name of the initiator socket, without the machine's name
    PlantedKind kind = PlantedKind::kAddress;
    std::uint32_t number = 0;  ///< bit, or cycles of kLate
    std::uint64_t nth = 0;     ///< transaction of the link, from 0
    std::string text;          ///< as the user gave it

    /// Parses LINK:KIND and the number N behind an at sign; KIND is address:BIT, data:BIT,
    /// operand:BIT, late:CYCLES, served, twice or lost.
    /// Throws ConfigError naming --plant-fault.
    [[nodiscard]] static PlantedPlan parse(std::string_view text);
};

/// Carries out a plan: a link's tap passes each request and response. Data are those of runs with
/// values.
class PlantedFault {
public:
    using Payload = tlm::tlm_generic_payload;

    explicit PlantedFault(PlantedPlan plan) : plan_(std::move(plan)) {}

    [[nodiscard]] const PlantedPlan& plan() const { return plan_; }
    /// Counts a request of the link; returns whether it is the one to break.
    [[nodiscard]] bool is_next() { return seen_++ == plan_.nth; }
    /// Breaks the request, before it is recorded.
    void break_request(Payload& payload);
    /// Breaks the response, before it is recorded, and takes back what the request lost.
    void break_response(Payload& payload);
    /// Cycles to add to the response.
    [[nodiscard]] Cycle delay() const {
        return plan_.kind == PlantedKind::kLate ? plan_.number : 0;
    }
    [[nodiscard]] bool twice() const { return plan_.kind == PlantedKind::kTwice; }
    [[nodiscard]] bool lost() const { return plan_.kind == PlantedKind::kLost; }
    /// Notes that the transaction was delayed, repeated or lost.
    void note_changed() { changed_ = true; }
    /// Number of transactions of the link so far.
    [[nodiscard]] std::uint64_t seen() const { return seen_; }
    /// Throws ConfigError if the run is over and nothing was changed.
    void require_changed() const;

private:
    void flip(void* data, std::size_t bytes);

    const PlantedPlan plan_;
    std::uint64_t seen_ = 0;
    bool changed_ = false;
    WarpInstruction instruction_;  ///< a broken copy
    const WarpInstruction* given_instruction_ = nullptr;
    Address given_address_ = 0;
    std::array<std::byte, kFragmentBytes> operand_{};
    const std::byte* given_a_[2] = {nullptr, nullptr};
};

}  // namespace tessera
