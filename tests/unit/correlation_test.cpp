// Tables of measured times: what columns mean, which mistakes are named, and what is said of the
// errors.
#include "sc_models/report/correlation.h"

#include <gtest/gtest.h>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "tests/support/temp_folder.h"

namespace tessera {
namespace {

class MeasuredTable : public test::TempFolder {
protected:
    std::vector<MeasuredRow> read(const std::string& text, const MeasuredColumns& columns = {}) {
        return read_measured_table(write("table.csv", text), columns);
    }
    std::string refusal(const std::string& text, const MeasuredColumns& columns = {}) {
        try {
            (void)read(text, columns);
        } catch (const ConfigError& error) {
            const std::string what = error.what();
            EXPECT_EQ(what.find(path()), 0U) << what;
            return what.substr(path().size());
        }
        return "read";
    }
    [[nodiscard]] std::string path() const { return (folder / "table.csv").string(); }
};

TEST_F(MeasuredTable, ColumnsAreKeysNamesAndATimeWithItsUnit) {
    const auto rows = read(
        "\xEF\xBB\xBFname,m,n,workload.gemm.k,milliseconds\r\n"
        "\"a, b\",16,32,64,0.5\r\n"
        "\r\n"
        "unmeasured,16,32,64,\r\n"
        ",16,,64,2\r\n");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].name, "a, b");
    EXPECT_EQ(rows[0].line, 2U);
    EXPECT_EQ(rows[0].microseconds, 500);
    EXPECT_EQ(rows[0].sets, (std::vector<std::string>{"workload.gemm.m=16", "workload.gemm.n=32",
                                                      "workload.gemm.k=64"}));
    EXPECT_EQ(rows[1].name, "16 64");
    EXPECT_EQ(rows[1].line, 5U);
    EXPECT_EQ(rows[1].sets, (std::vector<std::string>{"workload.gemm.m=16", "workload.gemm.k=64"}));
}

TEST_F(MeasuredTable, TransposesAreThoseOfBlas) {
    const auto rows = read("m,transpose_a,transpose_b,us\n7,N,T,3\n7,t,n,3\n");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].name, "7 N T");
    EXPECT_EQ(rows[0].sets,
              (std::vector<std::string>{"workload.gemm.m=7", "workload.gemm.transpose_a=n",
                                        "workload.gemm.transpose_b=t"}));
    EXPECT_EQ(rows[1].sets[1], "workload.gemm.transpose_a=t");
}

TEST_F(MeasuredTable, TheCallerDefinesOtherColumns) {
    MeasuredColumns columns;
    columns.keys = {{"width", "workload.layer.width"}, {"m", "workload.layer.filters"}};
    columns.ignored = {"remark"};
    columns.time = "forward_us";
    const auto rows = read("width,m,remark,forward_us,backward_us\n7,8,x,3,\n", columns);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].sets,
              (std::vector<std::string>{"workload.layer.width=7", "workload.layer.filters=8"}));
    EXPECT_EQ(rows[0].microseconds, 3);
}

TEST_F(MeasuredTable, LayersHaveColumnsAndPassesTimes) {
    MeasuredColumns columns;
    const std::string table =
        "batch,filter_height,stride_width,forward_ms,backward_weight_ms\n8,3,2,4,5\n";
    using Sets = std::vector<std::string>;
    const Sets layer = {"workload.layer.batch=8", "workload.layer.filter_height=3",
                        "workload.layer.stride_width=2"};
    columns.time = "forward_ms";
    EXPECT_EQ(read(table, columns).at(0).sets, layer);
    EXPECT_EQ(read(table, columns).at(0).microseconds, 4000);
    columns.time = "backward_weight_ms";
    Sets gradient = {"workload.pass=backward_weight"};
    gradient.insert(gradient.end(), layer.begin(), layer.end());
    EXPECT_EQ(read(table, columns).at(0).sets, gradient);
}

TEST_F(MeasuredTable, MistakesAreNamedWithLineAndColumn) {
    EXPECT_EQ(refusal(""), ": empty, expected a line of column names");
    EXPECT_EQ(refusal("m,ms\n"), ": no row has a time");
    EXPECT_EQ(refusal("m;n;ms\n1;2;3\n"),
              ":1: column 'm;n;ms': names with semicolons or tabs between them, expected commas");
    EXPECT_EQ(refusal("m,n\n1,2\n"),
              ":1: no column of times, expected one whose name ends in s, ms, us or ns "
              "(milliseconds, forward_ms)");
    EXPECT_EQ(refusal("m,forward_ms,backward_us\n1,2,3\n"),
              ":1: 2 columns of times, name one of {forward_ms, backward_us} with --time");
    EXPECT_EQ(refusal("m,m,ms\n1,2,3\n"), ":1: column 'm': twice");
    EXPECT_EQ(refusal("depth,ms\n1,2\n"),
              ":1: column 'depth': expected name, a time, a product's m, n, k, transpose_a or "
              "transpose_b, a layer's batch, height, width, channels, filters and so on, or a key "
              "(workload.gemm.m); give it a key with --column, or leave it out with --ignore");
    EXPECT_EQ(refusal("m,ms\n1,2\n1\n"), ":3: got 1 columns, expected 2 as in line 1");
    for (const char* time : {"x", "0", "-1", "nan", "inf", "1 2", "1e999"}) {
        EXPECT_EQ(refusal(std::string("m,ms\n1,") + time + "\n"),
                  std::string(":2: column 'ms': got '") + time + "', expected a number above 0");
    }
    MeasuredColumns columns;
    columns.time = "speed";
    EXPECT_EQ(refusal("m,ms\n1,2\n", columns), ":1: no column 'speed', only {m, ms}");
    EXPECT_EQ(refusal("m,speed\n1,2\n", columns),
              ":1: column 'speed': no unit, expected a name that ends in s, ms, us or ns");
    columns = {};
    columns.ignored = {"mm"};
    EXPECT_EQ(refusal("m,ms\n1,2\n", columns),
              ":1: no column 'mm' (did you mean 'm'?), only {m, ms}");
}

CorrelatedRow row(double card, std::optional<double> model) {
    CorrelatedRow one;
    one.measured.name = "row";
    one.measured.microseconds = card;
    one.microseconds = model;
    return one;
}

TEST(Agreement, IsThatOfTheRowsThatRan) {
    const Agreement all = agreement_of({row(10, 20), row(100, 50), row(5, std::nullopt)});
    EXPECT_EQ(all.rows, 2U);
    EXPECT_NEAR(all.mean_absolute_error_percent, 75, 1e-9);  // +100 and -50 %
    EXPECT_NEAR(all.geometric_mean_ratio, 1, 1e-9);
    EXPECT_NEAR(all.farthest_factor, 2, 1e-9);
    EXPECT_NEAR(all.pearson.value(), 1, 1e-9);
    EXPECT_NEAR(all.spearman.value(), 1, 1e-9);
    EXPECT_THROW((void)agreement_of({row(1, std::nullopt)}), std::logic_error);
}

TEST(Agreement, CoefficientsAreThoseOfLogarithmsAndOfRanks) {
    // Logarithms 0 1 2 3 against 1 0 3 2: deviations -1.5 -0.5 0.5 1.5 and -0.5 -1.5 1.5 0.5.
    const Agreement all = agreement_of({row(1, 10), row(10, 1), row(100, 1000), row(1000, 100)});
    EXPECT_NEAR(all.pearson.value(), 0.6, 1e-9);
    EXPECT_NEAR(all.spearman.value(), 0.6, 1e-9);
    // Ranks 0 1 2 against 0.5 0.5 2: equal times share theirs.
    const Agreement ties = agreement_of({row(1, 5), row(2, 5), row(3, 9)});
    EXPECT_NEAR(ties.spearman.value(), 1.5 / std::sqrt(2 * 1.5), 1e-9);
    EXPECT_FALSE(agreement_of({row(1, 5)}).pearson);
    EXPECT_FALSE(agreement_of({row(1, 5), row(2, 5)}).spearman);
}

TEST(Correlation, OutliersHaveNamesAndTheFieldIsSquare) {
    std::vector<CorrelatedRow> rows = {row(10, 11), row(100, 20)};
    rows[0].measured.name = "near";
    rows[1].measured.name = "outlier";
    const std::string chart = correlation_svg(rows);
    EXPECT_NE(chart.find(">outlier</text>"), std::string::npos) << chart;
    EXPECT_EQ(chart.find(">near</text>"), std::string::npos) << chart;
    // The line of equal times runs at 45 degrees from the lower left corner.
    EXPECT_NE(chart.find("<line x1='70.0' y1='650.0' x2='690.0' y2='30.0'"), std::string::npos)
        << chart;
}

TEST(Correlation, ChartAndTableHaveEveryRow) {
    const std::vector<CorrelatedRow> rows = {row(10, 20), row(100, 50), row(5, std::nullopt)};
    const std::string chart = correlation_svg(rows);
    EXPECT_NE(chart.find("<title>row: card 10.00 us, model 20.00 us, +100.0 %</title>"),
              std::string::npos)
        << chart;
    EXPECT_EQ(chart.find("nan"), std::string::npos);
    const std::string text = correlation_text(rows);
    EXPECT_NE(text.find("5.00           -          -"), std::string::npos) << text;
    EXPECT_NE(text.find("2 of 3 rows: mean absolute error 75.0 %"), std::string::npos) << text;
    const auto json = correlation_json(rows);
    EXPECT_EQ(json.at("rows").size(), 3U);
    EXPECT_FALSE(json.at("rows")[2].contains("model_us"));
    EXPECT_NE(correlation_page("a < b", rows).find("a &lt; b"), std::string::npos);
}

}  // namespace
}  // namespace tessera
