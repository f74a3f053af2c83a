// Naive reference of the LDST unit: coalescing, issue slots, bank conflicts, data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "testbenches/harness/naive_memory.h"
#include "testbenches/ldst_unit/warp_operation.h"

namespace tessera::testbench {

/// Request of an instruction to the memory below.
struct SentRequest {
    bool write = false;
    Address address = 0;
    std::uint32_t bytes = 0;
    Cycle at = 0;  ///< cycle of its begin
};

/// Service of one instruction.
struct NaiveService {
    std::vector<SentRequest> requests;
    Cycle end = 0;   ///< cycle at which the unit takes the next instruction
    Cycle done = 0;  ///< cycle at which the data is in registers, or the last store accepted
    std::uint32_t wavefronts = 0;  ///< of shared memory
    Cycle load_stall = 0, store_stall = 0;
    bool conflicts = false;    ///< a bank delays a request
    bool fills_cycle = false;  ///< a request waits as the cycle has no slot left
};

/// Sums over all instructions, by the names of the unit's statistics.
struct NaiveCounts {
    std::uint64_t instructions = 0, busy_cycles = 0, mshr_stall_cycles = 0, store_stall_cycles = 0,
                  requests = 0, request_bytes = 0, a_rows = 0, a_row_accesses = 0,
                  a_rows_requested = 0, b_rows_requested = 0, shared_wavefronts = 0,
                  shared_store_wavefronts = 0;
};

/// Unit that serves one instruction at a time, written down byte by byte and cycle by cycle.
class NaiveLdst {
public:
    /// `below`: latency of the memory below, in cycles.
    NaiveLdst(const Config& config, Cycle below);

    /// Serves an instruction that starts at `start`. `held`: cycles for which the memory withholds
    /// the acceptance of each request, in order.
    NaiveService serve(const WarpOperation& operation, Cycle start, const std::vector<Cycle>& held);
    /// Carries out the data of an instruction, after all earlier ones.
    void move(const WarpOperation& operation);

    [[nodiscard]] const NaiveCounts& counts() const { return counts_; }
    /// Registers of a warp, kWarpRegisterBytes each.
    [[nodiscard]] std::vector<unsigned char>& registers(std::uint32_t sub_core,
                                                        std::uint32_t warp) {
        return registers_[sub_core * kWarpsPerSubCore + warp];
    }
    [[nodiscard]] const NaiveMemory& memory() const { return memory_; }
    [[nodiscard]] NaiveMemory& memory() { return memory_; }
    [[nodiscard]] const std::vector<unsigned char>& shared(std::uint32_t cta_slot) const {
        return shared_[cta_slot];
    }

private:
    [[nodiscard]] std::vector<SentRequest> requests_of(const WarpOperation& operation) const;
    [[nodiscard]] std::vector<SentRequest> coalesced(const WarpOperation& operation) const;
    void add_pieces(std::vector<SentRequest>& requests, Address first, std::uint32_t bytes,
                    bool write) const;
    [[nodiscard]] std::uint32_t wavefronts_of(const WarpOperation& operation) const;
    [[nodiscard]] std::uint32_t bank_of(Address address) const;
    void send(NaiveService& service, Cycle start, const std::vector<Cycle>& held) const;
    void count(const WarpOperation& operation, Cycle start, const NaiveService& service);
    void move_fragment(const WarpOperation& operation);
    void move_row(const WarpOperation& operation, std::uint32_t row);
    [[nodiscard]] std::vector<unsigned char> add(const std::vector<unsigned char>& addends,
                                                 const std::vector<unsigned char>& old) const;

    const Config& config_;
    const Cycle below_;
    NaiveCounts counts_;
    NaiveMemory memory_;
    std::vector<std::vector<unsigned char>> registers_, shared_;
};

/// Request of a sub-core for the unit.
struct ArbiterRequest {
    std::uint32_t sub_core = 0;
    bool same_warp = false;  ///< as the instruction of this sub-core that was served last
    std::uint64_t age = 0;   ///< position of the warp in launch order
};

/// Returns the sub-core that is granted the unit. `last` is the one that was served last;
/// `requests` is not empty.
[[nodiscard]] std::uint32_t naive_grant(LdstArbitration policy,
                                        const std::vector<ArbiterRequest>& requests,
                                        std::uint32_t last, std::uint32_t sub_cores);

}  // namespace tessera::testbench
