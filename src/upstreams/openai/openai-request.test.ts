import * as fc from "fast-check";
import { describe, expect, test } from "bun:test";
import { callOf, chatOf, sentText } from "../../../test/support/upstreams/upstream-call.ts";
import { remoteAt } from "../../models/declared-upstream.ts";
import { parameterRules } from "../../models/parameters/dialect-parameters.ts";
import type { ParameterPolicy } from "../../models/parameters/parameter-policy.ts";
import { mapParameters } from "../../requests/map-parameters.ts";
import { PRESET_IDS, presetOf, type PresetId } from "../../models/presets.ts";
import { Secret } from "../../lib/secret/secret.ts";
import type { UpstreamCall } from "../upstream.ts";
import { headersFor } from "./openai-dialect.ts";
import { modelsPathFor, pathFor, toOpenAIRequest, adaptMessages } from "./openai-request.ts";
import type { Quirks } from "../../models/preset.ts";

const HELLO = [{ role: "user", content: "Hello" }];

interface SendOptions {
  readonly preset?: PresetId;
  readonly maxTokens?: number;
  /** The operator's parameter policy. */
  readonly policy?: ParameterPolicy;
}

const at = (preset: PresetId | undefined) => remoteAt("upstream", preset, { baseUrl: "https://a.test/v1", allowPrivate: false }, []);

/** The call for this exact body text. */
function callWith(text: string, more: Partial<UpstreamCall>): UpstreamCall {
  return callOf(chatOf(JSON.parse(text) as Record<string, unknown>, text), { upstreamModel: "theirs", ...more });
}

/** The body that is sent for this call. */
function textSent(text: string, { preset, maxTokens, policy = {} }: SendOptions = {}): string {
  const settings = at(preset);
  const parameterMapping = mapParameters(JSON.parse(text) as Record<string, unknown>, parameterRules(settings, "their-model"), policy);
  return sentText({ body: toOpenAIRequest(callWith(text, { parameterMapping, maxTokens }), settings) });
}

/** The fields that are sent for this body, without the model and the messages. */
function sent(body: Record<string, unknown>, sending: SendOptions = {}): Record<string, unknown> {
  const request = JSON.parse(textSent(JSON.stringify({ model: "m", messages: HELLO, ...body }), sending)) as Record<string, unknown>;
  expect(request).toMatchObject({ model: "theirs", messages: HELLO });
  const { model: _model, messages: _messages, ...rest } = request;
  return rest;
}

const LONG = { type: "ephemeral", ttl: "1h" };
const SHORT = { type: "ephemeral" };

function messagesWith(breakpoint: object): object[] {
  return [
    { role: "system", content: [{ type: "text", text: "Be brief.", cache_control: breakpoint }] },
    { role: "user", content: "Hello", cache_control: breakpoint },
    { role: "user", content: [{ type: "tool_result", content: [{ type: "text", text: "x", cache_control: breakpoint }] }] },
  ];
}

function toolsWith(breakpoint: object): object[] {
  return [{ type: "function", function: { name: "f", cache_control: breakpoint } }];
}

function bodyWith(breakpoint: object): object {
  return {
    model: "theirs",
    messages: messagesWith(breakpoint),
    tools: toolsWith(breakpoint),
    cache_control: breakpoint,
  };
}

describe("prompt-cache breakpoints lose their ttl, which is not priced", () => {
  test("in OpenAI's fields, too", () => {
    const caching = (more: object): object => ({ mode: "explicit", ...more });
    const body = (more: object): Record<string, unknown> => ({
      model: "m",
      messages: [{ role: "user", content: [{ type: "text", text: "x", prompt_cache_breakpoint: caching(more) }] }],
      prompt_cache_options: caching(more),
    });
    expect(JSON.parse(textSent(JSON.stringify(body({ ttl: "12h" }))))).toEqual({ ...body({}), model: "theirs" });
  });

  test("in messages, tools and at the top", () => {
    expect(JSON.parse(textSent(JSON.stringify(bodyWith(LONG))))).toEqual(bodyWith(SHORT));
    expect(JSON.parse(textSent(JSON.stringify(bodyWith(LONG)), { preset: "mistral" }))).toMatchObject({ messages: messagesWith(SHORT) });
  });

  test("also where the name is written with escapes", () => {
    const text = JSON.stringify(bodyWith(LONG)).replaceAll("cache_control", "cache\\u005fcontrol");
    expect(JSON.parse(textSent(text))).toEqual(bodyWith(SHORT));
  });

  test("and nothing else is changed", () => {
    const text = JSON.stringify({ model: "m", messages: messagesWith(SHORT), metadata: { ttl: "1h" }, temperature: 1.0 }, null, 2);
    expect(textSent(text)).toBe(text.replace('"m"', '"theirs"'));
  });
});

describe("the gateway's max tokens", () => {
  test("replace every limit of the caller", () => {
    expect(sent({ max_tokens: 9 }, { maxTokens: 5 })).toEqual({ max_tokens: 5 });
    expect(sent({ max_completion_tokens: 9 }, { maxTokens: 5 })).toEqual({ max_completion_tokens: 5 });
    // An unknown upstream may use either of the two names.
    expect(sent({ max_completion_tokens: 1, max_tokens: 9 }, { maxTokens: 5 })).toEqual({ max_completion_tokens: 5, max_tokens: 5 });
  });

  test("use the upstream's parameter name where the caller has none", () => {
    expect(sent({}, { maxTokens: 5 })).toEqual({ max_tokens: 5 });
    expect(sent({}, { maxTokens: 5, preset: "openai" })).toEqual({ max_completion_tokens: 5 });
    expect(sent({ max_tokens: null }, { maxTokens: 5, preset: "openai" })).toEqual({ max_completion_tokens: 5 });
    expect(sent({})).toEqual({});
  });

  test("reach every preset under a name that it supports, whatever the caller used", () => {
    for (const preset of PRESET_IDS.filter((id) => presetOf(id).dialect === "openai")) {
      const { parameters = {} } = presetOf(preset).quirks ?? {};
      for (const body of [{}, { max_tokens: 9 }, { max_completion_tokens: 9 }, { max_tokens: 9, max_completion_tokens: 8 }]) {
        const names = Object.keys(sent(body, { preset, maxTokens: 5 }));
        expect([preset, names.length > 0, names.filter((name) => Object.hasOwn(parameters, name))]).toEqual([preset, true, []]);
      }
    }
  });
});

describe("parameters", () => {
  const cases: [string, SendOptions, Record<string, unknown>, Record<string, unknown>][] = [
    ["go by the server's name", { preset: "mistral" }, { seed: 7, max_completion_tokens: 5 }, { random_seed: 7, max_tokens: 5 }],
    [
      "stay where both names are given and one is right",
      { preset: "deepseek" },
      { max_completion_tokens: 5, max_tokens: 6 },
      { max_tokens: 6 },
    ],
    ["are not there twice for a null", { preset: "mistral" }, { max_tokens: null, max_completion_tokens: 5 }, { max_tokens: 5 }],
    ["are omitted if they are overlooked anyway", { preset: "ollama" }, { n: 2, temperature: 1 }, { temperature: 1 }],
    ["are omitted if they are refused and say nothing", { preset: "groq" }, { n: 1, logprobs: false, top_p: 1 }, { top_p: 1 }],
    ["are omitted as null if they are not known", { preset: "mistral" }, { user: null, logit_bias: null, stop: null }, { stop: null }],
    [
      "follow the operator's word before the preset's",
      { preset: "groq", policy: { n: "pass", top_p: "drop" } },
      { n: 2, top_p: 1 },
      { n: 2 },
    ],
    ["go under the operator's name", { policy: { top_k: { rename: "k" } } }, { top_k: 3 }, { k: 3 }],
    [
      "are all passed where nothing is known",
      {},
      { seed: 7, logprobs: true, anything: { else: 1 } },
      { seed: 7, logprobs: true, anything: { else: 1 } },
    ],
  ];
  test.each(cases)("%s", (_, sending, body, wanted) => {
    expect(sent(body, sending)).toEqual(wanted);
  });

  test("that a server does not support are rejected before it is called", () => {
    expect(() => sent({ logprobs: true }, { preset: "groq" })).toThrow("logprobs is not supported by this model.");
    expect(() => sent({ n: 2 }, { preset: "groq" })).toThrow("n is not supported by this model.");
  });
});

describe("include_usage", () => {
  test("is added to the caller's stream_options", () => {
    expect(sent({ stream: true })).toEqual({ stream: true, stream_options: { include_usage: true } });
    const asked = { stream: true, stream_options: { include_obfuscation: false } };
    expect(sent(asked)).toEqual({ stream: true, stream_options: { include_obfuscation: false, include_usage: true } });
  });

  test("is not sent to a server that rejects it and always sends usage", () => {
    expect(sent({ stream: true }, { preset: "mistral" })).toEqual({ stream: true });
    expect(sent({ stream: true, stream_options: { include_usage: true } }, { preset: "mistral" })).toEqual({ stream: true });
  });
});

test("changes no other byte, with or without a preset", () => {
  const field = fc.tuple(fc.constantFrom("temperature", "stop", "extra"), fc.jsonValue());
  fc.assert(
    fc.property(
      fc.array(field),
      fc.constantFrom(undefined, 1, "\t"),
      fc.constantFrom<(PresetId | undefined)[]>(undefined, "groq", "mistral"),
      (some, indent, preset) => {
        const text = JSON.stringify({ ...Object.fromEntries(some), model: "m", messages: HELLO }, null, indent);
        expect(textSent(text, preset ? { preset } : {})).toBe(text.replace(/"model":( ?)"m"/, '"model":$1"theirs"'));
      },
    ),
  );
  const odd = ' { "model" : "m" ,"messages":[{"role":"user","content":"\\u0048i"}], "seed":12345678901234567890 ,"t":1.0}';
  expect(textSent(odd)).toBe(odd.replace('"m"', '"theirs"'));
  expect(textSent(odd, { preset: "mistral" })).toBe(odd.replace('"m"', '"theirs"').replace("seed", "random_seed"));
  expect(textSent(odd, { policy: { t: "drop" } })).toBe(odd.replace('"m"', '"theirs"').replace(' ,"t":1.0', ""));
});

test("puts Azure's deployment and API version into the path", () => {
  const deployment = callOf(chatOf({ messages: HELLO }), { upstreamModel: "my deployment/1" });
  expect(pathFor(deployment, at("azure-deployments"))).toBe("/deployments/my%20deployment%2F1/chat/completions?api-version=2024-10-21");
  expect(modelsPathFor(at("azure-deployments"))).toBe("/models?api-version=2024-10-21");
  expect(pathFor(deployment, at("azure"))).toBe("/chat/completions");
  expect(pathFor(deployment, { ...at("azure"), apiVersion: "preview" })).toBe("/chat/completions?api-version=preview");
  const chosen = { ...at("azure-deployments"), apiVersion: "2025-04-01-preview" };
  expect(pathFor(deployment, chosen)).toEndWith("/chat/completions?api-version=2025-04-01-preview");
  expect(modelsPathFor(chosen)).toBe("/models?api-version=2025-04-01-preview");
  expect(modelsPathFor(at(undefined))).toBe("/models");
});

function headersWith(preset: PresetId | undefined, credential: string): Record<string, string> {
  return headersFor(at(preset), new Secret(credential), "application/json");
}

test("sends the credential in the header that the server expects", () => {
  expect(headersWith(undefined, "secret")).toMatchObject({ authorization: "Bearer secret" });
  expect(headersWith("azure", "secret")).toEqual({ accept: "application/json", "user-agent": "tollgate", "api-key": "secret" });
  // An Entra ID token.
  expect(headersWith("azure", "eyJhbGciOi.eyJzdWIi.c2ln")).toMatchObject({ authorization: "Bearer eyJhbGciOi.eyJzdWIi.c2ln" });
});

describe("adapt messages", () => {
  const mistral = presetOf("mistral").quirks!;
  const deepseek = presetOf("deepseek").quirks!;
  const xai = presetOf("xai").quirks!;

  type Message = Record<string, unknown>;

  const cases: [string, Quirks, Message, Message][] = [
    [
      "a field that is refused in every message",
      mistral,
      { role: "assistant", content: "a", reasoning_content: "b" },
      { role: "assistant", content: "a" },
    ],
    ["a name where only tools have one", mistral, { role: "user", content: "a", name: "ann" }, { role: "user", content: "a" }],
    ["a name where only users have one", xai, { role: "assistant", content: "a", name: "bot" }, { role: "assistant", content: "a" }],
    ["a developer where there is none", deepseek, { role: "developer", content: "a" }, { role: "system", content: "a" }],
    [
      "text in parts",
      deepseek,
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b", cache_control: {} },
        ],
      },
      { role: "user", content: "a\nb" },
    ],
  ];
  test.each(cases)("adapts %s", (_, quirks, message, wanted) => {
    const before = { role: "user", content: "untouched" };
    expect(adaptMessages({ messages: [before, message] }, quirks)).toEqual([before, wanted]);
  });

  const untouched: [string, Quirks, Message][] = [
    ["a name of a tool, at a server that takes those", mistral, { role: "tool", content: "a", tool_call_id: "abcDEF123", name: "f" }],
    ["a name of a user, at a server that takes those", xai, { role: "user", content: "a", name: "ann" }],
    ["reasoning, at a server that wants it back", deepseek, { role: "assistant", content: "a", reasoning_content: "b" }],
    [
      "an image",
      deepseek,
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "image_url", image_url: { url: "https://a.test" } },
        ],
      },
    ],
    ["an id that fits", mistral, { role: "assistant", content: null, tool_calls: [{ id: "abcDEF123", type: "function" }] }],
    ["everything, at a server without quirks", {}, { role: "developer", content: [{ type: "text", text: "a" }], name: "n" }],
  ];
  test.each(untouched)("does not change %s", (_, quirks, message) => {
    expect(adaptMessages({ messages: [message] }, quirks)).toBeUndefined();
  });

  test("shortens tool call ids, and a call and its result still match", () => {
    const calls = ["call_abcdefghijklmnopqrstuvwx", "abcDEF123", "toolu_01"].map((id) => ({
      id,
      type: "function",
      function: { name: "f" },
    }));
    const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "done" }));
    const changed = adaptMessages({ messages: [{ role: "assistant", content: null, tool_calls: calls }, ...results] }, mistral)!;
    const ids = (changed[0]!["tool_calls"] as { id: string }[]).map(({ id }) => id);
    expect(changed.slice(1).map((message) => message["tool_call_id"])).toEqual(ids);
    expect(ids[1]).toBe("abcDEF123");
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z\d]{9}$/);
    // The next turn of the conversation, handled by another process, gets the same ids.
    expect(adaptMessages({ messages: [results[0]!] }, mistral)).toEqual([{ ...results[0]!, tool_call_id: ids[0] }]);
  });
});
