import json
from decimal import Decimal

from program import MESSAGES, MODEL, WEATHER_TOOL, Weather, run, weather
from settings import client


def chat():
    response = client.chat.completions.with_raw_response.create(model=MODEL, messages=MESSAGES, stream=True)
    assert Decimal(response.headers["x-tollgate-credit-remaining"]) > 0
    stream = response.parse()
    return [chunk.choices[0].delta.content for chunk in stream if chunk.choices and chunk.choices[0].delta.content]


def tools():
    response = client.chat.completions.with_raw_response.create(model=MODEL, messages=MESSAGES, tools=[WEATHER_TOOL])
    assert Decimal(response.headers["x-tollgate-credit-remaining"]) > 0
    message = response.parse().choices[0].message
    call = message.tool_calls[0]
    result = {"role": "tool", "tool_call_id": call.id, "content": weather(**json.loads(call.function.arguments))}
    answer = client.chat.completions.create(model=MODEL, messages=[*MESSAGES, message, result], tools=[WEATHER_TOOL])
    return answer.choices[0].message.content


def structured():
    parsed = client.chat.completions.parse(model=MODEL, messages=MESSAGES, response_format=Weather)
    return parsed.choices[0].message.parsed.model_dump()


run(chat=chat, tools=tools, structured=structured)
