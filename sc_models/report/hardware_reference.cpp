#include "sc_models/report/hardware_reference.h"

#include "sc_models/config/engine/yaml_reader.h"

namespace tessera {

std::vector<HardwareFigure> read_hardware_reference(const std::string& path) {
    constexpr double kMost = 1e12;
    const ConfigNode root = parse_yaml_file(path);
    root.expect_mapping("");
    std::vector<HardwareFigure> figures;
    for (const ConfigNode::Member& row : root.members) {
        const ConfigNode* hardware = row.value.find("hardware");
        if (hardware == nullptr) continue;  // entry for whole kernels
        HardwareFigure figure;
        figure.name = row.key;
        figure.hardware = hardware->as_real(join_path(row.key, "hardware"), 0, kMost);
        if (const ConfigNode* accel_sim = row.value.find("accel_sim")) {
            figure.accel_sim = accel_sim->as_real(join_path(row.key, "accel_sim"), 0, kMost);
        }
        if (const ConfigNode* unit = row.value.find("unit")) {
            figure.unit = unit->as_text(join_path(row.key, "unit"));
        }
        figures.push_back(std::move(figure));
    }
    return figures;
}

}  // namespace tessera
