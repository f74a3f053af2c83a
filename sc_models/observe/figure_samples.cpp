#include "sc_models/observe/figure_samples.h"

#include <algorithm>

namespace tessera {

void FigureSamples::start_kernel(Cycle start) {
    since_ = start;
    before_.assign(figures_.size(), {});
    started_ = true;
}

std::vector<FigureSamples::Gain> FigureSamples::totals() const {
    std::vector<Gain> all;
    all.reserve(figures_.size());
    for (const SampledFigure& figure : figures_) {
        all.push_back({figure.count(), figure.of ? figure.of() : 0});
    }
    return all;
}

void FigureSamples::advance(Cycle now) {
    if (figures_.empty()) return;
    if (!started_) {  // earlier counts of a running kernel are excluded
        since_ = now;
        before_ = totals();
        started_ = true;
    } else if (now >= since_ + period_) {
        take(now);
    }
}

void FigureSamples::finish(Cycle now) {
    if (started_ && now > since_) take(now);
    started_ = false;
}

void FigureSamples::take(Cycle now) {
    std::vector<Gain> all = totals();
    Sample sample{since_, now, all};
    for (std::size_t i = 0; i < all.size(); ++i) {
        // A counter that a new kernel has reset counts from zero.
        const auto gain = [](std::uint64_t& total, std::uint64_t before) {
            if (total >= before) total -= before;
        };
        gain(sample.gains[i].count, before_[i].count);
        gain(sample.gains[i].of, before_[i].of);
    }
    samples_.push_back(std::move(sample));
    before_ = std::move(all);
    since_ = now;
    if (samples_.size() > kMost) halve();
}

void FigureSamples::halve() {
    std::vector<Sample> fewer;
    fewer.reserve(samples_.size() / 2 + 1);
    for (Sample& sample : samples_) {
        const bool joins = !fewer.empty() && fewer.back().to == sample.from &&
                           sample.to - fewer.back().from <= 2 * period_ + period_ / 2;
        if (!joins) {
            fewer.push_back(std::move(sample));
            continue;
        }
        fewer.back().to = sample.to;
        for (std::size_t i = 0; i < sample.gains.size(); ++i) {
            fewer.back().gains[i].count += sample.gains[i].count;
            fewer.back().gains[i].of += sample.gains[i].of;
        }
    }
    samples_ = std::move(fewer);
    period_ *= 2;
}

std::vector<TimelineSpans::Series> FigureSamples::series() const {
    std::vector<TimelineSpans::Series> all;
    for (std::size_t i = 0; i < figures_.size(); ++i) {
        const SampledFigure& figure = figures_[i];
        TimelineSpans::Series series{figure.name, figure.unit, {}, {}, 0};
        double waiting = 0;  // counted beyond the peak so far
        for (const Sample& sample : samples_) {
            const Gain& gain = sample.gains[i];
            const auto over = static_cast<double>(figure.of ? gain.of : sample.to - sample.from);
            double done = waiting + static_cast<double>(gain.count);
            waiting = figure.peak > 0 ? std::max(0.0, done - figure.peak * over) : 0;
            done -= waiting;
            series.at.push_back(sample.from);
            series.values.push_back(over > 0 ? figure.scale * done / over : 0);
            series.end = sample.to;
        }
        const bool any = std::any_of(series.values.begin(), series.values.end(),
                                     [](double value) { return value != 0; });
        if (any) all.push_back(std::move(series));
    }
    return all;
}

}  // namespace tessera
