"""Times products, convolutions and other operators on the card as PyTorch's libraries run them.

Usage: libraries.py PART OUT [--counters]
  PART   products, convolutions, rows, attention, sparse or power
  OUT    CSV file

A row is the median, minimum and maximum over repetitions. A repetition replays a CUDA graph of several
calls on the same operands, so that launches overlap and operands stay in the L2 where they fit, as in
DeepBench. `use` is `tune` or `held_out` by the parity of a hash of the row's shape: a model may be
fitted to the former alone. `clock_mhz` and `watts` are read once while more repetitions run; the board
averages its power over a second, so that `watts` holds the rows before, too, but for the part `power`,
which runs each operator for some seconds.
With --counters each operator runs once between cudaProfilerStart and cudaProfilerStop, for ncu.
"""
import csv
import hashlib
import statistics
import sys
import time

import torch
import torch.nn.functional as functional

REPETITIONS = 21
SHORTEST_SECONDS = 0.001  # of one repetition: as many calls in a graph as that takes
POWER_SECONDS = 3.0
LONGEST_NAME = 100
HALF = torch.float16


def use_of(shape):
    return "held_out" if hashlib.sha256(shape.encode()).digest()[0] % 2 else "tune"


def times_of(call, seconds):
    """Milliseconds a call (median, minimum, maximum), calls a repetition, MHz and watts."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
        stream.synchronize()
        start = time.perf_counter()
        for _ in range(3):
            call()
        stream.synchronize()
        seconds_a_call = (time.perf_counter() - start) / 3
    calls = max(1, min(50, round(SHORTEST_SECONDS / seconds_a_call)))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(calls):
            call()
    samples = []
    for i in range(REPETITIONS + 2):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        with torch.cuda.stream(stream):
            begin.record()
            graph.replay()
            end.record()
        end.synchronize()
        if i >= 2:
            samples.append(begin.elapsed_time(end) / calls)
    for _ in range(max(1, round(1000 * seconds / (samples[0] * calls)))):
        with torch.cuda.stream(stream):
            graph.replay()
    time.sleep(0.8 * seconds)
    clock, watts = torch.cuda.clock_rate(), torch.cuda.power_draw() / 1000
    stream.synchronize()
    return statistics.median(samples), min(samples), max(samples), calls, clock, watts


def kernels_of(call):
    """Names of the kernels that a call launches, in their order."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        call()
        torch.cuda.synchronize()
    events = [e for e in profile.profiler.kineto_results.events() if "Memcpy" not in e.name()]
    return " + ".join(e.name()[:LONGEST_NAME] for e in sorted(events, key=lambda e: e.start_ns())
                      if e.device_type() == torch.autograd.DeviceType.CUDA and "Memset" not in e.name())


class Table:
    def __init__(self, path, columns, counters, seconds=0.03):
        self.seconds = seconds  # of the repetitions in which clock and power are read
        self.file = None if counters else open(path, "w", newline="")
        self.counters = counters
        if self.file:
            self.writer = csv.writer(self.file, lineterminator="\n")
            self.writer.writerow([*columns, "milliseconds", "minimum", "maximum", "repetitions", "calls",
                                  "clock_mhz", "watts", "use", "kernels"])

    def row(self, shape, call):
        if self.counters:
            call()
            torch.cuda.synchronize()
            torch.cuda.profiler.start()
            torch.cuda.nvtx.range_push(" ".join(map(str, shape)))
            call()
            torch.cuda.synchronize()
            torch.cuda.nvtx.range_pop()
            torch.cuda.profiler.stop()
            return
        try:
            median, shortest, longest, calls, clock, watts = times_of(call, self.seconds)
            names = kernels_of(call)
        except RuntimeError as error:
            print("left out:", shape, str(error).splitlines()[0], file=sys.stderr)
            return
        self.writer.writerow([*shape, f"{median:.6g}", f"{shortest:.6g}", f"{longest:.6g}", REPETITIONS, calls,
                              clock, f"{watts:.0f}", use_of("x".join(map(str, shape))), names])
        self.file.flush()


def random(*shape, dtype=HALF):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype) * 0.1


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def products(table_of):
    table = table_of(["m", "n", "k", "transpose_a", "transpose_b"])
    shapes = [(int(r["m"]), int(r["n"]), int(r["k"]), r["transpose_a"], r["transpose_b"])
              for r in read("configs/reference/v100_gemm.csv")]
    shapes += [(s, s, s, "N", "N") for s in (512, 1024, 2048, 4096, 8192)]
    # DeepBench's matrices are column-major: C = op(A) op(B) is C' = op(B)' op(A)' of PyTorch's rows.
    for m, n, k, ta, tb in shapes:
        a = random(m, k) if ta == "T" else random(k, m).t()
        b = random(k, n).t().contiguous().t() if tb == "N" else random(k, n)
        out = torch.empty(n, m, device="cuda", dtype=HALF)
        table.row((m, n, k, ta, tb), lambda a=a, b=b, out=out: torch.mm(b.t(), a.t(), out=out))


def convolutions(table_of):
    names = ["batch", "height", "width", "channels", "filters", "filter_height", "filter_width", "pad_height",
             "pad_width", "stride_height", "stride_width"]
    table = table_of(["pass", *names])
    torch.backends.cudnn.benchmark = True
    shapes = [tuple(int(row[name]) for name in names) for row in read("configs/reference/v100_convolution.csv")]
    last = torch.channels_last
    for shape in shapes:
        n, h, w, c, f, r, s, ph, pw, sh, sw = shape
        c, f = -(-c // 8) * 8, -(-f // 8) * 8  # as measured on the V100: multiples of 8
        x = random(n, c, h, w).contiguous(memory_format=last)
        weight = random(f, c, r, s).contiguous(memory_format=last)
        sides = ((sh, sw), (ph, pw), (1, 1), False, (0, 0), 1)
        y = torch.ops.aten.convolution(x, weight, None, *sides)
        dy = random(*y.shape).contiguous(memory_format=last)
        del y
        table.row(("forward", *shape),
                  lambda x=x, weight=weight, sides=sides: torch.ops.aten.convolution(x, weight, None, *sides))
        for name, mask in (("backward_data", (True, False, False)), ("backward_weight", (False, True, False))):
            table.row((name, *shape), lambda x=x, weight=weight, dy=dy, sides=sides, mask=mask:
                      torch.ops.aten.convolution_backward(dy, x, weight, None, *sides, mask))


def rows(table_of):
    table = table_of(["operator", "type", "shape"])
    for dtype, name in ((torch.float32, "fp32"), (HALF, "fp16")):
        for m, n in ((4096, 1024), (16384, 1024), (16384, 4096), (4096, 8192), (16384, 10240), (128, 128),
                     (1024, 50257)):
            x, shape = random(m, n, dtype=dtype), f"{m}x{n}"
            gain, bias = torch.ones(n, device="cuda", dtype=dtype), torch.zeros(n, device="cuda", dtype=dtype)
            table.row(("softmax", name, shape), lambda x=x: torch.softmax(x, -1))
            table.row(("layer_norm", name, shape),
                      lambda x=x, n=n, gain=gain, bias=bias: functional.layer_norm(x, (n,), gain, bias))
            table.row(("rms_norm", name, shape), lambda x=x, n=n, gain=gain: functional.rms_norm(x, (n,), gain))
            table.row(("add", name, shape), lambda x=x: x + x)
            table.row(("gelu", name, shape), lambda x=x: functional.gelu(x))
            table.row(("reduce_mean_last", name, shape), lambda x=x: x.mean(-1))
            table.row(("reduce_mean_first", name, shape), lambda x=x: x.mean(0))
            table.row(("transpose", name, shape), lambda x=x: x.t().contiguous())
        for n, c, h, w in ((1, 96, 160, 160), (1, 512, 7, 7), (8, 512, 7, 7), (32, 64, 112, 112), (8, 256, 56, 56)):
            x = random(n, c, h, w, dtype=dtype).contiguous(memory_format=torch.channels_last)
            shape = f"{n}x{c}x{h}x{w}"
            table.row(("global_average_pool_nhwc", name, shape), lambda x=x: functional.adaptive_avg_pool2d(x, 1))
            table.row(("mean_of_hw_nhwc", name, shape), lambda x=x: x.mean((2, 3)))
            table.row(("max_of_hw_nhwc", name, shape), lambda x=x: x.amax((2, 3)))
            table.row(("instance_norm_nhwc", name, shape), lambda x=x: functional.instance_norm(x))
            y = x.contiguous()
            table.row(("global_average_pool_nchw", name, shape), lambda y=y: functional.adaptive_avg_pool2d(y, 1))
            table.row(("instance_norm_nchw", name, shape), lambda y=y: functional.instance_norm(y))


def attention(table_of):
    table = table_of(["batch", "heads", "heads_kv", "queries", "keys", "head_size", "causal"])
    backend = torch.nn.attention.SDPBackend.FLASH_ATTENTION
    shapes = [(max(1, 16384 // n), 2048 // d, 2048 // d, n, n, d, causal) for d in (64, 128)
              for n in (512, 1024, 2048, 4096, 8192, 16384) for causal in (False, True)]
    shapes += [(b, 32, 32, 1, keys, 128, False) for b in (1, 8, 32) for keys in (512, 2048, 4096)]
    with torch.nn.attention.sdpa_kernel(backend):
        for b, heads, heads_kv, queries, keys, d, causal in shapes:
            q = random(b, heads, queries, d)
            k, v = random(b, heads_kv, keys, d), random(b, heads_kv, keys, d)
            table.row((b, heads, heads_kv, queries, keys, d, int(causal)),
                      lambda q=q, k=k, v=v, c=causal: functional.scaled_dot_product_attention(q, k, v, is_causal=c))


def sparse(table_of):
    """Products whose left operand has two zeros of four, beside dense ones of the same shape."""
    table = table_of(["kind", "m", "n", "k"])
    for m, n, k in ((1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192),
                    (4096, 512, 4096), (11008, 2048, 4096)):
        mask = torch.tensor([0, 0, 1, 1], device="cuda", dtype=HALF).repeat(m, k // 4)
        a, b = random(m, k) * mask, random(n, k).t()
        compressed = torch.sparse.to_sparse_semi_structured(a)
        table.row(("dense", m, n, k), lambda a=a, b=b: torch.mm(a, b))
        table.row(("two_of_four", m, n, k), lambda c=compressed, b=b: torch.mm(c, b))


def power(table_of):
    table = table_of(["operator", "shape"], POWER_SECONDS)
    a, b = random(8192, 8192), random(8192, 8192)
    out = torch.empty_like(a)
    table.row(("product", "8192x8192x8192"), lambda: torch.mm(a, b.t(), out=out))
    zeros = torch.zeros_like(a)
    table.row(("product_of_zeros", "8192x8192x8192"), lambda: torch.mm(zeros, zeros.t(), out=out))
    mask = torch.tensor([0, 0, 1, 1], device="cuda", dtype=HALF).repeat(8192, 2048)
    compressed = torch.sparse.to_sparse_semi_structured(a * mask)
    table.row(("product_two_of_four", "8192x8192x8192"), lambda: torch.mm(compressed, b.t()))
    x = random(65536, 8192)
    table.row(("copy", "65536x8192"), lambda: x.clone())
    table.row(("softmax", "65536x8192"), lambda: torch.softmax(x, -1))
    q = random(4, 16, 4096, 128)
    table.row(("attention", "4x16x4096x128"), lambda: functional.scaled_dot_product_attention(q, q, q))
    image = random(32, 256, 56, 56).contiguous(memory_format=torch.channels_last)
    weight = random(256, 256, 3, 3).contiguous(memory_format=torch.channels_last)
    table.row(("convolution", "32x56x56x256, 256 of 3x3"), lambda: functional.conv2d(image, weight, padding=1))


def main():
    part, path = sys.argv[1:3]
    counters = "--counters" in sys.argv[3:]
    torch.manual_seed(1)
    {"products": products, "convolutions": convolutions, "rows": rows, "attention": attention, "sparse": sparse,
     "power": power}[part](lambda columns, *seconds: Table(path, columns, counters, *seconds))


if __name__ == "__main__":
    main()
