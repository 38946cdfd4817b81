"""Every feature of the Messages API with one model: anthropic_client.py MODEL. The results are printed as JSON, by feature."""

import json
import os
import sys

import anthropic
from pydantic import BaseModel

MODEL = sys.argv[1]
client = anthropic.Anthropic(max_retries=0)
PROMPT = [{"role": "user", "content": "Hello!"}]
TOOL = {"name": "weather", "description": "The weather in a city.", "input_schema": json.loads(os.environ["TEST_TOOL_SCHEMA"])}


class Weather(BaseModel):
    city: str
    sky: str


def usage_of(message):
    usage = message.usage
    return [usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens, usage.output_tokens]


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def complete():
    system = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    message = client.messages.create(model=MODEL, max_tokens=100, system=system, messages=PROMPT)
    return {"text": text_of(message), "stop": message.stop_reason, "usage": usage_of(message), "model": message.model}


def stream():
    with client.messages.stream(model=MODEL, max_tokens=100, messages=PROMPT) as events:
        text = "".join(events.text_stream)
        message = events.get_final_message()
    return {"text": text, "stop": message.stop_reason, "usage": usage_of(message)}


def tools():
    thinking = {"type": "enabled", "budget_tokens": 1024}
    request = {"model": MODEL, "max_tokens": 2000, "tools": [TOOL], "thinking": thinking}
    with client.messages.stream(**request, messages=PROMPT) as events:
        first = events.get_final_message()
    thoughts = [block.thinking for block in first.content if block.type == "thinking"]
    calls = [block for block in first.content if block.type == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": "rain"} for call in calls]
    turns = [*PROMPT, {"role": "assistant", "content": first.content}, {"role": "user", "content": results}]
    second = client.messages.create(**request, messages=turns)
    return {"thoughts": thoughts, "calls": [[call.name, call.input] for call in calls], "text": text_of(second)}


def media():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": os.environ["TEST_PNG"]}}
    pdf = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": os.environ["TEST_PDF"]}}
    content = [image, pdf, {"type": "text", "text": "What is this?"}]
    return text_of(client.messages.create(model=MODEL, max_tokens=100, messages=[{"role": "user", "content": content}]))


def structured():
    message = client.messages.parse(model=MODEL, max_tokens=100, messages=PROMPT, output_format=Weather)
    return message.parsed_output.model_dump()


def models():
    return sorted(model.id for model in client.models.list())


def count():
    try:
        return client.messages.count_tokens(model=MODEL, messages=PROMPT).input_tokens
    except anthropic.NotFoundError as error:
        return error.body["error"]["type"]


def error_of(call):
    try:
        call()
    except anthropic.APIStatusError as error:
        return [type(error).__name__, error.status_code, error.body["error"]["type"]]


def hello(of=client, model=MODEL, **more):
    return lambda: of.messages.create(model=model, messages=PROMPT, **{"max_tokens": 100, **more})


def errors():
    poor, limited = (anthropic.Anthropic(api_key=os.environ[name]) for name in ("TEST_POOR_KEY", "TEST_LIMITED_KEY"))
    hello(limited)()
    return {
        "key": error_of(hello(anthropic.Anthropic(api_key="sk-service-nothing"))),
        "model": error_of(hello(model="nothing")),
        "value": error_of(hello(max_tokens=-1)),
        "upstream": error_of(hello(model="claude-refusing")),
        "credit": error_of(hello(poor)),
        "rate": error_of(hello(limited.with_options(max_retries=0))),
    }


print(json.dumps({task.__name__: task() for task in (complete, stream, tools, media, structured, models, count, errors)}))
