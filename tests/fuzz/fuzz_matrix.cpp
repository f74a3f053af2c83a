// libFuzzer harness: Matrix Market files.
#include <cstdint>
#include <sstream>

#include "sc_models/common/error.h"
#include "sc_models/sparse/matrix_market.h"
#include "tests/fuzz/fuzz_check.h"

namespace tessera {
namespace {

void check(const MatrixMarket& matrix) {
    const MatrixMarket::Element* before = nullptr;
    for (const MatrixMarket::Element& element : matrix.elements) {
        fuzz::require(element.row < matrix.rows && element.column < matrix.columns, "outside");
        fuzz::require((element.value & 0x7fffU) != 0, "a zero");
        fuzz::require((element.value & 0x7c00U) != 0x7c00U, "not finite");
        fuzz::require(before == nullptr || before->row < element.row ||
                          (before->row == element.row && before->column < element.column),
                      "out of order");
        before = &element;
    }
    std::stringstream text;
    write_matrix_market(text, matrix);
    const std::string written = text.str();
    std::stringstream again;
    write_matrix_market(again, read_matrix_market(text, "written.mtx"));
    fuzz::require(again.str() == written, written);

    constexpr std::uint64_t kMostTiles = 10000;
    if (std::uint64_t{matrix.rows} * matrix.columns > kMostTiles * kSparseTileElements) return;
    for (const MatrixLines lines : {MatrixLines::kRows, MatrixLines::kColumns}) {
        const BitmapMatrix operand = to_bitmap(matrix, lines, true);
        fuzz::require(operand.nnz() == matrix.elements.size(), "elements lost");
        (void)BitmapMatrix::from_arrays(operand.lines(), operand.k(), operand.arrays());
    }
}

}  // namespace
}  // namespace tessera

// The name is libFuzzer's. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    MatrixMarket matrix;
    try {
        std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
        matrix = read_matrix_market(in, "f.mtx");
    } catch (const ConfigError& error) {
        fuzz::require_located(error.what(), {"f.mtx:"});
        return 0;
    }
    check(matrix);
    return 0;
}
