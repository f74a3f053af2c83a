#include "sc_models/workload/composition.h"

#include <utility>

namespace tessera {
namespace {

constexpr std::pair<const char*, WorkloadKind> kWays[] = {
    {"lowered", WorkloadKind::kConvolution},
    {"sparse", WorkloadKind::kSparseConvolution},
    {"direct", WorkloadKind::kDirectConvolution}};

/// Kernel of one method, whose workload owns it.
class Part : public Kernel {
public:
    Part(const Kernel& kernel, const std::string& way) : kernel_(kernel), info_(kernel.info()) {
        info_.name = way + "." + info_.name;
    }
    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override {
        return kernel_.program(cta, warp);
    }

private:
    const Kernel& kernel_;
    KernelInfo info_;
};

}  // namespace

Composition::Composition(const WorkloadConfig& config, std::uint64_t seed, bool values,
                         const Maker& make)
    : Workload(config.layer.name.empty() ? "composition" : config.layer.name, config, seed,
               values) {
    WorkloadConfig of_way = config;
    of_way.layer.name = this->name();
    for (const auto& [way, kind] : kWays) {
        of_way.kind = kind;
        ways_.push_back(make(of_way));
        for (const auto& kernel : ways_.back()->kernels()) {
            add(std::make_unique<Part>(*kernel, way));
        }
        for (const MemoryRegion& region : ways_.back()->regions()) {
            adopt({std::string(way) + "." + region.name, region.base, region.bytes});
            of_way.first_address = region.base + region.bytes;
        }
    }
}

void Composition::initialise(const MemoryWriter& write) const {
    for (const auto& way : ways_) way->initialise(write);
}

VerificationReport Composition::verify(const MemoryReader& read, TensorCoreKind kind) const {
    VerificationReport all;
    for (std::size_t i = 0; i < ways_.size(); ++i) {
        all.add(ways_[i]->verify(read, kind), kWays[i].first);
    }
    return all;
}

std::vector<Reference> Composition::references() const {
    std::vector<Reference> all;
    for (const auto& way : ways_) {
        for (Reference& reference : way->references()) all.push_back(std::move(reference));
    }
    return all;
}

}  // namespace tessera
