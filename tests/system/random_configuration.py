"""A random configuration: a small machine with a small workload of any kind, any mechanism and either level of timing,
from what `tessera config --list` says is allowed."""

import math
import os
import re
import subprocess

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Keys that break something on purpose, that name files, or that are no part of a result.
NEVER = {"opportunistic.fault", "impl.fault", "host.threads", "logging.level", "logging.modules", "workload.layer.name",
         "workload.trace", "workload.sparse.a.file", "workload.sparse.b.file", "workload.given.file",
         "workload.given.digest"}
TRACES = ("tiny", "fmt", "operations", "gemm_1024x64x576")
# Larger values of these only take longer.
AT_MOST = {"gpu.kernel_launch_cycles": 500, "gpu.cta_launch_cycles": 100, "gpu.cta_launch_jitter_cycles": 500,
           "sm.register_file_kib": 256, "l2.sets_per_slice": 64, "duplo.wake_cycles": 500, "duplo.lhb.entries": 4096,
           "duplo.spare_units": 256, "opportunistic.pt_period_cycles": 5000, "workload.direct.overhead_instructions": 20,
           "workload.direct.loop_instructions": 20, "workload.tiling.loop_overhead_instructions": 50,
           "opportunistic.assist_overhead_instructions": 50, "workload.repeat": 3, "sample.warm_waves": 3, "gpu.queued_launch_cycles": 500,
           "gpu.short_launch_cycles": 500}
# Smaller values of these only take longer.
AT_LEAST = {"gpu.core_clock_mhz": 200, "dram.clock_mhz": 200, "dram.efficiency_percent": 10, "sm.register_file_kib": 64,
            "sm.max_warps": 16, "noc.request_bytes_per_cycle": 4, "noc.response_bytes_per_cycle": 4,
            "noc.slice_bytes_per_cycle": 4}


class Key:
    """A row of `tessera config --list`."""

    def __init__(self, row):
        self.name, self.default, allowed, meaning = row
        self.power_of_two = "power of two" in meaning
        self.choices, self.range, self.word = None, None, None
        choice = re.fullmatch(r"\{(.*)\}", allowed)
        span = re.fullmatch(r"([\d.]+)\.\.([\d.]+|2\^64-1)(?: or (\w+))?", allowed)
        if choice and ":" not in allowed:
            self.choices = choice.group(1).split(", ")
        elif span:
            whole = "." not in span.group(1) + span.group(2)
            number = int if whole and self.default.isdigit() or span.group(3) else float
            self.range = (number(span.group(1)), number(span.group(2)) if span.group(2) != "2^64-1" else 2**64 - 1)
            self.word = span.group(3)

    def draw(self, rng):
        """A value of the whole range, small numbers and round ones more often."""
        if self.choices:
            return rng.choice(self.choices)
        if self.word and rng.random() < 0.2:
            return self.word
        low, high = max(self.range[0], AT_LEAST.get(self.name, 0)), min(self.range[1], AT_MOST.get(self.name, 2**64))
        if isinstance(self.range[0], float):
            return round(rng.uniform(low, min(high, 10.0)), 3)
        if self.name.endswith("cycles"):
            high = min(high, 300)
        value = round(math.exp(rng.uniform(math.log(low + 1), math.log(min(high, 2**20) + 1)))) - 1
        if self.power_of_two or rng.random() < 0.3:
            value = 1 << max(value, 1).bit_length() - 1
        return min(max(value, low), high)


def listed_keys(tessera):
    text = subprocess.run([tessera, "config", "--list"], capture_output=True, text=True, check=True).stdout
    head, *rows = text.splitlines()
    at = [head.index(name) for name in ("KEY", "DEFAULT", "UNIT", "ALLOWED", "MEANING")] + [None]
    cells = [[row[begin:end].strip() for begin, end in zip(at, at[1:])] for row in rows]
    return {row[0]: Key([row[0], row[1], row[3], row[4]]) for row in cells}


def flat(tree, path=""):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{path}{key}.")
        else:
            yield path + key, value


class Machines:
    """The configurations to begin with: the default and those with names."""

    def __init__(self, tessera):
        self.tessera = tessera
        names = subprocess.run([tessera, "config", "--names"], capture_output=True, text=True, check=True).stdout
        self.names = [None, *re.search(r"^gpus:\n((?:  .*\n)+)", names).group(1).split()]
        self.values = {name: self.read(name) for name in self.names}

    def read(self, name):
        text = subprocess.run([self.tessera, "config", *([name] if name else [])], capture_output=True, text=True,
                              check=True).stdout
        # Every value as the text it is: "on" is not True.
        return dict(flat(yaml.load(text, Loader=yaml.BaseLoader)))


class Configuration:
    """One random configuration: what it starts from and what it sets."""

    def __init__(self, keys, machines, rng, has_rtl):
        self.keys, self.rng, self.has_rtl = keys, rng, has_rtl
        self.base = rng.choice(machines.names) if rng.random() < 0.3 else None
        self.before = machines.values[self.base]
        self.sets = {}
        self.change_some()
        self.choose_workload()
        self.size_machine()
        self.repair()
        self.allow_unused = rng.random() < 0.9

    def __getitem__(self, key):
        value = str(self.sets.get(key, self.before[key]))
        return int(value) if value.isdigit() else value

    def __setitem__(self, key, value):
        self.sets[key] = value

    def unless(self, good, key, value):
        """Mends `key` where it would be refused, most of the time: refusals are to be seen too."""
        if not good and self.rng.random() < 0.98:
            self[key] = value

    def change_some(self):
        """Some keys anywhere: few, many, or all of a section."""
        rng = self.rng
        share = rng.choice((0.02, 0.1, 0.3))
        sections = [s for s in ("sm", "l1", "l2", "noc", "dram", "duplo", "opportunistic", "tensor_core", "ldst")
                    if rng.random() < 0.2]
        for name, key in self.keys.items():
            if name in NEVER or name.startswith(("impl.", "workload.layer.", "workload.gemm.", "workload.sparse.")):
                continue
            if not key.choices and not key.range:
                continue
            if rng.random() < (0.5 if name.split(".")[0] in sections else share):
                self[name] = key.draw(rng)
        self["seed"] = rng.randrange(2**32)
        if rng.random() < 0.4:
            self["timing"] = "at"
        if rng.random() < 0.3 and self["timing"] == "at":
            self["protocol_check"] = "on"
        if rng.random() < 0.4:
            self["duplo.enabled"] = "on"
        if rng.random() < 0.3:
            self["sample.enabled"] = "on"

    def choose_workload(self):
        rng = self.rng
        kind = rng.choices(("convolution", "gemm", "sparse_gemm", "sparse_convolution", "direct_convolution",
                            "composition", "trace", "microbenchmarks", "tensor"), (6, 3, 4, 4, 5, 1, 1, 0.3, 4))[0]
        assert kind in self.keys["workload.kind"].choices
        self["workload.kind"] = kind
        self["values"] = rng.choice(("on", "off"))
        for side in "mnk":
            self["workload.gemm." + side] = rng.randint(1, rng.choice((20, 100, 260)))
        if kind == "gemm" and rng.random() < 0.4:
            for key in ("workload.kernel", "workload.gemm.transpose_a", "workload.gemm.transpose_b",
                        "workload.gemm.output", "workload.gemm.read_c", "workload.gemm.order"):
                self[key] = rng.choice(self.keys[key].choices)
        if kind == "tensor":
            images = [rng.randint(1, 3), rng.randint(1, 20), rng.randint(3, 12), rng.randint(3, 12)]
            self["workload.tensor.shape"] = "x".join(map(str, images))
            self["workload.tensor.operation"] = rng.choice(self.keys["workload.tensor.operation"].choices)
            self["workload.tensor.type"] = rng.choice(("fp16", "fp32"))
            self["workload.tensor.axis"] = rng.choice(("last", 2, 3))
            self["workload.tensor.window"] = rng.randint(1, 3)
            self["workload.tensor.stride"] = rng.randint(1, 3)
            self["workload.tensor.pad"] = rng.randint(0, self["workload.tensor.window"] - 1)
        layer = {"batch": (1, 2), "height": (1, 12), "width": (1, 12), "channels": (1, 40), "filters": (1, 40),
                 "filter_height": (1, 3), "pad": (0, 2), "stride": (1, 2)}
        for key, (low, high) in layer.items():
            self["workload.layer." + key] = rng.randint(low, high)
        self["workload.layer.filter_width"] = rng.randint(1, 3)
        if kind == "convolution" and rng.random() < 0.2:
            self["workload.layer.transposed"] = "on"
        elif kind == "convolution" and rng.random() < 0.3:
            self["workload.kernel"] = rng.choice(("auto", "cudnn", "32x64", "64x32"))
            self["workload.pass"] = rng.choice(self.keys["workload.pass"].choices)
            self["workload.sum_order"] = rng.choice(self.keys["workload.sum_order"].choices)
            self["workload.layer.dilation"] = rng.choice((1, 1, 2))
            if rng.random() < 0.2:
                self["workload.layer.transposed"] = "on"
            for axis in ("height", "width"):
                self["workload.layer.pad_" + axis] = rng.choice(("same", 0, 1, 2))
                self["workload.layer.stride_" + axis] = rng.choice(("same", 1, 2, 3))
        if kind == "direct_convolution" and rng.random() < 0.4:
            groups = rng.choice((2, 3, 4))
            self["workload.layer.groups"] = groups
            for key in ("channels", "filters"):
                self["workload.layer." + key] = groups * rng.randint(1, 8)
        if "sparse" in kind or kind == "composition":
            for name, key in self.keys.items():
                if name.startswith("workload.sparse.") and name not in NEVER and rng.random() < 0.4:
                    self[name] = key.draw(rng)
            for side in "ab":
                self[f"workload.sparse.{side}.sparsity"] = rng.choice((0, 0.25, 0.75, 0.9375, 1))  # sixteenths
        if kind == "trace":
            self["workload.trace"] = os.path.join(ROOT, "tests", "golden", "traces", rng.choice(TRACES), "kernelslist.g")
        if kind in ("direct_convolution", "composition") and rng.random() < 0.7:
            self["opportunistic.scheme"] = rng.choice(("intra", "inter", "both"))
        if self.has_rtl and rng.random() < 0.05:
            block = rng.choice([name for name in self.keys if name.startswith("impl.") and name != "impl.fault"])
            self[block] = rng.choice(("rtl", "both"))

    def size_machine(self):
        """A few SMs, slices and channels."""
        rng = self.rng
        self["gpu.sms"] = rng.choice((1, 1, 2, 3, 4, 8))
        self["dram.channels"] = rng.choice((1, 2, 3, 4))
        self["l2.slices"] = self["dram.channels"] * rng.choice((1, 2, 3))
        if self["noc.kind"] == "mesh":
            self["noc.mesh.height"] = rng.choice([h for h in range(1, 9) if self["dram.channels"] % h == 0 or
                                                  h % self["dram.channels"] == 0])
            nodes = self["gpu.sms"] + self["dram.channels"]
            self["noc.mesh.width"] = math.ceil(nodes / self["noc.mesh.height"]) + rng.choice((0, 0, 1))
            self["noc.mesh.virtual_channels"] = 2 * rng.randint(1, 6)
        if rng.random() < 0.3:
            self["workload.tiling.cta_limit"] = rng.randint(1, 6)

    def repair(self):
        """The rules between keys."""
        self.repair_memory()
        self.repair_mechanisms()
        self.repair_workload()

    def repair_memory(self):
        rng = self.rng
        self.unless(self["sm.max_warps"] % self["sm.sub_cores"] == 0, "sm.sub_cores", 4)
        self.unless(self["sm.max_warps"] % self["sm.sub_cores"] == 0, "sm.max_warps", 8 * self["sm.sub_cores"])
        sector = rng.choice((32, 32, 32, 64))
        line = sector * rng.choice((1, 2, 4, 4, 4, 8))
        for level in ("l1", "l2"):
            self.unless(self[f"{level}.sector_bytes"] == sector, f"{level}.sector_bytes", sector)
            good = sector <= self[f"{level}.line_bytes"] <= 8 * sector
            self.unless(good, f"{level}.line_bytes", line)
        slice_bytes = self["l2.slice_interleave_bytes"]
        self.unless(self["l2.line_bytes"] <= slice_bytes, "l2.slice_interleave_bytes", 8 * sector)
        self.unless(self["l2.line_bytes"] <= self["dram.row_bytes"], "dram.row_bytes", 2048)
        self.unless(self["dram.bank_groups"] <= self["dram.banks"], "dram.bank_groups", 1)
        if self["dram.t_refi_cycles"] != "none":
            busy = sum(self[f"dram.{key}_cycles"] for key in ("t_rfc", "t_rcd", "t_rp", "t_ccd"))
            window = sum(int(self[f"dram.{key}_cycles"]) for key in ("t_rrd", "t_faw")
                         if self[f"dram.{key}_cycles"] != "none")
            least = busy + window + self["l2.sector_bytes"] // self["dram.bytes_per_clock"] + 2
            self.unless(self["dram.t_refi_cycles"] >= least, "dram.t_refi_cycles", least * rng.choice((1, 2, 10)))
        if self["dram.t_wtr_cycles"] != "none":
            high = rng.randint(1, self["dram.queue_entries"])
            self.unless(self["dram.write_drain_high"] <= self["dram.queue_entries"], "dram.write_drain_high", high)
            low = rng.randrange(self["dram.write_drain_high"])
            self.unless(self["dram.write_drain_low"] < self["dram.write_drain_high"], "dram.write_drain_low", low)
        # The L1 is what shared memory leaves: ways x lines x some sets.
        way_kib = self["l1.ways"] * self["l1.line_bytes"] / 1024
        if (self["sm.unified_l1_kib"] - self["sm.shared_memory_kib"]) % max(way_kib, 1 / 1024) != 0 or \
                self["sm.unified_l1_kib"] <= self["sm.shared_memory_kib"] or self["sm.unified_l1_kib"] > 1024:
            self["sm.shared_memory_kib"] = rng.choice((48, 64, 96))
            self["sm.unified_l1_kib"] = self["sm.shared_memory_kib"] + math.ceil(way_kib) * rng.choice((1, 4, 16))
            self.unless(math.ceil(way_kib) == way_kib or way_kib < 1 and 1 / way_kib % 1 == 0, "l1.ways", 4)

    def repair_mechanisms(self):
        self.unless(self["duplo.granularity"] != "tile16" or self["duplo.octet_copies"] == 1, "duplo.octet_copies", 1)
        self.unless(self["duplo.spare_units"] == 0 or self["duplo.lifetime"] == "until_reused", "duplo.spare_units", 0)
        self.unless(self["duplo.in_flight_hits"] == "on" or self["duplo.lifetime"] != "in_flight",
                    "duplo.in_flight_hits", "on")
        entries, ways = self["duplo.lhb.entries"], self["duplo.lhb.ways"]
        if entries != "infinite" and (entries % ways or (entries // ways) & (entries // ways - 1)):
            self["duplo.lhb.entries"] = ways << self.rng.randint(0, 8)
        # The formulas as printed are wrong, which values show.
        self.unless(self["duplo.id_formula"] == "corrected", "duplo.id_formula", "corrected")
        divisors = [n for n in range(1, self["gpu.sms"] + 1) if self["gpu.sms"] % n == 0]
        self.unless(self["opportunistic.cluster_sms"] in divisors, "opportunistic.cluster_sms", self.rng.choice(divisors))
        self.unless(float(self["tensor_core.spwmma.ohmma_cycles"]) >= 1 or
                    self["tensor_core.spwmma.accumulation"] == "count", "tensor_core.spwmma.ohmma_cycles", 1)
        banks = self["tensor_core.accumulation_buffer.banks"]
        self.unless(banks & (banks - 1) == 0, "tensor_core.accumulation_buffer.banks", 128)
        self.unless(self["tensor_core.spwmma.granularity"] == "8x16" or
                    self["tensor_core.spwmma.accumulation"] == "count", "tensor_core.spwmma.accumulation", "count")

    def repair_workload(self):
        rng, kind = self.rng, self["workload.kind"]
        addresses_only = kind in ("trace", "microbenchmarks")
        sparse = kind in ("sparse_gemm", "sparse_convolution", "composition")
        if addresses_only:
            self["values"] = "off"
            self["tensor_core.kind"] = "fedp"
        if kind not in ("direct_convolution", "composition"):
            self["opportunistic.scheme"] = "none"
        if sparse:
            self.unless(self["workload.sparse.method"] in ("dense", "vector_wise") or
                        self["tensor_core.kind"] == "outer_product", "tensor_core.kind", "outer_product")
            self["workload.sparse.k_step"] = rng.choice(("auto", 16, 32, 64))
            self.unless(self["workload.sparse.method"] != "vector_wise" or self["values"] == "off",
                        "workload.sparse.method", "dense")
            lowered = kind == "sparse_convolution" and self["workload.sparse.method"] in ("dense", "single")
            self.unless(lowered or self["workload.sparse.a_fragments"] == "off", "workload.sparse.a_fragments", "off")
            self.unless(kind == "composition" or self["workload.sparse.a_fragments"] == "on", "duplo.enabled", "off")
        if kind == "tensor":
            self["duplo.enabled"] = "off"
        library = kind in ("gemm", "convolution") and self["workload.kernel"] != "fragments"
        self.unless(library or self["workload.gemm.output"] == "fp32", "workload.gemm.output", "fp32")
        for key, only in (("workload.gemm.transpose_a", "t"), ("workload.gemm.transpose_b", "n")):
            self.unless(library or self[key] == only, key, only)
        if library:
            self["duplo.enabled"] = "off"
            self["workload.split_k"] = rng.choice(("auto", 1, 1))
            self["workload.layer.transposed"] = "off"
            if rng.random() < 0.9:  # some kernels need all of an SM
                self["workload.kernel"] = rng.choice(("auto", "auto", "32x64", "64x32"))
            elif kind == "convolution":
                self["workload.kernel"] = "cudnn"
            elif self["workload.kernel"] in ("simt", "winograd"):
                self["workload.kernel"] = "simt"  # there are no products by Winograd
                self["workload.gemm.output"] = "fp32"
                self["workload.gemm.transpose_a"], self["workload.gemm.transpose_b"] = "t", "n"
        self.unless(kind not in ("direct_convolution", "composition", "microbenchmarks"), "workload.repeat", 1)
        told = (kind in ("gemm", "sparse_gemm", "sparse_convolution") or kind == "convolution" and not library) and \
            self["workload.kernel"] != "simt"
        self.unless(kind != "microbenchmarks" and (told or self["values"] == "off"), "sample.enabled", "off")
        self.unless(self["workload.pass"] == "forward" or self["workload.layer.groups"] == 1,
                    "workload.pass", "forward")
        self.unless(self["workload.pass"] == "forward" or kind not in ("direct_convolution", "composition"),
                    "workload.layer.stride", 1)
        self.unless(self["workload.tiling.c_traffic"] == "on", "workload.tiling.c_traffic", "on")
        align = self["workload.direct.image_alignment_bytes"]
        self.unless(align % 4 == 0, "workload.direct.image_alignment_bytes", 4 * math.ceil(align / 4))
        for side in "mn":
            warp = rng.choice((32, 64)) if sparse else rng.choice((16, 32, 32, 64))
            self[f"workload.tiling.warp_{side}"] = warp
            self[f"workload.tiling.cta_{side}"] = warp * rng.choice((1, 1, 2, 4))
        if sparse and self["workload.tiling.warp_m"] * self["workload.tiling.warp_n"] > 2048 and rng.random() < 0.8:
            self["workload.tiling.warp_m"] = self["workload.tiling.cta_m"] = 32
        if self["workload.tiling.warp_m"] * self["workload.tiling.warp_n"] > 2048:
            self["workload.tiling.fragment_buffers"] = rng.choice((1, 2))
        self.unless(self["workload.tiling.overhead_registers"] <= 40, "workload.tiling.overhead_registers", 16)
        if self["workload.tiling.ctas_per_sm"] != "auto":
            self["workload.tiling.ctas_per_sm"] = rng.choice((1, 2))
        shared = 4 * self["workload.tiling.cta_m"] * self["workload.tiling.cta_n"]
        self.unless(shared <= self["sm.shared_memory_kib"] * 1024, "workload.tiling.cta_m", self["workload.tiling.warp_m"])
        self.unless(self["workload.structured_sparsity"] == "none", "workload.structured_sparsity", "none")
        self.unless(self["workload.layer.pad"] < self["workload.layer.filter_height"] or
                    self["workload.layer.transposed"] != "on", "workload.layer.pad", 0)
        self.unless(self["workload.layer.transposed"] != "on" or
                    self["workload.layer.filter_width"] == self["workload.layer.filter_height"],
                    "workload.layer.filter_width", self["workload.layer.filter_height"])
        for side in ("height", "width"):
            padded = self[f"workload.layer.{side}"] + 2 * self["workload.layer.pad"]
            if self[f"workload.layer.filter_{side}"] > padded:
                self[f"workload.layer.{side}"] = self[f"workload.layer.filter_{side}"]

    def run_on_threads(self):
        """Nothing in it keeps a run on one thread, but for some mechanisms."""
        if self["timing"] == "lt":
            self["protocol_check"] = "off"
        for key in [key for key in self.sets if key.startswith("impl.")]:
            del self.sets[key]
        if self["duplo.release"] == "commit":
            self["duplo.release"] = "issue"

    def arguments(self):
        text = [self.base] if self.base else []
        for key, value in self.sets.items():
            text += ["--set", f"{key}={value}"]
        return text
