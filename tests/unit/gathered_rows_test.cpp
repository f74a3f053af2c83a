// Are the runs of a block of rows those of its rows?
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "sc_models/workload/library/convolution_pass.h"

namespace tessera {
namespace {

LayerConfig random_layer(std::mt19937_64& random) {
    const auto pick = [&random](std::uint32_t from, std::uint32_t to) {
        return from + static_cast<std::uint32_t>(random() % (to - from + 1));
    };
    LayerConfig layer;
    layer.batch = pick(1, 3);
    layer.height = pick(5, 9);
    layer.width = pick(5, 9);
    layer.groups = pick(1, 2);
    layer.channels = layer.groups * pick(1, 5) * 8;
    layer.filters = layer.groups * pick(1, 5) * 8;
    layer.filter_height = pick(1, 3);
    layer.filter_width = pick(1, 3);
    layer.pad = pick(0, 2);
    layer.stride = pick(1, 3);
    layer.dilation = pick(1, 2);
    return layer;
}

/// A run of one element, as a block has it.
struct Element {
    std::uint32_t row = 0;
    std::uint64_t element = 0;
    Address address = 0;

    [[nodiscard]] bool operator==(const Element& other) const {
        return row == other.row && element == other.element && address == other.address;
    }
};

std::vector<Element> elements_of(const ElementSource& source, const ElementBlock& block) {
    std::vector<ElementRun> runs;
    source.runs(block, runs);
    std::vector<Element> elements;
    for (const ElementRun& run : runs) {
        for (std::uint64_t i = 0; i < run.count; ++i) {
            elements.push_back({run.row, run.first + i, run.address + i * sizeof(HalfBits)});
        }
    }
    return elements;
}

/// The same element by element.
std::vector<Element> one_by_one(const ElementSource& source, const ElementBlock& block) {
    std::vector<Element> elements;
    for (std::uint32_t row = 0; row < block.rows; ++row) {
        for (std::uint64_t e = block.first; e < block.end; ++e) {
            for (Element one :
                 elements_of(source, {block.member, block.outer + row, 1, e, e + 1})) {
                one.row = row;
                elements.push_back(one);
            }
        }
    }
    return elements;
}

TEST(GatheredRows, AreThoseOfABlock) {
    std::mt19937_64 random(11);
    std::uint64_t found = 0, wanted = 0;
    for (int i = 0; i < 150; ++i) {
        const LayerConfig layer = random_layer(random);
        for (const LayerPass pass :
             {LayerPass::kForward, LayerPass::kBackwardData, LayerPass::kBackwardWeight}) {
            const SumOrder order = random() % 2 == 0 ? SumOrder::kTapsOuter : SumOrder::kTapsInner;
            const ConvolutionPass product(layer, pass, order);
            const PixelSource input(product, PixelSource::Of::kInput, 0x1000);
            const PixelSource output(product, PixelSource::Of::kOutput, 0x1000);
            const FilterSource filters(product, 0x1000);
            const bool of_weight = pass == LayerPass::kBackwardWeight;
            const ElementSource& a =
                pass == LayerPass::kForward ? static_cast<const ElementSource&>(input) : output;
            const ElementSource& b = of_weight ? static_cast<const ElementSource&>(input) : filters;
            const auto member = static_cast<std::uint32_t>(random() % product.members().size());
            const ConvolutionPass::Member& of = product.members()[member];
            if (of.k == 0) continue;
            for (const ElementSource* const source : {&a, &b}) {
                // Rows of pixels or filters with k side by side, or the other way round; some
                // behind the end.
                const std::uint64_t outer = of_weight ? of.k : std::max(of.m, product.filters());
                ElementBlock block;
                block.member = member;
                block.rows = 1 + static_cast<std::uint32_t>(random() % 40);
                block.outer = random() % (outer + 8);
                block.first = random() % 80;
                block.end = block.first + 1 + random() % 100;
                const std::vector<Element> elements = elements_of(*source, block);
                ASSERT_EQ(elements, one_by_one(*source, block)) << i;
                found += elements.size();
                wanted += block.rows * (block.end - block.first);
            }
        }
    }
    EXPECT_GT(found, wanted / 10);
    EXPECT_LT(found, wanted);
}

}  // namespace
}  // namespace tessera
