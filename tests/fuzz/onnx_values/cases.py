"""Small random graphs of ONNX: what draws them, and how many of them become one model."""

import numpy as np
from onnx import helper, numpy_helper

REAL_TYPES = (np.float32, np.float16)
SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0)
HUGE = (1e30, -1e30, 1e-30)  # where nothing is summed
IR_VERSION = 7


class Draw:
    """Random numbers, shapes and tensors. The same numbers in `key` give the same draws."""

    def __init__(self, key):
        self.generator = np.random.default_rng(key)
        self.special = SPECIAL if self.chance(0.12) else ()
        self.real_type = np.float16 if self.chance(0.05) else np.float32

    def below(self, bound):
        return int(self.generator.integers(bound))

    def between(self, least, most):
        return int(self.generator.integers(least, most + 1))

    def chance(self, share):
        return bool(self.generator.random() < share)

    def pick(self, choices):
        return choices[self.below(len(choices))]

    def real(self, least, most):
        return float(np.float32(self.generator.uniform(least, most)))

    def shape(self, least=0, most=5, side=5, empty=False):
        shape = [self.between(1, side) for _ in range(self.between(least, most))]
        if empty and shape and self.chance(0.04):
            shape[self.below(len(shape))] = 0
        return shape

    def reals(self, shape, scale=2.0, plain=False, real_type=None):
        """Normal numbers; infinities, NaNs and zeros among them if the case has such."""
        values = np.asarray(self.generator.standard_normal(tuple(shape)) * scale)
        if self.special and not plain and values.size:
            count = self.between(1, max(1, values.size // 3))
            places = self.generator.integers(values.size, size=count)
            values.reshape(-1)[places] = [self.pick(self.special) for _ in range(count)]
        with np.errstate(over="ignore"):
            return values.astype(real_type or self.real_type)

    def positive(self, shape, least=0.3):
        return (np.abs(self.generator.standard_normal(tuple(shape))) + least).astype(self.real_type)

    def integers(self, shape, integer_type=np.int64, least=-9, most=9):
        return np.asarray(self.generator.integers(least, most + 1, size=tuple(shape)), dtype=integer_type)

    def truth_values(self, shape):
        return np.asarray(self.generator.integers(2, size=tuple(shape)), dtype=np.bool_)

    def integer_type(self):
        return self.pick((np.int32, np.int64))

    def axis(self, rank):
        return self.between(-rank, rank - 1)

    def axes(self, rank, least=1):
        """Some axes, in any order, counted from either end."""
        count = self.between(min(least, rank), rank)
        chosen = self.generator.permutation(rank)[:count]
        return [int(axis) - (rank if self.chance(0.4) else 0) for axis in chosen]

    def broadcast_of(self, shape):
        """A shape that is broadcast to this one: sides of 1, and leading ones left out."""
        other = [1 if self.chance(0.3) else side for side in shape]
        return other[self.below(len(other) + 1) if self.chance(0.4) else 0:]


class Case:
    """A graph of one operator or a chain, with values for all its inputs."""

    def __init__(self, name, operator, opset, draw):
        self.name, self.operator, self.opset, self.draw = name, operator, opset, draw
        self.nodes, self.outputs = [], []
        self.inputs, self.constants, self.both = {}, {}, set()
        self.count = 0

    def new_name(self):
        self.count += 1
        return f"{self.name}_{self.count}"

    def operand(self, array, constant=None):
        """An input or an initializer, or an initializer that is listed with the inputs. Constants have to be finite."""
        name = self.new_name()
        if constant is None:
            constant = self.draw.chance(0.3) and (array.dtype.kind != "f" or bool(np.isfinite(array).all()))
        if constant:
            self.constants[name] = np.asarray(array)
            if self.draw.chance(0.2):
                self.both.add(name)
        else:
            self.inputs[name] = np.asarray(array)
        return name

    def constant(self, array):
        return self.operand(array, constant=True)

    def whole(self, values, integer_type=np.int64):
        """A constant list of integers."""
        return self.constant(np.array(values, dtype=integer_type))

    def node(self, operation, inputs, outputs=1, **attributes):
        """The name of the first output, or of all if there are several. Attributes that are None are left out."""
        names = [self.new_name() for _ in range(outputs)]
        given = {key: value for key, value in attributes.items() if value is not None}
        self.nodes.append(helper.make_node(operation, inputs, names, name=f"{self.name}_{operation}_{self.count}", **given))
        return names[0] if outputs == 1 else names

    def result(self, *names):
        self.outputs += names

    def single(self, operation, operands, outputs=1, **attributes):
        """Makes the case this one node, all of whose outputs are the graph's. Operands are arrays, None or names."""
        inputs = ["" if operand is None else operand if isinstance(operand, str) else self.operand(operand) for operand in operands]
        while inputs and inputs[-1] == "":
            inputs.pop()
        names = self.node(operation, inputs, outputs, **attributes)
        self.result(*([names] if outputs == 1 else names))


def element_type(array):
    return helper.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype]


def model_of(cases):
    """One model of cases of one operator set."""
    nodes, inputs, constants, outputs = [], [], [], []
    for case in cases:
        nodes += case.nodes
        known = {**case.inputs, **{name: case.constants[name] for name in sorted(case.both)}}
        inputs += [helper.make_tensor_value_info(name, element_type(array), array.shape) for name, array in known.items()]
        constants += [numpy_helper.from_array(array, name) for name, array in case.constants.items()]
        outputs += [helper.make_empty_tensor_value_info(name) for name in case.outputs]
    graph = helper.make_graph(nodes, "random", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", cases[0].opset)])
    model.ir_version = IR_VERSION
    return model
