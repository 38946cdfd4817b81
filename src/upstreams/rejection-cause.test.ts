import { describe, expect, test } from "bun:test";
import { readError, readErrorBody, refusalInside, refusalOf } from "./refusal.ts";

const LLAMA_CPP = "https://github.com/ggml-org/llama.cpp/blob/b21e4de7/tools/server/server-common.cpp";
const OLLAMA = "https://github.com/ollama/ollama/blob/fb307609/server/images.go";

/** Messages of servers whose model lacks a capability that the request needs: status, message, source. */
const LACKS_CAPABILITY: readonly [number, string, string][] = [
  [500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", LLAMA_CPP],
  [500, "audio input is not supported - hint: if this is unexpected, you may need to provide the mmproj", LLAMA_CPP],
  [500, "video input is not supported - hint: if this is unexpected, you may need to provide the mmproj", LLAMA_CPP],
  [500, "image input is not supported by this server", "https://github.com/ggml-org/llama.cpp/issues/13566"],
  [500, "Multimodal data provided, but model does not support multimodal requests.", LLAMA_CPP],
  [500, "tools param requires --jinja flag", LLAMA_CPP],
  [400, "registry.ollama.ai/library/llama3.2-vision:11b does not support tools", "https://github.com/sigoden/aichat/issues/1375"],
  [400, '"llama3" does not support vision', OLLAMA],
  [400, "this model does not support image input (ref: b8bd630e)", "https://github.com/ollama/ollama/issues/17301"],
  [400, "Model does not support images. Please use a model that does.", "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/908"],
  [400, "facebook/opt-125m is not a multimodal model None", "https://github.com/studio-dots-ai/dots.ocr/issues/61"],
  [400, "Invalid content type. image_url is only supported by certain models.", "https://github.com/vllm-project/vllm/issues/11629"],
  [404, "No endpoints found that support image input", "https://github.com/aaif-goose/goose/issues/5396"],
  [404, 'No endpoints found that support tool use. Try disabling "x".', "https://github.com/rbb-dev/Open-WebUI-OpenRouter-pipe/issues/58"],
];

/** Messages of servers that return 500 for invalid content. */
const INVALID_CONTENT: Readonly<Record<string, readonly [message: string, source: string]>> = {
  "an image that cannot be decoded": ["Failed to load image or audio file", LLAMA_CPP],
  "base64 that is none": ["Invalid base64 value", LLAMA_CPP],
  "a part that its parser does not know": [
    'Failed to parse messages: Unsupported content part type: "image_url"; messages = []',
    "https://github.com/ggml-org/llama.cpp/issues/12947",
  ],
  "roles that its chat template rejects": [
    "\n------------\nWhile executing CallExpression at line 189, column 32 in source:\n...== 0) %}↵            {{- raise_exception('After the optional system message, con...\n                                                                      ^\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
    "https://github.com/ggml-org/llama.cpp/issues/19851",
  ],
  "roles that its older chat template rejects": [
    "Conversation roles must alternate user/assistant/user/assistant/... at row 19, column 27:\n",
    "https://github.com/janhq/jan/issues/6254",
  ],
};

/** Upstream failures, which must still count for its health and keep their messages. */
const UPSTREAM_FAILURES: readonly [number, string][] = [
  [500, "Internal server error"],
  [500, "Compute error."],
  [500, "CUDA error: out of memory"],
  [500, "Failed to tokenize prompt"],
  [404, "The model `gpt-9` does not exist or you do not have access to it."],
  [404, "No endpoints found matching your data policy"],
  // Text of the caller, quoted far after the reason.
  [500, `Traceback: ${"x".repeat(100)} image input is not supported`],
  [500, `Traceback: ${"x".repeat(500)} maximum context length`],
  [500, "Internal error in worker 3 (/srv/app/key.py) while handling 'jinja exception: '"],
];

function refusal(status: number, message: string): ReturnType<typeof refusalOf> {
  return refusalOf(status, new Headers(), readErrorBody(JSON.stringify({ error: { message, type: "server_error", code: status } })));
}

describe("an error that blames the request is the caller's, with the upstream's reason", () => {
  test.each(LACKS_CAPABILITY)("%i %s", (status, message, source) => {
    const { code, message: told, fault } = refusal(status, message);
    expect({ source, code, told, fault }).toEqual({ source, code: "invalid_value", told: message, fault: { kind: "unsupported" } });
  });

  test.each(Object.keys(INVALID_CONTENT))("500, because of %s", (name) => {
    const [message, source] = INVALID_CONTENT[name]!;
    const { code, message: told, fault } = refusal(500, message);
    expect({ source, code, told, fault }).toEqual({ source, code: "invalid_value", told: message, fault: undefined });
  });

  test("inside a 200 too", () => {
    const { code, fault } = refusalInside(readError({ code: 500, message: LACKS_CAPABILITY[0]![1], type: "server_error" }));
    expect([code, fault]).toEqual(["invalid_value", { kind: "unsupported" }]);
  });
});

test.each(UPSTREAM_FAILURES)("an upstream failure stays one: %i %s", (status, message) => {
  const { code, message: told, fault } = refusal(status, message);
  expect([code, told, fault?.kind]).toEqual(["upstream_error", "The upstream failed to answer.", "failed"]);
});
