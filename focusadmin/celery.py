"""The Celery application: jobs at the edge, the same code in both modes."""

import os
from pathlib import Path

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

TRANSPORT_ALIASES["filesystem"] = "focusadmin.filebroker:Transport"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusadmin.settings")

app = Celery("focusadmin")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# The file transport expects its folders to be there.
for option, folder in (app.conf.broker_transport_options or {}).items():
    if option.endswith(("folder_in", "folder_out", "control_folder")):
        Path(folder).mkdir(parents=True, exist_ok=True)
