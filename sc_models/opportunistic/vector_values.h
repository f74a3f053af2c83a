// Evaluation of vector operations.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "sc_models/isa/vector_operation.h"
#include "sc_models/workload/direct/lane_layout.h"

namespace tessera {

/// Computes vector operations from the contents of memory: every lane multiplies and adds in the
/// order of its elements, in FP32.
class VectorValues {
public:
    using Lanes = std::array<float, LaneLayout::kMaxLanes>;
    using Reader = std::function<void(Address, void* data, std::size_t bytes)>;

    explicit VectorValues(Reader read) : read_(std::move(read)) {}

    /// Computes the result of each lane; inactive lanes are zero.
    void compute(const VectorOperation& operation, Lanes& results);

private:
    /// The vector of a lane; nearby lanes' vectors are read with it.
    const float* vector(const VectorOperation& operation, LaneLayout::Operand operand,
                        Address address, std::uint32_t lane);
    struct Window {
        Address begin = 0;
        std::vector<float> floats;
        bool whole = false;  ///< holds the vectors of all lanes
    };
    void open(const VectorOperation& operation, LaneLayout::Operand operand, Address address,
              Window& window);

    Reader read_;
    Window input_, weights_;
};

}  // namespace tessera
