#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "sc_models/workload/batched_program.h"
#include "sc_models/workload/csr/csr_kernels.h"
#include "sc_models/workload/register_values.h"

namespace tessera {
namespace {

constexpr std::uint32_t kWord = 4;
constexpr std::uint32_t kHash = 107;  // Nagasaka et al.

// Instructions, chosen as the cost of a compiled loop of this kind.
constexpr std::uint32_t kIndexInstructions = 20;   // row, table and pointers of a thread
constexpr std::uint32_t kElementInstructions = 4;  // of an element of A: bounds of B's row
constexpr std::uint32_t kChunkInstructions = 5;    // address, hash and loop
constexpr std::uint32_t kProbeInstructions = 4;    // comparison, next slot, vote
constexpr std::uint32_t kReduceInstructions = 10;  // sum over a warp
constexpr std::uint32_t kGatherInstructions = 8;   // vote and position of 32 slots

// Registers.
constexpr std::uint8_t kRow = 0, kColumnOfA = 1, kValueOfA = 2, kRowOfB = 3, kColumns = 4,
                       kValues = 5, kProduct = 6, kSlot = 7, kSum = 8, kCount = 9, kKeys = 10,
                       kOutColumns = 14, kOutValues = 15, kTotal = 16, kClear = 17;
constexpr std::uint32_t kNamed = 21;
constexpr std::uint32_t kRegistersPerThread = 32;                 // chosen
constexpr std::uint32_t kEntriesPerThread = 8;                    // of a table: chosen
constexpr std::uint32_t kLeastThreads = 64, kMostThreads = 1024;  // of a CTA: chosen
constexpr std::uint32_t kClearBytes = 512;                        // of an STS.128

std::uint32_t integer_at(const std::byte* registers, std::uint32_t reg, std::uint32_t lane) {
    std::uint32_t value = 0;
    std::memcpy(&value, registers + reg * kWarpRegisterBytes + lane * kWord, sizeof value);
    return value;
}
void set_integer(std::byte* registers, std::uint32_t reg, std::uint32_t lane, std::uint32_t value) {
    std::memcpy(registers + reg * kWarpRegisterBytes + lane * kWord, &value, sizeof value);
}

}  // namespace

CsrRow insert_row(const CsrMatrix& a, const CsrMatrix& b, std::uint64_t row,
                  std::uint32_t entries) {
    constexpr std::uint32_t kEmpty = ~0U;
    std::vector<std::uint32_t> keys(entries, kEmpty);
    CsrRow result;
    result.first.push_back(0);
    for (std::uint32_t i = a.begin[row]; i < a.begin[row + 1]; ++i) {
        const std::uint32_t k = a.column[i];
        for (std::uint32_t j = b.begin[k]; j < b.begin[k + 1]; ++j) {
            const std::uint32_t column = b.column[j];
            std::uint32_t slot = column * kHash % entries;
            std::uint16_t probes = 1;
            while (keys[slot] != kEmpty && keys[slot] != column) {
                slot = (slot + 1) % entries;
                ++probes;
            }
            keys[slot] = column;
            result.slot.push_back(slot);
            result.probes.push_back(probes);
        }
        result.first.push_back(static_cast<std::uint32_t>(result.slot.size()));
    }
    for (std::uint32_t slot = 0; slot < entries; ++slot) {
        if (keys[slot] != kEmpty) result.used.push_back(slot);
    }
    return result;
}

/// State that the warps of a CTA share: the row, and with values the table's contents.
struct CsrPhaseKernel::Shared {
    CsrRow row;
    std::vector<std::uint32_t> column;  ///< of each product, as it was loaded
    std::vector<float> product;         ///< of each product
    std::vector<std::uint32_t> keys;    ///< by slot, once gathered
    std::vector<float> sums;            ///< by slot, once gathered

    /// Adds the products up, in their order.
    void gather(std::uint32_t entries) {
        if (!keys.empty()) return;
        keys.assign(entries, 0);
        sums.assign(entries, 0);
        for (std::size_t i = 0; i < row.slot.size(); ++i) {
            keys[row.slot[i]] = column[i];
            if (!product.empty()) sums[row.slot[i]] += product[i];
        }
    }
};

/// A warp of a row. The program is the function of its operations: the call's variant selects it,
/// its position is the first product, its elements are the number of lanes.
class CsrPhaseKernel::Program : public BatchedProgram, public RegisterFunction {
public:
    Program(const CsrPhaseKernel& kernel, std::shared_ptr<Shared> shared, std::uint64_t row,
            std::uint32_t warp)
        : kernel_(kernel),
          task_(kernel.task_),
          shared_(std::move(shared)),
          row_(row),
          warp_(warp),
          warps_(kernel.info_.warps_per_cta),
          numeric_(kernel.phase_ == Phase::kNumeric),
          element_(warp) {}

    void apply(const WarpInstruction& w, std::byte* registers) const override {
        const FunctionCall& call = w.call();
        const auto first = static_cast<std::size_t>(call.position);
        switch (static_cast<Function>(call.variant)) {
            case Function::kInsert:
                for (std::uint32_t lane = 0; lane < call.elements; ++lane) {
                    shared_->column[first + lane] = integer_at(registers, kColumns, lane);
                }
                return;
            case Function::kMultiply:
                for (std::uint32_t lane = 0; lane < call.elements; ++lane) {
                    shared_->product[first + lane] =
                        single(registers, kValueOfA, 0) * single(registers, kValues, lane);
                }
                return;
            case Function::kCount: {
                const std::set<std::uint32_t> columns(shared_->column.begin(),
                                                      shared_->column.end());
                set_integer(registers, kTotal, 0, static_cast<std::uint32_t>(columns.size()));
                return;
            }
            case Function::kGather:
                shared_->gather(kernel_.entries_);
                for (std::uint32_t lane = 0; lane < call.elements; ++lane) {
                    const std::uint32_t slot = shared_->row.used[first + lane];
                    set_integer(registers, kOutColumns, lane, shared_->keys[slot]);
                    set_single(registers, kOutValues, lane, shared_->sums[slot]);
                }
                return;
        }
    }

private:
    enum class Function : std::uint32_t { kInsert, kMultiply, kCount, kGather };
    enum class Stage { kBegin, kElements, kEnd };

    void integer(std::uint32_t count, std::uint8_t needs = kNoRegister,
                 std::uint8_t makes = kNoRegister) {
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kInteger);
        w.count = static_cast<std::uint16_t>(count);
        w.src_a = needs;
        w.dst = makes;
    }
    /// Loads `words` neighbouring words, whose address is in register `needs`.
    void load(Address address, std::uint32_t words, std::uint8_t dst, std::uint8_t needs) {
        WarpInstruction& w = emit(Opcode::kLoadGlobal);
        w.dst = dst;
        w.src_b = needs;
        w.memory().set_rows(address, 1, words * kWord);
    }
    void store(Address address, std::uint32_t words, std::uint8_t src) {
        WarpInstruction& w = emit(Opcode::kStoreGlobal);
        w.src_a = src;
        w.memory().set_rows(address, 1, words * kWord);
    }
    WarpInstruction& compute(Operation operation, std::uint32_t count, std::uint8_t src,
                             std::uint8_t dst, Function function, std::uint64_t first,
                             std::uint32_t lanes) {
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(operation);
        w.count = static_cast<std::uint16_t>(count);
        w.src_a = src;
        w.dst = dst;
        FunctionCall& call = w.set_function(this);
        call.position = first;
        call.variant = static_cast<std::uint32_t>(function);
        call.elements = static_cast<std::uint16_t>(lanes);
        return w;
    }
    /// Accesses the words of some slots, one a lane, of the table's part that begins at `base`.
    void access_slots(Opcode opcode, Address base,
                      const std::array<std::uint32_t, kWarpLanes>& slot, std::uint32_t mask,
                      std::uint8_t dst, std::uint8_t needs) {
        LaneOffsets lanes;
        lanes.mask = mask;
        lanes.access_bytes = kWord;
        for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
            lanes.offset[lane] = std::int64_t{slot[lane]} * kWord;
        }
        const LaneAccess& access = keep(coalesce_shared(lanes, base, task_.granularity));
        WarpInstruction& w = emit(opcode);
        w.memory().address = base;
        w.memory().lanes = &access;
        (opcode == Opcode::kLoadShared ? w.dst : w.src_a) = dst;
        w.src_b = needs;
    }

    void make_batch() override {
        switch (stage_) {
            case Stage::kBegin:
                return begin();
            case Stage::kElements:
                return next_element();
            case Stage::kEnd:
                return end();
        }
    }

    void begin() {
        integer(kIndexInstructions);
        load(task_.a_begin + row_ * kWord, 2, kRow, kNoRegister);
        WarpInstruction& clear = emit(Opcode::kAlu);
        clear.dst = kClear;
        clear.count = clear.moves().zero_fill = kClearBytes / kWarpRegisterBytes;
        const std::uint32_t bytes = kernel_.info_.shared_memory_bytes / warps_;
        for (std::uint32_t at = 0; at < bytes; at += kClearBytes) {
            WarpInstruction& w = emit(Opcode::kStoreShared);
            w.src_a = kClear;
            w.memory().set_rows(Address{warp_} * bytes + at, 1, std::min(kClearBytes, bytes - at));
        }
        emit(Opcode::kBarrier);
        stage_ = Stage::kElements;
    }

    void next_element() {
        const CsrMatrix& a = *task_.a;
        const CsrMatrix& b = *task_.b;
        const std::uint32_t elements = a.begin[row_ + 1] - a.begin[row_];
        if (element_ >= elements) {
            stage_ = Stage::kEnd;
            if (!numeric_) integer(kReduceInstructions, kSlot);
            emit(Opcode::kBarrier);
            return;
        }
        const std::uint32_t at = a.begin[row_] + element_;
        load(task_.a_column + Address{at} * kWord, 1, kColumnOfA, kRow);
        if (numeric_) load(task_.a_values + Address{at} * kWord, 1, kValueOfA, kRow);
        const std::uint32_t k = a.column[at];
        load(task_.b_begin + Address{k} * kWord, 2, kRowOfB, kColumnOfA);
        integer(kElementInstructions, kRowOfB);
        for (std::uint32_t j = b.begin[k]; j < b.begin[k + 1]; j += kWarpLanes) {
            chunk(j, std::min(kWarpLanes, b.begin[k + 1] - j),
                  shared_->row.first[element_] + j - b.begin[k]);
        }
        element_ += warps_;
    }

    /// Inserts `lanes` elements of B from `j` on, products `first` and following.
    void chunk(std::uint32_t j, std::uint32_t lanes, std::uint32_t first) {
        const CsrRow& row = shared_->row;
        load(task_.b_column + Address{j} * kWord, lanes, kColumns, kRowOfB);
        if (numeric_) load(task_.b_values + Address{j} * kWord, lanes, kValues, kRowOfB);
        compute(Operation::kInteger, kChunkInstructions, kColumns, kSlot, Function::kInsert, first,
                lanes);
        std::array<std::uint32_t, kWarpLanes> slot{};
        std::uint32_t most = 0;
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            slot.at(lane) = row.slot[first + lane];
            most = std::max<std::uint32_t>(most, row.probes[first + lane]);
        }
        const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << lanes) - 1);
        for (std::uint32_t probe = 1; probe <= most; ++probe) {
            std::array<std::uint32_t, kWarpLanes> probed{};
            std::uint32_t mask = 0;
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                const std::uint32_t probes = row.probes[first + lane];
                if (probes < probe) continue;
                mask |= 1U << lane;
                probed.at(lane) =
                    (slot.at(lane) + kernel_.entries_ - (probes - probe)) % kernel_.entries_;
            }
            access_slots(Opcode::kLoadShared, 0, probed, mask, kKeys, kSlot);
            integer(kProbeInstructions, kKeys, kSlot);
        }
        if (!numeric_) return;
        WarpInstruction& multiply =
            compute(Operation::kFp32, 1, kValues, kProduct, Function::kMultiply, first, lanes);
        multiply.src_b = kValueOfA;
        const Address sums = Address{kernel_.entries_} * kWord;
        access_slots(Opcode::kLoadShared, sums, slot, all, kSum, kSlot);
        WarpInstruction& add = emit(Opcode::kOperation);
        add.set_operation(Operation::kFp32);
        add.src_a = kSum;
        add.src_b = kProduct;
        add.dst = kCount;
        access_slots(Opcode::kLoadShared, sums, slot, all, kSum, kCount);  // compare-and-swap
        integer(kProbeInstructions, kSum);
    }

    void end() {
        if (numeric_) {
            gather();
        } else {
            if (warp_ == 0) {
                compute(Operation::kInteger, 1, kSlot, kTotal, Function::kCount, 0, 1);
                store(task_.counts + row_ * kWord, 1, kTotal);
            }
        }
        exit();
    }

    /// Writes the elements of the warp's part of the table.
    void gather() {
        load(task_.c_begin + row_ * kWord, 1, kCount, kNoRegister);
        const std::vector<std::uint32_t>& used = shared_->row.used;
        const std::uint32_t part = kernel_.entries_ / warps_;
        for (std::uint32_t slot = warp_ * part; slot < (warp_ + 1) * part; slot += kWarpLanes) {
            const auto begin = std::lower_bound(used.begin(), used.end(), slot);
            const auto end = std::lower_bound(begin, used.end(), slot + kWarpLanes);
            const auto count = static_cast<std::uint32_t>(end - begin);
            for (std::uint32_t of_sums = 0; of_sums < 2; ++of_sums) {
                WarpInstruction& w = emit(Opcode::kLoadShared);
                w.dst = static_cast<std::uint8_t>(kKeys + of_sums);
                w.memory().set_rows((Address{of_sums} * kernel_.entries_ + slot) * kWord, 1,
                                    kWarpRegisterBytes);
            }
            integer(kGatherInstructions, kKeys);
            if (count == 0) continue;
            const auto first = static_cast<std::uint64_t>(begin - used.begin());
            WarpInstruction& take =
                compute(Operation::kMove, 1, kKeys, kOutColumns, Function::kGather, first, count);
            take.src_b = kCount;
            const Address to = ((*task_.c_rows)[row_] + first) * kWord;
            store(task_.c_column + to, count, kOutColumns);
            store(task_.c_values + to, count, kOutValues);
        }
    }

    const CsrPhaseKernel& kernel_;
    const CsrProductTask& task_;
    const std::shared_ptr<Shared> shared_;
    const std::uint64_t row_;
    const std::uint32_t warp_, warps_;
    const bool numeric_;
    std::uint32_t element_;  ///< next of A's row
    Stage stage_ = Stage::kBegin;
};

CsrPhaseKernel::CsrPhaseKernel(const CsrProductTask& task, Phase phase, std::uint32_t entries)
    : task_(task), phase_(phase), entries_(entries) {
    const bool numeric = phase == Phase::kNumeric;
    info_.name = task.name + (numeric ? ".numeric" : ".symbolic");
    info_.ctas = static_cast<std::uint32_t>(task.a->rows());
    info_.warps_per_cta =
        std::clamp(entries / kEntriesPerThread, kLeastThreads, kMostThreads) / kWarpLanes;
    info_.registers_per_thread = kRegistersPerThread;
    info_.scoreboard_registers = kNamed;
    info_.shared_memory_bytes = entries * kWord * (numeric ? 2 : 1);
    for (std::uint32_t warp = 0; warp < info_.warps_per_cta; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

std::unique_ptr<WarpProgram> CsrPhaseKernel::program(CtaId cta, std::uint32_t warp) const {
    std::shared_ptr<Shared> shared = last_cta_ == cta.value() ? last_.lock() : nullptr;
    if (shared == nullptr) {
        shared = std::make_shared<Shared>();
        shared->row = insert_row(*task_.a, *task_.b, cta.value(), entries_);
        shared->column.resize(shared->row.slot.size());
        if (phase_ == Phase::kNumeric) shared->product.resize(shared->row.slot.size());
        last_ = shared;
        last_cta_ = cta.value();
    }
    return std::make_unique<Program>(*this, std::move(shared), cta.value(), warp);
}

}  // namespace tessera
