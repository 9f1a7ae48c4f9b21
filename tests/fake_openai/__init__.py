"""A small real HTTP server that speaks OpenAI's API, for tests, the benchmark and trying things without a key."""

from tests.fake_openai.behaviour import Behaviour
from tests.fake_openai.server import FakeOpenAI

__all__ = ["Behaviour", "FakeOpenAI"]
