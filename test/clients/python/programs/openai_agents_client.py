import asyncio

from agents import Agent, Runner, function_tool
from program import MODEL, PROMPT, Weather, run, weather
from settings import run_config


def chat():
    async def pieces():
        result = Runner.run_streamed(Agent(name="test", model=MODEL), PROMPT, run_config=run_config)
        return [event.data.delta async for event in result.stream_events() if is_text(event)]

    return asyncio.run(pieces())


def is_text(event):
    return event.type == "raw_response_event" and event.data.type == "response.output_text.delta"


def tools():
    agent = Agent(name="test", model=MODEL, tools=[function_tool(weather)])
    return Runner.run_sync(agent, PROMPT, run_config=run_config).final_output


def structured():
    agent = Agent(name="test", model=MODEL, output_type=Weather)
    return Runner.run_sync(agent, PROMPT, run_config=run_config).final_output.model_dump()


run(chat=chat, tools=tools, structured=structured)
