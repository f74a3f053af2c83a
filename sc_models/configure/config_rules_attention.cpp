#include <string>

#include "sc_models/config/workload_conditions.h"
#include "sc_models/configure/config_rules.h"

namespace tessera {
namespace {

class AttentionRules : private ConfigRules {
public:
    AttentionRules(const Config& config, const ConfigSource& source)
        : ConfigRules(config, source) {}

    void check() const {
        const AttentionConfig& a = c_.workload.attention;
        require(a.heads % a.kv_heads == 0,
                {"workload.attention.kv_heads", "workload.attention.heads"},
                "a divisor of workload.attention.heads");
        if (a.operands == OperandType::kBf16) check_bf16();
        if (a.operation == AttentionOperation::kRotary) {
            check_rotary(a);
            return;
        }
        require(a.head_size == 64 || a.head_size == 128,
                {"workload.attention.head_size", "workload.attention.operation"},
                "64 or 128 with workload.attention.operation prefill and decode");
        require(a.layout != AttentionLayout::kPacked || a.context == 0,
                {"workload.attention.layout", "workload.attention.context"},
                "another than packed with workload.attention.context above 0: the keys of the "
                "context are in no tensor of queries");
        const bool flash3 = acts::is_flash_attention_3(c_);
        if (flash3) check_warpgroups();
        if (!flash3) require_rate(shape_of(product_of(a.operands)), "workload.kind", "attention");
        require(c_.tensor_core.kind == TensorCoreKind::kFedp, {"workload.kind", "tensor_core.kind"},
                "tensor_core.kind fedp with workload.kind attention");
        if (a.operation != AttentionOperation::kDecode) return;
        constexpr std::uint32_t kCopiedRows = 4;
        constexpr std::uint32_t kMostShared = 64;
        require(a.page_tokens % kCopiedRows == 0, {"workload.attention.page_tokens"},
                "a multiple of " + number(kCopiedRows) + ", the rows of one copy");
        require(a.heads / a.kv_heads <= kMostShared,
                {"workload.attention.kv_heads", "workload.attention.operation"},
                "at least heads / " + number(kMostShared) +
                    " with workload.attention.operation decode");
    }

private:
    /// Requires a rate of the instruction that `value` of `key` consists of.
    void require_rate(MmaShape shape, const char* key, const char* value) const {
        const std::string rate =
            "sm.tensor_rates." + std::string(text_of(shape).key) + ".products_per_cycle";
        require(c_.sm.tensor_rates[shape].is_number(), {key, rate.c_str()},
                "a number above 0 in " + rate + " with " + key + " " + value +
                    ": the machine has no rate for its " + std::string(text_of(shape).mnemonic));
    }
    void check_bf16() const {
        require_rate(MmaShape::kHmma16816Bf16, "workload.attention.operands", "bf16");
        require(c_.gpu.energy_table == kNoEnergyTable,
                {"gpu.energy_table", "workload.attention.operands"},
                "gpu.energy_table none with workload.attention.operands bf16, whose products have "
                "no price");
    }
    void check_warpgroups() const {
        require(c_.workload.attention.mask == AttentionMask::kNone,
                {"workload.attention.mask", "workload.attention.kernel"},
                "none with workload.attention.kernel flash_attention_3");
        require_rate(warpgroup_shape_of(c_.workload.attention.operands),
                     "workload.attention.kernel", "flash_attention_3");
        require(c_.sm.bulk_copy_latency_cycles > 0,
                {"workload.attention.kernel", "sm.bulk_copy_latency_cycles"},
                "a number above 0 in sm.bulk_copy_latency_cycles with workload.attention.kernel "
                "flash_attention_3: the machine has no bulk copies");
        require(c_.noc.kind == NocKind::kCrossbar ||
                    !(c_.workload.multicast && c_.workload.attention.shares_keys()),
                {"workload.attention.kernel", "workload.multicast", "noc.kind"},
                "noc.kind crossbar or workload.multicast off with workload.attention.kernel "
                "flash_attention_3: a mesh has no multicast");
    }
    void check_rotary(const AttentionConfig& a) const {
        require(a.head_size % 2 == 0,
                {"workload.attention.head_size", "workload.attention.operation"},
                "an even number with workload.attention.operation rotary");
        require(!c_.values || c_.workload.repeat == 1,
                {"workload.repeat", "values", "workload.attention.operation"},
                "workload.repeat 1 with values on and workload.attention.operation rotary, which "
                "rotates queries and keys in place");
    }
};

}  // namespace

void check_attention(const Config& config, const ConfigSource& source) {
    AttentionRules(config, source).check();
}

}  // namespace tessera
