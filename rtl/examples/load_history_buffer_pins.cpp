// C interface of the Verilated load history buffer, for ctypes: its pins by name.
//
// A simulator with VPI makes pins known by name itself; cocotb then needs nothing like this.
#include <Vload_history_buffer.h>
#include <verilated.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>

namespace {

struct Pin {
    void* value;
    std::size_t bytes;  // 1, 2, 4 or 8
};

struct Dut {
    Dut();
    VerilatedContext context;
    Vload_history_buffer top{&context};
    std::map<std::string, Pin> pins;
};

#define PIN(name)                      \
    {                                  \
#name, {                       \
            &top.name, sizeof top.name \
        }                              \
    }

Dut::Dut() {
    pins = {PIN(clk_i),
            PIN(rst_ni),
            PIN(setup_valid_i),
            PIN(setup_ready_o),
            PIN(setup_keep_i),
            PIN(setup_log_sets_i),
            PIN(setup_log_ways_i),
            PIN(setup_shift_i),
            PIN(setup_fold_i),
            PIN(setup_error_o),
            PIN(in_valid_i),
            PIN(in_ready_o),
            PIN(op_i),
            PIN(element_i),
            PIN(batch_i),
            PIN(owner_i),
            PIN(phys_i),
            PIN(out_valid_o),
            PIN(out_ready_i),
            PIN(found_o),
            PIN(same_key_o),
            PIN(phys_o)};
}

#undef PIN

}  // namespace

extern "C" {

void* dut_create() {
    return new Dut;
}

void dut_destroy(void* dut) {
    delete static_cast<Dut*>(dut);
}

void dut_eval(void* dut) {
    static_cast<Dut*>(dut)->top.eval();
}

/// Writes a pin; returns 1 if there is none of that name.
int dut_write(void* dut, const char* name, std::uint64_t value) {
    const auto& pins = static_cast<Dut*>(dut)->pins;
    const auto pin = pins.find(name);
    if (pin == pins.end()) return 1;
    std::memcpy(pin->second.value, &value, pin->second.bytes);  // the host is little-endian
    return 0;
}

/// Reads a pin; returns 1 if there is none of that name.
int dut_read(void* dut, const char* name, std::uint64_t* value) {
    const auto& pins = static_cast<Dut*>(dut)->pins;
    const auto pin = pins.find(name);
    if (pin == pins.end()) return 1;
    *value = 0;
    std::memcpy(value, pin->second.value, pin->second.bytes);
    return 0;
}

}  // extern "C"
