# shellcheck shell=bash disable=SC2034
# Shared by the scripts of this folder; sourced, never run. Puts the caller into the project's root.

set -euo pipefail

CALLER_DIR=$PWD  # what relative paths on the command line mean
PROJECT_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$PROJECT_ROOT"

# Numbers are written and sorted the same way on every machine.
export LC_ALL=C.UTF-8

# Objects come from the compiler's cache wherever the tree lies; tests build copies of it.
export CCACHE_BASEDIR=$PROJECT_ROOT CCACHE_NOHASHDIR=1

# One line of progress, marked so that it stands out in a log without colour.
say() { printf '== %s\n' "$*"; }

# One line on stderr, then the exit code of a user's mistake or of a missing requirement.
die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 2
}

# The comment block at the top of the calling script (after the #! line) is its help.
print_help() { sed -n '2,/^$/ s/^# \{0,1\}//p' "$0"; }
