#include "sc_models/configure/config_validation.h"

#include "sc_models/configure/config_rules.h"

namespace tessera {

void validate(const Config& config, const ConfigSource& source) {
    check_machine(config, source);
    check_workload(config, source);
}

}  // namespace tessera
