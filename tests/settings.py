"""Django settings of the tests: a data folder of their own, no .env file, no key, no network."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")
_ROOM = 2 * 1024**3


def _in_memory() -> bool:
    """Tell whether this machine has a folder in memory with room for all files of the tests."""
    if not _MEMORY.is_dir() or not os.access(_MEMORY, os.W_OK):
        return False
    system = os.statvfs(_MEMORY)
    return system.f_bavail * system.f_frsize > _ROOM and not system.f_flag & os.ST_NOEXEC


if "TMPDIR" not in os.environ and _in_memory():  # there no write waits for a disk
    os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)
_database = os.environ.get("TEST_DATABASE_URL", "")
for _name in ("DATABASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "SSL_CERT_FILE"):
    os.environ.pop(_name, None)
for _name in [name for name in os.environ if name.startswith("WORKBENCH_") and name != "WORKBENCH_BENCH_DATA"]:
    del os.environ[_name]
if _database:  # the same tests against another database: TEST_DATABASE_URL=postgres://user@host/name pytest
    os.environ["DATABASE_URL"] = _database
os.environ["PYTHON_DOTENV_DISABLED"] = "1"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["WORKBENCH_SMALL_MODEL"] = "false"  # opening it takes three seconds; what is about it asks for it
os.environ["WORKBENCH_DATA_DIR"] = tempfile.mkdtemp(prefix="workbench-tests-")
atexit.register(shutil.rmtree, os.environ["WORKBENCH_DATA_DIR"], ignore_errors=True)
# Every client of a model's server would read all certificates of this machine; the tests meet none.
os.environ["SSL_CERT_DIR"] = os.environ["WORKBENCH_DATA_DIR"]

from workbench.settings import *  # noqa: E402, F403 - after the environment is clean
from workbench.settings import DATA_DIR, DATABASES  # noqa: E402

if not _database:
    # A file rather than memory: threads and processes of a test share it as they would in use.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}

# Every test client builds the middleware anew; it shall not look at all static files each time.
WHITENOISE_AUTOREFRESH = True
