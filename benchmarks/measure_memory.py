"""One contender, once, in this process.

Called by measure.py as: python -m benchmarks.measure_memory NAME CONTENDER PATH.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.catalogue import BENCHMARKS
from benchmarks.measure import own_peak_bytes


def main() -> None:
    """Print the peak of the resident memory as JSON."""
    name, contender, path = sys.argv[1:]
    benchmark = BENCHMARKS[name]
    with benchmark.around():
        result = benchmark.contender(contender).run(Path(path))
        peak = own_peak_bytes()
    del result
    print(json.dumps({"peak_bytes": peak}))


if __name__ == "__main__":
    main()
