"""Every feature of the Responses API with one model: openai_responses_client.py MODEL. The results are printed as JSON, by feature."""

import json
import os
import sys

import openai
from pydantic import BaseModel

MODEL = sys.argv[1]
client = openai.OpenAI(max_retries=0)
TOOL = {"type": "function", "name": "weather", "parameters": json.loads(os.environ["TEST_TOOL_SCHEMA"]), "strict": True}


class Weather(BaseModel):
    city: str
    sky: str


def usage_of(response):
    usage = response.usage
    return [usage.input_tokens, usage.input_tokens_details.cached_tokens, usage.output_tokens, usage.total_tokens]


def complete():
    response = client.responses.create(model=MODEL, instructions="Be brief.", input="Hello!", store=False)
    return {"text": response.output_text, "status": response.status, "usage": usage_of(response), "model": response.model}


def stream():
    with client.responses.stream(model=MODEL, input="Hello!") as events:
        text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
        response = events.get_final_response()
    return {"text": text, "status": response.status, "usage": usage_of(response)}


def tools():
    request = {"model": MODEL, "tools": [TOOL], "reasoning": {"effort": "high"}, "include": ["reasoning.encrypted_content"]}
    question = [{"role": "user", "content": "Hello!"}]
    first = client.responses.create(**request, input=question)
    thoughts = [part.text for item in first.output if item.type == "reasoning" for part in item.summary]
    calls = [item for item in first.output if item.type == "function_call"]
    results = [{"type": "function_call_output", "call_id": call.call_id, "output": "rain"} for call in calls]
    second = client.responses.create(**request, input=[*question, *first.output, *results])
    called = [[call.name, json.loads(call.arguments)] for call in calls]
    return {"thoughts": thoughts, "calls": called, "text": second.output_text}


def media():
    image = {"type": "input_image", "image_url": f"data:image/png;base64,{os.environ['TEST_PNG']}"}
    pdf = {"type": "input_file", "filename": "a.pdf", "file_data": f"data:application/pdf;base64,{os.environ['TEST_PDF']}"}
    content = [image, pdf, {"type": "input_text", "text": "What is this?"}]
    return client.responses.create(model=MODEL, input=[{"role": "user", "content": content}]).output_text


def structured():
    return client.responses.parse(model=MODEL, input="Hello!", text_format=Weather).output_parsed.model_dump()


def models():
    return sorted(model.id for model in client.models.list())


def error_of(call):
    try:
        call()
    except openai.APIStatusError as error:
        return [type(error).__name__, error.status_code, error.code]


def hello(of=client, model=MODEL, **more):
    return lambda: of.responses.create(model=model, input="Hello!", **more)


def errors():
    poor, limited = (openai.OpenAI(api_key=os.environ[name]) for name in ("TEST_POOR_KEY", "TEST_LIMITED_KEY"))
    hello(limited)()
    return {
        "key": error_of(hello(openai.OpenAI(api_key="sk-service-nothing"))),
        "model": error_of(hello(model="nothing")),
        "value": error_of(hello(max_output_tokens=-1)),
        "upstream": error_of(hello(model="gpt-refusing")),
        "credit": error_of(hello(poor)),
        "rate": error_of(hello(limited.with_options(max_retries=0))),
    }


print(json.dumps({task.__name__: task() for task in (complete, stream, tools, media, structured, models, errors)}))
