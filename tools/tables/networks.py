"""Tables of whole networks, of what `tessera network` stores.

A network is stored by the name of its folder, with its totals and, weighted by FLOP, the zeros that its convolutions and products read.
"""

import json
import os
import re

from tables.text import UserError, markdown, number

STORED = "networks.json"
TOTALS = ("name", "cycles", "speedup", "cycles_with_faster_kernels", "speedup_with_faster_kernels", "speedup_same_launches",
          "speedup_with_faster_kernels_same_launches", "launch_percent", "layers_of_its_own", "layers_checked")

FEW_ZEROS = 0.05  # below this share an operand counts as one without zeros; chosen
SPEEDUPS = ("speedup", "speedup_same_launches", "speedup_with_faster_kernels", "speedup_with_faster_kernels_same_launches")


def mean_zeros(layers, side):
    """Zeros of A or B in percent, in the mean over the work of the layers whose operands were counted; None if none was."""
    counted = [(layer["flop"], layer[side]) for layer in layers if layer["is_product"] and side in layer]
    work = sum(flop for flop, _ in counted)
    return 100 * sum(flop * zeros for flop, zeros in counted) / work if work else None


def limits(layers):
    """Percent of the time on the machine alone by what limits layers, without how much."""
    cycles = {}
    for layer in layers:
        alone = layer["times"][0]
        name = re.sub(r" \(.*", "", alone["bound_by"].split(":")[0])
        cycles[name] = cycles.get(name, 0) + alone["cycles"]
    return {name: 100 * part / sum(cycles.values()) for name, part in sorted(cycles.items())}


def saved(layer, index):
    """Cycles that a variant saves in a layer, with the launches of the machine alone; 0 where the machine alone is the faster."""
    alone, mine = layer["times"][0], layer["times"][index]
    if not mine["own"]:
        return 0
    return max(0, (alone["cycles"] - alone["launch_cycles"]) - (mine["cycles"] - mine["launch_cycles"]))


def gains(layers, index):
    """Percent of the time on the machine alone that a variant saves with the faster kernel of each layer: of all layers, of
    those without zeros, and of the one that saves most, with its shape, its kernels and its zeros."""
    time = sum(layer["times"][0]["cycles"] for layer in layers)

    def percent(some):
        return 100 * sum(saved(layer, index) for layer in some) / time

    most = max(layers, key=lambda layer: saved(layer, index))
    few = [layer for layer in layers if max(layer.get("zeros_a", 0), layer.get("zeros_b", 0)) < FEW_ZEROS]
    return {"all": percent(layers), "without_zeros": percent(few), "most": percent([most]), "shape": most["shape"],
            "kernel": re.sub(r"^[^.]*\.", "", most["times"][0]["kernel"]), "zeros_a": 100 * most.get("zeros_a", 0),
            "zeros_b": 100 * most.get("zeros_b", 0)}


def command_of(network):
    """The command without the folders of the files it names."""
    return re.sub(r"[^\s=]*/", "", network["command"])


def reduced(network):
    """The parts of a network.json that tables need."""
    totals = [{key: value for key, value in variant.items() if key.removesuffix("_half_width") in TOTALS}
              for variant in network["variants"]]
    layers = network["layers"]
    for index, variant in enumerate(totals[1:], 1):
        variant["gains"] = gains(layers, index)
    return {"command": command_of(network), "core_clock_mhz": network["core_clock_mhz"], "sampled": network["sampled"],
            "seeds": network.get("seeds", []), "layers": len(layers), "zeros_a": mean_zeros(layers, "zeros_a"),
            "zeros_b": mean_zeros(layers, "zeros_b"), "limits": limits(layers), "variants": totals}


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
    """A number with half of its interval, if it has one; a dash where results of an earlier version lack it."""
    if key not in of:
        return "-"
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


def variants_and_networks(table, arguments):
    if "--" not in arguments:
        raise UserError(f"{table}: expected VARIANT... -- NETWORK...")
    split = arguments.index("--")
    return arguments[:split], arguments[split + 1:]


def network_speedups(results, *arguments):
    """A row a network; of each variant how many times as fast, and with the faster kernel of each layer, both also with the
    launches of the machine alone."""
    variants, networks = variants_and_networks("network_speedups", arguments)
    rows = []
    for name in networks:
        network = stored_network(results, name)
        alone = network["variants"][0]
        cells = [f"`{name}`", estimate(alone, "cycles", 0, network["core_clock_mhz"]), estimate(alone, "launch_percent", 1)]
        for variant in variants:
            found = variant_of(network, variant)
            cells += [estimate(found, key, 3) for key in SPEEDUPS]
        rows.append(cells + [number(network["zeros_a"]), number(network["zeros_b"])])
    header = ["network", "alone [us]", "launches [%]"]
    for variant in variants:
        header += [f"`{variant}` [x]", "same launches [x]", "with the faster kernel of each layer [x]", "same launches [x]"]
    return markdown(header + ["zeros of A [%]", "of B [%]"], rows)


def network_limits(results, *networks):
    """A row a network: the share of its time alone in layers that launches, few CTAs, latency or a unit limit."""
    found = {name: stored_network(results, name).get("limits", {}) for name in networks}
    names = [name for name in ("launch", "few CTAs", "latency") if any(name in limits for limits in found.values())]
    names += sorted({name for limits in found.values() for name in limits} - set(names))
    rows = [[f"`{name}`", *(number(limits.get(limit, 0)) for limit in names)] for name, limits in found.items()]
    return markdown(["network", *(f"{name} [%]" for name in names)], rows)


def network_gains(results, *arguments):
    """A row a network and variant: what the faster kernel of each layer saves, in which layers, and in which one most."""
    variants, networks = variants_and_networks("network_gains", arguments)
    rows = []
    for name in networks:
        for variant in variants:
            gain = variant_of(stored_network(results, name), variant)["gains"]
            rows.append([f"`{name}`", f"`{variant}`", number(gain["all"]), number(gain["without_zeros"]), number(gain["most"]),
                         gain["shape"], f"`{gain['kernel']}`", number(gain["zeros_a"]), number(gain["zeros_b"])])
    return markdown(["network", "mechanism", "saves [%]", "in layers without zeros [%]", "in one layer [%]", "its shape",
                     "its kernel alone", "its zeros of A [%]", "of B [%]"], rows)


def network_cards(results, reference):
    """A row for each published time of a whole network: on the card, as the sum of the network's kernels, and without launches."""
    rows = []
    for row in results.reference(reference):
        network = stored_network(results, row["result"])
        alone = network["variants"][0]
        card = float(row["ms"])
        ours = alone["cycles"] / network["core_clock_mhz"] / 1000
        kernels = ours * (1 - alone["launch_percent"] / 100)
        rows.append([row["network"], row["batch"], row["card"], row["library"], number(card, 2),
                     row["convolutions_ms"] or "-", number(ours, 2),
                     f"{100 * (ours / card - 1):+.0f}", number(kernels, 2), f"{100 * (kernels / card - 1):+.0f}"])
    return markdown(["network", "batch", "card", "library", "card [ms]", "of it convolutions [ms]", "model [ms]", "difference [%]",
                     "without launches [ms]", "difference [%]"], rows)


def network_checks(results, *networks):
    """A row a network: its layers, how many of them the machine computed and had checked, and the command."""
    rows = []
    for name in networks:
        network = stored_network(results, name)
        checked = network["variants"][0]["layers_checked"]
        rows.append([f"`{name}`", str(network["layers"]), str(checked), f"`{network['command']}`"])
    return markdown(["network", "layers", "of them checked", "command"], rows)
