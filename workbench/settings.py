"""Django settings; everything that differs between machines comes from the environment (.env.example)."""

import logging
import os
import secrets
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from dotenv import load_dotenv

from workbench.env import env_bool, env_choice, env_int, env_list

BASE_DIR = Path(__file__).resolve().parent.parent
load_dotenv(BASE_DIR / ".env")
# Who fetches a model tells its hub no more than its name; the libraries would describe the machine as well.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
# Threads of NumPy's OpenBLAS sleep soon after a product (2**4 cycles): they would spin for 0.2 s of a run's 1.1 s.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

DATA_DIR = Path(os.environ.get("WORKBENCH_DATA_DIR") or BASE_DIR / "var").expanduser().resolve()
try:
    DATA_DIR.mkdir(parents=True, exist_ok=True)
except OSError as error:
    raise ImproperlyConfigured(
        f"the data folder {DATA_DIR} cannot be made ({error.strerror}). Set WORKBENCH_DATA_DIR to another folder."
    ) from error


def _secret_key() -> str:
    """Return the configured key, or one made once and kept in the data folder."""
    given = os.environ.get("WORKBENCH_SECRET_KEY", "").strip()
    if given:
        return given
    path = DATA_DIR / "secret_key"
    if not path.exists():
        _write_once(path, secrets.token_urlsafe(50))
    return path.read_text()


def _write_once(path: Path, text: str) -> None:
    """Write a private file that appears whole; of several processes that start together the first one's stays."""
    mine = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with open(os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        os.link(mine, path)
    except FileExistsError:
        pass  # another process was faster
    except OSError as error:
        raise ImproperlyConfigured(
            f"the data folder {DATA_DIR} cannot be written ({error.strerror}). "
            "Make room, change its owner, or set WORKBENCH_DATA_DIR to another folder."
        ) from error
    finally:
        with suppress(OSError):
            mine.unlink()


DEBUG = env_bool("WORKBENCH_DEBUG", False)
SECRET_KEY = _secret_key()
ALLOWED_HOSTS = env_list("WORKBENCH_ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]", "testserver"])
CSRF_TRUSTED_ORIGINS = env_list("WORKBENCH_TRUSTED_ORIGINS", [])

# What a person may upload, and how much is done at once.
MAX_UPLOAD_MB = env_int("WORKBENCH_MAX_UPLOAD_MB", 50, 1)
CONCURRENCY = env_int("WORKBENCH_CONCURRENCY", 256, 1)
REQUEST_TIMEOUT_S = env_int("WORKBENCH_REQUEST_TIMEOUT_S", 60, 1)
MAX_RETRIES = env_int("WORKBENCH_MAX_RETRIES", 4)
SMALL_MODEL = env_bool("WORKBENCH_SMALL_MODEL", True)
LOG_LEVEL = env_choice("WORKBENCH_LOG_LEVEL", "WARNING", ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"))
_prices = os.environ.get("WORKBENCH_PRICES", "").strip()
PRICES_FILE = Path(_prices).expanduser().resolve() if _prices else None
DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 1024 * 1024  # a prompt or an edited reference, not a file
DATA_UPLOAD_MAX_NUMBER_FILES = 2000  # a folder of documents at once
FILE_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_htmx",
    "rag_pipeline",
    "evaluation",
    "workbench",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "workbench.middleware.content_security_policy",
]

ROOT_URLCONF = "workbench.views.urls"
FORM_RENDERER = "workbench.forms.rendering.FieldRenderer"
ASGI_APPLICATION = "workbench.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
                "workbench.services.frame.frame",
            ],
            "builtins": ["workbench.templatetags.workbench", "workbench.templatetags.definitions"],
            "libraries": {
                "static": "django.templatetags.static",
                "humanize": "django.contrib.humanize.templatetags.humanize",
            },
        },
    },
]

try:
    _database = dj_database_url.config(env="DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'workbench.sqlite3'}")
except ValueError as error:
    raise ImproperlyConfigured(
        "DATABASE_URL is no address of a database. Write it like postgres://user:password@host/name, or leave it out."
    ) from error
DATABASES = {"default": _database}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # WAL with IMMEDIATE transactions: readers never wait, writers queue instead of failing with "locked".
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
    }
elif DATABASES["default"]["ENGINE"] != "django.db.backends.postgresql":
    raise ImproperlyConfigured(
        "DATABASE_URL names a database that is neither SQLite nor PostgreSQL. Choose one of them."
    )
elif find_spec("psycopg") is None:
    raise ImproperlyConfigured(
        "DATABASE_URL names PostgreSQL, whose driver is not installed. "
        "Run: .venv/bin/pip install -r requirements-postgres.txt"
    )

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_THOUSAND_SEPARATOR = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True  # serves straight from the sources: nothing to collect
MEDIA_ROOT = DATA_DIR / "files"

SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'"
)


def not_about_health(record: logging.LogRecord) -> bool:
    """Tell whether a log record is about anything else than /healthz."""
    request = getattr(record, "request", None)
    return getattr(request, "path", "") != "/healthz"


LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    # An unhealthy answer of /healthz is news for who asked, not for the log, every few seconds.
    "filters": {"no_health": {"()": "django.utils.log.CallbackFilter", "callback": not_about_health}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["no_health"]}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
}
