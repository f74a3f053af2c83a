// Naive reference of the contents of a memory.
#pragma once

#include <map>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera::testbench {

/// Bytes of memory after the accesses so far.
class NaiveMemory {
public:
    void write(Address address, const std::vector<unsigned char>& bytes) {
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes_[address + i] = bytes[i];
    }
    [[nodiscard]] std::vector<unsigned char> read(Address address, std::uint32_t count) const {
        std::vector<unsigned char> bytes(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto found = bytes_.find(address + i);
            if (found != bytes_.end()) bytes[i] = found->second;
        }
        return bytes;
    }

private:
    std::map<Address, unsigned char> bytes_;
};

}  // namespace tessera::testbench
