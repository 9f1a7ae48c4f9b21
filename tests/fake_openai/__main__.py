"""Serve from a terminal: python -m tests.fake_openai --port 8999 --delay 1.0"""

from __future__ import annotations

import argparse
import time

from tests.fake_openai.crowd import Crowd
from tests.fake_openai.server import FakeOpenAI


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8999)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--rate", type=float, default=0.0, help="calls taken a second; others are refused")
    parser.add_argument("--places", type=int, default=0, help="calls worked at at once; others wait")
    parser.add_argument("--faults", type=float, default=0.0, help="share of calls that fail")
    options = parser.parse_args()
    with FakeOpenAI(options.port, options.delay) as server:
        server.crowd = Crowd(options.rate, options.places, options.faults)
        print(server.base_url, flush=True)  # noqa: T201
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
