"""Shared by the programs beside it. Each takes the name of a task as its argument and prints the result as JSON."""

import json
import sys

from pydantic import BaseModel

MODEL = "fast-chat"
PROMPT = "Hello!"
MESSAGES = [{"role": "user", "content": PROMPT}]


class Weather(BaseModel):
    """The weather in a city."""

    city: str
    sky: str


def weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: The name of the city.
    """
    return f"rain in {city}"


WEATHER_TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def run(**tasks):
    """chat returns the pieces of a streamed response, tools the text after a tool call, structured the fields of Weather."""
    print(json.dumps(tasks[sys.argv[1]]()))
