"""Settings: FOCUSADMIN_MODE is the one switch; everything else has a safe default.

embedded     SQLite, Celery over files in the data folder, loopback only.
distributed  PostgreSQL, Redis, any number of machines behind a proxy.
"""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import django_stubs_ext

from focusadmin.env import (
    SettingError,
    env_bool,
    env_choice,
    env_int,
    env_list,
    env_path,
    env_str,
)
from focusadmin.lib.secrets import persistent_secret
from focusadmin.logs import logging_config

# Several processes share the cores, and our matrices are sparse: the threads of a numerical library
# would only fight for them (logistic regression took five times the processor time).
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

django_stubs_ext.monkeypatch()  # lets Django's classes take type arguments while running

VERSION = "0.1.0"
BASE_DIR = Path(__file__).resolve().parent.parent

MODE = env_choice("FOCUSADMIN_MODE", {"embedded", "distributed"}, default="embedded")
EMBEDDED = MODE == "embedded"
DATA_DIR = env_path("FOCUSADMIN_DATA_DIR", default=BASE_DIR / "data")
DEBUG = env_bool("FOCUSADMIN_DEBUG", default=False)
HTTPS = env_bool("FOCUSADMIN_HTTPS", default=not EMBEDDED)

BIND_HOST = env_str("FOCUSADMIN_BIND", default="127.0.0.1")
SECRET_KEY = env_str("FOCUSADMIN_SECRET_KEY", default="") or persistent_secret(DATA_DIR)
ALLOWED_HOSTS = env_list(
    "FOCUSADMIN_ALLOWED_HOSTS",
    default=["localhost", "127.0.0.1", "[::1]"] if EMBEDDED else [],
)
CSRF_TRUSTED_ORIGINS = [
    f"https://{host}" for host in ALLOWED_HOSTS if HTTPS and not host.startswith("*")
]

INSTALLED_APPS = [
    "focusadmin",
    "focusadmin.accounts",
    "taxonomy",
    "crawler",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "treebeard",
    "axes",
]

MIDDLEWARE = [
    "focusadmin.middleware.RequestLogMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "focusadmin.middleware.SecurityHeadersMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "focusadmin.middleware.SignInWallMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "focusadmin.urls"
ASGI_APPLICATION = "focusadmin.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "focusadmin.context.page_frame",
            ],
        },
    },
]


def _sqlite(path: Path) -> dict[str, Any]:
    """SQLite for several writers: WAL, write locks taken up front, patience, durable commits."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        },
        # A file, so that tests meet the same locking as users do.
        "TEST": {"NAME": path.with_name("test.sqlite3")},
    }


def _postgresql(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    wanted = SettingError(  # without the value itself, which may hold a password
        "FOCUSADMIN_DB_URL",
        f"{parts.scheme}://…",
        "give postgresql://user:password@host:port/database",
    )
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise wanted
    try:
        port = parts.port
    except ValueError:
        raise wanted from None
    options = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", parts.hostname or ""),  # ?host= names the folder of a socket
        "PORT": port or "",
        "OPTIONS": options,  # such as ?sslmode=verify-full
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


DB_URL = env_str("FOCUSADMIN_DB_URL", default="")
DATABASES = {"default": _postgresql(DB_URL) if DB_URL else _sqlite(DATA_DIR / "focusadmin.sqlite3")}

# Accounts
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "accounts:signin"
LOGIN_REDIRECT_URL = "crawler:home"
LOGOUT_REDIRECT_URL = "accounts:signin"
SIGN_IN_LINK_MINUTES = env_int(
    "FOCUSADMIN_SIGN_IN_LINK_MINUTES", default=60, minimum=1, maximum=1440
)
AXES_FAILURE_LIMIT = 8
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_TEMPLATE = "registration/locked.html"
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False

# What browsers are told
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024


def _package_folder(name: str) -> Path:
    """Where a package is installed, without the time that importing it takes."""
    found = find_spec(name)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"{name} is not installed. Run make install.")
    return Path(found.origin).parent


# Static files: hashed and compressed into the data folder at start
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [
    BASE_DIR / "static",
    # The charts' script comes inside the plotly package; what else is there is not collected.
    ("vendor/plotly", _package_folder("plotly") / "package_data"),
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_MAX_AGE = 0  # names without a hash; hashed ones are immutable anyway

# Reaching the Web
CRAWLER_CONTACT = env_str("FOCUSADMIN_CONTACT", default="")
CRAWLER_ALLOWED_HOSTS = env_list("FOCUSADMIN_ALLOWED_TARGETS", default=[])

# E-mail, for alarms. Without a server none is sent, and the page of alarms says so.
_SMTP = urlsplit(env_str("FOCUSADMIN_SMTP_URL", default=""))
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if _SMTP.hostname else 'dummy'}.EmailBackend"
EMAIL_HOST = _SMTP.hostname or ""
EMAIL_USE_SSL = _SMTP.scheme == "smtps"
EMAIL_USE_TLS = _SMTP.scheme == "smtp+starttls"
EMAIL_PORT = _SMTP.port or (465 if EMAIL_USE_SSL else 587 if EMAIL_USE_TLS else 25)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = unquote(_SMTP.username or ""), unquote(_SMTP.password or "")
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env_str("FOCUSADMIN_MAIL_FROM", default="focusadmin@localhost")

# Jobs. Broker and schedule may lose or repeat anything: tasks are idempotent.
BROKER_DIR = DATA_DIR / "broker"
CELERY_BROKER_URL = env_str("FOCUSADMIN_BROKER_URL", default="filesystem://")
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {
        "data_folder_in": str(BROKER_DIR / "queue"),
        "data_folder_out": str(BROKER_DIR / "queue"),
        "control_folder": str(BROKER_DIR / "control"),
        "polling_interval": 0.2,
    }
    if CELERY_BROKER_URL.startswith("filesystem:")
    else {"visibility_timeout": 1200}
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_TIME_LIMIT = 540
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 20.0
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
# A slice lasts minutes: in a queue of its own it keeps nobody waiting.
CELERY_TASK_ROUTES = {
    "crawler.crawl_slice": {"queue": "crawls"},
    "crawler.export_write": {"queue": "crawls"},
    "crawler.questions_copy": {"queue": "crawls"},
    "taxonomy.focus_read": {"queue": "crawls"},
}
CELERY_BEAT_SCHEDULE = {
    "worker-heartbeat": {
        "task": "crawler.worker_heartbeat",
        "schedule": 5.0,
        # A heartbeat that waited is no sign of life.
        "options": {"expires": 10.0},
    },
    "crawls-tend": {
        "task": "crawler.crawls_tend",
        "schedule": 1.0,
        "options": {"expires": 2.0},
    },
    "alarms-watch": {
        "task": "crawler.alarms_watch",
        "schedule": 2.0,
        "options": {"expires": 2.0},
    },
    "crawls-enough": {
        "task": "crawler.crawls_enough",
        "schedule": 10.0,
        "options": {"expires": 10.0},
    },
    "sites-count": {
        "task": "crawler.sites_count",
        "schedule": 3.0,
        "options": {"expires": 3.0},
    },
    "exports-tend": {
        "task": "crawler.exports_tend",
        "schedule": 1.0,
        "options": {"expires": 2.0},
    },
    "questions-tend": {
        "task": "crawler.questions_tend",
        "schedule": 2.0,
        "options": {"expires": 4.0},
    },
    "crawls-distil": {
        "task": "crawler.crawls_distil",
        "schedule": 5.0,
        "options": {"expires": 5.0},
    },
    "feedback-settle": {
        "task": "crawler.feedback_settle",
        "schedule": 1.0,
        "options": {"expires": 2.0},
    },
    "alarm-notices": {
        "task": "crawler.alarm_notices",
        "schedule": 10.0,
        "options": {"expires": 10.0},
    },
    "crawls-revisit": {
        "task": "crawler.crawls_revisit",
        "schedule": 30.0,
        "options": {"expires": 30.0},
    },
    "news-gather": {
        "task": "crawler.news_gather",
        "schedule": 5.0,
        "options": {"expires": 5.0},
    },
    "news-digests": {
        "task": "crawler.news_digests",
        "schedule": 60.0,
        "options": {"expires": 60.0},
    },
    "focuses-tend": {
        "task": "taxonomy.focuses_tend",
        "schedule": 1.0,
        "options": {"expires": 2.0},
    },
    "models-catch-up": {
        "task": "taxonomy.models_catch_up",
        "schedule": 5.0,
        "options": {"expires": 5.0},
    },
}

CHANNEL_LAYERS = (
    {}
    if EMBEDDED
    else {
        "default": {
            "BACKEND": "channels_redis.core.RedisChannelLayer",
            "CONFIG": {"hosts": [CELERY_BROKER_URL]},
        }
    }
)

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

LOGGING_CONFIG = None  # configured below, so that every process speaks the same way
LOG_LEVEL = env_choice(
    "FOCUSADMIN_LOG_LEVEL", {"DEBUG", "INFO", "WARNING", "ERROR"}, default="INFO"
)
LOGGING = logging_config(
    level=LOG_LEVEL,
    as_json=env_choice("FOCUSADMIN_LOG_FORMAT", {"json", "text"}, default="json") == "json",
)
