#include "sc_models/energy/energy_events.h"

#include <algorithm>
#include <array>

#include "sc_models/mechanism/mechanism_energy.h"
#include "sc_models/mechanisms/mechanisms.h"

namespace tessera {
namespace {

constexpr std::array<const EnergyEvent*, 30> kMachineEvents = {
    &energy_event::kRegisterRead,      &energy_event::kRegisterWrite,
    &energy_event::kInstruction,       &energy_event::kSchedule,
    &energy_event::kAluInstruction,    &energy_event::kMultiplyAddLane,
    &energy_event::kTensorMultiplyAdd, &energy_event::kTensorMultiply,
    &energy_event::kSharedWavefront,   &energy_event::kL1ReadHit,
    &energy_event::kL1ReadMiss,        &energy_event::kL1Probe,
    &energy_event::kL1WriteHit,        &energy_event::kL1WriteMiss,
    &energy_event::kNocFlit,           &energy_event::kNocFlitHop,
    &energy_event::kL2ReadHit,         &energy_event::kL2ReadMiss,
    &energy_event::kL2WriteHit,        &energy_event::kL2WriteMiss,
    &energy_event::kL2AtomicWord,      &energy_event::kDramRead,
    &energy_event::kDramWrite,         &energy_event::kDramPrecharge,
    &energy_event::kConstantPower,     &energy_event::kSmStaticTensor,
    &energy_event::kSmStaticCuda,      &energy_event::kSmIdle,
    &energy_event::kSmLeakage,         &energy_event::kL2SliceLeakage};

std::vector<const EnergyEvent*> all_events() {
    std::vector<const EnergyEvent*> all;
    for (const bool leaks : {false, true}) {
        const auto add = [&](const EnergyEvent* event) {
            if (event->leaks == leaks) all.push_back(event);
        };
        for (const EnergyEvent* event : kMachineEvents) add(event);
        for (const Mechanism* mechanism : mechanisms()) {
            if (mechanism->energy() == nullptr) continue;
            for (const EnergyEvent* event : mechanism->energy()->events()) add(event);
        }
    }
    return all;
}

}  // namespace

const std::vector<const EnergyEvent*>& energy_events() {
    static const std::vector<const EnergyEvent*> kEvents = all_events();
    return kEvents;
}

std::size_t index_of(const EnergyEvent& event) {
    const auto& events = energy_events();
    return static_cast<std::size_t>(std::find(events.begin(), events.end(), &event) -
                                    events.begin());
}

bool is_always_on(const EnergyEvent& event) {
    return &event == &energy_event::kConstantPower || &event == &energy_event::kSmStaticTensor ||
           &event == &energy_event::kSmStaticCuda || &event == &energy_event::kSmIdle;
}

const EnergyEvent* energy_event_named(std::string_view name) {
    const auto& events = energy_events();
    const auto found = std::find_if(events.begin(), events.end(),
                                    [name](const EnergyEvent* one) { return one->name == name; });
    return found == events.end() ? nullptr : *found;
}

}  // namespace tessera
