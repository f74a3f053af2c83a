// Example: one module of Tessera, an L1 cache, alone in an sc_main of its own.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <array>
#include <cstdio>
#include <cstring>

#include <sc_models/common/clock.h>
#include <sc_models/memory/lt/l1_cache.h>

namespace {

/// Memory of 64 KiB that answers after 100 ns.
class Memory : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<Memory> socket{"socket"};

    explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_b_transport(this, &Memory::b_transport);
        socket.register_transport_dbg(this, &Memory::transport_dbg);
    }
    std::array<unsigned char, 65536> bytes{};

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
        transport_dbg(payload);
        delay += sc_core::sc_time(100, sc_core::SC_NS);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    unsigned int transport_dbg(tlm::tlm_generic_payload& payload) {
        unsigned char* const here = &bytes.at(payload.get_address());
        if (payload.is_write()) {
            std::memcpy(here, payload.get_data_ptr(), payload.get_data_length());
        } else {
            std::memcpy(payload.get_data_ptr(), here, payload.get_data_length());
        }
        return payload.get_data_length();
    }
};

/// Writes a line, then reads one of its sectors three times, and prints what each access takes.
class Processor : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<Processor> socket{"socket"};
    unsigned wrong = 0;

    explicit Processor(const sc_core::sc_module_name& name) : sc_module(name) { SC_THREAD(run); }
    SC_HAS_PROCESS(Processor);

private:
    void run() {
        std::array<unsigned char, 128> line{};
        for (unsigned i = 0; i < line.size(); ++i) line[i] = static_cast<unsigned char>(i);
        access(tlm::TLM_WRITE_COMMAND, 0x1000, line.data(), 128);
        for (int i = 0; i < 3; ++i) {
            std::array<unsigned char, 32> sector{};
            access(tlm::TLM_READ_COMMAND, 0x1020, sector.data(), 32);
            if (std::memcmp(sector.data(), line.data() + 32, sector.size()) != 0) ++wrong;
        }
    }
    void access(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                unsigned bytes) {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(data);
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
        sc_core::sc_time delay;
        socket->b_transport(payload, delay);
        wait(delay);
        if (payload.is_response_error()) ++wrong;
        std::printf("%s %#llx: %s\n", command == tlm::TLM_READ_COMMAND ? "read " : "write",
                    static_cast<unsigned long long>(address), delay.to_string().c_str());
    }
};

}  // namespace

int sc_main(int /*argc*/, char** /*argv*/) {
    tessera::init_time_resolution();  // before any sc_time: Tessera's clocks want 1 fs
    const tessera::ClockDomain clock(1000);
    tessera::StatGroup statistics("l1");
    tessera::L1Config config;  // the keys l1.* with their defaults
    config.hit_latency_cycles = 20;

    Processor processor("processor");
    tessera::L1Cache l1("l1", {config, 32 * 1024, 128, true, statistics}, clock, {});
    Memory memory("memory");
    processor.socket.bind(l1.target);
    l1.initiator.bind(memory.socket);
    sc_core::sc_start();

    std::printf("%s", statistics.to_text().c_str());
    return processor.wrong == 0 ? 0 : 1;
}
