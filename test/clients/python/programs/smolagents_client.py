from program import MESSAGES, PROMPT, run, weather
from settings import model
from smolagents import ToolCallingAgent, tool


def chat():
    return [delta.content for delta in model.generate_stream(MESSAGES) if delta.content]


def tools():
    return ToolCallingAgent(tools=[tool(weather)], model=model, verbosity_level=0).run(PROMPT)


run(chat=chat, tools=tools)
