"""Browsers' end of the websocket, against the ASGI application that Daphne serves."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from focusadmin.accounts.models import User
from focusadmin.asgi import application

ORIGIN = b"http://localhost"
PATIENCE = 20.0


def cookie_of(user: User | None) -> str:
    """The session cookie of somebody who signs in; call it outside the event loop."""
    client = Client()
    if user is not None:
        client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}" if name in client.cookies else ""


class Socket:
    """One connection; frames come as objects."""

    def __init__(self, communicator: WebsocketCommunicator) -> None:
        self._communicator = communicator

    async def frame(self, *kinds: str) -> dict[str, Any]:
        """The next frame, or the next of these kinds."""
        while True:
            text = await self._communicator.receive_from(timeout=PATIENCE)
            frame: dict[str, Any] = json.loads(text)
            if not kinds or frame["type"] in kinds:
                return frame

    async def points_until(self, seq: int) -> list[dict[str, Any]]:
        points: list[dict[str, Any]] = []
        while not points or points[-1]["seq"] < seq:
            points += (await self.frame("points"))["points"]
        return points

    async def close_code(self) -> int:
        while True:
            output = await self._communicator.receive_output(timeout=PATIENCE)
            if output["type"] == "websocket.close":
                return int(output.get("code", 1000))

    async def send(self, text: str) -> None:
        await self._communicator.send_to(text_data=text)


@asynccontextmanager
async def opened(
    crawl_id: int,
    cookie: str,
    query: str = "",
    origin: bytes = ORIGIN,
    host: bytes = b"localhost",
) -> AsyncIterator[Socket]:
    headers = [(b"host", host), (b"cookie", cookie.encode())]
    if origin:
        headers.append((b"origin", origin))
    path = f"/ws/crawls/{crawl_id}/?{query}"
    communicator = WebsocketCommunicator(application, path, headers=headers)
    is_open, _ = await communicator.connect(timeout=PATIENCE)
    if not is_open:
        raise ConnectionRefusedError(path)
    try:
        yield Socket(communicator)
    finally:
        await communicator.disconnect(timeout=PATIENCE)
