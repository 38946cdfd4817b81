"""Sends chat completions by the OpenAI SDK: a request per line on standard input, what the caller sees of the reply per line on standard output."""

import inspect
import json
import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key=sys.argv[2], max_retries=0, timeout=float(sys.argv[3]))

# Arguments of the method that are not fields of the body.
OPTIONS = {"extra_headers", "extra_query", "extra_body", "timeout"}
FIELDS = set(inspect.signature(client.chat.completions.create).parameters) - OPTIONS


def send(body, headers):
    known = {name: value for name, value in body.items() if name in FIELDS}
    others = {name: value for name, value in body.items() if name not in FIELDS}
    response = client.chat.completions.with_raw_response.create(**known, extra_body=others, extra_headers=headers)
    if body.get("stream") is not True:
        parsed = response.parse()
        # The SDK returns a text where the reply is no JSON.
        return {"status": response.status_code, "body": parsed.model_dump() if hasattr(parsed, "model_dump") else parsed}
    chunks = []
    try:
        for chunk in response.parse():
            chunks.append(chunk.model_dump())
    # A connection that breaks is an error of the HTTP client, which differs between versions of the SDK.
    except Exception as error:
        return {"status": response.status_code, "chunks": chunks, "error": getattr(error, "body", None) or "the connection broke"}
    return {"status": response.status_code, "chunks": chunks}


def reply(body, headers):
    try:
        return send(body, headers)
    except openai.APIStatusError as error:
        return {"status": error.status_code, "error": error.body if isinstance(error.body, dict) else "no error object"}
    except openai.APITimeoutError:
        return {"status": 0, "error": "the client timed out"}
    except openai.APIError:
        return {"status": 0, "error": "the connection broke"}


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(reply(request["body"], request.get("headers"))), flush=True)
