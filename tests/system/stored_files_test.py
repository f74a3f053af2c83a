#!/usr/bin/python3
"""Stored results that are damaged in any one field: each command that reads them is good or refuses them by name."""

import copy
import json
import os
import shutil
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

import small_run
from network_case import MACHINE, NetworkCase
from small_run import tessera

DELETED = object()


def places(value, path=()):
    """The paths of all values below one; of a list's members, the first: the others are like it."""
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list):
        members = enumerate(value[:1])
    else:
        return
    for key, member in members:
        yield (*path, key)
        yield from places(member, (*path, key))


def damaged(whole, path, replacement):
    copied = copy.deepcopy(whole)
    parent = copied
    for key in path[:-1]:
        parent = parent[key]
    if replacement is DELETED:
        del parent[path[-1]]
    else:
        parent[path[-1]] = replacement
    return copied


class StoredFiles(NetworkCase):
    def check_all(self, folder, name, commands):
        """Every field below the file's top is deleted and retyped; a command ends with 0, or with 2 and the file's name."""
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            whole = json.load(file)
        wanted = list(places(whole))
        cases = [(path, new) for path in wanted for new in (DELETED, [3] if path else 0)]
        self.assertGreater(len(wanted), 50)

        def outcomes(case):
            number, (path, new) = case
            place = self.path("damaged", str(number))
            shutil.copytree(folder, place, copy_function=os.link)
            os.remove(os.path.join(place, name))
            with open(os.path.join(place, name), "w", encoding="utf-8") as file:
                json.dump(damaged(whole, path, new), file)
            chosen = [commands[0], commands[1 + number % (len(commands) - 1)]]  # the others take turns
            done = [tessera(command, *[place if word is None else word for word in arguments]) for command, *arguments in chosen]
            shutil.rmtree(place)
            return [(command[0], path, new is DELETED, process.returncode, process.stderr, process.returncode == 0
                     or (process.returncode == 2 and os.path.join(place, name) in process.stderr
                         and process.stderr.count("\n") == 1))
                    for command, process in zip(chosen, done)]

        os.mkdir(self.path("damaged"))
        refused = 0
        with ThreadPoolExecutor(2) as pool:
            for checked in pool.map(outcomes, enumerate(cases)):
                for *what, good in checked:
                    self.assertTrue(good, what)
                    refused += what[3] == 2
        self.assertGreater(refused, len(wanted) // 2)

    def test_result(self):
        out = self.path("run")
        process = tessera("run", "-q", "duplo_titan_v", "duplo_paper", self.small, "--out", out)
        self.assertEqual(process.returncode, 0, process.stderr)
        page = self.path("page.html")
        self.check_all(out, "result.json", [["report", None], ["report", None, "-o", page], ["energy", None],
                                            ["compare", out, None, "--html", page]])

    def test_network(self):
        self.network(self.twins(), MACHINE, "duplo_staged", "--set", "gpu.energy_table=volta_12nm")
        self.check_all(self.path("out"), "network.json", [["report", None], ["report", None, "-o", self.path("page.html")], ["energy", None]])

    def test_over_time(self):
        out = self.path("run")
        process = tessera("run", "-q", "duplo_titan_v", self.small, "--over-time", "--out", out)
        self.assertEqual(process.returncode, 0, process.stderr)
        with open(os.path.join(out, "over_time.json"), encoding="utf-8") as file:
            whole = json.load(file)
        for path in places(whole):
            for new in (DELETED, "x"):
                with open(os.path.join(out, "over_time.json"), "w", encoding="utf-8") as file:
                    json.dump(damaged(whole, path, new), file)
                process = tessera("report", out, "-o", self.path("page.html"))
                if process.returncode != 0:
                    self.assertEqual(process.returncode, 2, (path, process.stderr))
                    self.assertIn("over_time.json: ", process.stderr)

    def test_a_damaged_result_of_a_network_is_run_again(self):
        arguments = [self.twins(), MACHINE]
        self.network(*arguments)
        results = self.results()
        run = sorted(self.ran())[0]
        path = self.path("out", "runs", run, "result.json")
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        del result["kernels"][0]["statistics"]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        process = self.network(*arguments)
        self.assertIn(f"warning: {path}: kernels[0].statistics: got none, expected an object: this run is run again\n",
                      process.stderr)
        self.assertEqual(self.results(), results)

    def test_names_in_results_lead_nowhere(self):
        """The files of an earlier run are named after its kernels, and are removed."""
        other = self.file("other.stats.txt", "not ours")
        out = self.path("run")
        self.assertEqual(tessera("run", "-q", self.small, "--out", out).returncode, 0)
        with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
            result = json.load(file)
        result["kernels"][0]["name"] = "../other"
        with open(os.path.join(out, "result.json"), "w", encoding="utf-8") as file:
            json.dump(result, file)
        subprocess.run([small_run.TESSERA, "run", "-q", self.small, "--out", out], check=False, capture_output=True)
        self.assertTrue(os.path.exists(other))


if __name__ == "__main__":
    small_run.TESSERA = sys.argv.pop(1)
    unittest.main()
