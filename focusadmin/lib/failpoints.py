"""Named places at which a test can make a process die, as a power cut or `kill -9` would.

FOCUSADMIN_FAILPOINT=before_commit:3 kills the process when it comes there for the third time.
Without the variable a failpoint costs a comparison.
"""

import os
import signal

_NAME, _, _TIMES = os.environ.get("FOCUSADMIN_FAILPOINT", "").partition(":")
_passes = 0


def failpoint(name: str) -> None:
    """Die here if this is the place and the time."""
    global _passes
    if name != _NAME:
        return
    _passes += 1
    if _passes >= int(_TIMES or 1):
        os.kill(os.getpid(), signal.SIGKILL)
