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
    """Files of one folder at the top, which has at most one .clang-tidy of its own, that are compiled alike."""

    def __init__(self, folder, flags, files):
        self.folder = folder
        self.flags = flags
        self.files = list(files)
        self.names = {}  # that its files declare for themselves alone, and how

    def takes(self, names):
        """Whether a file with these names of its own compiles in this unit; the same alias twice does no harm."""
        return all(self.names.get(name, line) == line and (line.startswith("using ") or name not in self.names)
                   for name, line in names.items())

    def halves(self):
        """The unit cut in two."""
        middle = len(self.files) // 2
        return [Unit(self.folder, self.flags, part) for part in (self.files[:middle], self.files[middle:])]

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
            included = set()
            for index, file in enumerate(self.files):
                if is_wrapped(file) and len(self.files) > 1:
                    headers = [header for header in headers_of(file) if header not in included]
                    included.update(headers)
                    for header in headers:
                        out.write(f"#if __has_include({header})\n#include {header}\n#endif\n")
                    out.write(WRAPPER.format(name=f"file_{index}", file=file))
                else:
                    included.add(f'"{file}"')
                    out.write(f'#include "{file}"  // NOLINT\n')
        return path


def is_wrapped(file):
    """Whether a namespace of its own goes around a file: tests, which nobody else calls."""
    return file.startswith("tests/") and file.endswith(".cpp") and not os.path.exists(file[:-4] + ".h")


def read(file):
    with open(file, encoding="utf-8") as handle:
        return handle.read()


def headers_of(file):
    """The headers of a file, to be read outside of the namespace around it."""
    return re.findall(r'^#include ([<"].*[>"])', read(file), re.MULTILINE)


def compile_flags(build):
    """The options with which a build compiles its files, reduced to those that clang-tidy needs, by file."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as handle:
        entries = json.load(handle)
    found = {}
    for entry in entries:
        text = re.sub(r" -isystem ", " -isystem", entry["command"])
        flags = [word for word in shlex.split(text) if word.startswith(("-D", "-I", "-isystem", "-std="))]
        for file in sources_of(entry["file"]):
            found[os.path.relpath(file)] = tuple(flags)
    return found


def sources_of(file):
    """The sources that CMake compiles as one file (tessera_unity), or the file itself."""
    if "/Unity/unity_" not in file:
        return [file]
    return re.findall(r'^#include "(.*)"', read(file), re.MULTILINE)


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


def compiled_like(file, flags):
    """The file itself, or one that includes it, or one near it."""
    if file in flags:
        return file
    near = max(flags, key=lambda other: len(os.path.commonprefix([file, other])))
    if file.endswith(".h"):
        return next((other for other in flags if other.startswith(file.partition("/")[0])
                     and f'#include "{file}"' in read(other)), near)
    return near


def make_units(files, flags):
    """Units for files; `flags` says how the build compiles them."""
    groups = {}
    for file in files:
        groups.setdefault((file.partition("/")[0], flags[compiled_like(file, flags)]), []).append(file)
    units = []
    for (top, words), members in sorted(groups.items()):
        mates = [Unit(top, words, []) for _ in range(-(-len(members) // FILES_PER_UNIT))]
        for file in members:
            names = own_names(file)
            fitting = [unit for unit in mates if unit.takes(names)]
            if not fitting:
                fitting = [Unit(top, words, [])]
                mates.append(fitting[0])
            unit = min(fitting, key=lambda candidate: len(candidate.files))
            unit.files.append(file)
            unit.names.update(names)
        units += mates
    return units
