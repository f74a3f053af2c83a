"""The part of cocotb's interface that test_load_history_buffer.py uses, over ctypes: one clock, one test at a time.

The names and their meaning are cocotb's, so that a test written for this module is one for cocotb. Triggers are the two
edges of the clock, and ReadOnly, which lets the outputs follow the inputs.
"""

import ctypes

TESTS = []


def test():
    """Decorator of a coroutine that takes the device under test."""
    def register(coroutine):
        TESTS.append(coroutine)
        return coroutine
    return register


class Trigger:
    """A point in time that a test awaits."""

    def __await__(self):
        yield self


class RisingEdge(Trigger):
    level = 1

    def __init__(self, signal):
        self.signal = signal


class FallingEdge(Trigger):
    level = 0

    def __init__(self, signal):
        self.signal = signal


class ReadOnly(Trigger):
    pass


class Signal:
    """A pin; `value` reads and writes it."""

    def __init__(self, dut, name):
        self._dut, self._name = dut, name.encode()

    @property
    def value(self):
        found = ctypes.c_uint64()
        if self._dut.library.dut_read(self._dut.handle, self._name, ctypes.byref(found)) != 0:
            raise AttributeError(f"the device has no pin {self._name.decode()}")
        return found.value

    @value.setter
    def value(self, number):
        if self._dut.library.dut_write(self._dut.handle, self._name, ctypes.c_uint64(number)) != 0:
            raise AttributeError(f"the device has no pin {self._name.decode()}")


class Device:
    """The device under test behind a shared library; its pins are attributes."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.dut_create.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(self.library.dut_create())

    def __getattr__(self, name):
        signal = Signal(self, name)
        self.__dict__[name] = signal
        return signal

    def eval(self):
        self.library.dut_eval(self.handle)

    def close(self):
        self.library.dut_destroy(self.handle)


def run(path):
    """Runs all tests on a device each; the number of tests that failed."""
    failures = 0
    for coroutine in TESTS:
        device = Device(path)
        device.clk_i.value = 0
        test_run = coroutine(device)
        try:
            while True:
                trigger = test_run.send(None)
                device.eval()
                if isinstance(trigger, ReadOnly):
                    continue
                while True:
                    level = 1 - device.clk_i.value
                    device.clk_i.value = level
                    device.eval()
                    if level == trigger.level:
                        break
        except StopIteration:
            print(f"{coroutine.__name__} passed")
        except AssertionError as error:
            failures += 1
            print(f"{coroutine.__name__} failed: {error}")
        finally:
            test_run.close()
            device.close()
    return failures
