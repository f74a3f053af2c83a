#!/usr/bin/python3
"""Every key says when it acts. Small runs of all kinds each list which keys have no effect. Other values of all of these
leave the results as they are. A run refuses each of them, and names the condition. Each key acts in one of the runs at least."""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import yaml

import parameter_bases as bases
from parameter_test import listed_keys, nested
from parameters import PARAMETERS, SPELLED
from random_configuration import flat

LIBRARY_SPARSE = {**bases.SPARSE_LAYER, "workload.sparse.lowering": "implicit", "workload.sparse.method": "single"}
# Runs beside BASE; together they make every key act.
RUNS = {
    "lowered": {}, "lowered without Duplo": {"duplo.enabled": "off"}, "at": bases.AT, "mesh": bases.MESH,
    "mesh, at": {**bases.AT, **bases.MESH}, "product": bases.PRODUCT, "library": bases.LIBRARY, "layer of a library": bases.LIBRARY_LAYER,
    "axes": {**bases.LIBRARY_LAYER, "workload.layer.pad_height": 1, "workload.layer.pad_width": 0, "workload.layer.stride_height": 2,
             "workload.layer.stride_width": 1},
    "backward": {**bases.LIBRARY_LAYER, "workload.pass": "backward_weight"},
    "depthwise": {**bases.LIBRARY_LAYER, "workload.kernel": "auto", "workload.layer.groups": 32, "workload.layer.filters": 32},
    "winograd": {**bases.LIBRARY_LAYER, "workload.kernel": "winograd"}, "simt": {**bases.PRODUCT, "duplo.enabled": "off", "workload.kernel": "simt"},
    "values": {"values": "on"}, "product with values": {**bases.LIBRARY, "values": "on"}, "multistage": bases.MULTISTAGE,
    "structured": {**bases.STRUCTURED, "workload.structured_sparsity": "2of4"}, "wgmma": bases.WGMMA, "sampled": bases.SAMPLED,
    "trace": bases.trace("operations"), "rates": bases.RATED, "sparse": bases.SPARSE,
    "dense, sparse kind": {**bases.SPARSE, "tensor_core.kind": "fedp", "workload.sparse.method": "dense"},
    "csr": {**bases.SPARSE, "tensor_core.kind": "fedp", "workload.sparse.method": "dense", "workload.kernel": "simt"},
    "sparse layer": bases.SPARSE_LAYER, "gathered": LIBRARY_SPARSE, "collector": bases.COLLECTOR,
    "matrix": {**bases.SPARSE, "workload.gemm.m": 5, "workload.gemm.k": 7, "workload.sparse.a.file": bases.MATRIX},
    "exact": {**bases.SPARSE, "tensor_core.spwmma.accumulation": "exact"}, "direct": bases.DIRECT, "intra": bases.INTRA, "inter": bases.INTER,
    "periodic": {**bases.INTRA, "opportunistic.pt_policy": "periodic"}, "characterised": {**bases.DIRECT, "opportunistic.characterise": "on"},
    "operator": bases.TENSOR, "operator of two": {**bases.TENSOR, "workload.tensor.operation": "add", "values": "on"},
    "row": {**bases.TENSOR, "workload.tensor.operation": "softmax"}, "pool": bases.POOL,
    "given": {**bases.TENSOR, "workload.given.file": bases.LAYER, "workload.given.digest": bases.LAYER_DIGEST},
    "composition": {"duplo.enabled": "off", "workload.kind": "composition", "workload.sparse.method": "dense", "workload.layer.height": 8,
                    "workload.tiling.warp_n": 32},
    "microbenchmarks": {**bases.WARPGROUP_TYPE, "sm.tensor_rates.hgmma_16.products_per_cycle": 2048, "sm.tensor_rates.qgmma_32.products_per_cycle": 4096,
                        "sm.tensor_rates.hgmma_16_bf16.products_per_cycle": 2048, "sm.bulk_copy_latency_cycles": 24},
    "rules of DRAM": {"dram.bank_groups": 4, "dram.t_wtr_cycles": 6, "dram.t_refi_cycles": 4000, "tlb.entries": 4},
    "layer in stages": {**bases.LIBRARY_LAYER, "workload.kernel": "multistage", "sm.tensor_rates.hmma_16816.products_per_cycle": 1024},
    "prefill": bases.ATTENTION, "prefill by warpgroups": bases.WARPGROUP_ATTENTION,
    "decode": bases.DECODE, "rotary": {**bases.ATTENTION, "workload.attention.operation": "rotary"},
    "register banks": bases.PORTS, "no account": {"gpu.energy_table": "none"},
}
# Keys that are no part of a result, or name a file whose content decides.
APART = {"logging.level", "logging.modules", "host.threads", "impl.fault", "workload.given.file", "workload.given.digest", "workload.trace"}
RTL_SECTION = "impl."
# A rate selects the instructions of a product, so that another rate may act where this one does not.
SELECTS = ".products_per_cycle"


class KeyConditions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys = listed_keys(TESSERA)
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            cls.runs = dict(zip(RUNS, pool.map(cls.base_of, RUNS.values())))

    @classmethod
    def tessera(cls, *arguments):
        return subprocess.run([TESSERA, *arguments], capture_output=True, text=True, check=False, timeout=300)

    @classmethod
    def run_with(cls, settings, changed=()):
        """Results, and the keys without effect, of a run whose every key the user has set."""
        with tempfile.TemporaryDirectory() as folder:
            base, mine, out = (os.path.join(folder, name) for name in ("base.yaml", "mine.yaml", "out"))
            with open(base, "w", encoding="utf-8") as handle:
                json.dump({"part": "run", **nested({**bases.BASE, **settings})}, handle)
            whole = cls.tessera("config", base)
            assert whole.returncode == 0, whole.stderr
            values = dict(flat(yaml.load(whole.stdout, Loader=yaml.BaseLoader)))
            values.pop("part")
            with open(mine, "w", encoding="utf-8") as handle:
                yaml.safe_dump(nested({**values, **dict(changed)}), handle)
            process = cls.tessera("run", "-q", "--no-cache", "--allow-unused", mine, "--out", out)
            if process.returncode != 0:
                return process.stderr, None
            with open(os.path.join(out, "host.json"), encoding="utf-8") as handle:
                idle = json.load(handle).get("unread_keys", [])
            with open(os.path.join(out, "result.json"), encoding="utf-8") as handle:
                result = json.load(handle)
            # The configuration itself, and mechanisms that are on but did not act.
            for key in ("config", "config_hash", "mechanisms"):
                result.pop(key, None)
            return result, set(idle)

    @classmethod
    def base_of(cls, settings):
        return cls.run_with(settings)

    def conditional(self):
        """Keys with a condition in their description."""
        return {key for key, line in self.keys.items() if " Acts with " in line}

    def test_every_run_ends_well(self):
        for name, (result, idle) in self.runs.items():
            self.assertIsNotNone(idle, f"{name}: {result}")

    def test_every_key_acts_somewhere_and_those_without_a_condition_everywhere(self):
        idle = [keys for _, keys in self.runs.values()]
        never = {key for key in self.keys if all(key in keys for keys in idle)}
        self.assertEqual(never, set())
        somewhere_idle = set().union(*idle)
        self.assertEqual(somewhere_idle, self.conditional())

    def test_keys_without_effect_change_nothing(self):
        proven = set()
        for name, settings in RUNS.items():
            result, idle = self.runs[name]
            changed = {key: PARAMETERS[key][0] for key in idle - APART
                       if PARAMETERS.get(key) is not None and not key.startswith(RTL_SECTION) and not key.endswith(SELECTS)}
            while True:
                other, still = self.run_with(settings, changed)
                if still is not None:
                    break
                # A rule between keys holds whether or not they act.
                words = re.findall(r"[a-z_0-9.]+", other.split(": got ", 1)[-1] + other)
                named = [key for key in changed if key in words] or [key for key in changed if key.split(".")[-1] in words]
                self.assertTrue(named, f"{name}: {other}")
                del changed[named[0]]
            self.assertTrue(other == result, f"{name}: results differ with other values of {sorted(changed)}")
            proven |= set(changed)
        # A rule kept these from all the others' values: each with those of its own row of the table.
        for key in sorted(key for key in self.conditional() - proven - APART if not key.endswith(SELECTS)):
            name = next(name for name, (_, idle) in self.runs.items() if key in idle)
            result, idle = self.runs[name]
            value, _, _, both, also = (*PARAMETERS[key], {}, {})[:5]
            beside = {other: text for other, text in {**both, **also}.items() if other in idle}
            other, still = self.run_with(RUNS[name], {**beside, key: value})
            self.assertIsNotNone(still, f"{key}: {other}")
            self.assertTrue(other == result, f"{name}: results differ with {key}={value}")
            proven.add(key)
        self.assertEqual({key for key in self.conditional() - proven - APART if not key.endswith(SELECTS)}, set())

    def test_a_run_refuses_each_and_names_the_condition(self):
        for key in sorted(self.conditional() - APART):
            name = next(name for name, (_, idle) in self.runs.items() if key in idle)
            words = self.keys[key].split(" Acts with ")[1].rstrip(".")
            with self.subTest(key=key, run=name), tempfile.TemporaryDirectory() as folder:
                base = os.path.join(folder, "base.yaml")
                with open(base, "w", encoding="utf-8") as handle:
                    json.dump({"part": "run", **nested({**bases.BASE, **RUNS[name]})}, handle)
                values = dict(flat(yaml.load(self.tessera("config", base).stdout, Loader=yaml.BaseLoader)))
                text = f"{SPELLED.get(key, key)}={json.dumps(values[key])}"
                # The kind follows from some of the keys unless it is set.
                process = self.tessera("run", "-q", base, "--set", f"workload.kind={values['workload.kind']}", "--set", text)
                self.assertEqual(process.returncode, 2, process.stderr)
                self.assertIn(f"--set {text}: got ", process.stderr)
                self.assertIn("which has no effect in this run: it acts with ", process.stderr)
                named = process.stderr.split("it acts with ")[1].split("; --allow-unused")[0]
                self.assertIn(named.split(" and ")[0], words)


if __name__ == "__main__":
    TESSERA = os.path.abspath(sys.argv.pop(1))
    unittest.main()
