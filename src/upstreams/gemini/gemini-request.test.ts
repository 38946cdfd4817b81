import { describe, expect, test } from "bun:test";
import { BETA, refusalOf, requestFor, sentFor, VERTEX } from "../../../test/dialects/gemini-call.ts";
import { toTools } from "./gemini-request.ts";

describe("the URL", () => {
  test("has the model, and another method for streams", () => {
    expect(requestFor({}).path).toBe("/models/gemini-3.5-flash:generateContent");
    expect(requestFor({ stream: true }).path).toBe("/models/gemini-3.5-flash:streamGenerateContent?alt=sse");
  });

  const PLACES = [
    { name: "models/gemini-3.5-flash", path: "/models/gemini-3.5-flash" },
    { name: "tunedModels/mine", path: "/tunedModels/mine" },
    { name: "publishers/google/models/gemini-3.5-flash", path: "/publishers/google/models/gemini-3.5-flash" },
    { name: "tunedModels/a?b#c", path: "/tunedModels/a%3Fb%23c" },
    { name: "a:b?c#d e%2f", path: "/models/a%3Ab%3Fc%23d%20e%252f" },
    { name: "../files/secret", path: "/models/..%2Ffiles%2Fsecret" },
    { name: "models/../../files", path: "/models/models%2F..%2F..%2Ffiles" },
    { name: "a/./b", path: "/models/a%2F.%2Fb" },
    { name: "//host/x", path: "/models/%2F%2Fhost%2Fx" },
    { name: "..", path: "/models/.." },
    { name: "\ud800", path: "/models/%EF%BF%BD" },
  ];

  test.each(PLACES)("of $name allows no path traversal", ({ name, path }) => {
    const request = requestFor({}, { upstreamModel: name });
    expect(request.path).toBe(`${path}:generateContent`);
    const url = new URL(`${BETA}${request.path}`);
    expect(url.href).toBe(`${BETA}${request.path}`);
  });
});

test("sends the credential in its header, and no headers of the caller", () => {
  expect(requestFor({}).headers).toEqual({ accept: "application/json", "user-agent": "tollgate", "x-goog-api-key": "google-credential" });
  expect(requestFor({ stream: true }, { credential: undefined }).headers).toEqual({
    accept: "text/event-stream",
    "user-agent": "tollgate",
  });
});

test("translates a minimal request", () => {
  expect(sentFor({ user: "u", metadata: {}, temperature: null })).toEqual({ contents: [{ role: "user", parts: [{ text: "Hello!" }] }] });
});

test("does not send dropped parameters, and sends renamed ones under their new name", () => {
  const parameterMapping = { dropped: ["temperature"], renamed: { creativity: "top_p" } };
  expect(sentFor({ temperature: 1, creativity: 0.5 }, { parameterMapping }).generationConfig).toEqual({ topP: 0.5 });
});

describe("a conversation", () => {
  const system = { role: "system", content: "Be kind." };
  const answer = { role: "assistant", content: "Hi." };

  test("of system messages only is sent as a user turn", () => {
    expect(sentFor({ messages: [system] })).toEqual({ contents: [{ role: "user", parts: [{ text: "Be kind." }] }] });
  });

  test("that starts with the assistant gets a blank user turn before it", () => {
    expect(sentFor({ messages: [system, answer] })).toEqual({
      systemInstruction: { parts: [{ text: "Be kind." }] },
      contents: [
        { role: "user", parts: [{ text: " " }] },
        { role: "model", parts: [{ text: "Hi." }] },
      ],
    });
  });

  test("without any content is rejected", () => {
    expect(refusalOf(() => sentFor({ messages: [{ role: "user", content: "" }] }))).toEqual(["invalid_value", "messages"]);
  });

  test("with Gemma has its system messages in the first turn", () => {
    const messages = [system, { role: "user", content: "Hello!" }];
    const contents = [{ role: "user" as const, parts: [{ text: "Be kind." }, { text: "Hello!" }] }];
    expect(sentFor({ messages }, { upstreamModel: "gemma-3-27b-it" })).toEqual({ contents });
    expect(sentFor({ messages: [system, answer] }, { upstreamModel: "gemma-3-27b-it" }).contents[0]).toEqual({
      role: "user",
      parts: [{ text: "Be kind." }],
    });
  });
});

const CALL = { id: "c1", type: "function", function: { name: "weather", arguments: "{}" } };
const RESULT = { role: "tool", tool_call_id: "c1", content: "{}" };
const signed = { ...CALL, extra_content: { google: { thought_signature: "c2ln" } } };

/** The thought signatures of the calls in the request. */
function signaturesOf(messages: object[], upstreamModel: string): (string | undefined)[] {
  const parts = sentFor({ messages }, { upstreamModel }).contents.flatMap((content) => content.parts);
  return parts.filter(({ functionCall }) => functionCall).map(({ thoughtSignature }) => thoughtSignature);
}

describe("the thought signature of a call", () => {
  const ask = { role: "user", content: "Rain?" };
  const STAND_IN = "skip_thought_signature_validator";

  test("is sent back with its call", () => {
    expect(signaturesOf([ask, { role: "assistant", tool_calls: [signed, CALL] }, RESULT], "gemini-3-pro-preview")).toEqual([
      "c2ln",
      undefined,
    ]);
    expect(signaturesOf([ask, { role: "assistant", tool_calls: [signed] }, RESULT], "gemini-2.5-flash")).toEqual(["c2ln"]);
  });

  test("that is lost is replaced on the first call of each step, in the current turn only", () => {
    const step = { role: "assistant", tool_calls: [CALL, { ...CALL, id: "c2" }] };
    const history = [ask, step, RESULT, { role: "assistant", content: "No." }, ask, step, RESULT, step, RESULT];
    const expected = [undefined, undefined, STAND_IN, undefined, STAND_IN, undefined];
    for (const model of ["gemini-3.1-pro", "models/gemini-4-ultra", "gemini-flash-latest", "publishers/google/models/gemini-3-flash"]) {
      expect(signaturesOf(history, model)).toEqual(expected);
    }
  });

  test("is not replaced for models that do not require one", () => {
    for (const model of ["gemini-2.5-pro", "gemini-2.0-flash", "gemma-4-31b-it", "tunedModels/gemini"]) {
      expect(signaturesOf([ask, { role: "assistant", tool_calls: [CALL] }, RESULT], model)).toEqual([undefined]);
    }
  });
});

test("sends call ids to the Gemini API's beta only, because other endpoints reject the field", () => {
  const messages = [{ role: "user", content: "Rain?" }, { role: "assistant", tool_calls: [CALL] }, RESULT];
  const idsAt = (baseUrl: string): unknown[] =>
    sentFor({ messages }, {}, baseUrl).contents.flatMap(({ parts }) =>
      parts.flatMap(({ functionCall, functionResponse }) =>
        (functionCall ?? functionResponse) ? [(functionCall ?? functionResponse)!.id] : [],
      ),
    );
  expect(idsAt(`${BETA}/`)).toEqual(["c1", "c1"]);
  expect(idsAt(VERTEX)).toEqual([undefined, undefined]);
  expect(idsAt("https://generativelanguage.googleapis.com/v1")).toEqual([undefined, undefined]);
});

describe("gemini tools", () => {
  const parameters = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: { city: { type: "string" } } };
  const weather = { type: "function", function: { name: "weather", description: "The weather.", parameters, strict: true } };
  const time = { type: "function", function: { name: "time" } };
  const tools = [weather, time];
  const named = (name: string): object => ({ type: "function", function: { name } });

  test("declares functions with unchanged schemas", () => {
    expect(toTools({ tools })).toEqual({
      tools: [
        { functionDeclarations: [{ name: "weather", description: "The weather.", parametersJsonSchema: parameters }, { name: "time" }] },
      ],
    });
    expect(toTools({ tools: [] })).toEqual({});
    expect(toTools({})).toEqual({});
  });

  describe("tool_choice", () => {
    const CHOICES: [unknown, object][] = [
      ["auto", { mode: "AUTO" }],
      ["none", { mode: "NONE" }],
      ["required", { mode: "ANY" }],
      [named("time"), { mode: "ANY", allowedFunctionNames: ["time"] }],
      [
        { type: "allowed_tools", allowed_tools: { mode: "required", tools: [named("time"), named("weather")] } },
        { mode: "ANY", allowedFunctionNames: ["time", "weather"] },
      ],
      [
        { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [named("time")] } },
        { mode: "VALIDATED", allowedFunctionNames: ["time"] },
      ],
    ];
    test.each(CHOICES)("%j", (choice, functionCallingConfig) => {
      expect(toTools({ tools, tool_choice: choice }).toolConfig).toEqual({ functionCallingConfig });
    });

    test("without tools is omitted", () => {
      expect(toTools({ tool_choice: "auto" })).toEqual({});
      expect(toTools({ tools: [], tool_choice: "none" })).toEqual({});
    });
  });

  describe("unsupported tools are rejected with their path", () => {
    const REFUSED: [Record<string, unknown>, string, string][] = [
      [{ tools: [time, { type: "custom", custom: { name: "shell" } }] }, "unsupported_parameter", "tools[1]"],
      [{ tools: [{ type: "web_search" }] }, "unsupported_parameter", "tools[0]"],
      [{ tools: [{ type: "function", function: {} }] }, "invalid_value", "tools[0].function.name"],
      [{ tools: [{ type: "function" }] }, "invalid_value", "tools[0].function.name"],
      [{ tools: [{ type: "function", function: { name: "f", parameters: "{}" } }] }, "invalid_value", "tools[0].function.parameters"],
      [{ tool_choice: "required" }, "invalid_value", "tool_choice"],
      [{ tools, tool_choice: "sometimes" }, "unsupported_parameter", "tool_choice"],
      [{ tools, tool_choice: { type: "custom", custom: { name: "shell" } } }, "unsupported_parameter", "tool_choice"],
      [{ tools, tool_choice: named("other") }, "invalid_value", "tool_choice.function.name"],
      [{ tools, tool_choice: { type: "allowed_tools" } }, "invalid_value", "tool_choice.allowed_tools.tools"],
      [
        { tools, tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [time, named("other")] } } },
        "invalid_value",
        "tool_choice.allowed_tools.tools[1].function.name",
      ],
    ];
    test.each(REFUSED)("%j", (fields, code, param) => expect(refusalOf(() => toTools(fields))).toEqual([code, param]));
  });
});
