#include "sc_models/record/planted_fault.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "sc_models/common/error.h"
#include "sc_models/tensor_core/matrix_unit.h"

namespace tessera {
namespace {

struct KindName {
    std::string_view name;
    PlantedKind kind;
    bool has_number;
};
constexpr std::array<KindName, 7> kPlantedKinds = {{{"address", PlantedKind::kAddress, true},
                                                    {"data", PlantedKind::kData, true},
                                                    {"operand", PlantedKind::kOperand, true},
                                                    {"late", PlantedKind::kLate, true},
                                                    {"served", PlantedKind::kServed, false},
                                                    {"twice", PlantedKind::kTwice, false},
                                                    {"lost", PlantedKind::kLost, false}}};
constexpr std::size_t kOperandBytes = kFragmentRows * std::size_t{kFragmentRowBytes};

std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t most) {
    std::uint64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = error == std::errc() && rest == text.data() + text.size() && value <= most;
    return good ? std::optional(value) : std::nullopt;
}

}  // namespace

PlantedPlan PlantedPlan::parse(std::string_view text) {
    const auto refuse = [text](std::string_view expected) {
        return ConfigError(fmt::format("--plant-fault: got '{}', expected {}", text, expected));
    };
    constexpr std::string_view kForm =
        "LINK:KIND@N with KIND one of {address:BIT, data:BIT, operand:BIT, late:CYCLES, served, "
        "twice, lost}, as in sm0.ldst.to_l1:address:7@120";
    PlantedPlan plan;
    plan.text = text;
    const std::size_t at = text.rfind('@');
    const std::size_t colon = text.find(':');
    if (at == std::string_view::npos || colon == std::string_view::npos || colon == 0 ||
        colon > at) {
        throw refuse(kForm);
    }
    const auto nth = whole_number(text.substr(at + 1), ~std::uint64_t{0});
    if (!nth) throw refuse("a number of a transaction behind '@'");
    plan.nth = *nth;
    plan.link = text.substr(0, colon);
    std::string_view kind = text.substr(colon + 1, at - colon - 1);
    const std::size_t number_at = kind.find(':');
    const std::string_view number =
        number_at == std::string_view::npos ? std::string_view() : kind.substr(number_at + 1);
    kind = kind.substr(0, number_at);
    const auto* const found =
        std::find_if(kPlantedKinds.begin(), kPlantedKinds.end(),
                     [kind](const KindName& known) { return known.name == kind; });
    if (found == kPlantedKinds.end() || found->has_number == number.empty()) throw refuse(kForm);
    plan.kind = found->kind;
    if (!found->has_number) return plan;
    constexpr std::uint64_t kMostBits = 63;
    constexpr std::uint64_t kMostNumber = 1'000'000;
    const std::uint64_t most = plan.kind == PlantedKind::kAddress ? kMostBits : kMostNumber;
    const auto value = whole_number(number, most);
    const bool none = value && *value == 0 && plan.kind == PlantedKind::kLate;
    if (!value || none) {
        throw refuse(fmt::format("a number from {} to {} behind '{}'", none ? 1 : 0, most, kind));
    }
    plan.number = static_cast<std::uint32_t>(*value);
    return plan;
}

void PlantedFault::flip(void* data, std::size_t bytes) {
    const std::size_t bit = plan_.number % (bytes * 8);
    static_cast<unsigned char*>(data)[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
    changed_ = true;
}

void PlantedFault::break_request(Payload& payload) {
    auto* const access = payload.get_extension<WarpAccess>();
    auto* const product = payload.get_extension<MmaOperands>();
    const auto* const info = payload.get_extension<AccessInfo>();
    if (plan_.kind == PlantedKind::kAddress && access != nullptr) {
        given_instruction_ = access->instruction;
        instruction_ = *access->instruction;
        instruction_.set_address(instruction_.address() ^ Address{1} << plan_.number);
        access->instruction = &instruction_;
    }
    if (plan_.kind == PlantedKind::kAddress && (access != nullptr || info != nullptr)) {
        given_address_ = payload.get_address();
        payload.set_address(given_address_ ^ Address{1} << plan_.number);
        changed_ = true;
    }
    if (plan_.kind == PlantedKind::kData && info != nullptr && payload.is_write() &&
        moves_bytes(info)) {
        flip(payload.get_data_ptr(), payload.get_data_length());
    }
    if (plan_.kind == PlantedKind::kOperand && product != nullptr && product->c != nullptr) {
        std::memcpy(operand_.data(), product->a[0], kOperandBytes);
        flip(operand_.data(), kOperandBytes);
        std::copy_n(product->a, 2, given_a_);
        product->a[0] = operand_.data();
        if (product->product != FragmentProduct::kStructured) product->a[1] = operand_.data();
    }
}

void PlantedFault::break_response(Payload& payload) {
    auto* const access = payload.get_extension<WarpAccess>();
    auto* const product = payload.get_extension<MmaOperands>();
    auto* const sparse = payload.get_extension<SpwmmaOperands>();
    auto* const info = payload.get_extension<AccessInfo>();
    if (plan_.kind == PlantedKind::kAddress) {
        if (access != nullptr) access->instruction = given_instruction_;
        if (access != nullptr || info != nullptr) payload.set_address(given_address_);
    }
    if (plan_.kind == PlantedKind::kOperand && given_a_[0] != nullptr) {
        std::copy_n(given_a_, 2, product->a);
    }
    if (plan_.kind == PlantedKind::kServed && info != nullptr) {
        info->served_by = info->served_by == ServedBy::kDram ? ServedBy::kL2 : ServedBy::kDram;
        changed_ = true;
    }
    if (plan_.kind != PlantedKind::kData) return;
    constexpr std::size_t kProductBytes = kMatrixElements * sizeof(float);
    if (product != nullptr && product->c != nullptr) flip(product->c, kProductBytes);
    if (sparse != nullptr && sparse->sums != nullptr && sparse->a.counts == nullptr) {
        flip(sparse->sums, 4 * kProductBytes);
    }
    if (info != nullptr && payload.is_read() && moves_bytes(info)) {
        flip(payload.get_data_ptr(), payload.get_data_length());
    }
}

void PlantedFault::require_changed() const {
    if (changed_) return;
    if (seen_ == 0) {
        throw ConfigError(
            fmt::format("--plant-fault: got '{}', but no transaction passed a link "
                        "of this name; a recording lists the links",
                        plan_.text));
    }
    if (seen_ <= plan_.nth) {
        throw ConfigError(
            fmt::format("--plant-fault: got '{}', expected a number below {}, the "
                        "transactions of this link",
                        plan_.text, seen_));
    }
    throw ConfigError(
        fmt::format("--plant-fault: got '{}', expected a kind that this transaction has: data "
                    "needs values on and, below the L1, timing at",
                    plan_.text));
}

}  // namespace tessera
