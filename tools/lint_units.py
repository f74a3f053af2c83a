"""Which C++ files tools/lint gives to clang-tidy at once.

Most of clang-tidy's time for a file goes into the headers of SystemC and of the standard library. So files are
checked in units: a unit is a generated source that includes many of ours and takes little longer than one of them.
Two files that declare the same name for themselves alone do not fit into one unit. Tests would hardly ever fit, so
each gets a namespace around it.
"""

import json
import os
import re
import shlex
import shutil

FILES_PER_UNIT = 60  # further ones take about as long as a unit with one file alone

# A test sees what it would see in namespace tessera.
WRAPPER = """\
namespace {name} {{
namespace tessera {{
using namespace ::tessera;
namespace test {{
using namespace ::tessera::test;
}}
}}
#include "{file}"  // NOLINT
}}
"""


class Unit:
    """Files of one folder at the top, which has at most one .clang-tidy of its own."""

    def __init__(self, folder, files):
        self.folder = folder
        self.files = list(files)
        self.names = {}  # that its files declare for themselves alone, and how

    def takes(self, names):
        """Whether a file with these names of its own compiles in this unit; the same alias twice does no harm."""
        return all(self.names.get(name, line) == line and (line.startswith("using ") or name not in self.names)
                   for name, line in names.items())

    def halves(self):
        """The unit cut in two."""
        middle = len(self.files) // 2
        return Unit(self.folder, self.files[:middle]), Unit(self.folder, self.files[middle:])

    def write(self, folder, number):
        """Writes the generated source into a folder, with the .clang-tidy that holds for it; returns its path."""
        folder = os.path.join(folder, self.folder)
        os.makedirs(folder, exist_ok=True)
        options = os.path.join(self.folder, ".clang-tidy")
        if self.folder and os.path.exists(options):
            shutil.copyfile(options, os.path.join(folder, ".clang-tidy"))
        path = os.path.join(folder, f"unit_{number}.cpp")
        with open(path, "w", encoding="utf-8") as out:
            out.write("namespace tessera::test {}\n")
            for index, file in enumerate(self.files):
                if is_wrapped(file) and len(self.files) > 1:
                    out.write(includes_of(file))
                    out.write(WRAPPER.format(name=f"file_{index}", file=file))
                else:
                    out.write(f'#include "{file}"  // NOLINT\n')
        return path


def is_wrapped(file):
    """Whether a namespace of its own goes around a file: tests, which nobody else calls."""
    return file.startswith("tests/") and file.endswith(".cpp") and not os.path.exists(file[:-4] + ".h")


def read(file):
    with open(file, encoding="utf-8") as handle:
        return handle.read()


def includes_of(file):
    """The headers of a file, so that they are read outside of the namespace around it."""
    headers = re.findall(r'^#include ([<"].*[>"])', read(file), re.MULTILINE)
    return "".join(f"#if __has_include({header})\n#include {header}\n#endif\n" for header in headers)


def compile_flags(database):
    """How a build compiles its files, taken together: no two give different values to a macro."""
    flags = {}
    with open(database, encoding="utf-8") as handle:
        for entry in json.load(handle):
            words = iter(shlex.split(entry["command"]))
            for word in words:
                if word == "-isystem":
                    flags[f"-isystem{next(words)}"] = None
                elif word.startswith(("-D", "-I", "-std=", "-isystem")):
                    flags[word] = None
    return list(flags)


def without_rtl(files, flags):
    """Sources that include what Verilator writes, with the header, where the build is one without RTL."""
    folders = [flag.removeprefix("-isystem").removeprefix("-I") for flag in flags if flag.startswith(("-I", "-isystem"))]
    for file in list(files):
        header = re.search(r'^#include [<"](V\w+\.h)[>"]', read(file), re.MULTILINE)
        if header and not any(os.path.exists(os.path.join(folder, header[1])) for folder in folders):
            yield file, header[1]


def own_names(file):
    """Names that a source declares for itself alone, with the line; what is in a namespace starts in column one."""
    names = {}
    anonymous = False
    for line in read(file).splitlines():
        if line == "namespace {":
            anonymous = True
        elif line == "}  // namespace":
            anonymous = False
        elif line.startswith('extern "C"') or (not is_wrapped(file) and (
                re.match(r"(static|constexpr|int) ", line) or anonymous and re.match(r"[A-Za-z]", line))):
            found = (re.match(r"(?:template <.*> )?(?:using|struct|class|enum class|enum) (\w+)", line)
                     or re.match(r"[^=({;]*?(\w+)(?:\[.*?\])?(?: =|[({;])", line))
            if found and not line.startswith(("static_assert", "using namespace", "namespace")):
                names[found[1]] = line
    return names


def make_units(files):
    """Units for the files: sources, and headers for which there is none."""
    units = []
    for folder in sorted({file.partition("/")[0] for file in files}):
        inside = [file for file in files if file.startswith(folder + "/")]
        mates = [Unit(folder, []) for _ in range(-(-len(inside) // FILES_PER_UNIT))]
        for file in inside:
            names = own_names(file)
            fitting = [unit for unit in mates if unit.takes(names)]
            if not fitting:
                fitting = [Unit(folder, [])]
                mates.append(fitting[0])
            unit = min(fitting, key=lambda candidate: len(candidate.files))
            unit.files.append(file)
            unit.names.update(names)
        units += mates
    return units
