"""The product's settings on a data folder of the test run's own."""

import os
import tempfile

os.environ["FOCUSADMIN_DATA_DIR"] = tempfile.mkdtemp(prefix="focusadmin-tests-")

from focusadmin.settings import *  # noqa: F403
from focusadmin.settings import STATIC_ROOT, STORAGES

# View tests need no hashed files; the browser tests run the product itself, which has them.
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
STATIC_ROOT.mkdir()
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
