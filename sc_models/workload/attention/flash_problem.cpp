#include "sc_models/workload/attention/flash_problem.h"

#include <cmath>
#include <numeric>
#include <vector>

namespace tessera {

std::uint64_t FlashProblem::physical_page(std::uint32_t sequence, std::uint32_t page) const {
    constexpr double kGolden = 0.6180339887498949;
    const std::uint64_t all = std::uint64_t{batch} * pages();
    auto step = static_cast<std::uint64_t>(kGolden * static_cast<double>(all)) | 1U;
    while (std::gcd(step, all) != 1) step += 2;
    return (std::uint64_t{sequence} * pages() + page) * step % all;
}

Address FlashProblem::cached_row(const HeadTensor& tensor, std::uint32_t sequence,
                                 std::uint32_t key, std::uint32_t head) const {
    if (page_tokens == 0) return tensor.at(sequence, key, head);
    const std::uint64_t page = physical_page(sequence, key / page_tokens);
    return tensor.at(0, page * page_tokens + key % page_tokens, head);
}

FlashProblem::Blocks FlashProblem::blocks(std::uint32_t row_tile, std::uint32_t split) const {
    Blocks blocks{0, ceil_div(keys, tile.keys)};
    if (causal) {
        const std::uint64_t reach = std::uint64_t{row_tile + 1} * tile.rows + keys - rows;
        blocks.end = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(blocks.end, ceil_div(reach, std::uint64_t{tile.keys})));
    }
    if (blocks_of_split == 0) return blocks;
    blocks.first = split * blocks_of_split;
    blocks.end = std::min(blocks.end, blocks.first + blocks_of_split);
    return blocks;
}

std::uint32_t FlashProblem::masked_blocks() const {
    const bool even = keys % tile.keys == 0 && rows % tile.rows == 0;
    if (!causal) return even ? 0 : 1;
    return ceil_div(tile.rows, tile.keys) + (even ? 0 : 1);
}

FlashTile prefill_tile(std::uint32_t head_size) {
    return head_size <= 64 ? FlashTile{128, 128} : FlashTile{128, 64};
}

FlashTile warpgroup_tile(std::uint32_t head_size, bool causal) {
    if (head_size <= 64) return {192, 128};
    return causal ? FlashTile{128, 128} : FlashTile{128, 176};
}

FlashTile decode_tile(std::uint32_t head_size, bool split) {
    constexpr std::uint32_t kRows = 64;
    if (!split) return {kRows, prefill_tile(head_size).keys};
    return head_size <= 64 ? FlashTile{kRows, 256} : FlashTile{kRows, 128};
}

std::uint32_t choose_splits(std::uint64_t ctas, std::uint32_t sms, std::uint32_t blocks) {
    constexpr std::uint32_t kMost = 128, kCtasOfSm = 2;
    constexpr double kFull = 0.8, kNearBest = 0.85;
    const std::uint32_t slots = kCtasOfSm * sms;
    if (static_cast<double>(ctas) >= kFull * slots) return 1;
    const std::uint32_t most = std::min({kMost, slots, blocks});
    const auto differs = [&](std::uint32_t splits) {
        return splits == 1 || ceil_div(blocks, splits) != ceil_div(blocks, splits - 1);
    };
    std::vector<double> shares;
    for (std::uint32_t splits = 1; splits <= most; ++splits) {
        const double waves = static_cast<double>(ctas * splits) / slots;
        shares.push_back(differs(splits) ? waves / std::ceil(waves) : 0);
    }
    const double best = *std::max_element(shares.begin(), shares.end());
    for (std::uint32_t splits = 1; splits <= most; ++splits) {
        if (differs(splits) && shares[splits - 1] >= kNearBest * best) return splits;
    }
    return 1;
}

}  // namespace tessera
