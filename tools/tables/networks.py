"""Tables of whole networks, of what `tessera network` stores.

A network is stored by the name of its folder, with its totals and, weighted by FLOP, the zeros that its convolutions and products read.
"""

import json
import os
import re

from tables.text import UserError, markdown, number

STORED = "networks.json"
TOTALS = ("name", "cycles", "speedup", "cycles_with_faster_kernels", "speedup_with_faster_kernels", "layers_of_its_own", "layers_checked")


def mean_zeros(layers, side):
    """Zeros of A or B in percent, in the mean over the work of the layers whose operands were counted; None if none was."""
    counted = [(layer["flop"], layer[side]) for layer in layers if layer["is_product"] and side in layer]
    work = sum(flop for flop, _ in counted)
    return 100 * sum(flop * zeros for flop, zeros in counted) / work if work else None


def command_of(network):
    """The command without the folders of the files it names."""
    return re.sub(r"[^\s=]*/", "", network["command"])


def reduced(network):
    """What tables need of a network.json."""
    totals = [{key: value for key, value in variant.items() if key.removesuffix("_half_width") in TOTALS}
              for variant in network["variants"]]
    layers = network["layers"]
    return {"command": command_of(network), "core_clock_mhz": network["core_clock_mhz"], "sampled": network["sampled"],
            "seeds": network.get("seeds", []), "layers": len(layers), "zeros_a": mean_zeros(layers, "zeros_a"),
            "zeros_b": mean_zeros(layers, "zeros_b"), "variants": totals}


def take(data, source):
    """Takes over a network.json, in the place of an earlier one of the same folder."""
    name = os.path.basename(os.path.dirname(os.path.abspath(source)))
    path = os.path.join(data, STORED)
    stored = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as handle:
            stored = json.load(handle)
    with open(source, encoding="utf-8") as handle:
        stored[name] = reduced(json.load(handle))
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(json.dumps(dict(sorted(stored.items())), indent=1) + "\n")


def estimate(of, key, decimals, unit=1.0):
    """A number with half of its interval, if it has one."""
    text = number(of[key] / unit, decimals)
    width = of.get(key + "_half_width")
    return text if width is None else f"{text} ± {number(width / unit, decimals)}"


def stored_network(results, name):
    networks = results.read_json(STORED)
    if name not in networks:
        raise UserError(f"{STORED} has no network '{name}', but {', '.join(networks)}")
    return networks[name]


def variant_of(network, name):
    for variant in network["variants"]:
        if variant["name"] == name:
            return variant
    raise KeyError(name)


def network_speedups(results, *arguments):
    """A row a network; of each variant how many times as fast, and with the faster kernel of each layer."""
    if "--" not in arguments:
        raise UserError("network_speedups: expected VARIANT... -- NETWORK...")
    split = arguments.index("--")
    variants, networks = arguments[:split], arguments[split + 1:]
    rows = []
    for name in networks:
        network = stored_network(results, name)
        cells = [f"`{name}`", estimate(network["variants"][0], "cycles", 0, network["core_clock_mhz"])]
        for variant in variants:
            found = variant_of(network, variant)
            cells += [estimate(found, "speedup", 3), estimate(found, "speedup_with_faster_kernels", 3)]
        rows.append(cells + [number(network["zeros_a"]), number(network["zeros_b"])])
    header = ["network", "alone [us]"]
    for variant in variants:
        header += [f"`{variant}` [x]", "with the faster kernel of each layer [x]"]
    return markdown(header + ["zeros of A [%]", "of B [%]"], rows)


def network_checks(results, *networks):
    """A row a network: its layers, how many of them the machine computed and had checked, and the command."""
    rows = []
    for name in networks:
        network = stored_network(results, name)
        checked = network["variants"][0]["layers_checked"]
        rows.append([f"`{name}`", str(network["layers"]), str(checked), f"`{network['command']}`"])
    return markdown(["network", "layers", "of them checked", "command"], rows)
