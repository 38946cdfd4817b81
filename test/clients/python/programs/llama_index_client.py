import asyncio

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from program import PROMPT, Weather, run, weather
from settings import llm


def chat():
    return [piece.delta for piece in llm.stream_chat([ChatMessage(PROMPT)]) if piece.delta]


def tools():
    agent = FunctionAgent(llm=llm, tools=[FunctionTool.from_defaults(weather)])

    async def answer():
        return str(await agent.run(PROMPT))

    return asyncio.run(answer())


def structured():
    return llm.as_structured_llm(Weather).chat([ChatMessage(PROMPT)]).raw.model_dump()


run(chat=chat, tools=tools, structured=structured)
