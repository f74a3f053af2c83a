#include "sc_models/observe/fst_writer.h"

#include <fmt/format.h>
#include <gtkwave/fstapi.h>
#include <cerrno>
#include <cstring>
#include <map>

#include "sc_models/common/error.h"
#include "sc_models/common/version_info.h"

namespace tessera {
namespace {

constexpr int kFemtoseconds = -15;

fstScopeType scope_type(const std::string& kind) {
    static const std::map<std::string, fstScopeType> kTypes = {
        {"task", FST_ST_VCD_TASK},         {"function", FST_ST_VCD_FUNCTION},
        {"begin", FST_ST_VCD_BEGIN},       {"fork", FST_ST_VCD_FORK},
        {"generate", FST_ST_VCD_GENERATE}, {"struct", FST_ST_VCD_STRUCT},
        {"union", FST_ST_VCD_UNION},       {"interface", FST_ST_VCD_INTERFACE}};
    const auto found = kTypes.find(kind);
    return found == kTypes.end() ? FST_ST_VCD_MODULE : found->second;
}

}  // namespace

void FstWriter::Close::operator()(void* writer) const {
    fstWriterClose(writer);
}

FstWriter::FstWriter(const std::string& file)
    : file_(file), writer_(fstWriterCreate(file_.partial().c_str(), 1)) {
    if (!writer_) {
        throw ConfigError(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
    }
    fstWriterSetTimescale(writer_.get(), kFemtoseconds);
    fstWriterSetVersion(writer_.get(), fmt::format("tessera {}", build_info().version).c_str());
    fstWriterSetDate(writer_.get(), "");  // the same run gives the same bytes
    fstWriterSetPackType(writer_.get(), FST_WR_PT_ZLIB);
}

FstWriter::~FstWriter() = default;

void FstWriter::declare(const WaveScope& top) {
    declare_inside(top);
}

void FstWriter::declare_inside(const WaveScope& scope) {
    for (const WaveScope::Signal& signal : scope.signals) {
        if (variables_.size() <= signal.variable) variables_.resize(signal.variable + 1);
        Variable& variable = variables_[signal.variable];
        const fstHandle handle =
            fstWriterCreateVar(writer_.get(), FST_VT_VCD_WIRE, FST_VD_IMPLICIT, signal.width_bits,
                               signal.name.c_str(), variable.handle);
        if (variable.handle == 0) variable = {handle, signal.width_bits};
    }
    for (const auto& [name, inner] : scope.scopes) {
        fstWriterSetScope(writer_.get(), scope_type(inner.kind), name.c_str(), nullptr);
        declare_inside(inner);
        fstWriterSetUpscope(writer_.get());
    }
}

void FstWriter::time(std::uint64_t femtoseconds) {
    fstWriterEmitTimeChange(writer_.get(), femtoseconds);
}

void FstWriter::value(WaveVariable variable, std::uint64_t value) {
    const auto [handle, width] = variables_[variable];
    if (width < 64 && value >> width != 0) {
        bits(variable, "x");
    } else if (width <= 64) {
        fstWriterEmitValueChange64(writer_.get(), handle, width, value);
    } else {
        bits(variable, fmt::format("{:b}", value));
    }
}

void FstWriter::bits(WaveVariable variable, std::string_view bits) {
    const auto [handle, width] = variables_[variable];
    const char first = bits.empty() ? 'x' : bits.front();
    text_.assign(width - std::min<std::size_t>(width, bits.size()), first == '1' ? '0' : first);
    text_ += bits;
    fstWriterEmitValueChange(writer_.get(), handle, text_.c_str());
}

void FstWriter::commit() {
    writer_.reset();
    // fstapi does not report write errors. Opening the file fails if its blocks do not end at its
    // end.
    void* reader = fstReaderOpen(file_.partial().c_str());
    if (reader == nullptr) {
        throw ConfigError(fmt::format("cannot write {}: the disk is full, or a limit is reached",
                                      file_.target().string()));
    }
    fstReaderClose(reader);
    file_.commit();
}

}  // namespace tessera
