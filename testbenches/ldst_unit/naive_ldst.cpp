#include "testbenches/ldst_unit/naive_ldst.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace tessera::testbench {
namespace {

/// Address of row or lane `row`.
Address row_address(const WarpOperation& operation, std::uint32_t row) {
    return operation.address + Address{row} * operation.pitch_bytes;
}

/// Largest number of different words that one bank delivers to the lanes or rows [first, end).
std::uint32_t words_of_fullest_bank(const WarpOperation& operation, std::uint32_t first,
                                    std::uint32_t end, std::uint32_t banks) {
    std::map<Address, std::set<Address>> words_of_bank;
    for (std::uint32_t row = first; row < std::min(end, operation.rows); ++row) {
        for (std::uint32_t i = 0; i < operation.row_bytes; ++i) {
            const Address word = (row_address(operation, row) + i) / kSharedWordBytes;
            words_of_bank[word % banks].insert(word);
        }
    }
    std::size_t most = 0;
    for (const auto& bank : words_of_bank) most = std::max(most, bank.second.size());
    return static_cast<std::uint32_t>(most);
}

}  // namespace

NaiveLdst::NaiveLdst(const Config& config, Cycle below)
    : config_(config),
      below_(below),
      registers_(std::size_t{config.sm.sub_cores} * kWarpsPerSubCore,
                 std::vector<unsigned char>(std::size_t{kRegistersPerWarp} * kWarpRegisterBytes)),
      shared_(kCtaSlots, std::vector<unsigned char>(kSharedBytes)) {}

std::uint32_t NaiveLdst::bank_of(Address address) const {
    const L1Config& l1 = config_.l1;
    Address unit = address / l1.bank_interleave_bytes;
    if (l1.bank_hash == BankHash::kNone) return static_cast<std::uint32_t>(unit % l1.banks);
    Address bank = 0;
    for (std::uint32_t digit = 0; unit != 0; ++digit, unit /= l1.banks) {
        if (l1.bank_hash == BankHash::kXor || digit < 2) bank ^= unit % l1.banks;
    }
    return static_cast<std::uint32_t>(bank);
}

/// Cuts bytes at the ends of lines.
void NaiveLdst::add_pieces(std::vector<SentRequest>& requests, Address first, std::uint32_t bytes,
                           bool write) const {
    for (std::uint32_t i = 0; i < bytes; ++i) {
        if (i == 0 || (first + i) % config_.l1.line_bytes == 0) {
            requests.push_back({write, first + i, 0});
        }
        ++requests.back().bytes;
    }
}

/// Each touched sector once, in ascending order, neighbours of a line in one request.
std::vector<SentRequest> NaiveLdst::coalesced(const WarpOperation& operation) const {
    const Address sector_bytes = config_.l1.sector_bytes;
    std::set<Address> sectors;
    for (std::uint32_t lane = 0; lane < operation.rows; ++lane) {
        for (std::uint32_t i = 0; i < operation.row_bytes; ++i) {
            sectors.insert((row_address(operation, lane) + i) / sector_bytes);
        }
    }
    std::vector<SentRequest> requests;
    for (const Address sector : sectors) {
        const Address address = sector * sector_bytes;
        const bool joins = !requests.empty() &&
                           requests.back().address + requests.back().bytes == address &&
                           address % config_.l1.line_bytes != 0;
        if (!joins) requests.push_back({false, address, 0});
        requests.back().bytes += config_.l1.sector_bytes;
    }
    return requests;
}

std::vector<SentRequest> NaiveLdst::requests_of(const WarpOperation& operation) const {
    if (operation.kind == WarpOperationKind::kLanes) return coalesced(operation);
    std::vector<SentRequest> requests;
    if (operation.is_shared()) return requests;
    const std::uint32_t copies = operation.is_fragment() ? config_.ldst.octet_l1_accesses : 1;
    for (std::uint32_t copy = 0; copy < copies; ++copy) {
        for (std::uint32_t row = 0; row < operation.rows; ++row) {
            add_pieces(requests, row_address(operation, row), operation.row_bytes,
                       operation.is_store());
        }
    }
    return requests;
}

/// Lanes are served in groups of as many as the banks have words for.
std::uint32_t NaiveLdst::wavefronts_of(const WarpOperation& operation) const {
    const std::uint32_t banks = config_.sm.shared_memory_banks;
    if (!operation.has_lanes()) {
        return words_of_fullest_bank(operation, 0, operation.rows, banks);
    }
    const std::uint32_t words = operation.row_bytes / kSharedWordBytes;
    const std::uint32_t group = std::clamp(banks / words, 1U, kWarpLanes);
    std::uint32_t wavefronts = 0;
    for (std::uint32_t first = 0; first < operation.rows; first += group) {
        wavefronts += words_of_fullest_bank(operation, first, first + group, banks);
    }
    return wavefronts;
}

/// Gives each sector of each request a slot: a number of slots a cycle, each bank once a cycle. A
/// request goes with its last sector.
void NaiveLdst::send(NaiveService& service, Cycle start, const std::vector<Cycle>& held) const {
    const Address sector_bytes = config_.l1.sector_bytes;
    Cycle cycle = start;
    std::set<std::uint32_t> used;
    std::uint32_t sectors = 0;
    for (std::size_t i = 0; i < service.requests.size(); ++i) {
        SentRequest& request = service.requests[i];
        const Address last = (request.address + request.bytes - 1) / sector_bytes;
        for (Address sector = request.address / sector_bytes; sector <= last; ++sector) {
            const std::uint32_t bank = bank_of(sector * sector_bytes);
            const bool full = sectors == config_.ldst.sectors_per_cycle;
            const bool busy = used.count(bank) != 0;
            service.fills_cycle |= full;
            service.conflicts |= busy && !full;
            if (full || busy) {
                ++cycle;
                used.clear();
                sectors = 0;
            }
            used.insert(bank);
            ++sectors;
        }
        request.at = cycle;
        const Cycle wait = i < held.size() ? held[i] : 0;
        if (wait > 0) {
            (request.write ? service.store_stall : service.load_stall) += wait;
            cycle += wait;
            used.clear();
            sectors = 0;
        }
        service.done = std::max(service.done, cycle + below_);
    }
    service.end = cycle + 1;
}

NaiveService NaiveLdst::serve(const WarpOperation& operation, Cycle start,
                              const std::vector<Cycle>& held) {
    NaiveService service;
    service.requests = requests_of(operation);
    if (operation.is_shared()) {
        service.wavefronts = wavefronts_of(operation);
        service.end = start + service.wavefronts;
        service.done = service.end - 1 + config_.sm.shared_memory_latency_cycles;
    } else {
        send(service, start, held);
    }
    count(operation, start, service);
    return service;
}

void NaiveLdst::count(const WarpOperation& operation, Cycle start, const NaiveService& service) {
    ++counts_.instructions;
    counts_.busy_cycles += service.end - start;
    counts_.mshr_stall_cycles += service.load_stall;
    counts_.store_stall_cycles += service.store_stall;
    counts_.requests += service.requests.size();
    for (const SentRequest& request : service.requests) counts_.request_bytes += request.bytes;
    counts_.shared_wavefronts += service.wavefronts;
    if (operation.is_store()) counts_.shared_store_wavefronts += service.wavefronts;
    if (operation.kind == WarpOperationKind::kFragmentB) {
        counts_.b_rows_requested += service.requests.size();
    }
    if (operation.kind != WarpOperationKind::kFragmentA) return;
    constexpr std::uint32_t kCopies = 2;
    counts_.a_rows += std::uint64_t{kCopies} * operation.rows;
    counts_.a_row_accesses += service.requests.size();
    counts_.a_rows_requested += service.requests.size();
}

/// Each row lies in the registers twice, once an octet.
void NaiveLdst::move_fragment(const WarpOperation& operation) {
    std::vector<unsigned char>& file = registers(operation.sub_core, operation.warp);
    const std::size_t first = std::size_t{operation.reg} * kWarpRegisterBytes;
    const std::size_t copy_bytes = std::size_t{operation.rows} * operation.row_bytes;
    for (std::uint32_t row = 0; row < operation.rows; ++row) {
        const std::vector<unsigned char> bytes =
            memory_.read(row_address(operation, row), operation.row_bytes);
        for (std::uint32_t i = 0; i < operation.row_bytes; ++i) {
            const std::size_t place = first + std::size_t{row} * operation.row_bytes + i;
            file[place] = file[place + copy_bytes] = bytes[i];
        }
    }
}

std::vector<unsigned char> NaiveLdst::add(const std::vector<unsigned char>& addends,
                                          const std::vector<unsigned char>& old) const {
    std::vector<unsigned char> sums(addends.size());
    for (std::size_t i = 0; i < sums.size(); i += sizeof(float)) {
        float a = 0, b = 0;
        std::memcpy(&a, &addends[i], sizeof a);
        std::memcpy(&b, &old[i], sizeof b);
        a += b;
        std::memcpy(&sums[i], &a, sizeof a);
    }
    return sums;
}

void NaiveLdst::move_row(const WarpOperation& operation, std::uint32_t row) {
    std::vector<unsigned char>& file = registers(operation.sub_core, operation.warp);
    std::vector<unsigned char>& shared = shared_[operation.warp % kCtaSlots];
    const auto place = [&](std::uint32_t reg) {
        return file.begin() +
               static_cast<std::ptrdiff_t>(reg * kWarpRegisterBytes + row * operation.row_bytes);
    };
    const Address address = row_address(operation, row);
    const std::vector<unsigned char> data(place(operation.reg),
                                          place(operation.reg) + operation.row_bytes);
    const auto in_shared = shared.begin() + static_cast<std::ptrdiff_t>(address);
    if (operation.kind == WarpOperationKind::kStoreShared) {
        std::copy(data.begin(), data.end(), in_shared);
    } else if (operation.kind == WarpOperationKind::kLoadShared) {
        std::copy_n(in_shared, operation.row_bytes, place(operation.reg));
    } else {
        const std::vector<unsigned char> old = memory_.read(address, operation.row_bytes);
        if (operation.is_store())
            memory_.write(address, operation.is_atomic() ? add(data, old) : data);
        if (operation.writes_registers()) {
            std::copy(old.begin(), old.end(), place(operation.target()));
        }
    }
}

void NaiveLdst::move(const WarpOperation& operation) {
    if (operation.kind == WarpOperationKind::kSharedLanes) return;
    if (operation.is_fragment()) {
        move_fragment(operation);
        return;
    }
    for (std::uint32_t row = 0; row < operation.rows; ++row) move_row(operation, row);
}

std::uint32_t naive_grant(LdstArbitration policy, const std::vector<ArbiterRequest>& requests,
                          std::uint32_t last, std::uint32_t sub_cores) {
    const ArbiterRequest* best = &requests.front();
    if (policy == LdstArbitration::kRoundRobin) {
        const auto distance = [&](const ArbiterRequest& r) {
            return (r.sub_core + sub_cores - last - 1) % sub_cores;
        };
        for (const ArbiterRequest& r : requests) {
            if (distance(r) < distance(*best)) best = &r;
        }
        return best->sub_core;
    }
    for (const ArbiterRequest& r : requests) {
        if (r.sub_core == last && r.same_warp) return r.sub_core;
        if (r.age < best->age) best = &r;
    }
    return best->sub_core;
}

}  // namespace tessera::testbench
