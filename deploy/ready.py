"""Container health check: `python ready.py NAME` exits with 0 when the worker says ready and its process lives."""  # noqa: INP001 (a script in the image, not a package)

import sys

from adcat.settings import Settings
from adcat.supervisor import is_ready

if __name__ == "__main__":
    sys.exit(0 if is_ready(Settings.from_environment(), sys.argv[1]) else 1)
