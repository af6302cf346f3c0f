#!/usr/bin/env python
"""Names the settings module and hands over to Django."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusadmin.settings")
    from django.core.management import execute_from_command_line
    from django.db import OperationalError, ProgrammingError

    from focusadmin.lib.errors import FocusAdminError

    try:
        execute_from_command_line(sys.argv)
    except FocusAdminError as error:
        # Meant for people: one line instead of a traceback.
        sys.exit(f"focusadmin: {error}")
    except KeyboardInterrupt:
        sys.exit(130)  # what shells make of Ctrl-C
    except BrokenPipeError:
        # The reader has enough, as in `classify --jsonl … | head`: no reason for a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (OperationalError, ProgrammingError) as error:
        sys.exit(
            f"focusadmin: the database can't be used ({error}). Is it set up? manage.py migrate"
        )


if __name__ == "__main__":
    main()
