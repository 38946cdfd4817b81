import json

from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function
from program import PROMPT, Weather, run, weather
from settings import generator

MESSAGES = [ChatMessage.from_user(PROMPT)]


def chat():
    pieces = []
    generator.run(MESSAGES, streaming_callback=lambda chunk: pieces.append(chunk.content))
    return [piece for piece in pieces if piece]


def tools():
    agent = Agent(chat_generator=generator, tools=[create_tool_from_function(weather)])
    return agent.run(messages=MESSAGES)["last_message"].text


def structured():
    reply = generator.run(MESSAGES, generation_kwargs={"response_format": Weather})["replies"][0]
    return json.loads(reply.text)


run(chat=chat, tools=tools, structured=structured)
