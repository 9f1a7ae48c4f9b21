"""Django settings of the tests: a data folder of their own, no .env file, no key, no network."""

import atexit
import os
import shutil
import tempfile

_database = os.environ.get("TEST_DATABASE_URL", "")
for _name in ("DATABASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
    os.environ.pop(_name, None)
for _name in [name for name in os.environ if name.startswith("WORKBENCH_") and name != "WORKBENCH_BENCH_DATA"]:
    del os.environ[_name]
if _database:  # the same tests against another database: TEST_DATABASE_URL=postgres://user@host/name pytest
    os.environ["DATABASE_URL"] = _database
os.environ["PYTHON_DOTENV_DISABLED"] = "1"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["WORKBENCH_DATA_DIR"] = tempfile.mkdtemp(prefix="workbench-tests-")
atexit.register(shutil.rmtree, os.environ["WORKBENCH_DATA_DIR"], ignore_errors=True)

from workbench.settings import *  # noqa: E402, F403 - after the environment is clean
from workbench.settings import DATA_DIR, DATABASES  # noqa: E402

if not _database:
    # A file rather than memory: threads and processes of a test share it as they would in use.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}

# Every test client builds the middleware anew; it shall not look at all static files each time.
WHITENOISE_AUTOREFRESH = True
