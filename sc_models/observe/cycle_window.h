// The part of a run that is recorded.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"

namespace tessera {

/// What a user asks to be recorded: core cycles [begin, end), counted from the start of the run
/// (over all its kernels), or from the start of a kernel, which they end with at the latest.
struct CycleWindow {
    Cycle begin = 0;
    Cycle end = kNever;
    /// Its name or the end of it after a dot ("gemm" of resnet.C2.gemm); empty: counted from the
    /// start of the run.
    std::string kernel = {};

    /// From "A:B" or "KERNEL:A:B"; a side left empty is the start or the end. Throws ConfigError
    /// naming `option` for anything else, and for a window without a cycle.
    [[nodiscard]] static CycleWindow parse(std::string_view text, std::string_view option);
    /// As `parse` reads it.
    [[nodiscard]] std::string text() const;
    /// Throws ConfigError naming `option` if the window's kernel is none of `kernels`.
    void check_kernel(const std::vector<std::string>& kernels, std::string_view option) const;
};

/// A window's place in the run. That of a kernel is the first kernel of its name, and nowhere
/// before that has started.
class PlacedWindow {
public:
    explicit PlacedWindow(CycleWindow window);

    void start_kernel(std::string_view name, Cycle start);

    [[nodiscard]] Cycle begin() const { return span_->begin; }
    [[nodiscard]] Cycle end() const { return span_->end; }
    /// Whether `begin` is known.
    [[nodiscard]] bool placed() const { return state_ != State::kWaiting; }
    [[nodiscard]] const std::shared_ptr<CycleSpan>& span() const { return span_; }
    /// The error that the run ended at core cycle `now` and there is no `what`, as it had not got
    /// to the window.
    [[nodiscard]] std::string missed(Cycle now, std::string_view what) const;

private:
    enum class State { kWaiting, kOfKernel, kFixed };

    CycleWindow window_;
    std::shared_ptr<CycleSpan> span_ = std::make_shared<CycleSpan>();
    State state_ = State::kFixed;
    Cycle kernel_start_ = 0;
};

}  // namespace tessera
