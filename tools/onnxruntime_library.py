"""ONNX Runtime through its C interface, without packages of Python; imported by tools/check_network.

The interface is a table of function pointers to which later versions only add, so the places below hold for all of them.
"""

import ctypes
import os
import platform

import numpy as np

import npm_packages
from npm_packages import UserError

VERSION = "1.30.0"
INTEGRITY = "sha512-twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw=="
# The package's folder and the checksum of the library, by platform.machine().
BUILDS = {"x86_64": ("x64", "ffb75a925ba05e47b235bb66e3e3911714a80b328a9c9425539feb204aa32a23"),
          "aarch64": ("arm64", "1f549d46250b005580b597f4164984aaf75b3bcb9f3aeb07c7f8a8fe60b23c76")}

POINTER, SIZE, TEXT, INTEGER = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_int
INTEGERS = ctypes.POINTER(ctypes.c_int64)
# Place in the table, type of the result and of the arguments. Functions that can fail return a status, null if all is well.
FUNCTIONS = {
    "GetErrorMessage": (2, TEXT, POINTER),
    "CreateEnv": (3, POINTER, INTEGER, TEXT, POINTER),
    "CreateSession": (7, POINTER, POINTER, TEXT, POINTER, POINTER),
    "Run": (9, POINTER, POINTER, POINTER, POINTER, POINTER, SIZE, POINTER, SIZE, POINTER),
    "CreateSessionOptions": (10, POINTER, POINTER),
    "SetSessionGraphOptimizationLevel": (23, POINTER, POINTER, INTEGER),
    "CreateTensorWithDataAsOrtValue": (49, POINTER, POINTER, POINTER, SIZE, INTEGERS, SIZE, INTEGER, POINTER),
    "GetTensorMutableData": (51, POINTER, POINTER, POINTER),
    "GetTensorElementType": (60, POINTER, POINTER, POINTER),
    "GetDimensionsCount": (61, POINTER, POINTER, POINTER),
    "GetDimensions": (62, POINTER, POINTER, INTEGERS, SIZE),
    "GetTensorTypeAndShape": (65, POINTER, POINTER, POINTER),
    "CreateCpuMemoryInfo": (69, POINTER, INTEGER, INTEGER, POINTER),
    "ReleaseEnv": (92, None, POINTER),
    "ReleaseStatus": (93, None, POINTER),
    "ReleaseMemoryInfo": (94, None, POINTER),
    "ReleaseSession": (95, None, POINTER),
    "ReleaseValue": (96, None, POINTER),
    "ReleaseTensorTypeAndShapeInfo": (99, None, POINTER),
    "ReleaseSessionOptions": (100, None, POINTER),
}
# ONNXTensorElementDataType
TYPES = {1: np.float32, 2: np.uint8, 3: np.int8, 6: np.int32, 7: np.int64, 9: np.bool_, 10: np.float16}
ERRORS_ONLY, NO_OPTIMIZATION, ARENA, DEFAULT_MEMORY = 3, 0, 1, 0


def package():
    """The npm package with what is kept of it, by this machine's kind."""
    machine = platform.machine()
    if platform.system() != "Linux" or machine not in BUILDS:
        raise UserError(f"there is no onnxruntime for {platform.system()} on {machine} (--library names one that is there)")
    build, checksum = BUILDS[machine]
    member = f"bin/napi-v6/linux/{build}/libonnxruntime.so.1"
    return npm_packages.Package("onnxruntime-node", VERSION, INTEGRITY, ((member, f"libonnxruntime-{VERSION}-{build}.so", checksum),))


def cached_library(cache):
    """The path of the library if it is in the folder `cache` already, else None."""
    try:
        (_, name, checksum), = package().files
    except UserError:
        return None
    path = os.path.join(cache, name)
    return path if npm_packages.sha256_of(path) == checksum else None


def fetched_library(cache):
    """The path of the library, fetched into the folder `cache` if it is not there."""
    wanted = package()
    npm_packages.fetch(wanted, cache)
    return os.path.join(cache, wanted.files[0][1])


class Runtime:
    """The library; `with` gives up what it holds."""

    def __init__(self, path):
        try:
            library = ctypes.CDLL(path)
            library.OrtGetApiBase.restype = ctypes.POINTER(POINTER)
        except (OSError, AttributeError) as error:
            raise UserError(f"{path}: is no library of onnxruntime: {error}") from error
        base = library.OrtGetApiBase()
        table = ctypes.CFUNCTYPE(ctypes.POINTER(POINTER), ctypes.c_uint32)(base[0])(1)
        self.version = ctypes.CFUNCTYPE(TEXT)(base[1])().decode()
        self.functions = {name: ctypes.CFUNCTYPE(result, *arguments)(table[place])
                          for name, (place, result, *arguments) in FUNCTIONS.items()}
        self.held = []  # what is released in the end: (kind, pointer)

    def __enter__(self):
        self.environment = self.make("Env", "CreateEnv", ERRORS_ONLY, b"tessera")
        self.memory = self.make("MemoryInfo", "CreateCpuMemoryInfo", ARENA, DEFAULT_MEMORY)
        return self

    def __exit__(self, *_):
        for kind, pointer in reversed(self.held):
            self.functions["Release" + kind](pointer)

    def call(self, name, *arguments):
        status = self.functions[name](*arguments)
        if status:
            message = self.functions["GetErrorMessage"](status).decode(errors="replace")
            self.functions["ReleaseStatus"](status)
            raise UserError("onnxruntime: " + " ".join(message.split()))

    def make(self, kind, name, *arguments):
        """The object that a function returns through its last argument; it is released at the end."""
        made = POINTER()
        self.call(name, *arguments, ctypes.byref(made))
        self.held.append((kind, made))
        return made

    def value_of(self, array):
        """A tensor in the array's memory."""
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        element = next(code for code, kind in TYPES.items() if array.dtype == kind)
        return self.make("Value", "CreateTensorWithDataAsOrtValue", self.memory, array.ctypes.data, array.nbytes, shape,
                         array.ndim, element)

    def array_of(self, value, name):
        """A copy of a tensor's values."""
        info = self.make("TensorTypeAndShapeInfo", "GetTensorTypeAndShape", value)
        element, sides, data = INTEGER(), SIZE(), POINTER()
        self.call("GetTensorElementType", info, ctypes.byref(element))
        self.call("GetDimensionsCount", info, ctypes.byref(sides))
        shape = (ctypes.c_int64 * sides.value)()
        self.call("GetDimensions", info, shape, sides)
        if element.value not in TYPES:
            raise UserError(f"onnxruntime: tensor '{name}' has elements of type {element.value}, which nothing is known of")
        result = np.empty(tuple(shape), dtype=TYPES[element.value])
        self.call("GetTensorMutableData", value, ctypes.byref(data))
        if result.nbytes:
            ctypes.memmove(result.ctypes.data, data, result.nbytes)
        return result

    def run(self, path, inputs, outputs):
        """The values of the named outputs of a model, node by node as its file says, for inputs by name."""
        options = self.make("SessionOptions", "CreateSessionOptions")
        self.call("SetSessionGraphOptimizationLevel", options, NO_OPTIMIZATION)
        session = self.make("Session", "CreateSession", self.environment, os.fsencode(path), options)
        arrays = [np.ascontiguousarray(array).reshape(array.shape) for array in inputs.values()]  # kept until the run is over
        values = (POINTER * len(arrays))(*[self.value_of(array) for array in arrays])
        results = (POINTER * len(outputs))()
        self.call("Run", session, None, (TEXT * len(arrays))(*[name.encode() for name in inputs]), values, len(arrays),
                  (TEXT * len(outputs))(*[name.encode() for name in outputs]), len(outputs), results)
        self.held += [("Value", POINTER(result)) for result in results]
        return {name: self.array_of(POINTER(result), name) for name, result in zip(outputs, results)}
