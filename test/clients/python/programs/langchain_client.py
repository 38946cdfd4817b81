from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from program import PROMPT, Weather, run, weather
from settings import model


def chat():
    return [chunk.text for chunk in model.stream(PROMPT) if chunk.text]


def tools():
    weather_tool = tool(weather)
    agent = model.bind_tools([weather_tool])
    call = agent.invoke([HumanMessage(PROMPT)])
    results = [weather_tool.invoke(each) for each in call.tool_calls]
    return agent.invoke([HumanMessage(PROMPT), call, *results]).text


def structured():
    return model.with_structured_output(Weather).invoke(PROMPT).model_dump()


run(chat=chat, tools=tools, structured=structured)
