// Observers of the blocks of a partition.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/common/dram_command_recorder.h"
#include "sc_models/common/observer.h"
#include "sc_models/tlm/at/partition.h"

namespace tessera {

/// Forwards observations of a partition's blocks to the recorders shared by all partitions.
/// Observations made while the partition runs are kept until all partitions of the superstep have
/// run and are then forwarded in partition order, so recorders receive the same sequence on any
/// number of threads.
class PartitionObservers : private DeferredNotifications {
public:
    PartitionObservers(Partition& partition, Observers observers);
    PartitionObservers(const PartitionObservers&) = delete;
    PartitionObservers& operator=(const PartitionObservers&) = delete;

    /// Returns the observers for the partition's blocks; null without a recorder.
    [[nodiscard]] Observers get() {
        return {waves_.to == nullptr ? nullptr : &waves_,
                timeline_.to == nullptr ? nullptr : &timeline_,
                commands_.to == nullptr ? nullptr : &commands_, transactions_};
    }

private:
    /// Forwards the kept observations.
    void deliver() override;

    struct Waves : WaveRecorder {
        struct Notification {
            Signal signal;
            bool is_pulse;
            Cycle at;
            std::uint64_t value;  ///< value, or duration in cycles
        };
        Signal add(std::string_view scope, std::string_view name,
                   std::uint32_t width_bits) override {
            return to->add(scope, name, width_bits);
        }
        void set(Signal signal, Cycle at, std::uint64_t value) override;
        void pulse(Signal signal, Cycle at, Cycle cycles) override;
        DumpPlan add_dump(std::string_view scope, std::function<void()> close) override {
            return to->add_dump(scope, std::move(close));
        }
        void deliver();
        [[nodiscard]] bool delivers_at_once() const {
            return !partition->running() && kept.empty();
        }

        const Partition* partition = nullptr;
        WaveRecorder* to = nullptr;
        std::vector<Notification> kept;
    };

    struct Timeline : TimelineRecorder {
        struct Notification {
            Track track;
            Cycle begin, end;
            std::string name, args;
        };
        /// May wait for earlier partitions: recorders number tracks in partition order.
        Track add_track(std::string_view process, std::string_view thread) override {
            partition->in_order();
            return to->add_track(process, thread);
        }
        Track add_detail_track(std::string_view process, std::string_view thread) override {
            partition->in_order();
            return to->add_detail_track(process, thread);
        }
        void span(Track track, std::string_view name, Cycle begin, Cycle end,
                  std::string_view args) override;
        void deliver();
        [[nodiscard]] bool delivers_at_once() const {
            return !partition->running() && kept.empty();
        }

        Partition* partition = nullptr;
        TimelineRecorder* to = nullptr;
        std::vector<Notification> kept;
    };

    struct Commands : DramCommandRecorder {
        struct Notification {
            Channel channel;
            bool is_advance;
            DramCommand command;  ///< of an advance: the cycle only
        };
        Channel add_channel(const std::vector<DramParameter>& parameters,
                            std::function<void()> close) override {
            return to->add_channel(parameters, std::move(close));
        }
        void record(Channel channel, const DramCommand& command) override;
        void advance(Channel channel, Cycle cycle) override;
        void deliver();
        [[nodiscard]] bool delivers_at_once() const {
            return !partition->running() && kept.empty();
        }

        const Partition* partition = nullptr;
        DramCommandRecorder* to = nullptr;
        std::vector<Notification> kept;
    };

    Waves waves_;
    Timeline timeline_;
    Commands commands_;
    TransactionObserver* const transactions_;  ///< needs no deferral: one thread runs the machine
};

}  // namespace tessera
