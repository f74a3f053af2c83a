// Instruction program of one warp of a staged product.
#pragma once

#include <deque>
#include <vector>

#include "sc_models/workload/staged/sparse_step.h"
#include "sc_models/workload/staged/staged_product_kernel.h"

namespace tessera {

/// The copies of a CTA's step and the warp that makes each.
struct StagedShares {
    std::uint64_t kernel = 0;  ///< StagedProductKernel::number(), 0: unset
    std::uint32_t cta = 0, step = 0;
    std::vector<StagedCopy> copies;
    std::size_t of_a = 0;              ///< number of leading copies that belong to A
    std::vector<std::uint32_t> warps;  ///< by copy

    [[nodiscard]] bool are_of(std::uint64_t of_kernel, std::uint32_t of_cta,
                              std::uint32_t of_step) const {
        return kernel == of_kernel && cta == of_cta && step == of_step;
    }
};

/// Scratch data for generating a step's instructions. All programs of a host thread share one
/// instance, because it runs one at a time: the host's caches hold one, but not one per warp.
struct StagedScratch {
    /// Copies of the step generated last; the other warps of the CTA are about to generate the same
    /// step.
    StagedShares shares;
    std::vector<std::uint32_t> held;  ///< registers of copies, by warp
    SparseStep plan;
    std::vector<std::uint32_t> pieces;
    std::vector<AddressRange> needed;
};

/// A warp of a StagedProductKernel: it copies its share of a step's operands, computes, and writes
/// its part of D.
class StagedProgram : public WarpProgram {
public:
    StagedProgram(const StagedProductKernel& kernel, CtaId cta, std::uint32_t warp);
    std::size_t fill(WarpInstruction* out, std::size_t capacity) override;
    InstructionBatch next(WarpInstruction* room) override;

    /// Returns the warp's instructions on the dense operands of a whole step in buffer `buffer`:
    /// the same in every CTA.
    [[nodiscard]] std::vector<WarpInstruction> fragments_of(std::uint32_t buffer);

private:
    /// Maximum size of a load or store.
    static constexpr std::uint32_t kAccessBytes = 4 * kWarpRegisterBytes;
    static constexpr std::uint32_t kAccessPieces = kAccessBytes / kPieceBytes;

    enum class Phase { kBegin, kSteps, kEnd, kDone };

    void make_step();
    void make_more();
    /// Returns lanes not yet used by an instruction; the caller increments lanes_used_ if it takes
    /// them.
    LaneAccess& spare_lanes();
    void load_copies(std::uint32_t step);
    void list_copies(std::uint32_t step, StagedShares& shares);
    void give_shares(StagedShares& shares);
    void take_share(const StagedShares& shares);
    void name_as_a(WarpInstruction& load, std::uint8_t reg);
    void store_copies();
    void take_computation();
    void spread(std::size_t count, const std::vector<WarpInstruction>& computation,
                std::size_t among);
    void barrier();
    void run_step(std::uint32_t step);
    // Asynchronous copies: staged_asynchronous.cpp.
    void begin_asynchronous();
    void run_asynchronous(std::uint32_t step);
    void copy_step(std::uint32_t step);
    void commit_copies();
    void await_copies();
    void load_matrices(std::uint32_t step, std::uint32_t tile);
    void load_metadata(std::uint32_t step, std::uint32_t tile);
    void multiply_matrices(std::uint32_t tile);
    void multiply_compressed(std::uint32_t tile);
    void alternate(std::size_t loads, std::size_t products);
    void run_matrices(std::uint32_t step, std::uint32_t depth, bool more);
    void run_fragments(std::uint32_t step, std::uint32_t depth);
    void merge_copies(std::uint32_t step);

    // Reading of C into the sums, and conversion of the sums to D: staged_result.cpp.
    void read_c();
    void write_d();
    void write_halves();
    void load_columns();
    void load_strip(std::uint32_t i);
    void add_c(std::uint32_t i);
    void run_epilogue(std::uint32_t i);
    void round_strip(std::uint32_t i);
    void flush(std::uint32_t i, std::uint32_t j);
    void move_halves(Opcode opcode, Address base, std::uint32_t i, std::uint8_t reg);
    void change_floats(FloatOperation what, std::uint32_t i, std::uint32_t j);
    /// Destination of the rounding of a strip of the warp's tile, as many rows as a tile of sums,
    /// once the operands of steps are no longer needed.
    [[nodiscard]] std::uint8_t halves(std::uint32_t i) const { return registers_.slot(i, 0); }
    /// Whether the tiles of sums have the size of kFloats.
    [[nodiscard]] bool rows_of_floats() const { return registers_.sum_edge == kFragmentRows; }
    [[nodiscard]] std::uint32_t instructions_of_tile() const { return registers_.sum_registers(); }
    void move_sums(Opcode opcode, Address base, std::uint32_t i, std::uint32_t j);
    void place_rows(WarpInstruction& w, Address base, std::uint32_t element_bytes,
                    std::uint64_t row, std::uint64_t column);

    // SpWMMAs: staged_sparse.cpp.
    /// A 32x32 tile's share of a step whose operands are in registers.
    struct SparsePair {
        std::uint32_t set = 0;  ///< of bitmap registers
        std::uint8_t a_values = kNoRegister, b_values = kNoRegister;
        std::uint8_t a_bitmaps = kNoRegister, b_bitmaps = kNoRegister;
        std::vector<WarpInstruction> spwmmas;
        std::size_t given = 0;  ///< number of `spwmmas` already in the program
    };
    void run_sparse(std::uint32_t step, std::uint32_t buffer);
    void copy_first_descriptors();
    void add_descriptors(std::uint32_t step);
    void read_descriptors(std::uint32_t step);
    [[nodiscard]] std::uint32_t met_tiles(std::uint32_t step) const;
    void load_bitmaps(const SparseLine& line, std::uint32_t slot, std::uint8_t reg);
    void lower_bitmaps(std::uint32_t slot, std::uint8_t reg);
    void count_bits(std::uint32_t bitmaps, std::uint8_t reg);
    void gather(const SparseLine& line, std::uint32_t slot, std::uint32_t begin, std::size_t from,
                bool bitmaps);
    void load_values(const SparseLine& line, std::uint32_t slot, std::uint8_t reg,
                     std::uint8_t predicates);
    void load_pieces(std::uint32_t address, std::uint32_t pieces, std::uint32_t bytes,
                     std::uint8_t dst, std::uint8_t predicates);
    void prepare_pair(std::uint32_t i, std::uint32_t j, SparsePair& pair) const;
    /// Emits the waiting pair's SpWMMAs, except the last `keep`.
    void multiply_waiting(std::size_t keep = 0);
    [[nodiscard]] std::uint32_t a_slot(std::uint32_t buffer, std::uint32_t i) const;
    [[nodiscard]] std::uint32_t b_slot(std::uint32_t buffer, std::uint32_t j) const;

    void load_a_fragment(std::uint64_t line, std::uint32_t tile, std::uint8_t dst);
    void load_a(std::uint32_t i, std::uint32_t step, std::uint8_t reg, std::uint8_t predicates);
    void load_fragment(FragmentRole role, std::uint32_t slot,
                       const StagedOperand::Fragment& fragment, std::uint8_t dst);
    /// Emits a load of a fragment from shared memory.
    WarpInstruction& emit_fragment(Opcode opcode, std::uint32_t slot,
                                   const StagedOperand::Fragment& fragment, std::uint8_t dst);
    void load_shared(std::uint32_t address, std::uint32_t bytes, std::uint8_t dst);
    WarpInstruction& emit();
    void emit_alu(std::uint32_t count);

    const StagedProductKernel& kernel_;
    StagedScratch* scratch_ = nullptr;  ///< of the thread that generates the step
    const std::uint32_t cta_;
    const StagedProduct& product_;
    const StagedRegisters registers_;
    const std::uint32_t warp_;
    const StagedProductKernel::Tile tile_;        ///< part of D that the CTA computes
    const std::uint64_t m_, k_;                   ///< sizes of its member
    const std::uint64_t row_, column_;            ///< position of the warp's part of D
    const std::uint32_t warp_row_, warp_column_;  ///< the same in the CTA's tile
    const std::uint32_t first_step_, end_step_;   ///< equal if there are no steps
    const Address d_;
    Phase phase_ = Phase::kBegin;
    std::uint32_t step_;
    bool summed_ = false;  ///< some SpWMMA has run
    std::vector<StagedCopy> copies_;
    std::vector<WarpInstruction> pending_;
    /// Generated instructions in order: parts of `pending_`, of `computation_` and of the kernel's
    /// fragments.
    std::vector<InstructionBatch> order_;
    std::size_t next_ = 0;                      ///< index into order_
    std::size_t given_ = 0;                     ///< instructions of the current batch returned by
                                                ///< fill()
    std::vector<WarpInstruction> computation_;  ///< of a step, if not shared by the kernel
    SparsePair waiting_;
    std::uint32_t a_loads_ = 0, b_loads_ = 0;  ///< line tiles whose values were loaded
    std::deque<BitGather> gathers_;            ///< of the instructions returned last
    std::vector<BitGather::Move> moves_;
    std::deque<LaneAccess> lanes_;  ///< of the instructions returned last, then spare ones
    std::size_t lanes_used_ = 0;
};

}  // namespace tessera
