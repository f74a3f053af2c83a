"""Writes wgmma.h to standard output: one structure an instruction of the warpgroup's tensor cores.

An instruction of n columns has n / 2 result registers a thread, so its text is made and not typed.
"""

INSTRUCTIONS = [
    # name, n, k, type of the operands, sparse, operands can be transposed
    ("F16N64", 64, 16, "f16", False, True),
    ("F16N128", 128, 16, "f16", False, True),
    ("F16N256", 256, 16, "f16", False, True),
    ("Bf16N256", 256, 16, "bf16", False, True),
    ("E4m3N256", 256, 32, "e4m3", False, False),
    ("SparseF16N256", 256, 32, "f16", True, True),
]


def structure(name, n, k, operand, sparse, transposes):
    registers = n // 2
    results = ", ".join(f"%{i}" for i in range(registers))
    a, b, metadata = f"%{registers}", f"%{registers + 1}", f"%{registers + 2}"
    scale = f"%{registers + (3 if sparse else 2)}"
    text = f"{{.reg .pred p; setp.ne.b32 p, {scale}, 0; wgmma.mma_async{'.sp' if sparse else ''}.sync.aligned.m64n{n}k{k}.f32.{operand}.{operand} "
    text += f"{{{results}}}, {a}, {b}, "
    text += f"{metadata}, 0, " if sparse else ""
    text += "p, 1, 1" + (", 0, 0;}" if transposes else ";}")
    outputs = ", ".join(f'"+f"(d[{i}])' for i in range(registers))
    inputs = '"l"(a), "l"(b)' + (', "r"(0x44444444U)' if sparse else "") + ', "r"(1)'
    return f"""struct {name} {{
    static constexpr int kRegisters = {registers};
    static constexpr double kFma = 64.0 * {n} * {k};
    static __device__ void issue(float (&d)[{registers}], std::uint64_t a, std::uint64_t b) {{
        asm volatile("{text}"
                     : {outputs}
                     : {inputs});
    }}
}};
"""


if __name__ == "__main__":
    print("#include <cstdint>\n")
    for instruction in INSTRUCTIONS:
        print(structure(*instruction))
