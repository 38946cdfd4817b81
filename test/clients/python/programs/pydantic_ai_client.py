from program import PROMPT, Weather, run, weather
from pydantic_ai import Agent, NativeOutput
from settings import model


def chat():
    with Agent(model).run_stream_sync(PROMPT) as result:
        return list(result.stream_text(delta=True, debounce_by=None))


def tools():
    return Agent(model, tools=[weather]).run_sync(PROMPT).output


def structured():
    return Agent(model, output_type=NativeOutput(Weather)).run_sync(PROMPT).output.model_dump()


run(chat=chat, tools=tools, structured=structured)
