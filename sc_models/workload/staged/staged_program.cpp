#include "sc_models/workload/staged/staged_program.h"

#include <utility>

namespace tessera {

StagedProgram::StagedProgram(const StagedProductKernel& kernel, CtaId cta, std::uint32_t warp)
    : at_(kernel, cta, warp),
      steps_(StagedSteps::make(at_, out_)),
      result_(at_, out_),
      step_(at_.first_step) {}

void StagedProgram::make_batches() {
    out_.clear();
    while (out_.empty() && phase_ != Phase::kDone) make_more();
    out_.close();
}

InstructionBatch StagedProgram::next(WarpInstruction* /*room*/) {
    if (out_.all_given()) make_batches();
    return out_.next();
}

std::size_t StagedProgram::fill(WarpInstruction* out, std::size_t capacity) {
    if (out_.all_given()) make_batches();
    return out_.fill(out, capacity);
}

std::vector<WarpInstruction> StagedProgram::fragments_of(std::uint32_t buffer) {
    steps_->compute(buffer);
    return std::exchange(out_.pending(), {});
}

void StagedProgram::make_more() {
    switch (phase_) {
        case Phase::kBegin:
            result_.read_c();
            phase_ = at_.first_step == at_.end_step ? Phase::kEnd : Phase::kSteps;
            if (phase_ == Phase::kSteps) steps_->begin();
            break;
        case Phase::kSteps:
            steps_->run(step_);
            if (++step_ == at_.end_step) phase_ = Phase::kEnd;
            break;
        case Phase::kEnd:
            result_.write_d(steps_->finish());
            out_.emit(Opcode::kExit);
            phase_ = Phase::kDone;
            break;
        case Phase::kDone:
            break;
    }
}

}  // namespace tessera
