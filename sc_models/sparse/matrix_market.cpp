#include "sc_models/sparse/matrix_market.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <istream>
#include <limits>
#include <memory>
#include <ostream>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "sc_models/common/edit_distance.h"
#include "sc_models/common/error.h"
#include "sc_models/common/gzip_buffer.h"
#include "sc_models/common/input_file.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/config/engine/config_node.h"

namespace tessera {
namespace {

enum class Layout { kCoordinate, kArray };
enum class Field { kReal, kInteger, kPattern };
enum class Symmetry { kGeneral, kSymmetric, kSkewSymmetric };

/// A number of the file with its place and its line.
struct Entry {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    double value = 0;
    std::uint64_t line = 0;
};

class Reader {
public:
    Reader(std::istream& in, const std::string& name, MatrixFileOptions options)
        : in_(in), name_(name), options_(options) {}

    /// Reads up to the sizes.
    MatrixShape read_shape() {
        read_banner();
        read_size();
        return {matrix_.rows, matrix_.columns};
    }

    MatrixMarket read() {
        (void)read_shape();
        if (layout_ == Layout::kCoordinate) {
            read_coordinates();
        } else {
            read_array();
        }
        if (next_line()) fail("more elements than the size line says, " + std::to_string(count_));
        return finish();
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw ConfigError(name_ + ":" + std::to_string(line_number_) + ": " + what);
    }

    /// Advances to the next line that is neither blank nor a comment; false at the end.
    bool next_line() {
        while (read_line()) {
            rest_ = line_;
            skip_blanks();
            if (!rest_.empty() && rest_.front() != '%') return true;
        }
        return false;
    }

    bool read_line() {
        ++line_number_;
        stop_if_interrupted();
        // getline() takes one byte less than the buffer size and counts the end of the line.
        try {
            in_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        } catch (const ConfigError& error) {
            fail(std::string("cannot read on: ") + error.what());
        }
        line_ = {buffer_.data(), static_cast<std::size_t>(in_.gcount())};
        if (in_.bad()) fail("cannot read on");
        if (in_.eof()) return !line_.empty();
        if (in_.fail()) fail("line longer than " + std::to_string(kLongestLine) + " bytes");
        line_.remove_suffix(1);
        return true;
    }

    void skip_blanks() {
        const std::size_t first = rest_.find_first_not_of(" \t\r\f\v");
        rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
    }

    /// Returns the next word of the line; empty at its end.
    std::string_view word() {
        skip_blanks();
        const std::size_t length = std::min(rest_.find_first_of(" \t\r\f\v"), rest_.size());
        const std::string_view found = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return found;
    }

    void expect_end() {
        const std::string_view more = word();
        if (!more.empty()) fail("got " + in_quotes(more) + " behind the last field");
    }

    template <class Choice>
    Choice choice(const char* field,
                  std::initializer_list<std::pair<std::string_view, Choice>> names) {
        const std::string_view got = word();
        std::vector<std::string_view> known;
        for (const auto& [name, value] : names) {
            if (name.size() == got.size() && edit_distance(name, got) == 0) return value;
            known.push_back(name);
        }
        fail(std::string(field) + ": got " + in_quotes(got) + ", expected one of " +
             braced_list(known) + did_you_mean(got, known));
    }

    void read_banner() {
        if (!read_line()) fail("the file is empty, expected %%MatrixMarket");
        rest_ = line_;
        (void)choice<int>("banner", {{"%%MatrixMarket", 0}});
        (void)choice<int>("object", {{"matrix", 0}});
        layout_ = choice<Layout>("format",
                                 {{"coordinate", Layout::kCoordinate}, {"array", Layout::kArray}});
        field_ = choice<Field>("field", {{"real", Field::kReal},
                                         {"double", Field::kReal},
                                         {"integer", Field::kInteger},
                                         {"pattern", Field::kPattern}});
        symmetry_ = choice<Symmetry>("symmetry", {{"general", Symmetry::kGeneral},
                                                  {"symmetric", Symmetry::kSymmetric},
                                                  {"skew-symmetric", Symmetry::kSkewSymmetric}});
        expect_end();
        if (layout_ == Layout::kArray && field_ == Field::kPattern) {
            fail("field: got 'pattern', which format array cannot have");
        }
    }

    std::uint64_t integer(const char* field, std::uint64_t min, std::uint64_t max) {
        const std::string_view got = word();
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(got.data(), got.data() + got.size(), value);
        if (got.empty()) fail(std::string(field) + ": missing");
        if (error != std::errc() || end != got.data() + got.size() || value < min || value > max) {
            fail(std::string(field) + ": got " + in_quotes(got) + ", expected an integer from " +
                 std::to_string(min) + " to " + std::to_string(max));
        }
        return value;
    }

    void read_size() {
        if (!next_line()) fail("the size line is missing");
        matrix_.size_line = line_number_;
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
        matrix_.rows = static_cast<std::uint32_t>(integer("rows", 1, kMost));
        matrix_.columns = static_cast<std::uint32_t>(integer("columns", 1, kMost));
        if (symmetry_ != Symmetry::kGeneral && matrix_.rows != matrix_.columns) {
            fail("columns: got " + std::to_string(matrix_.columns) + ", expected the " +
                 std::to_string(matrix_.rows) + " of the rows of a symmetric matrix");
        }
        const std::uint64_t all = std::uint64_t{matrix_.rows} * matrix_.columns;
        count_ = layout_ == Layout::kCoordinate ? integer("elements", 0, all) : 0;
        expect_end();
    }

    void read_coordinates() {
        // The file only claims this number, so memory grows with the elements read.
        constexpr std::uint64_t kFirst = 1U << 20U;
        entries_.reserve(std::min(count_, kFirst));
        for (std::uint64_t i = 0; i < count_; ++i) {
            if (!next_line()) {
                fail("the file ends after " + std::to_string(i) + " of " + std::to_string(count_) +
                     " elements");
            }
            const auto row = static_cast<std::uint32_t>(integer("row", 1, matrix_.rows) - 1);
            const auto column =
                static_cast<std::uint32_t>(integer("column", 1, matrix_.columns) - 1);
            if (symmetry_ == Symmetry::kSkewSymmetric && row == column) {
                fail("column: got the diagonal, which a skew-symmetric matrix does not have");
            }
            add(row, column);
        }
    }

    void read_array() {
        const bool lower = symmetry_ != Symmetry::kGeneral;
        const std::uint32_t below = symmetry_ == Symmetry::kSkewSymmetric ? 1 : 0;
        for (std::uint32_t column = 0; column < matrix_.columns; ++column) {
            for (std::uint64_t row = lower ? std::uint64_t{column} + below : 0; row < matrix_.rows;
                 ++row) {
                if (!next_line()) {
                    fail("the file ends before row " + std::to_string(row + 1) + " of column " +
                         std::to_string(column + 1));
                }
                add(static_cast<std::uint32_t>(row), column);
                ++count_;
            }
        }
    }

    /// Adds the element, and its mirror image in a symmetric matrix, with the value read next.
    void add(std::uint32_t row, std::uint32_t column) {
        const double value = field_ == Field::kPattern ? 1 : number();
        expect_end();
        const bool mirrored = symmetry_ != Symmetry::kGeneral && row != column;
        // Zeros stay until the check for duplicates, except those of an array, which has no
        // duplicates.
        if (layout_ == Layout::kArray && value == 0) return;
        entries_.push_back({row, column, value, line_number_});
        if (!mirrored) return;
        const double image = symmetry_ == Symmetry::kSkewSymmetric ? -value : value;
        entries_.push_back({column, row, image, line_number_});
    }

    static bool is_zero(HalfBits value) { return (value & 0x7fffU) == 0; }

    /// The number in the next word. It rounds to a finite half, if it is taken as written.
    double number() {
        const std::string_view got = word();
        if (got.empty()) fail("value: missing");
        std::string_view digits = got;
        if (digits.front() == '+') digits.remove_prefix(1);
        const char* end = digits.data() + digits.size();
        double value = 0;
        std::from_chars_result result{};
        if (field_ == Field::kInteger) {
            std::int64_t whole = 0;
            result = std::from_chars(digits.data(), end, whole);
            value = static_cast<double>(whole);
        } else {
            result = std::from_chars(digits.data(), end, value);
        }
        const bool sign_twice = got.front() == '+' && !digits.empty() && digits.front() == '-';
        const bool finite = std::isfinite(value);
        if (result.ptr != end || result.ec == std::errc::invalid_argument || sign_twice ||
            (!finite && options_.numbers == FileNumbers::kFinite)) {
            fail("value: got " + in_quotes(got) + ", expected " +
                 (field_ == Field::kInteger ? "an integer" : "a finite number"));
        }
        if (!finite) return value;
        // strtod() distinguishes overflow from underflow; from_chars() does not.
        if (result.ec == std::errc::result_out_of_range) {
            value = std::strtod(std::string(digits).c_str(), nullptr);
            if (value == 0) value = std::numeric_limits<double>::min();
            if (std::isinf(value) && options_.values == FileValues::kScaled) {
                fail("value: got " + in_quotes(got) + ", expected at most 1.7e308 in magnitude");
            }
        }
        if (options_.values == FileValues::kAsWritten &&
            (nearest_half(value) & 0x7c00U) == 0x7c00U) {
            fail("value: got " + in_quotes(got) +
                 ", expected at most 65504 in magnitude, as FP16; with workload.sparse.file_values "
                 "ones or scaled larger ones are accepted");
        }
        return value;
    }

    /// Rounds once, through a float whose last bit is set if any precision was lost. This suffices
    /// for a format that is more than two bits shorter.
    static HalfBits nearest_half(double value) {
        const double magnitude = std::fabs(value);
        auto rounded = static_cast<float>(std::min(magnitude, 0x1p17));
        if (static_cast<double>(rounded) > magnitude) rounded = std::nextafterf(rounded, 0.0F);
        std::uint32_t bits = float_bits(rounded);
        if (static_cast<double>(rounded) < magnitude) bits |= 1U;
        return static_cast<HalfBits>(float_to_half(float_from_bits(bits)) |
                                     (std::signbit(value) ? 0x8000U : 0U));
    }

    /// Exponent of the power of two that scales the largest finite number into [0.5, 1).
    [[nodiscard]] int scale() const {
        double largest = 0;
        for (const Entry& entry : entries_) {
            if (std::isfinite(entry.value)) largest = std::max(largest, std::fabs(entry.value));
        }
        int exponent = 0;
        (void)std::frexp(largest, &exponent);
        return exponent;
    }

    /// The half of a number of the file. Counts numbers that become zero.
    HalfBits half_of(double value) {
        if (value == 0) return 0;
        if (options_.values == FileValues::kOnes) return kOne;
        if (std::isnan(value)) return kNan;
        if (std::isinf(value)) return value < 0 ? kMinusInfinity : kInfinity;
        const HalfBits half = nearest_half(std::ldexp(value, -matrix_.exponent));
        if (is_zero(half)) ++matrix_.underflows;
        return half;
    }

    MatrixMarket finish() {
        std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
            return std::tie(a.row, a.column, a.line) < std::tie(b.row, b.column, b.line);
        });
        for (std::size_t i = 1; i < entries_.size(); ++i) {
            const Entry& entry = entries_[i];
            const Entry& before = entries_[i - 1];
            if (entry.row != before.row || entry.column != before.column) continue;
            line_number_ = entry.line;
            fail("element (" + std::to_string(entry.row + 1) + ", " +
                 std::to_string(entry.column + 1) + ") was there already in line " +
                 std::to_string(before.line));
        }
        if (options_.values == FileValues::kScaled) matrix_.exponent = scale();
        matrix_.elements.reserve(entries_.size());
        for (const Entry& entry : entries_) {
            const HalfBits half = half_of(entry.value);
            if (!is_zero(half)) matrix_.elements.push_back({entry.row, entry.column, half});
        }
        return std::move(matrix_);
    }

    /// Limit without the line end, as for traces; the format itself has lines of at most 1024
    /// characters.
    static constexpr std::size_t kLongestLine = 65536;
    static constexpr HalfBits kOne = 0x3c00, kInfinity = 0x7c00, kMinusInfinity = 0xfc00,
                              kNan = 0x7e00;

    std::istream& in_;
    const std::string& name_;
    const MatrixFileOptions options_;
    std::uint64_t line_number_ = 0;
    std::vector<char> buffer_ = std::vector<char>(kLongestLine + 1);
    std::string_view line_;  ///< in buffer_
    std::string_view rest_;  ///< part of line_
    Layout layout_ = Layout::kCoordinate;
    Field field_ = Field::kReal;
    Symmetry symmetry_ = Symmetry::kGeneral;
    std::uint64_t count_ = 0;
    std::vector<Entry> entries_;
    MatrixMarket matrix_;
};

}  // namespace

namespace {

/// Opens a file, decompressing it if its name ends in .gz.
std::unique_ptr<std::streambuf> open_matrix(const std::string& path) {
    try {
        if (std::filesystem::path(path).extension() == ".gz") {
            return std::make_unique<GzipBuffer>(path);
        }
        return std::make_unique<InputFileBuffer>(path);
    } catch (const ConfigError& error) {
        throw ConfigError(path + ": cannot open: " + error.what());
    }
}

}  // namespace

MatrixMarket read_matrix_market(const std::string& path, MatrixFileOptions options) {
    const auto buffer = open_matrix(path);
    std::istream in(buffer.get());
    in.exceptions(std::ios::badbit);  // errors of the buffer reach the reader
    return read_matrix_market(in, path, options);
}

MatrixMarket read_matrix_market(std::istream& in, const std::string& name,
                                MatrixFileOptions options) {
    return Reader(in, name, options).read();
}

MatrixShape read_matrix_shape(const std::string& path) {
    const auto buffer = open_matrix(path);
    std::istream in(buffer.get());
    in.exceptions(std::ios::badbit);
    return Reader(in, path, {}).read_shape();
}

void write_matrix_market(std::ostream& out, const MatrixMarket& matrix) {
    out << "%%MatrixMarket matrix coordinate real general\n"
        << matrix.rows << ' ' << matrix.columns << ' ' << matrix.elements.size() << '\n';
    char text[32];
    for (const MatrixMarket::Element& element : matrix.elements) {
        const char* end = std::to_chars(text, text + sizeof text, half_to_float(element.value)).ptr;
        out << element.row + 1 << ' ' << element.column + 1 << ' '
            << std::string_view(text, static_cast<std::size_t>(end - text)) << '\n';
    }
}

BitmapMatrix to_bitmap(const MatrixMarket& matrix, MatrixLines lines, bool values) {
    // Sorts the elements in the order of the format, whose lines are the rows here, so that one
    // pass creates all tiles.
    std::vector<MatrixMarket::Element> elements = matrix.elements;
    if (lines == MatrixLines::kColumns) {
        for (MatrixMarket::Element& element : elements) std::swap(element.row, element.column);
    }
    std::sort(elements.begin(), elements.end(),
              [](const MatrixMarket::Element& a, const MatrixMarket::Element& b) {
                  return std::make_tuple(a.row / kSparseTileLines, a.column, a.row) <
                         std::make_tuple(b.row / kSparseTileLines, b.column, b.row);
              });
    auto next = elements.cbegin();
    const auto masks = [&](std::uint32_t line_tile, std::uint32_t k_tile, std::uint32_t* into) {
        std::fill_n(into, kSparseTileK, 0U);
        for (; next != elements.cend() && next->row / kSparseTileLines == line_tile &&
               next->column / kSparseTileK == k_tile;
             ++next) {
            into[next->column % kSparseTileK] |= 1U << (next->row % kSparseTileLines);
        }
    };
    auto next_value = elements.cbegin();
    const auto value = [&](std::uint64_t, std::uint64_t) { return (next_value++)->value; };
    const bool rows = lines == MatrixLines::kRows;
    const std::uint64_t count = rows ? matrix.rows : matrix.columns;
    const std::uint64_t k = rows ? matrix.columns : matrix.rows;
    return values ? BitmapMatrix::from_masks(count, k, masks, value)
                  : BitmapMatrix::pattern(count, k, masks);
}

}  // namespace tessera
