"""Serve from a terminal: python -m tests.fake_openai --port 8999 --delay 1.0"""

from __future__ import annotations

import argparse
import time

from tests.fake_openai.server import FakeOpenAI


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8999)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    options = parser.parse_args()
    with FakeOpenAI(options.port, options.delay) as server:
        print(server.base_url, flush=True)  # noqa: T201
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
