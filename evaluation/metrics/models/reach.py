"""Whether an address of the web can be reached, found out without keeping a page waiting."""

from __future__ import annotations

import os
import socket
import threading
import time
from urllib.parse import urlsplit

_REMEMBERED_S = 60.0
_WAIT_S = 0.5
_CONNECT_S = 3.0
_PROXIES = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
_lock = threading.Lock()
_known: dict[str, tuple[float, bool]] = {}
_asking: dict[str, threading.Thread] = {}


def reachable(url: str) -> bool:
    """Tell whether the host of `url` takes connections; not yet, where that takes longer than half a second.

    Looking up a name may take long where the network is broken, so a thread does it, and its answer counts from the
    next time on. Behind a proxy the answer is yes: only the proxy knows.
    """
    if any(os.environ.get(name) for name in _PROXIES):
        return True
    with _lock:
        asked_at, answer = _known.get(url, (0.0, False))
        if asked_at and time.monotonic() - asked_at < _REMEMBERED_S:
            return answer
        asking = _asking.get(url)
        if asking is None:
            asking = _asking[url] = threading.Thread(target=_ask, args=(url,), name="reach-hub", daemon=True)
            asking.start()
    asking.join(_WAIT_S)
    with _lock:
        return _known.get(url, (0.0, False))[1]


def _ask(url: str) -> None:
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 443), timeout=_CONNECT_S).close()
        answer = True
    except OSError:
        answer = False
    with _lock:
        _known[url] = (time.monotonic(), answer)
        _asking.pop(url, None)
