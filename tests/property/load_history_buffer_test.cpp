// Does the load history buffer agree with a naive one under random legal operations?
#include <gtest/gtest.h>

#include <list>
#include <map>
#include <random>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/duplo/load_history_buffer.h"

namespace tessera::test {
namespace {

constexpr std::uint32_t kRegisters = 300;
constexpr std::uint32_t kOperations = 1000000;
constexpr std::uint64_t kSeed = 4;

struct Shape {
    std::uint32_t entries, ways;
    bool fold;
    std::uint32_t shift;
    bool keeps = false;
};

/// Sets as lists, most recently used first.
class NaiveBuffer {
public:
    explicit NaiveBuffer(const Shape& shape) : shape_(shape) {}

    int find(const LhbKey& key) {
        auto& set = sets_[set_of(key)];
        for (auto it = set.begin(); it != set.end(); ++it) {
            if (it->first == key) {
                set.splice(set.begin(), set, it);
                return static_cast<int>(set.front().second);
            }
        }
        return -1;
    }
    /// Register pushed out, -1 if none. `kept_out`: all of the set recur, and this does not.
    int insert(const LhbKey& key, std::uint32_t phys, bool& kept_out) {
        kept_out = false;
        auto& set = sets_[set_of(key)];
        int out = -1;
        for (auto it = set.begin(); it != set.end(); ++it) {
            if (it->first == key) {
                out = static_cast<int>(it->second);
                set.erase(it);
                break;
            }
        }
        if (out < 0 && shape_.entries != 0 && set.size() == shape_.ways) {
            auto last = set.end();
            for (auto it = set.begin(); it != set.end(); ++it) {
                if (!shape_.keeps || !recurs[it->second]) last = it;
            }
            if (last == set.end()) {
                kept_out = !recurs[phys];
                if (kept_out) return -1;
                --last;
            }
            out = static_cast<int>(last->second);
            set.erase(last);
        }
        set.emplace_front(key, phys);
        return out;
    }
    bool release(std::uint32_t phys) {
        for (auto& [index, set] : sets_) {
            for (auto it = set.begin(); it != set.end(); ++it) {
                if (it->second == phys) {
                    set.erase(it);
                    return true;
                }
            }
        }
        return false;
    }
    std::vector<bool> recurs = std::vector<bool>(kRegisters, false);
    void clear() { sets_.clear(); }
    std::size_t size() const {
        std::size_t n = 0;
        for (const auto& [index, set] : sets_) {
            n += set.size();
        }
        return n;
    }

private:
    std::uint64_t set_of(const LhbKey& key) const {
        if (shape_.entries == 0) {
            return 0;
        }
        const std::uint64_t sets = shape_.entries / shape_.ways;
        const std::uint64_t i = key.element() >> shape_.shift;
        std::uint64_t bits = 0;
        for (std::uint64_t n = sets; n > 1; n /= 2) {
            ++bits;
        }
        return (shape_.fold ? i ^ (i >> bits) ^ (i >> (2 * bits)) ^ (37 * key.batch()) : i) % sets;
    }
    Shape shape_;
    std::map<std::uint64_t, std::list<std::pair<LhbKey, std::uint32_t>>> sets_;
};

/// Runs both; the step at which they first disagree, kOperations if never.
template <class Buffer>
std::uint32_t first_disagreement(Buffer& buffer, const Shape& shape) {
    std::mt19937_64 rng(kSeed);
    NaiveBuffer naive(shape);
    buffer.program(shape.shift, kRegisters);
    for (std::uint32_t step = 0; step < kOperations; ++step) {
        DataId id;
        id.element = rng() % 40 << shape.shift | (rng() % 4) << 13;
        id.batch = static_cast<std::uint32_t>(rng() % 2);
        id.extra = static_cast<std::uint32_t>(rng() % 8 == 0);
        const LhbKey key = LhbKey::make(id, static_cast<std::uint32_t>(rng() % 2), 5);
        const PhysRegId phys{static_cast<std::uint32_t>(rng() % kRegisters)};
        if (shape.keeps && rng() % 2 == 0) {
            const bool recurs = rng() % 2 == 0;
            buffer.set_recurs(phys, recurs);
            naive.recurs[phys.value()] = recurs;
        }
        switch (rng() % 1000 == 0 ? 3 : rng() % 3) {
            case 0: {
                const PhysRegId found = buffer.find(key);
                if ((found.valid() ? static_cast<int>(found.value()) : -1) != naive.find(key)) {
                    return step;
                }
                break;
            }
            case 1:
                if (!buffer.names(phys)) {
                    const auto replaced = buffer.insert(key, phys);
                    bool kept_out = false;
                    if ((replaced.phys.valid() ? static_cast<int>(replaced.phys.value()) : -1) !=
                            naive.insert(key, phys.value(), kept_out) ||
                        replaced.kept_out != kept_out) {
                        return step;
                    }
                }
                break;
            case 2:
                if (buffer.release(phys) != naive.release(phys.value())) {
                    return step;
                }
                break;
            default:
                buffer.clear();
                naive.clear();
        }
        if (step % 1024 == 0 && buffer.size() != naive.size()) {
            return step;
        }
    }
    return kOperations;
}

class LoadHistoryBufferShapes : public ::testing::TestWithParam<Shape> {};

TEST_P(LoadHistoryBufferShapes, AgreeWithTheNaiveBuffer) {
    const Shape shape = GetParam();
    LoadHistoryBuffer buffer(shape.entries, shape.ways, shape.fold, shape.keeps);
    EXPECT_EQ(first_disagreement(buffer, shape), kOperations) << "seed " << kSeed;
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, LoadHistoryBufferShapes,
    ::testing::Values(Shape{64, 1, false, 4}, Shape{64, 1, true, 4}, Shape{32, 4, false, 0},
                      Shape{64, 8, true, 2}, Shape{36, 3, false, 4}, Shape{60, 5, true, 1},
                      Shape{7, 7, false, 4}, Shape{1, 1, true, 4}, Shape{0, 1, false, 4},
                      Shape{64, 1, true, 4, true}, Shape{32, 4, false, 0, true},
                      Shape{60, 5, true, 1, true}, Shape{0, 1, false, 4, true}));

/// Passes most calls through and breaks one rule.
class Mutant {
public:
    enum class Rule { kNarrowTag, kLateRelease, kNoBatch, kForgetsRecurrence };
    Mutant(LoadHistoryBuffer& buffer, Rule rule) : buffer_(buffer), rule_(rule) {}
    void program(std::uint32_t shift, std::uint32_t registers) {
        buffer_.program(shift, registers);
    }
    PhysRegId find(LhbKey key) { return buffer_.find(spoil(key)); }
    LoadHistoryBuffer::Replaced insert(LhbKey key, PhysRegId phys) {
        return buffer_.insert(spoil(key), phys);
    }
    bool release(PhysRegId phys) {
        if (rule_ != Rule::kLateRelease) {
            return buffer_.release(phys);
        }
        const bool released = late_.valid() && buffer_.release(late_);
        late_ = phys;
        return released;
    }
    void set_recurs(PhysRegId phys, bool recurs) {
        buffer_.set_recurs(phys, recurs && rule_ != Rule::kForgetsRecurrence);
    }
    bool names(PhysRegId phys) const { return buffer_.names(phys); }
    void clear() { buffer_.clear(); }
    std::size_t size() const { return buffer_.size(); }

private:
    LhbKey spoil(LhbKey key) const {
        if (rule_ == Rule::kNarrowTag) {
            key.low &= ~(std::uint64_t{1} << 13);
        } else if (rule_ == Rule::kNoBatch) {
            key.low &= (std::uint64_t{1} << 48) - 1;
        }
        return key;
    }
    LoadHistoryBuffer& buffer_;
    Rule rule_;
    PhysRegId late_;
};

TEST(LoadHistoryBuffer, CheckerCatchesMutants) {
    for (const Mutant::Rule rule :
         {Mutant::Rule::kNarrowTag, Mutant::Rule::kLateRelease, Mutant::Rule::kNoBatch}) {
        for (const Shape shape : {Shape{64, 1, false, 4}, Shape{0, 1, false, 4}}) {
            LoadHistoryBuffer buffer(shape.entries, shape.ways, shape.fold);
            Mutant mutant(buffer, rule);
            EXPECT_LT(first_disagreement(mutant, shape), kOperations) << static_cast<int>(rule);
        }
    }
}

TEST(LoadHistoryBuffer, CheckerCatchesForgottenRecurrence) {
    const Shape shape{32, 4, false, 4, true};
    LoadHistoryBuffer buffer(shape.entries, shape.ways, shape.fold, shape.keeps);
    Mutant mutant(buffer, Mutant::Rule::kForgetsRecurrence);
    EXPECT_LT(first_disagreement(mutant, shape), kOperations);
}

TEST(LoadHistoryBuffer, RefusesUnevenWays) {
    EXPECT_THROW(LoadHistoryBuffer(10, 4, false), ConfigError);
    EXPECT_THROW(LoadHistoryBuffer(16, 0, false), ConfigError);
    EXPECT_NO_THROW(LoadHistoryBuffer(12, 4, false));
}

}  // namespace
}  // namespace tessera::test
