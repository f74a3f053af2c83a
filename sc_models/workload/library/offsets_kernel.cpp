#include "sc_models/workload/library/offsets_kernel.h"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

constexpr std::uint32_t kWarps = 4;                            // per CTA
constexpr std::uint32_t kStoreBytes = 4 * kWarpRegisterBytes;  // per warp
// Chosen: two divisions by numbers unknown at compile time, and the conversion of a step to an
// offset. A launch takes fifty times as long.
constexpr std::uint16_t kInstructions = 60;
constexpr std::uint32_t kRegisters = 16;

class OffsetsProgram : public WarpProgram {
public:
    OffsetsProgram(Address begin, std::uint64_t bytes) : begin_(begin), bytes_(bytes) {}

    std::size_t fill(WarpInstruction* out, std::size_t /*capacity*/) override {
        if (done_) return 0;
        done_ = true;
        std::size_t count = 0;
        if (bytes_ > 0) {
            WarpInstruction& arithmetic = out[count++] = WarpInstruction{};
            arithmetic.dst = 0;
            arithmetic.moves().zero_fill = kAccessRegisters;
            arithmetic.count = kInstructions;
            WarpInstruction& store = out[count++] = WarpInstruction(Opcode::kStoreGlobal);
            store.src_a = 0;
            store.memory().set_rows(begin_, 1, bytes_);
        }
        out[count++] = WarpInstruction(Opcode::kExit);
        return count;
    }

private:
    Address begin_;
    std::uint64_t bytes_;
    bool done_ = false;
};

}  // namespace

OffsetsKernel::OffsetsKernel(std::string name, Address table, std::uint64_t offsets)
    : table_(table), bytes_(table_bytes(offsets)) {
    info_.name = std::move(name);
    info_.ctas = static_cast<std::uint32_t>(ceil_div(bytes_, std::uint64_t{kWarps} * kStoreBytes));
    info_.warps_per_cta = kWarps;
    info_.registers_per_thread = kRegisters;
    info_.short_code = true;
    for (std::uint32_t warp = 0; warp < kWarps; ++warp) info_.sub_core_of_warp.push_back(warp);
}

std::unique_ptr<WarpProgram> OffsetsKernel::program(CtaId cta, std::uint32_t warp) const {
    const std::uint64_t first = (std::uint64_t{cta.value()} * kWarps + warp) * kStoreBytes;
    const std::uint64_t bytes =
        first >= bytes_ ? 0 : std::min<std::uint64_t>(kStoreBytes, bytes_ - first);
    return std::make_unique<OffsetsProgram>(table_ + first, bytes);
}

}  // namespace tessera
