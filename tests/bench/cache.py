"""Where benches keep vectors between runs. Import before the settings of the tests, which take the folder away."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = Path(os.environ.get("WORKBENCH_DATA_DIR") or ROOT / "var").expanduser() / "bench"
