// Recorder of transactions as stimulus files of testbenches.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/memory/core/address_map.h"
#include "sc_models/tlm/lt/transport_monitor.h"

namespace tessera {

/// Binds the links of a machine and records the transactions that reach chosen modules, each as the
/// stimulus file of that module's testbench (--record MODULE=FILE). The modules are those of SM 0,
/// L2 slice 0 and DRAM channel 0, the crossbar as SMs 0 to 7 use it, and the mesh. Runs on one host
/// thread.
class StimulusRecorder final : public LinkBinder {
public:
    /// `requests`: MODULE=FILE each. Throws ConfigError on an unknown module, on a network that the
    /// machine lacks, on two requests of one module, and if a file cannot be written.
    StimulusRecorder(const std::vector<std::string>& requests, const Config& config);
    /// Saves the transactions so far if finish() was never called (an exception, an interrupted
    /// run).
    ~StimulusRecorder() override;
    StimulusRecorder(const StimulusRecorder&) = delete;
    StimulusRecorder& operator=(const StimulusRecorder&) = delete;

    /// Words for MODULE.
    [[nodiscard]] static std::vector<std::string> modules();

    void bind(tlm::tlm_base_initiator_socket<>& initiator,
              tlm::tlm_base_target_socket_b<>& target) override;
    [[nodiscard]] bool reads_time() const override { return true; }

    /// Call after the run to write the files. Throws ConfigError if a module had no transaction.
    void finish();
    /// One line for each file: its content and the command that plays it.
    [[nodiscard]] std::vector<std::string> files() const;

private:
    struct Module;
    class Recording;

    static const std::vector<Module>& known();

    std::vector<std::unique_ptr<Recording>> recordings_;
    bool finished_ = false;
    std::vector<std::unique_ptr<TransportMonitor>> monitors_;
};

}  // namespace tessera
