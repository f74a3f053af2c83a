// The cases that ONNX's own test data has for each operator.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tessera::test {

/// A model with its inputs and outputs as tensor files.
struct OnnxCase {
    std::string name;
    std::filesystem::path folder;

    [[nodiscard]] std::filesystem::path model() const { return folder / "model.onnx"; }
    /// "input" or "output".
    [[nodiscard]] std::filesystem::path tensor(const std::string& side, int index) const {
        return folder / "test_data_set_0" / (side + "_" + std::to_string(index) + ".pb");
    }
    /// The file as it is, for what the reader does not tell.
    [[nodiscard]] onnx::ModelProto proto() const {
        onnx::ModelProto model_proto;
        std::ifstream in(model(), std::ios::binary);
        model_proto.ParseFromIstream(&in);
        return model_proto;
    }
};

/// Where Debian's libonnx-testdata has them.
inline const std::filesystem::path kOnnxTestData = "/usr/share/libonnx-testdata/data";

/// All cases of a folder of the test data, by name; none if it is not installed.
inline std::vector<OnnxCase> onnx_cases(const std::string& kind) {
    std::vector<OnnxCase> cases;
    if (!std::filesystem::is_directory(kOnnxTestData / kind)) return cases;
    for (const auto& entry : std::filesystem::directory_iterator(kOnnxTestData / kind)) {
        cases.push_back({entry.path().filename().string(), entry.path()});
    }
    std::sort(cases.begin(), cases.end(),
              [](const OnnxCase& a, const OnnxCase& b) { return a.name < b.name; });
    return cases;
}

}  // namespace tessera::test
