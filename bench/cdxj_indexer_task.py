"""Runs cdxj-indexer over the WARC files of a folder; started with the Python of the environment it is installed in."""

import io
import json
import sys
import time
from pathlib import Path

from cdxj_indexer.main import CDXJIndexer

paths = sorted(str(path) for path in Path(sys.argv[1]).iterdir())
output = io.StringIO()
started = time.perf_counter()
CDXJIndexer(output=output, inputs=paths, sort=False).process_all()
seconds = time.perf_counter() - started
print(json.dumps({"seconds": seconds, "entries": output.getvalue().count("\n")}))
