// Configuration of the sparse side of the outer-product tensor cores.
#pragma once

#include <cstdint>

#include "sc_models/config/engine/config_visitor.h"

namespace tessera {

/// Level of detail of the accumulation buffer's timing.
enum class AccumulationDetail : std::uint8_t {
    kCount,     ///< L0: the buffer keeps up with every OHMMA
    kMemo,      ///< L1: a table by popcounts, generated with the collector at the start of the run
    kExact,     ///< L2: the fullest bank of every OHMMA, without a collector
    kCollector  ///< L3: the collector, cycle by cycle
};

/// Tile that an OHMMA condenses.
enum class OhmmaGranularity : std::uint8_t {
    k8x16,  ///< both tensor cores of the pair together
    k8x8    ///< each tensor core its own half of 16 columns; two of these form one OHMMA
};

enum class SpwmmaIssue : std::uint8_t {
    kSequencer,  ///< disabled OHMMAs take no time
    kPredicated  ///< a disabled OHMMA takes its issue slot, one cycle
};

/// Bank mapping of the accumulator tile's elements.
enum class AccumulationMap : std::uint8_t {
    kLinear,  ///< element 32 r + c; low bits select the bank
    kTwoD,    ///< row and column residues: 16x16, 8x16, 8x8, 4x8 or 4x4 banks
    kXor      ///< row residue, and the column swizzled by the rest of the row
};

/// Buffer that collects the products of several OHMMAs for the banks.
enum class CollectorKind : std::uint8_t {
    kFifo,  ///< one FIFO per bank; an OHMMA in the input register enters them as space allows
    kSlots  ///< whole OHMMAs in `depth` slots; a bank takes its oldest entry
};

/// Accumulation buffer of a sub-core (dual-side sparse tensor core, V-B).
struct AccumulationBufferConfig {
    std::uint32_t banks = 128;  ///< power of two, 16..256
    AccumulationMap map = AccumulationMap::kXor;
    CollectorKind collector = CollectorKind::kFifo;
    std::uint32_t depth_entries = 8;         ///< per FIFO of a bank, or number of slots
    std::uint32_t adder_latency_cycles = 2;  ///< issue to issue on one word, at least 1
    bool values = true;                      ///< false: timing only, no arithmetic
};

/// Timing of SpWMMAs and its level of detail (dual-side sparse tensor core, V-B).
struct SpwmmaConfig {
    AccumulationDetail accumulation = AccumulationDetail::kMemo;
    OhmmaGranularity granularity = OhmmaGranularity::k8x16;
    SpwmmaIssue issue = SpwmmaIssue::kSequencer;
    double ohmma_cycles = 1;
    double bohmma_cycles = 0;
    std::uint32_t latency_cycles = 6;
    std::uint32_t swap_cycles = 8;
    AccumulationBufferConfig buffer;

    void bind(ConfigVisitor& v);
    void bind_buffer(ConfigVisitor& v);
};

}  // namespace tessera
