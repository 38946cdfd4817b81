import json

from program import MESSAGES, WEATHER_TOOL, Weather, run, weather
from settings import complete


def chat():
    return [chunk.choices[0].delta.content for chunk in complete(messages=MESSAGES, stream=True) if chunk.choices[0].delta.content]


def tools():
    message = complete(messages=MESSAGES, tools=[WEATHER_TOOL]).choices[0].message
    call = message.tool_calls[0]
    result = {"role": "tool", "tool_call_id": call.id, "content": weather(**json.loads(call.function.arguments))}
    return complete(messages=[*MESSAGES, message, result], tools=[WEATHER_TOOL]).choices[0].message.content


def structured():
    return json.loads(complete(messages=MESSAGES, response_format=Weather).choices[0].message.content)


run(chat=chat, tools=tools, structured=structured)
