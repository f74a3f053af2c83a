#!/usr/bin/python3
"""Example in the shape of a cocotb test: the load history buffer in RTL against its golden model, cycle for cycle.

Usage: test_load_history_buffer.py DEVICE GOLDEN

DEVICE is the Verilated block with load_history_buffer_pins.cpp as a shared library, GOLDEN is libtessera_golden.so. README.md
has the commands. The exit code is 1 if a test fails.
"""

import ctypes
import random
import sys

import cocotb_shape as cocotb
from cocotb_shape import FallingEdge, ReadOnly

SEED = 1
CYCLES = 20000
LOOKUP, INSERT, RELEASE = range(3)
GOLDEN = None  # the library

INPUTS = ["setup_valid", "setup_keep", "setup_log_sets", "setup_log_ways", "setup_shift", "setup_fold", "in_valid", "op",
          "element_low", "element_high", "batch", "owner_low", "owner_high", "phys", "out_ready"]
OUTPUTS = ["setup_ready", "setup_error", "in_ready", "out_valid", "found", "same_key", "phys"]


class Inputs(ctypes.Structure):
    """The header's tessera_golden_load_history_buffer_inputs."""
    _fields_ = [(name, ctypes.c_uint32) for name in INPUTS]


class Outputs(ctypes.Structure):
    """The header's tessera_golden_load_history_buffer_outputs."""
    _fields_ = [(name, ctypes.c_uint32) for name in OUTPUTS]


class GoldenError(Exception):
    """A call that the golden library refuses, with its status."""

    def __init__(self, status):
        super().__init__(GOLDEN.tessera_golden_message().decode())
        self.status = status


def call(function, *arguments):
    status = getattr(GOLDEN, f"tessera_golden_load_history_buffer_{function}")(*arguments)
    if status != 0:
        raise GoldenError(status)


class GoldenBuffer:
    """The golden model."""

    BAD_OPERATION = 2

    def __init__(self):
        self.handle = ctypes.c_void_p()
        call("create", ctypes.byref(self.handle))

    def step(self, inputs):
        outputs = Outputs()
        call("step", self.handle, ctypes.byref(inputs), ctypes.byref(outputs))
        return outputs

    def close(self):
        GOLDEN.tessera_golden_load_history_buffer_destroy(self.handle)


def drive(dut, inputs):
    """Puts the inputs of a cycle on the pins."""
    for name in ("setup_valid", "setup_keep", "setup_log_sets", "setup_log_ways", "setup_shift", "setup_fold", "in_valid",
                 "op", "batch", "phys", "out_ready"):
        getattr(dut, name + "_i").value = getattr(inputs, name)
    dut.element_i.value = inputs.element_low | inputs.element_high << 32
    dut.owner_i.value = inputs.owner_low | inputs.owner_high << 32


def compare(cycle, dut, expected):
    """Compares the outputs of a cycle; those of a result only while there is one."""
    names = OUTPUTS if expected.out_valid else ("setup_ready", "setup_error", "in_ready", "out_valid")
    for name in names:
        got = int(getattr(dut, name + "_o").value)
        wanted = getattr(expected, name)
        assert got == wanted, f"cycle {cycle}: {name}_o is {got}, expected {wanted}"


def random_operation(inputs, rng):
    """Chooses one of few keys and registers, so that there are hits and replacements."""
    inputs.in_valid = int(rng.random() < 0.8)
    inputs.op = rng.choice((LOOKUP, LOOKUP, INSERT, RELEASE))
    inputs.element_low = rng.randrange(96)
    inputs.batch = rng.randrange(2)
    inputs.phys = rng.randrange(64)


@cocotb.test()
async def random_operations_equal_those_of_the_golden_model(dut):
    """Random operations and stalls on a buffer of 8 sets of 4 ways."""
    rng = random.Random(SEED)
    golden = GoldenBuffer()
    inputs = Inputs(setup_valid=1, setup_log_sets=3, setup_log_ways=2)
    hits = 0
    dut.rst_ni.value = 0
    drive(dut, Inputs())
    for _ in range(2):
        await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    for cycle in range(CYCLES):
        inputs.out_ready = int(rng.random() < 0.7)
        try:
            expected = golden.step(inputs)
        except GoldenError as error:
            # An entry names the register: it is released instead.
            assert error.status == GoldenBuffer.BAD_OPERATION, error
            inputs.op = RELEASE
            expected = golden.step(inputs)
        drive(dut, inputs)
        await ReadOnly()
        compare(cycle, dut, expected)
        hits += expected.out_valid and expected.found
        await FallingEdge(dut.clk_i)
        if expected.setup_ready and inputs.setup_valid:
            inputs.setup_valid = 0
        if expected.in_ready or not inputs.in_valid:
            random_operation(inputs, rng)
    golden.close()
    assert hits > CYCLES // 10, f"only {hits} cycles with a hit, a replacement or a release"


def main():
    global GOLDEN
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    GOLDEN = ctypes.CDLL(sys.argv[2])
    GOLDEN.tessera_golden_message.restype = ctypes.c_char_p
    if GOLDEN.tessera_golden_abi() != 1:
        sys.exit("the golden library has another version of its interface")
    sys.exit(1 if cocotb.run(sys.argv[1]) else 0)


if __name__ == "__main__":
    main()
