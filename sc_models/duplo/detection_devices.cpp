#include "sc_models/duplo/detection_devices.h"

#include <string>

#include "sc_models/common/error.h"

namespace tessera {

void RenamePort::check() const {
    if (!device_) {
        model_.check();
    } else if (device_->free_units() != device_->physical_units()) {
        throw CheckError("rename table: " + std::to_string(device_->free_units()) + " of " +
                         std::to_string(device_->physical_units()) +
                         " physical units are free after all were released");
    }
}

}  // namespace tessera
