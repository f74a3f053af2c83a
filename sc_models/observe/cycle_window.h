// Window of core cycles of a run that is recorded.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"

namespace tessera {

/// Core cycles [begin, end) to record, counted from the start of the run (over all its kernels), or
/// from the start of a kernel; the end of that kernel also ends the window.
struct CycleWindow {
    Cycle begin = 0;
    Cycle end = kNever;
    /// Kernel's name or its end after a dot ("gemm" of resnet.C2.gemm); empty: cycles count from
    /// the start of the run.
    std::string kernel = {};

    /// Parses "A:B" or "KERNEL:A:B"; an empty side is the start or the end. Throws ConfigError
    /// naming `option` for anything else, and for a window without a cycle.
    [[nodiscard]] static CycleWindow parse(std::string_view text, std::string_view option);
    /// The window in the format of `parse`.
    [[nodiscard]] std::string text() const;
    /// Throws ConfigError naming `option` if the window's kernel is none of `kernels`.
    void check_kernel(const std::vector<std::string>& kernels, std::string_view option) const;
};

/// The position of a window in the run. A kernel's window refers to the first kernel of that name
/// and has no position before that starts.
class PlacedWindow {
public:
    explicit PlacedWindow(CycleWindow window);

    void start_kernel(std::string_view name, Cycle start);

    [[nodiscard]] Cycle begin() const { return span_->begin; }
    [[nodiscard]] Cycle end() const { return span_->end; }
    /// Whether `begin` is set.
    [[nodiscard]] bool placed() const { return state_ != State::kWaiting; }
    [[nodiscard]] const std::shared_ptr<CycleSpan>& span() const { return span_; }
    /// Error text for a run that ended at core cycle `now`, before the window, and so produced no
    /// `what`.
    [[nodiscard]] std::string missed(Cycle now, std::string_view what) const;

private:
    enum class State { kWaiting, kOfKernel, kFixed };

    CycleWindow window_;
    std::shared_ptr<CycleSpan> span_ = std::make_shared<CycleSpan>();
    State state_ = State::kFixed;
    Cycle kernel_start_ = 0;
};

}  // namespace tessera
