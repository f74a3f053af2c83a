#include "sc_models/trace/trace_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/trace/instruction_line.h"
#include "sc_models/trace/line_fields.h"

namespace tessera {
namespace {

constexpr std::size_t kFlushBytes = 1 << 20;

void check(bool condition, std::string_view message) {
    if (!condition) throw CheckError(fmt::format("instruction trace: {}", message));
}

}  // namespace

TraceWriter::TraceWriter(const std::filesystem::path& path, const TraceHeader& header)
    : header_(header), file_(path) {
    check(!header.name.empty() && trimmed(header.name) == header.name &&
              header.name.find('\n') == std::string::npos,
          fmt::format("{} is no name of a kernel", in_quotes(header.name)));
    if (path.extension() == ".xz") compressor_ = std::make_unique<XzCompressor>();
    if (path.extension() == ".tracez") {
        check(header.is_tracer6(), "a .tracez needs tracer version 6");
        packer_ = std::make_unique<TracezPacker>(header, text_);
    } else {
        text_ = to_text(header);
    }
}

void TraceWriter::begin_thread_block(const Dim3& index) {
    const Dim3& grid = header_.grid;
    check(!in_block_ && blocks_ < grid.count(), "one thread block too many");
    check(index.x < grid.x && index.y < grid.y && index.z < grid.z,
          "a thread block is outside the grid");
    block_ = index;
    in_block_ = true;
    warps_written_.assign(header_.warps_per_cta(), false);
    if (packer_) return packer_->begin_thread_block(index, header_.warps_per_cta());
    fmt::format_to(std::back_inserter(text_), "\n#BEGIN_TB\n\nthread block = {},{},{}\n", index.x,
                   index.y, index.z);
}

void TraceWriter::begin_warp(std::uint32_t warp) {
    end_warp();
    check(in_block_ && warp < warps_written_.size() && !warps_written_[warp],
          fmt::format("no place for warp {}", warp));
    check(!packer_ || warp == 0 || warps_written_[warp - 1], "a .tracez has warps in order");
    warp_ = warp;
    warps_written_[warp] = true;
    if (header_.cta_columns()) {
        cta_columns_ = fmt::format("{} {} {} {} ", block_.x, block_.y, block_.z, warp);
    }
}

void TraceWriter::write(const StaticInstruction& what, std::uint32_t active_mask,
                        const LaneAddresses& addresses) {
    warp_text_ += cta_columns_;
    append_instruction_line(warp_text_, what, active_mask, addresses, header_);
    ++warp_instructions_;
    ends_with_exit_ = what.op_class() == SassClass::kExit;
}

void TraceWriter::write(const TraceInstruction& instruction) {
    LaneAddresses addresses;
    instruction.lane_addresses(addresses);
    write(*instruction.what, instruction.active_mask, addresses);
}

void TraceWriter::end_warp() {
    const bool begun =
        std::find(warps_written_.begin(), warps_written_.end(), true) != warps_written_.end();
    if (!begun) {
        check(warp_instructions_ == 0, "instructions before the first warp");
        return;
    }
    check(warp_instructions_ > 0 && ends_with_exit_,
          fmt::format("warp {} does not end with EXIT", warp_));
    if (packer_) {
        packer_->add_warp(warp_text_, warp_instructions_, text_);
    } else {
        fmt::format_to(std::back_inserter(text_), "\nwarp = {}\ninsts = {}\n", warp_,
                       warp_instructions_);
        text_ += warp_text_;
    }
    warp_text_.clear();
    warp_instructions_ = 0;
    if (text_.size() >= kFlushBytes) flush();
}

void TraceWriter::end_thread_block() {
    check(in_block_ && std::find(warps_written_.begin(), warps_written_.end(), false) ==
                           warps_written_.end(),
          "a thread block ends without all its warps");
    end_warp();
    warps_written_.clear();
    if (!packer_) text_ += "\n#END_TB\n";
    in_block_ = false;
    ++blocks_;
}

void TraceWriter::flush() {
    if (!compressor_) {
        file_.write(text_);
    } else {
        std::string compressed;
        compressor_->compress(text_, compressed);
        file_.write(compressed);
    }
    text_.clear();
}

void TraceWriter::commit() {
    check(!in_block_ && blocks_ == header_.grid.count(), "thread blocks are missing");
    if (packer_) packer_->finish(text_);
    flush();
    if (compressor_) {
        std::string compressed;
        compressor_->finish(compressed);
        file_.write(compressed);
    }
    file_.commit();
}

void write_trace_command_list(const std::filesystem::path& path,
                              const std::vector<TraceCommand>& commands) {
    std::string text;
    for (const TraceCommand& command : commands) {
        if (command.kind == TraceCommand::Kind::kKernel) {
            text += command.path + "\n";
        } else {
            fmt::format_to(std::back_inserter(text), "MemcpyHtoD,0x{:016x},{}\n", command.address,
                           command.bytes);
        }
    }
    write_file_atomically(path, text);
}

}  // namespace tessera
