// Recording of a run's transactions, from warp instruction to DRAM bank.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Version of the file format. Readers take files of this version with further header lines and
/// columns.
inline constexpr int kRecordingVersion = 1;
/// Number or index that a row does not have.
inline constexpr std::uint32_t kNoNumber = std::numeric_limits<std::uint32_t>::max();

/// Names of a recording, each with a number.
class NameTable {
public:
    /// Returns the number of `name`, which is added if it is new.
    std::uint32_t number(std::string_view name);
    [[nodiscard]] const std::string& name(std::uint32_t number) const { return names_[number]; }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

private:
    std::vector<std::string> names_;
};

/// Request and response of one row.
struct Exchange {
    Address address = 0;
    std::uint32_t bytes = 0;
    Cycle asked = 0;               ///< core cycle of the request; of a DRAM command its cycle there
    Cycle done = kNever;           ///< core cycle of the response; kNever: none
    std::uint64_t order = 0;       ///< place of the request among all requests and responses
    std::uint64_t done_order = 0;  ///< place of the response; 0: none
    std::uint32_t value_in = 0;    ///< hash of the data sent, 0: none
    std::uint32_t value_out = 0;   ///< hash of the data returned, 0: none
};

/// A warp instruction that went to a unit of its SM.
struct RecordedInstruction : Exchange {
    std::uint32_t kernel = 0;        ///< index of Recording::kernels
    std::uint32_t cta = kNoNumber;   ///< kNoNumber: an assistant warp
    std::uint32_t warp = kNoNumber;  ///< index of the warp in its CTA
    std::uint32_t index = 0;         ///< instructions that the warp issued before
    std::uint32_t sm = 0;
    std::uint32_t opcode = 0;  ///< number of Recording::words
};

/// A transaction of a link, a lookup of the load filter, or a DRAM command.
struct RecordedTransaction : Exchange {
    std::uint32_t link = 0;                  ///< number of Recording::links
    std::uint32_t instruction = kNoNumber;   ///< row of the instruction that caused it
    std::uint32_t command = 0, outcome = 0;  ///< numbers of Recording::words; 0: none
};

/// The transactions of a run.
struct Recording {
    Recording() { words.number("-"); }

    std::vector<std::pair<std::string, std::string>> header;  ///< keys and values, in order
    std::vector<std::string> kernels;                         ///< names, in order of launch
    NameTable links, words;
    std::vector<RecordedInstruction> instructions;
    std::vector<RecordedTransaction> transactions;
    bool complete = false;
    std::string end;  ///< reason why a recording is incomplete

    /// Returns the value of a header line; empty: there is none.
    [[nodiscard]] std::string value(std::string_view key) const;
    /// "kernel 0 (gemm), CTA 3, warp 2, instruction 17 (wmma.load)".
    [[nodiscard]] std::string place(const RecordedInstruction& instruction) const;
};

/// Link name without the numbers of SMs, slices and channels: the same for all links of a kind.
[[nodiscard]] std::string kind_of_link(std::string_view link);

/// Hash of data that is never 0: FNV-1a, 32 bits.
[[nodiscard]] std::uint32_t value_hash(const void* data, std::size_t bytes,
                                       std::uint32_t start = 0x811c9dc5U);

/// Writes a recording, compressed if the name ends in .xz; the file appears when it is complete.
/// Throws FileError with the system's reason.
void write_recording(const Recording& recording, const std::string& file);

/// Whether a file begins like a recording, compressed or not. False for a file that cannot be read.
[[nodiscard]] bool is_recording(const std::string& file);

/// Reads a recording. Throws ConfigError, "file:line: ...", for a file that is none, is of another
/// version, or ends early.
[[nodiscard]] Recording read_recording(const std::string& file);

}  // namespace tessera
