import { describe, expect, test } from "bun:test";
import { mayBeRelayed, readError, readErrorBody, refusalInside, refusalOf } from "./refusal.ts";
import { PRESET_IDS, type PresetId } from "../models/presets.ts";
import { bedrockRefusal } from "./bedrock/bedrock-refusal.ts";
import { geminiRefusal } from "./gemini/gemini-refusal.ts";
import { anthropicRefusal } from "./anthropic/anthropic-error.ts";

describe("refusal", () => {
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
    [
      404,
      'No endpoints found that support tool use. Try disabling "x".',
      "https://github.com/rbb-dev/Open-WebUI-OpenRouter-pipe/issues/58",
    ],
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
    // The caller's text, quoted far behind the reason.
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
});

test("an error that names the upstream's host is not shown to callers of a relay", () => {
  const isShown = (text: string, baseUrl: string): boolean => mayBeRelayed(text, undefined, baseUrl);
  for (const [text, baseUrl] of [
    ["getaddrinfo ENOTFOUND LLM.internal.example", "https://llm.internal.example/v1"],
    ["connection to vllm:8000 refused", "http://vllm:8000/v1"],
  ] as const) {
    expect(isShown(text, baseUrl)).toBe(false);
  }
  expect(isShown("model: unknown", "http://model/v1")).toBe(true);
  expect(isShown("max_tokens: 9 > 8", "https://api.anthropic.com/v1")).toBe(true);
});

describe("context length", () => {
  interface Message {
    /** Where the message was observed, or the source line that writes it. */
    readonly source: string;
    readonly status?: number;
    readonly error: unknown;
  }

  const RUBY_LLM = "https://github.com/crmne/ruby_llm/tree/main/spec/fixtures/vcr_cassettes (handles_context_length_exceeded_errors)";
  const LLAMA_CPP = "https://github.com/ggml-org/llama.cpp/blob/b21e4de7/tools/server/server-context.cpp";
  const SGLANG = "https://github.com/sgl-project/sglang/blob/cce0a124/python/sglang/srt/managers";
  const TGI = "https://github.com/huggingface/text-generation-inference/blob/db931fcf/router/src/validation.rs";
  const PI = "https://github.com/earendil-works/pi/blob/main/packages/ai/src/utils/overflow.ts";

  const invalid = (message: string, more: object = {}): object => ({
    message,
    type: "invalid_request_error",
    param: null,
    code: null,
    ...more,
  });

  /** The error response of each preset's server to a prompt beyond the context window. */
  const OF_PRESETS: Record<PresetId, readonly Message[]> = {
    openai: [
      {
        source: "https://github.com/crewAIInc/crewAI/issues/323",
        error: invalid(
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 8217 tokens. Please reduce the length of the messages.",
          { param: "messages", code: "context_length_exceeded" },
        ),
      },
      {
        source: "https://github.com/cline/cline/issues/5474",
        error: invalid(
          "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.",
        ),
      },
      { source: RUBY_LLM, error: invalid("Your input exceeds the context window of this model. Please adjust your input and try again.") },
    ],
    azure: [
      {
        source: "https://github.com/BerriAI/litellm/blob/main/tests/proxy_unit_tests/test_proxy_exception_mapping.py",
        error: invalid(
          "This model's maximum context length is 4096 tokens. However, your messages resulted in 10007 tokens. Please reduce the length of the messages.",
          { code: "context_length_exceeded" },
        ),
      },
    ],
    "azure-deployments": [
      {
        source: "https://github.com/FoundationAgents/OpenManus/issues/62",
        error: invalid(
          "This model's maximum context length is 8192 tokens. However, you requested 8213 tokens (6683 in the messages, 730 in the functions, and 800 in the completion). Please reduce the length of the messages, functions, or completion.",
          { param: "messages", code: "context_length_exceeded" },
        ),
      },
    ],
    anthropic: [
      { source: RUBY_LLM, error: { type: "invalid_request_error", message: "prompt is too long: 3333404 tokens > 200000 maximum" } },
      {
        source: "https://github.com/docker/docker-agent/issues/569",
        error: {
          type: "invalid_request_error",
          message:
            "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again",
        },
      },
    ],
    gemini: [
      {
        source: "https://github.com/google-gemini/gemini-cli/issues/4118",
        error: {
          code: 400,
          message: "The input token count (132478) exceeds the maximum number of tokens allowed (131072).",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    "vertex-gemini": [
      {
        source: "https://github.com/googleapis/python-genai/issues/2466",
        error: {
          code: 400,
          message: "The input token count (81881) exceeds the maximum number of tokens allowed (65536).",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    "vertex-claude": [
      {
        source: "https://github.com/anthropics/anthropic-sdk-python/issues/1028",
        error: { type: "invalid_request_error", message: "Prompt is too long" },
      },
    ],
    vertex: [
      {
        source: "https://github.com/googleapis/python-genai/issues/2466",
        error: {
          code: 400,
          message: "The input token count (81881) exceeds the maximum number of tokens allowed (65536).",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    bedrock: [
      {
        source: "https://github.com/aws-samples/assessment-generator/issues/2",
        error: { message: "Input is too long for requested model." },
      },
      {
        source: RUBY_LLM,
        error: {
          message:
            "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
        },
      },
    ],
    "bedrock-converse": [
      {
        source: "https://github.com/aws-samples/assessment-generator/issues/2",
        error: { message: "Input is too long for requested model." },
      },
      {
        source: RUBY_LLM,
        error: {
          message:
            "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
        },
      },
    ],
    mistral: [
      {
        source: PI,
        error: {
          object: "error",
          message: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
          type: "invalid_request_prompt",
          code: "3051",
        },
      },
    ],
    groq: [
      {
        source: "https://github.com/ScrapeGraphAI/Scrapegraph-ai/issues/411",
        error: invalid("Please reduce the length of the messages or completion.", { param: "messages", code: "context_length_exceeded" }),
      },
    ],
    deepseek: [
      {
        source: RUBY_LLM,
        error: invalid(
          "This model's maximum context length is 1048565 tokens. However, you requested 1250025 tokens (1250025 in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
          { code: "invalid_request_error" },
        ),
      },
    ],
    xai: [
      {
        source: "https://github.com/cline/cline/issues/3120",
        error: "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
      },
    ],
    together: [
      {
        source: "https://github.com/BerriAI/litellm/issues/4934",
        error: invalid(
          "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 80125 `inputs` tokens and 4096 `max_new_tokens`",
          { param: "max_tokens" },
        ),
      },
      { source: PI, error: invalid("The input (150000 tokens) is longer than the model's context length (131072 tokens).") },
    ],
    fireworks: [
      {
        source: "https://github.com/anomalyco/models.dev/pull/6508",
        error: invalid("The prompt is too long: 1200012, model maximum context length: 1048573"),
      },
    ],
    openrouter: [
      {
        source: "https://github.com/OpenHands/OpenHands/issues/9937",
        error: {
          message:
            'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 138956 tokens (7884 of text input, 131072 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
          code: 400,
        },
      },
      {
        source: "https://github.com/ai-christianson/RA.Aid/issues/41",
        status: 502,
        error: {
          message:
            'ConnectionError: {"object":"error","message":"This model\'s maximum context length is 16000 tokens. However, you requested 17165 tokens (13069 in the messages, 4096 in the completion).","code":400}',
          code: 502,
        },
      },
    ],
    cerebras: [
      {
        source: "https://github.com/cline/cline/issues/5140",
        error: { message: "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000" },
      },
    ],
    perplexity: [
      { source: RUBY_LLM, error: { message: "The total length of all messages is too long.", type: "too_many_prompt_tokens", code: 400 } },
    ],
    moonshot: [
      {
        source: "https://github.com/MoonshotAI/kimi-cli/issues/2011",
        error: invalid("Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)"),
      },
      {
        source: "https://github.com/MoonshotAI/MoonshotAI-Cookbook/issues/18",
        error: invalid("model max length exceeded, max length:8192"),
      },
    ],
    cohere: [
      {
        source: "https://github.com/cohere-ai/sandbox-topically/issues/4",
        error: {
          message:
            "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value.",
        },
      },
    ],
    qwen: [
      {
        source: "https://github.com/agentscope-ai/QwenPaw/issues/6255",
        error: invalid("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]", {
          code: "invalid_parameter_error",
        }),
      },
    ],
    ollama: [
      {
        source: RUBY_LLM,
        error: invalid("prompt too long; exceeded max context length by 1119046 tokens (ref: 96164522-08b2-4cbf-886e-e5a38961a688)"),
      },
      {
        source: "https://github.com/ollama/ollama/blob/fb307609/llm/llama_server.go",
        error: invalid(
          "the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length",
        ),
      },
      {
        source: "https://github.com/ollama/ollama/blob/fb307609/server/routes.go",
        error: invalid("the input length exceeds the context length"),
      },
    ],
    "lm-studio": [
      {
        source: "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546",
        error:
          "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
      },
      {
        source: "https://github.com/tinyhumansai/openhuman/issues/3550",
        error:
          "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter prompt.",
      },
    ],
    vllm: [
      {
        source: "https://github.com/vllm-project/vllm/blob/a014e35f/vllm/renderers/params.py",
        error: {
          message:
            "This model's maximum context length is 4096 tokens. However, you requested 512 output tokens and your prompt contains at least 3585 input tokens, for a total of at least 4097 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
          type: "BadRequestError",
          param: "input_tokens",
          code: 400,
        },
      },
      {
        source: "https://github.com/vllm-project/vllm/blob/a014e35f/vllm/v1/engine/input_processor.py",
        error: {
          message:
            "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.",
          type: "BadRequestError",
          code: 400,
        },
      },
    ],
    "llama-cpp": [
      {
        source: LLAMA_CPP,
        error: {
          code: 400,
          message: "request (5050 tokens) exceeds the available context size (4096 tokens), try increasing it",
          type: "exceed_context_size_error",
          n_prompt_tokens: 5050,
          n_ctx: 4096,
        },
      },
      {
        source: "https://github.com/ggml-org/llama.cpp/pull/15780",
        status: 500,
        error: {
          code: 500,
          message: "the request exceeds the available context size. try increasing the context size or enable context shift",
          type: "exceed_context_size_error",
          n_prompt_tokens: 1407,
          n_ctx: 256,
        },
      },
      {
        source: LLAMA_CPP,
        error: { code: 400, message: "input (5050 tokens) is larger than the max context size (4096 tokens). skipping", type: "x" },
      },
      { source: LLAMA_CPP, status: 500, error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
    ],
  };

  /** Servers without a preset, behind one of them or at their own URL. */
  const OF_OTHERS: readonly Message[] = [
    {
      source: `${SGLANG}/tokenizer_manager.py`,
      error: { object: "error", message: "The input (9000 tokens) is longer than the model's context length (8192 tokens).", code: 400 },
    },
    {
      source: `${SGLANG}/tokenizer_manager.py`,
      error: {
        message:
          "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9000 tokens: 8000 tokens from the input messages and 1000 tokens for the completion.",
      },
    },
    {
      source: `${SGLANG}/utils.py`,
      error: { message: "Input length (9000 tokens) exceeds the maximum allowed length (8186 tokens). Use a shorter input." },
    },
    {
      source: "https://github.com/rllm-team/rllm/issues/55",
      error: { message: "Requested tokens (516) exceed context window of 512" },
    },
    { source: `${SGLANG}/scheduler.py`, error: { message: "Multimodal prompt is too long after expanding multimodal tokens." } },
    { source: TGI, status: 422, error: "Input validation error: `inputs` must have less than 4096 tokens. Given: 4545" },
  ];

  /** Similar messages with a different meaning. */
  const NOT_CONTEXT: readonly Message[] = [
    {
      source: "https://github.com/Alishahryar1/free-claude-code/issues/955",
      error: invalid(
        "max_completion_tokens must be less than or equal to 40960, the maximum value for max_completion_tokens is less than the context_window for this model",
        { param: "max_completion_tokens" },
      ),
    },
    {
      source: "https://github.com/RooCodeInc/Roo-Code/issues/5729",
      error: invalid(
        "`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window` for this model",
      ),
    },
    {
      source: "https://github.com/tailcallhq/forgecode/issues/1185",
      error: invalid("max_tokens is too large: 20480. This model supports at most 16384 completion tokens, whereas you provided 20480."),
    },
    {
      source: "https://github.com/huggingface/transformers/issues/28523",
      status: 422,
      error: "Input validation error: `max_new_tokens` must be <= 192. Given: 250",
    },
    {
      source: "https://github.com/aws-samples/bedrock-access-gateway/issues/41",
      error: {
        message:
          "The maximum tokens you requested exceeds the model limit of 2048. Try again with a maximum tokens value that is lower than 2048.",
      },
    },
    {
      source: "https://github.com/deepseek-ai/DeepSeek-V3/issues/69",
      error: invalid("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"),
    },
    {
      source: "https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/exception_mapping_utils.py",
      error: invalid(
        "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 100 instead.",
        {
          code: "string_above_max_length",
        },
      ),
    },
  ];

  function codeOf(status: number, error: unknown, presetId?: PresetId): string {
    if (presetId === "bedrock-converse") return bedrockRefusal(status, new Headers(), JSON.stringify(error)).code;
    const body = JSON.stringify({ error });
    if (presetId === "gemini") return geminiRefusal(status, new Headers(), body).code;
    if (presetId === "anthropic") return anthropicRefusal(status, new Headers(), body).code;
    return refusalOf(status, new Headers(), readErrorBody(body)).code;
  }

  describe("a prompt beyond the context window is context_length_exceeded", () => {
    test.each(PRESET_IDS)("at %s", (id) => {
      for (const { source, status = 400, error } of OF_PRESETS[id]) {
        expect({ source, code: codeOf(status, error, id) }).toEqual({ source, code: "context_length_exceeded" });
      }
    });

    test("at servers without a preset", () => {
      for (const { source, status = 400, error } of OF_OTHERS) {
        expect({ source, code: codeOf(status, error) }).toEqual({ source, code: "context_length_exceeded" });
      }
    });
  });

  test("an error inside a 200 is context_length_exceeded too, as llama.cpp streams it", () => {
    // https://github.com/oobabooga/textgen/issues/7257
    const error = {
      code: 400,
      message: "the request exceeds the available context size. try increasing the context size or enable context shift",
      type: "exceed_context_size_error",
    };
    const refusal = refusalInside(readError(error));
    expect([refusal.code, refusal.fault]).toEqual(["context_length_exceeded", undefined]);
  });

  test("errors about max tokens, parameter lengths and token rate limits are not", () => {
    for (const { source, status = 400, error } of NOT_CONTEXT) {
      expect({ source, code: codeOf(status, error) }).toEqual({ source, code: "invalid_value" });
    }
    // Bedrock's ThrottlingException, and OpenAI's token rate limit.
    expect(codeOf(429, { message: "Too many tokens, please wait before trying again." })).toBe("overloaded");
    expect(codeOf(429, invalid("Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000."))).toBe(
      "overloaded",
    );
  });
});
