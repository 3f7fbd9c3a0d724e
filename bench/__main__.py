"""Runs every benchmark of this folder, each in a process of its own: `python -m bench [NAME …]` (`make bench`).

A benchmark is a module with a `main`; it prints its figures itself. One that fails is named, the others still run.
"""

import ast
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
SECONDS_MAX = 900


def benchmarks() -> list[str]:
    """Returns the names of the modules here that define `main`, in order."""
    found = (path for path in sorted(FOLDER.glob("*.py")) if not path.stem.startswith("_"))
    return [path.stem for path in found if "main" in _functions(path)]


def run(name: str) -> int:
    """Runs one benchmark, its figures on our standard output; returns its exit code, 124 when it took too long."""
    print(f"== {name}", flush=True)
    command = [sys.executable, "-m", f"bench.{name}"]
    try:
        return subprocess.run(command, cwd=FOLDER.parent, check=False, timeout=SECONDS_MAX).returncode
    except subprocess.TimeoutExpired:
        return 124


def main() -> int:
    """Runs the named benchmarks, all by default; returns 2 for an unknown name, 1 when one failed, else 0."""
    known = benchmarks()
    wanted = sys.argv[1:] or known
    unknown = [name for name in wanted if name not in known]
    if unknown:
        print(f"bench: no {', '.join(unknown)}; use {', '.join(known)}", file=sys.stderr)
        return 2
    failed = [name for name in wanted if run(name) != 0]
    if failed:
        print(f"bench: failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _functions(path: Path) -> set[str]:
    return {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}


if __name__ == "__main__":
    sys.exit(main())
