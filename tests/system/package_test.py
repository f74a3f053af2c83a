#!/usr/bin/python3
"""The Debian package that cpack makes: what is in it, what it depends on, and that what is unpacked from it runs.

Usage: package_test.py BUILD_FOLDER

Exits with 77, which CTest counts as skipped, where dpkg's tools are not there.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = ""
SKIPPED = 77
SMALL = ["duplo_titan_v", "duplo_paper", "resnet.C8", "--set", "gpu.sms=2", "--set", "workload.layer.batch=1", "--set",
         "workload.tiling.cta_limit=2"]
WANTED = ["usr/bin/tessera", "usr/lib/libtessera_core.a", "usr/lib/cmake/tessera/tesseraConfig.cmake",
          "usr/include/tessera/sc_models/run/simulation.h", "usr/include/tessera_golden.h", "usr/lib/libtessera_golden.so",
          "usr/share/tessera/rtl/feop/feop.f", "usr/share/tessera/rtl/feop/feop.core",
          "usr/share/tessera/rtl/feop/feop.sv", "usr/share/tessera/configs/experiments/resnet_c2.yaml",
          "usr/share/tessera/waveforms/sm.gtkw", "usr/lib/python3/dist-packages/tessera/__init__.py",
          "usr/share/doc/tessera/copyright", "usr/share/doc/tessera/changelog.Debian.gz"]
FIELDS = {"Package": "tessera", "Maintainer": r"[^<]+ <[^@ ]+@[^ ]+>", "Section": "science",
          "Version": r"\d+\.\d+\.\d+-1", "Architecture": r"\w+", "Description": r"[^\n]+\n [^\n]+\n [^\n]+\n",
          "Depends": r".*\blibc6 \(>= .*\blibsystemc \(>= .*\blibyaml-cpp"}


def call(*argv, **more):
    process = subprocess.run(argv, capture_output=True, text=True, check=False, **more)
    if process.returncode != 0:
        raise AssertionError(f"{argv}\n{process.stdout}\n{process.stderr}")
    return process.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="tessera_package_")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        call("cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", cls.folder)
        [cls.package] = glob.glob(os.path.join(cls.folder, "*.deb"))
        cls.root = os.path.join(cls.folder, "root")
        call("dpkg-deb", "--extract", cls.package, cls.root)

    def test_files(self):
        for path in WANTED:
            self.assertTrue(os.path.isfile(os.path.join(self.root, path)), path)
        for where, folders, files in os.walk(self.root):
            for name in folders + files:
                path = os.path.join(where, name)
                self.assertFalse(os.stat(path).st_mode & 0o022, path)
                self.assertNotRegex(name, r"\.(cpp|pyc)$|__pycache__" if "examples" not in path else r"\.pyc$")
        self.assertRegex(os.path.basename(self.package), r"^tessera_\d+\.\d+\.\d+-1_\w+\.deb$")

    def test_fields(self):
        for field, expected in FIELDS.items():
            self.assertRegex(call("dpkg-deb", "--field", self.package, field).strip(), "^" + expected)

    def test_the_program_finds_its_data(self):
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        program = os.path.join(self.root, "usr", "bin", "tessera")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TESSERA")}
        call(program, "run", *SMALL, "--out", "here", "-q", cwd=empty, env=environment)
        call(os.path.join(BUILD, "bin", "tessera"), "run", *SMALL, "--out", "there", "-q", cwd=empty)
        results = []
        for out in ["here", "there"]:
            with open(os.path.join(empty, out, "result.json"), encoding="utf-8") as handle:
                results.append(re.sub(r'"git_revision": .*', "", handle.read()))
        self.assertEqual(*results)
        environment["PYTHONPATH"] = os.path.join(self.root, "usr", "lib", "python3", "dist-packages")
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        self.assertEqual(call(sys.executable, "-m", "tessera", "--version", cwd=empty, env=environment),
                         call(program, "--version"))


if __name__ == "__main__":
    missing = [name for name in ["cpack", "dpkg-deb", "dpkg-shlibdeps", "file"] if shutil.which(name) is None]
    if missing:
        print(f"skipped: no {', '.join(missing)} here")
        sys.exit(SKIPPED)
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
