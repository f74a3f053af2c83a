#include "sc_models/energy/energy_account.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sc_models/common/error.h"
#include "sc_models/mechanism/mechanism_energy.h"
#include "sc_models/mechanisms/mechanisms.h"

namespace tessera {
namespace {

constexpr double kPicojoulesInMicrojoule = 1e6;

/// Converts milliwatts to picojoules per cycle; one milliwatt is 1000 pJ per microsecond.
Bounded a_cycle(const Bounded& milliwatts, std::uint32_t clock_mhz) {
    const double cycle = 1000.0 / clock_mhz;
    return {milliwatts.value * cycle, milliwatts.low * cycle, milliwatts.high * cycle};
}

EnergySum energy_of(std::uint64_t count, const Bounded& pj) {
    const double events = static_cast<double>(count) / kPicojoulesInMicrojoule;
    return {events * pj.value, events * pj.low, events * pj.high};
}

std::string why_unpriced(const EnergyCount& one, const EnergyPrice& price) {
    if (!price.unpriced.empty()) return price.unpriced;
    // Buffers without limit have the size 0.
    return fmt::format("no price for {} {}", one.event->size_key,
                       one.size == 0 ? "infinite" : std::to_string(one.size));
}

nlohmann::ordered_json sum_json(const EnergySum& sum) {
    return {{"uj", sum.uj}, {"low_uj", sum.low_uj}, {"high_uj", sum.high_uj}};
}

nlohmann::ordered_json head_json(const EnergyCount& of) {
    const EnergyEvent& event = *of.event;
    nlohmann::ordered_json j = {{"part", event.part}, {"event", event.name}, {"count", of.count}};
    if (!event.size_key.empty()) j["size"] = of.size;
    return j;
}

}  // namespace

EnergySum& EnergySum::operator+=(const EnergySum& more) {
    uj += more.uj;
    low_uj += more.low_uj;
    high_uj += more.high_uj;
    return *this;
}

EnergySum EnergyAccount::of_part(std::string_view part) const {
    EnergySum sum;
    for (const EnergyPart& one : parts) {
        if (one.of.event->part == part) sum += one.energy;
    }
    return sum;
}

EnergySum EnergyAccount::of_event(const EnergyEvent& event) const {
    EnergySum sum;
    for (const EnergyPart& one : parts) {
        if (one.of.event == &event) sum += one.energy;
    }
    return sum;
}

double EnergyAccount::watts(double uj) const {
    const double microseconds = counts.microseconds();
    return microseconds > 0 ? uj / microseconds : 0;
}

EnergyAccount energy_account(const EnergyCounts& counts, const EnergyTable& table) {
    EnergyAccount account;
    account.table = table.name;
    account.counts = counts;
    for (const EnergyCount& one : counts.events) {
        const EnergyEvent& event = *one.event;
        const EnergyPrice& price = table.of(event);
        std::optional<Bounded> pj = price.of(one.size);
        if (!pj) {
            if (one.count > 0) account.unpriced.push_back({one, why_unpriced(one, price)});
            continue;
        }
        if (event.leaks) pj = a_cycle(*pj, counts.core_clock_mhz);
        const EnergySum energy = energy_of(one.count, *pj);
        account.parts.push_back({one, *pj, energy});
        account.total += energy;
        if (event.scope != EnergyScope::kOffChip) account.on_chip += energy;
        if (event.scope == EnergyScope::kStorage) account.storage += energy;
    }
    return account;
}

nlohmann::ordered_json energy_json(const EnergyAccount& account) {
    nlohmann::ordered_json j;
    j["table"] = account.table;
    j["core_clock_mhz"] = account.counts.core_clock_mhz;
    j["total"] = sum_json(account.total);
    j["on_chip"] = sum_json(account.on_chip);
    j["storage"] = sum_json(account.storage);
    j["parts"] = nlohmann::ordered_json::array();
    for (const EnergyPart& part : account.parts) {
        nlohmann::ordered_json line = head_json(part.of);
        line["pj"] = part.pj.value;
        line.update(sum_json(part.energy));
        j["parts"].push_back(std::move(line));
    }
    j["unpriced"] = nlohmann::ordered_json::array();
    for (const UnpricedPart& part : account.unpriced) {
        nlohmann::ordered_json line = head_json(part.of);
        line["why"] = part.why;
        j["unpriced"].push_back(std::move(line));
    }
    return j;
}

EnergyCounts energy_counts_of(const nlohmann::ordered_json& energy, const std::string& source) {
    EnergyCounts counts;
    try {
        counts.core_clock_mhz = energy.at("core_clock_mhz");
        for (const char* list : {"parts", "unpriced"}) {
            for (const auto& line : energy.at(list)) {
                const std::string name = line.at("event");
                const EnergyEvent* const event = energy_event_named(name);
                if (event == nullptr) {
                    throw ConfigError(
                        fmt::format("{}: energy: got event '{}', which is none", source, name));
                }
                EnergyCounts one;
                one.core_clock_mhz = counts.core_clock_mhz;
                one.events.push_back({event, line.at("count"), line.value("size", 0ULL)});
                counts.add(one);
            }
        }
    } catch (const nlohmann::json::exception&) {
        throw ConfigError(fmt::format(
            "{}: no energy account, expected the result of a run with gpu.energy_table", source));
    }
    return counts;
}

namespace {

/// Figures that mechanisms compute from an account and its price table.
class AccountFigures : public EnergyFigures {
public:
    AccountFigures(const Config& config, const EnergyTable& table, const EnergyAccount& account)
        : config_(config), table_(table), account_(account) {}

    [[nodiscard]] double watts(std::initializer_list<const EnergyEvent*> events) const override {
        EnergySum sum;
        for (const EnergyEvent* event : events) sum += account_.of_event(*event);
        return account_.watts(sum.uj);
    }
    [[nodiscard]] std::optional<double> area_mm2(std::string_view area,
                                                 const EnergyStructure& of) const override {
        const auto each = table_.area(area, of.size);
        if (!each) return std::nullopt;
        return static_cast<double>(of.instances) * each->value;
    }
    [[nodiscard]] std::optional<double> register_files_mm2() const override {
        return area_mm2(kRegisterFileArea, {config_.gpu.sms, config_.sm.register_file_kib});
    }

private:
    const Config& config_;
    const EnergyTable& table_;
    const EnergyAccount& account_;
};

}  // namespace

void add_energy_metrics(const Config& config, const EnergyTable& table,
                        const EnergyAccount& account, nlohmann::ordered_json& metrics) {
    metrics["energy_uj"] = account.total.uj;
    metrics["energy_on_chip_uj"] = account.on_chip.uj;
    metrics["energy_storage_uj"] = account.storage.uj;
    metrics["power_w"] = account.watts(account.total.uj);
    const AccountFigures figures(config, table, account);
    for (const Mechanism* mechanism : mechanisms()) {
        if (mechanism->energy() == nullptr) continue;
        mechanism->energy()->add_metrics(config, figures, metrics);
    }
}

std::string above_power_limit(std::uint32_t limit_w, const EnergyAccount& account) {
    const double watts = account.watts(account.total.uj);
    if (limit_w == GpuConfig::kNoPowerLimit || watts <= limit_w) return "";
    return fmt::format(
        "{:.0f} W are above the card's limit of {} W (gpu.power_limit_w): a card would lower its "
        "clock",
        watts, limit_w);
}

std::string energy_text(const EnergyAccount& account) {
    std::string text = fmt::format(
        "energy by {}: {:.1f} uJ ({:.1f} to {:.1f}), on chip {:.1f}, of it registers, caches and "
        "mechanisms {:.1f}\nmean power: {:.1f} W ({:.1f} to {:.1f})\n",
        account.table, account.total.uj, account.total.low_uj, account.total.high_uj,
        account.on_chip.uj, account.storage.uj, account.watts(account.total.uj),
        account.watts(account.total.low_uj), account.watts(account.total.high_uj));
    std::string_view last;
    for (const EnergyPart& one : account.parts) {
        const std::string_view part = one.of.event->part;
        if (part == last) continue;
        last = part;
        const EnergySum sum = account.of_part(part);
        text += fmt::format("    {:<20} {:6.2f} %  {:.1f} uJ  {:.1f} W\n", part,
                            account.total.uj > 0 ? 100 * sum.uj / account.total.uj : 0, sum.uj,
                            account.watts(sum.uj));
    }
    std::string without;
    for (const UnpricedPart& one : account.unpriced) {
        without += fmt::format("{}{}", without.empty() ? "" : ", ", one.of.event->name);
    }
    if (!without.empty()) text += fmt::format("    without a price: {}\n", without);
    return text;
}

}  // namespace tessera
