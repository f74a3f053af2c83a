"""Tessera from Python: configurations, runs and sweeps of a GPU model, results as pandas DataFrames.

>>> import tessera
>>> config = tessera.Config("duplo_titan_v", "duplo_paper", "gan.C1")
>>> result = tessera.run(config)
>>> result.cycles, result.metrics["hit_rate_percent"]

Everything runs through the `tessera` program, a process a run, so that results are those of the command line to the
byte. It is found beside this package (in a build tree and where the package is installed), in the environment
variable TESSERA_PROGRAM, or in PATH.

Mistakes raise ConfigError with the program's own message; a check that failed raises CheckError, a machine that
deadlocked DeadlockError. Ctrl-C ends what runs and raises KeyboardInterrupt.
"""

from tessera.comparisons import Comparison, compare
from tessera.config import Config, keys, names
from tessera.correlations import Correlation, correlate
from tessera.energies import Energy, energy
from tessera.errors import CheckError, ConfigError, DeadlockError, TesseraError
from tessera.experiment import Experiment
from tessera.networks import Network, network
from tessera.program import Progress, version
from tessera.reproductions import Reproduction, reproduce
from tessera.result import Result
from tessera.runs import run
from tessera.sweeps import Sweep, sweep

__all__ = ["CheckError", "Comparison", "Config", "ConfigError", "Correlation", "DeadlockError", "Energy", "Experiment",
           "Network", "Progress", "Reproduction", "Result", "Sweep", "TesseraError", "compare", "correlate", "energy",
           "keys", "names", "network", "reproduce", "run", "sweep", "version"]
