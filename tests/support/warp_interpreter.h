// A functional, untimed interpreter of warp programs: the naive reference the machine is not.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/workload.h"

namespace tessera::test {

/// Byte memory that consists of regions only; touching anything else throws std::out_of_range.
class FlatMemory {
public:
    /// `fill` is what the region holds before it is written.
    void add_region(Address base, std::uint64_t bytes, std::uint8_t fill = 0);
    void write(Address address, const void* data, std::size_t bytes);
    void read(Address address, void* data, std::size_t bytes) const;

    [[nodiscard]] MemoryWriter writer() {
        return [this](Address a, const void* d, std::size_t n) { write(a, d, n); };
    }
    [[nodiscard]] MemoryReader reader() const {
        return [this](Address a, void* d, std::size_t n) { read(a, d, n); };
    }

private:
    [[nodiscard]] std::size_t locate(Address address, std::size_t bytes) const;

    struct Region {
        Address base;
        std::vector<std::uint8_t> bytes;
    };
    std::vector<Region> regions_;
};

/// Instructions executed, by opcode; those with a `count` counted with their repetitions.
using InstructionCounts = std::map<Opcode, std::uint64_t>;

/// Runs all CTAs one after the other, the warps of a CTA in turn from barrier to barrier. Registers
/// and shared memory start as NaNs. Throws std::runtime_error on barriers that not all warps reach
/// and on accesses beyond registers or shared memory.
InstructionCounts interpret(const Kernel& kernel, FlatMemory& memory);

/// A memory with the workload's regions, initialised.
FlatMemory make_memory(const Workload& workload);

}  // namespace tessera::test
