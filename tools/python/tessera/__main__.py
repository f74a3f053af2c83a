"""`python3 -m tessera ARGUMENT...` is the tessera program."""

import os
import sys

from tessera import program
from tessera.errors import ConfigError

try:
    found = program.find()
except ConfigError as error:
    sys.exit(f"error: {error}")
os.execv(found, [found, *sys.argv[1:]])
