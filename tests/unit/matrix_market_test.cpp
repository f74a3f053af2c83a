// Are Matrix Market files read as they are meant, and wrong ones refused in one line that names the
// place?
#include "sc_models/sparse/matrix_market.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

using namespace std::string_literals;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

MatrixMarket read(const std::string& text) {
    std::istringstream in(text);
    return read_matrix_market(in, "m.mtx");
}

/// Row by row.
std::vector<float> dense(const MatrixMarket& matrix) {
    std::vector<float> all(std::size_t{matrix.rows} * matrix.columns);
    for (const auto& element : matrix.elements) {
        all.at(std::size_t{element.row} * matrix.columns + element.column) =
            half_to_float(element.value);
    }
    return all;
}

std::string refusal(const std::string& text) {
    try {
        (void)read(text);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "accepted";
}

std::string refusal_of_file(const std::string& path) {
    try {
        (void)read_matrix_market(path);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "accepted";
}

std::string coordinate(const std::string& rest) {
    return "%%MatrixMarket matrix coordinate real general\n" + rest;
}

TEST(MatrixMarket, ReadsCoordinates) {
    const MatrixMarket matrix = read(coordinate("2 3 3\n2 3 -1.5\n1 1 +2e0\n1 2 .25\n"));
    EXPECT_EQ(matrix.rows, 2U);
    EXPECT_EQ(matrix.columns, 3U);
    EXPECT_THAT(dense(matrix), ElementsAre(2, 0.25, 0, 0, 0, -1.5));
    EXPECT_EQ(matrix.elements[1].column, 1U);  // ordered
}

TEST(MatrixMarket, ReadsIntegersAndPatterns) {
    EXPECT_THAT(dense(read("%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 2 -7\n")),
                ElementsAre(0, -7));
    EXPECT_THAT(dense(read("%%MatrixMarket matrix coordinate pattern general\n2 1 1\n2 1\n")),
                ElementsAre(0, 1));
}

TEST(MatrixMarket, MirrorsSymmetricOnes) {
    EXPECT_THAT(
        dense(read("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n")),
        ElementsAre(3, 4, 4, 0));
    EXPECT_THAT(dense(read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4\n")),
                ElementsAre(0, -4, 4, 0));
}

TEST(MatrixMarket, TakesEitherTriangleOfASymmetricMatrix) {
    EXPECT_THAT(
        dense(read("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n1 2 4\n")),
        ElementsAre(3, 4, 4, 0));
    EXPECT_THAT(dense(read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 2 4\n")),
                ElementsAre(0, 4, -4, 0));
}

MatrixMarket read_as(FileValues values, const std::string& numbers) {
    std::istringstream in(coordinate("1 4 4\n" + numbers));
    return read_matrix_market(in, "m.mtx", {FileNumbers::kAny, values});
}

TEST(MatrixMarket, TakesNumbersAsOnes) {
    EXPECT_THAT(dense(read_as(FileValues::kOnes, "1 1 -1e300\n1 2 0\n1 3 1e-300\n1 4 inf\n")),
                ElementsAre(1, 0, 1, 1));
}

TEST(MatrixMarket, ScalesTheLargestNumberBelowOne) {
    const MatrixMarket large =
        read_as(FileValues::kScaled, "1 1 1048576\n1 2 -786432\n1 3 1e-9\n1 4 inf\n");
    EXPECT_THAT(dense(large), ElementsAre(0.5, -0.375, 0, std::numeric_limits<float>::infinity()));
    EXPECT_EQ(large.exponent, 21);
    EXPECT_EQ(large.underflows, 1U);
    const MatrixMarket tiny =
        read_as(FileValues::kScaled, "1 1 3e-30\n1 2 0\n1 3 0\n1 4 -1.5e-30\n");
    EXPECT_EQ(tiny.exponent, -98);
    EXPECT_EQ(dense(tiny)[0], -2 * dense(tiny)[3]);
    EXPECT_NEAR(dense(tiny)[0], std::ldexp(3e-30, 98), 1e-3);
    EXPECT_THROW((void)read_as(FileValues::kScaled, "1 1 1e400\n1 2 0\n1 3 0\n1 4 0\n"),
                 ConfigError);
}

/// `text` as one member of a gzip file.
std::string gzipped(const std::string& text) {
    std::string out(compressBound(text.size()) + 64, 0);
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

TEST(MatrixMarket, ReadsGzipFiles) {
    const std::string path = testing::TempDir() + "matrix_market_test.mtx.gz";
    const auto write = [&path](const std::string& bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
    };
    std::string text = coordinate("3 40000 40000\n");
    for (int i = 1; i <= 40000; ++i) text += "2 " + std::to_string(i) + " 0.5\n";
    const std::string one = gzipped(text);
    // Two members, as pigz and bgzip write them.
    const std::string two = gzipped(text.substr(0, 100001)) + gzipped(text.substr(100001));
    for (const std::string& bytes : {one, two}) {
        write(bytes);
        EXPECT_EQ(read_matrix_market(path).elements.size(), 40000U);
        EXPECT_EQ(read_matrix_shape(path).rows, 3U);
        EXPECT_EQ(read_matrix_shape(path).columns, 40000U);
    }
    write(one.substr(0, one.size() / 2));
    EXPECT_THAT(refusal_of_file(path), HasSubstr("cannot read on: the gzip file is truncated"));
    std::string damaged = one;
    damaged[damaged.size() - 6] ^= 1;  // the checksum
    write(damaged);
    EXPECT_THAT(refusal_of_file(path), HasSubstr("cannot read on: no gzip file, or a damaged one"));
    write(text);
    EXPECT_THAT(refusal_of_file(path), HasSubstr(".mtx.gz:1: cannot read on: no gzip file"));
    std::remove(path.c_str());
}

TEST(MatrixMarket, ReadsArraysByColumns) {
    EXPECT_THAT(dense(read("%%MatrixMarket matrix array real general\n2 3\n1\n2\n0\n4\n5\n6\n")),
                ElementsAre(1, 0, 5, 2, 4, 6));
    EXPECT_THAT(dense(read("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n")),
                ElementsAre(1, 2, 2, 3));
    EXPECT_THAT(dense(read("%%MatrixMarket matrix array real skew-symmetric\n2 2\n2\n")),
                ElementsAre(0, -2, 2, 0));
}

TEST(MatrixMarket, TakesCommentsBlankLinesCarriageReturnsAndAnyCase) {
    EXPECT_THAT(dense(read("%%matrixmarket MATRIX Coordinate Real General\r\n% x\r\n\r\n"
                           "  2\t2 1 \r\n% y\n\n1 2 0.5\r\n\n%z")),
                ElementsAre(0, 0.5, 0, 0));
}

TEST(MatrixMarket, DropsZerosAndCountsUnderflows) {
    const MatrixMarket matrix =
        read(coordinate("1 5 5\n1 1 0\n1 2 -0.0\n1 3 1e-9\n1 4 1e-400\n1 5 6e-8\n"));
    ASSERT_EQ(matrix.elements.size(), 1U);
    EXPECT_EQ(matrix.elements[0].value, 1U);
    EXPECT_EQ(matrix.underflows, 2U);
}

TEST(MatrixMarket, RoundsOnceToTheNearestHalf) {
    const auto half = [](const std::string& number) {
        return read(coordinate("1 1 1\n1 1 " + number + "\n")).elements.at(0).value;
    };
    EXPECT_EQ(half("1.00048828125"), 0x3c00);  // between two: to even
    EXPECT_EQ(half("1.00146484375"), 0x3c02);
    // Just above the middle; a float cannot distinguish the two.
    EXPECT_EQ(half("1.0004882812500000001"), 0x3c00);
    EXPECT_EQ(half("1.000488281250001"), 0x3c01);
    EXPECT_EQ(half("-1.000488281250001"), 0xbc01);
    EXPECT_EQ(half("65519.99999"), 0x7bff);
    EXPECT_EQ(half("5.9604644775390625e-8"), 0x0001);
    EXPECT_EQ(half("2.98023224e-8"), 0x0001);  // just above half of it
}

TEST(MatrixMarket, WritesWhatItReads) {
    std::mt19937 random(5);
    MatrixMarket matrix;
    matrix.rows = 50;
    matrix.columns = 40;
    for (std::uint32_t row = 0; row < 50; ++row) {
        for (std::uint32_t column = 0; column < 40; ++column) {
            if (random() % 4 != 0) continue;
            const auto value = static_cast<HalfBits>((random() & 0x83ffU) | random() % 31U << 10U);
            if ((value & 0x7fffU) != 0) matrix.elements.push_back({row, column, value});
        }
    }
    std::ostringstream out;
    write_matrix_market(out, matrix);
    const MatrixMarket again = read(out.str());
    ASSERT_EQ(again.elements.size(), matrix.elements.size());
    for (std::size_t i = 0; i < matrix.elements.size(); ++i) {
        EXPECT_EQ(again.elements[i].row, matrix.elements[i].row);
        EXPECT_EQ(again.elements[i].column, matrix.elements[i].column);
        EXPECT_EQ(again.elements[i].value, matrix.elements[i].value);
    }
}

TEST(MatrixMarket, BecomesAnOperandByRowsOrColumns) {
    const MatrixMarket matrix = read(coordinate("2 3 3\n2 3 -1\n1 1 2\n1 2 1\n"));
    EXPECT_THAT(to_bitmap(matrix, MatrixLines::kRows, true).decode(),
                ElementsAre(0x4000, 0x3c00, 0, 0, 0, 0xbc00));
    EXPECT_THAT(to_bitmap(matrix, MatrixLines::kColumns, true).decode(),
                ElementsAre(0x4000, 0, 0x3c00, 0, 0, 0xbc00));
    const BitmapMatrix pattern = to_bitmap(matrix, MatrixLines::kColumns, false);
    EXPECT_FALSE(pattern.has_values());
    EXPECT_EQ(pattern.nnz(), 3U);
}

TEST(MatrixMarket, LargeOperandsHaveEveryElementInItsPlace) {
    std::mt19937 random(9);
    MatrixMarket matrix;
    matrix.rows = 100;
    matrix.columns = 150;
    std::vector<HalfBits> dense(std::size_t{100} * 150);
    for (std::uint32_t row = 0; row < 100; ++row) {
        for (std::uint32_t column = 0; column < 150; ++column) {
            if (random() % 20 != 0) continue;
            const auto value = static_cast<HalfBits>(random() % 0x7bffU + 1);
            matrix.elements.push_back({row, column, value});
            dense[row * 150 + column] = value;
        }
    }
    EXPECT_EQ(to_bitmap(matrix, MatrixLines::kRows, true).decode(), dense);
    const BitmapMatrix columns = to_bitmap(matrix, MatrixLines::kColumns, true);
    for (std::uint32_t row = 0; row < 100; ++row) {
        for (std::uint32_t column = 0; column < 150; ++column) {
            ASSERT_EQ(columns.at(column, row), dense[row * 150 + column]);
        }
    }
    const BitmapMatrix pattern = to_bitmap(matrix, MatrixLines::kColumns, false);
    EXPECT_EQ(pattern.arrays().elem_bitmap, columns.arrays().elem_bitmap);
    EXPECT_EQ(pattern.arrays().tile_desc, columns.arrays().tile_desc);
}

// --- what is refused ---

TEST(MatrixMarket, RefusesOtherBanners) {
    EXPECT_EQ(refusal(""), "m.mtx:1: the file is empty, expected %%MatrixMarket");
    EXPECT_THAT(refusal("1 1 1\n"), HasSubstr("m.mtx:1: banner: got '1'"));
    EXPECT_THAT(refusal("%%MatrixMarket vector\n"), HasSubstr("object: got 'vector'"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinat\n"),
                HasSubstr("format: got 'coordinat', expected one of {coordinate, array} (did you"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate complex general\n"),
                HasSubstr("field: got 'complex', expected one of {real, double, integer"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real hermitian\n"),
                HasSubstr("symmetry: got 'hermitian'"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real\n"), HasSubstr("symmetry: got ''"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix array pattern general\n1 1\n"),
                HasSubstr("field: got 'pattern', which format array cannot have"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix array real general x\n"),
                HasSubstr("got 'x' behind the last field"));
}

TEST(MatrixMarket, RefusesOtherSizes) {
    EXPECT_EQ(refusal(coordinate("% only a comment\n")), "m.mtx:3: the size line is missing");
    EXPECT_EQ(refusal(coordinate("2 2\n")), "m.mtx:2: elements: missing");
    EXPECT_THAT(refusal(coordinate("0 2 0\n")), HasSubstr("m.mtx:2: rows: got '0', expected an"));
    EXPECT_THAT(refusal(coordinate("2 -2 0\n")), HasSubstr("columns: got '-2'"));
    EXPECT_THAT(refusal(coordinate("2 4294967296 0\n")), HasSubstr("columns: got '4294967296'"));
    EXPECT_THAT(refusal(coordinate("2 2 5\n")), HasSubstr("elements: got '5', expected an integer "
                                                          "from 0 to 4"));
    EXPECT_THAT(refusal(coordinate("2 2 1 1\n")), HasSubstr("got '1' behind the last field"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix array real symmetric\n2 3\n"),
                HasSubstr("columns: got 3, expected the 2 of the rows"));
}

TEST(MatrixMarket, RefusesOtherElements) {
    EXPECT_EQ(refusal(coordinate("2 2 2\n1 1 1\n")),
              "m.mtx:4: the file ends after 1 of 2 elements");
    EXPECT_EQ(refusal(coordinate("2 2 1\n1 1 1\n2 2 1\n")),
              "m.mtx:4: more elements than the size line says, 1");
    EXPECT_EQ(refusal(coordinate("2 2 2\n1 2 1\n\n1 2 3\n")),
              "m.mtx:5: element (1, 2) was there already in line 3");
    EXPECT_EQ(refusal(coordinate("2 2 2\n1 2 0\n1 2 0\n")),
              "m.mtx:4: element (1, 2) was there already in line 3");
    EXPECT_THAT(refusal(coordinate("2 2 1\n3 1 1\n")),
                HasSubstr("m.mtx:3: row: got '3', expected an integer from 1 to 2"));
    EXPECT_THAT(refusal(coordinate("2 2 1\n1 0 1\n")), HasSubstr("column: got '0'"));
    EXPECT_THAT(refusal(coordinate("2 2 1\n1 1.0 1\n")), HasSubstr("column: got '1.0'"));
    EXPECT_THAT(refusal(coordinate("2 2 1\n1 1\n")), HasSubstr("value: missing"));
    EXPECT_THAT(refusal(coordinate("2 2 1\n1 1 1 1\n")), HasSubstr("got '1' behind the last"));
    for (const char* number :
         {"x", "1x", "1,5", "--1", "+-1", "+", "nan", "inf", "-infinity", "0x1", "1e"}) {
        EXPECT_THAT(refusal(coordinate(std::string("2 2 1\n1 1 ") + number + "\n")),
                    HasSubstr(std::string("m.mtx:3: value: got '") + number +
                              "', expected a finite number"));
    }
    std::istringstream any(coordinate("2 2 4\n1 1 inf\n1 2 -Infinity\n2 1 nan\n2 2 1\n"));
    const MatrixMarket matrix = read_matrix_market(any, "m.mtx", {FileNumbers::kAny});
    ASSERT_EQ(matrix.elements.size(), 4U);
    EXPECT_EQ(matrix.elements[0].value, 0x7c00U);
    EXPECT_EQ(matrix.elements[1].value, 0xfc00U);
    EXPECT_EQ(matrix.elements[2].value, 0x7e00U);
    for (const char* number : {"65520", "-1e6", "1e400"}) {
        EXPECT_THAT(refusal(coordinate(std::string("2 2 1\n1 1 ") + number + "\n")),
                    HasSubstr("expected at most 65504 in magnitude"));
    }
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n"),
                HasSubstr("value: got '1.5', expected an integer"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n"),
                HasSubstr("got '1' behind the last field"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n"),
                HasSubstr("m.mtx:4: element (1, 2) was there already in line 3"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n"),
                HasSubstr("column: got the diagonal"));
    EXPECT_THAT(refusal("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n"),
                HasSubstr("m.mtx:6: the file ends before row 2 of column 2"));
}

TEST(MatrixMarket, AClaimedSizeTakesNoMemory) {
    EXPECT_THAT(refusal(coordinate("4294967295 4294967295 18446744065119617025\n1 1 1\n")),
                HasSubstr("the file ends after 1 of 18446744065119617025 elements"));
}

TEST(MatrixMarket, RefusesFilesThatAreNotThere) {
    EXPECT_THROW((void)read_matrix_market(::testing::TempDir() + "none.mtx"), ConfigError);
    EXPECT_THROW((void)read_matrix_market(::testing::TempDir()), ConfigError);
}

TEST(MatrixMarket, OfAnyCutOrMutationIsReadWholeOrRefused) {
    const std::string good =
        "%%MatrixMarket matrix coordinate real symmetric\n% c\n40 40 6\n1 1 1.5\n2 1 -2\n"
        "17 3 0.25\n40 40 1e3\n33 2 6e-8\n12 12 7\n";
    const std::size_t elements = read(good).elements.size();
    // Whatever is cut off, all elements are there or none is given; only the last number may be
    // cut short unnoticed.
    for (std::size_t length = 0; length < good.size() - 1; ++length) {
        const std::string said = refusal(good.substr(0, length));
        if (said == "accepted") FAIL() << length;
        EXPECT_THAT(said, HasSubstr("m.mtx:"));
        EXPECT_EQ(said.find('\n'), std::string::npos);
    }
    EXPECT_EQ(read(good.substr(0, good.size() - 1)).elements.size(), elements);

    std::mt19937 random(11);
    const std::string alphabet = "0123456789 -+.e%\nx\r\t\0\xff"s;
    std::uint32_t accepted = 0;
    for (std::uint32_t i = 0; i < 20000; ++i) {
        std::string text = good;
        for (std::uint32_t n = random() % 3 + 1; n > 0; --n) {
            const std::size_t at = random() % text.size();
            const char byte = alphabet[random() % alphabet.size()];
            switch (random() % 3) {
                case 0:
                    text[at] = byte;
                    break;
                case 1:
                    text.insert(at, 1, byte);
                    break;
                default:
                    text.erase(at, 1);
            }
        }
        const std::string said = refusal(text);
        if (said != "accepted") {
            ASSERT_THAT(said, HasSubstr("m.mtx:")) << text;
            continue;
        }
        ++accepted;
        const MatrixMarket matrix = read(text);
        for (const auto& element : matrix.elements) {
            ASSERT_LT(element.row, matrix.rows) << text;
            ASSERT_LT(element.column, matrix.columns) << text;
        }
    }
    EXPECT_GT(accepted, 1000U);
    EXPECT_LT(accepted, 19000U);
}

TEST(MatrixMarketFile, LongestLine) {
    const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
    const std::string longest(65536, ' ');
    const auto line = [&](const std::string& text) { return text + longest.substr(text.size()); };
    for (const char* end : {"\n", ""}) {
        EXPECT_EQ(dense(read(banner + "1 1 1\n" + line("1 1 3") + end)), std::vector<float>{3});
        EXPECT_EQ(refusal(banner + "1 1 1\n" + line("1 1 3") + " " + end),
                  "m.mtx:3: line longer than 65536 bytes");
    }
    EXPECT_EQ(refusal(std::string(1U << 20U, '\0')), "m.mtx:1: line longer than 65536 bytes");
}

TEST(MatrixMarketFile, DevicesAndFoldersAreRefused) {
    EXPECT_EQ(refusal_of_file("/dev/zero"), "/dev/zero:1: line longer than 65536 bytes");
    EXPECT_EQ(refusal_of_file("/"), "/: cannot open: Is a directory");
    EXPECT_EQ(refusal_of_file("/none.mtx"), "/none.mtx: cannot open: No such file or directory");
}

}  // namespace
}  // namespace tessera
