import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import * as fc from "fast-check";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** A proxy that does not exist: if the gateway sent its calls through it, no test here would pass. */
const NOWHERE = { HTTP_PROXY: "http://127.0.0.1:1", http_proxy: "http://127.0.0.1:1", NO_PROXY: "", no_proxy: "" };

let mock: MockUpstream;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  mock = startMockUpstream({ "up-m": () => Response.json(completion()) });
  gateway = await startGateway({ yaml: configFor(mock.baseUrl, ["m"]), env: { TOLLGATE_MAX_BODY_BYTES: "1000000", ...NOWHERE } });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

function post(body: string | Uint8Array | ReadableStream, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body,
  });
}

const HI = { role: "user", content: "hi" };
const ask = (more: object): Promise<Response> => post(JSON.stringify({ model: "m", messages: [HI], ...more }));

async function errorOf(reply: Response): Promise<{ message: string; type: string; param: string | null; code: string }> {
  expect(reply.headers.get("x-request-id")).toMatch(/^req_[0-9a-f-]{36}$/);
  expect(reply.headers.get("content-type")).toContain("application/json");
  const body = (await reply.json()) as { error: { message: string; type: string; param: string | null; code: string } };
  expect(Object.keys(body)).toEqual(["error"]);
  expect(Object.keys(body.error).toSorted()).toEqual(["code", "message", "param", "type"]);
  return body.error;
}

describe("an invalid field is a 400 that names it", () => {
  const cases: [object, string, string][] = [
    [{ model: undefined }, "model", "missing_required_parameter"],
    [{ model: null }, "model", "invalid_value"],
    [{ model: "" }, "model", "invalid_value"],
    [{ model: 7 }, "model", "invalid_value"],
    [{ messages: undefined }, "messages", "missing_required_parameter"],
    [{ messages: [] }, "messages", "invalid_value"],
    [{ messages: "hi" }, "messages", "invalid_value"],
    [{ messages: [HI, HI, { role: "robot", content: "x" }] }, "messages[2].role", "invalid_value"],
    [{ messages: [{ content: "x" }] }, "messages[0].role", "missing_required_parameter"],
    [{ messages: [{ role: "user" }] }, "messages[0].content", "missing_required_parameter"],
    [{ messages: [HI, { role: "assistant", content: null }] }, "messages[1].content", "missing_required_parameter"],
    [{ messages: [{ role: "user", content: 1 }] }, "messages[0].content", "invalid_value"],
    [{ messages: [{ role: "user", content: [] }] }, "messages[0].content", "invalid_value"],
    [{ messages: [{ role: "user", content: [{ text: "x" }] }] }, "messages[0].content[0].type", "missing_required_parameter"],
    [{ messages: [{ role: "user", content: [{ type: "text", text: 1 }] }] }, "messages[0].content[0].text", "invalid_value"],
    [{ messages: ["hi"] }, "messages[0]", "invalid_value"],
    [{ max_tokens: 0 }, "max_tokens", "invalid_value"],
    [{ max_tokens: 1.5 }, "max_tokens", "invalid_value"],
    [{ max_tokens: "1" }, "max_tokens", "invalid_value"],
    [{ max_completion_tokens: -1 }, "max_completion_tokens", "invalid_value"],
    [{ temperature: -0.1 }, "temperature", "invalid_value"],
    [{ temperature: 2.1 }, "temperature", "invalid_value"],
    [{ temperature: "1" }, "temperature", "invalid_value"],
    [{ top_p: 1.01 }, "top_p", "invalid_value"],
    [{ top_p: -1 }, "top_p", "invalid_value"],
    [{ stream: "true" }, "stream", "invalid_value"],
    [{ stream: 1 }, "stream", "invalid_value"],
    [{ stream: true, stream_options: [] }, "stream_options", "invalid_value"],
    [{ stream: true, stream_options: { include_usage: "yes" } }, "stream_options.include_usage", "invalid_value"],
    [{ n: 0 }, "n", "invalid_value"],
    [{ tools: {} }, "tools", "invalid_value"],
    [{ tools: [{}] }, "tools[0].type", "missing_required_parameter"],
    [{ tool_choice: 1 }, "tool_choice", "invalid_value"],
    [{ response_format: "json" }, "response_format", "invalid_value"],
    [{ messages: Array.from({ length: 10_001 }, () => HI) }, "messages", "invalid_value"],
    // Servers written in Go would match these names with the fields that Tollgate evaluates.
    [{ MODEL: "llama:405b" }, "MODEL", "invalid_value"],
    [{ max_tokens: 5, Max_Tokens: 5_000_000 }, "Max_Tokens", "invalid_value"],
    [{ "max_to\u212aens": 5_000_000 }, "max_to\u212aens", "invalid_value"],
    [{ "\u017ftream": true }, "\u017ftream", "invalid_value"],
    [{ Stop: "x" }, "Stop", "invalid_value"],
    [{ N_Predict: 700 }, "N_Predict", "invalid_value"],
    [{ messages: [{ ...HI, Content: "another" }] }, "messages[0].Content", "invalid_value"],
    [{ messages: [{ role: "user", content: [{ type: "text", text: "a", TEXT: "b" }] }] }, "messages[0].content[0].TEXT", "invalid_value"],
    ...(
      [
        ["VIDEO_URL", { type: "video_url", video_url: "", VIDEO_URL: "https://x.test/a.mp4" }],
        ["audio_url.URL", { type: "audio_url", audio_url: { url: "data:,", URL: "https://x.test/a.mp3" } }],
        ["source.Data", { type: "image", source: { type: "base64", data: "AAAA", Data: "BBBB" } }],
        ["Source", { type: "image", Source: {} }],
        ["Input_Image", { type: "text", text: "a", Input_Image: "https://x.test/a.png" }],
        ["INPUT_TEXT", { type: "input_text", text: "a", INPUT_TEXT: "b" }],
        ["Thin\u212aing", { type: "thinking", thinking: "a", "Thin\u212aing": "b" }],
        ["File_Id", { type: "text", text: "a", File_Id: "file-1" }],
      ] as const
    ).map(([name, part]): [object, string, string] => [
      { messages: [{ role: "user", content: [part] }] },
      `messages[0].content[0].${name}`,
      "invalid_value",
    ]),
    [{ messages: [{ ...HI, Function_Call: {} }] }, "messages[0].Function_Call", "invalid_value"],
    [{ messages: [{ ...HI, Reasoning_Content: "x" }] }, "messages[0].Reasoning_Content", "invalid_value"],
    [{ stream_options: { Include_Usage: false } }, "stream_options.Include_Usage", "invalid_value"],
    [{ tools: [{ type: "function", Type: "web_search" }] }, "tools[0].Type", "invalid_value"],
    [{ response_format: { type: "json_object", TYPE: "text" } }, "response_format.TYPE", "invalid_value"],
    // Each of these is another name of a limit or a model at some server.
    [{ n_predict: 700 }, "n_predict", "unsupported_parameter"],
    [{ options: { num_predict: 700 } }, "options", "unsupported_parameter"],
    [{ models: ["a", "b"] }, "models", "unsupported_parameter"],
    [{ tools: [{ type: "live_search" }] }, "tools", "unsupported_parameter"],
  ];
  for (const [more, param, code] of cases) {
    test(`${JSON.stringify(more).slice(0, 80)} → ${param}`, async () => {
      const reply = await ask(more);
      expect(reply.status).toBe(400);
      expect(await errorOf(reply)).toMatchObject({ type: "invalid_request_error", param, code });
    });
  }
});

describe("an ambiguous body (parser differential) is a 400 that names the field", () => {
  const cases: [string, string][] = [
    ['{"model":"m","messages":[{"role":"user","content":"hi"}],"model":"other"}', "model"],
    ['{"model":"m","messages":[{"role":"user","content":"hi","content":"other"}]}', "messages[0].content"],
    ['{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a","t\\u0065xt":"b"}]}]}', "messages[0].content[0].text"],
    ['{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","type":"x"}]}', "tools[0].type"],
    [
      `{"model":"m","messages":[{"role":"user","content":"hi","${"x".repeat(300)}":1,"${"x".repeat(300)}":2}]}`,
      `messages[0].${"x".repeat(188)}`,
    ],
  ];
  for (const [body, param] of cases) {
    test(body, async () => {
      const reply = await post(body);
      expect(reply.status).toBe(400);
      const error = await errorOf(reply);
      expect(error).toMatchObject({ param, code: "invalid_value" });
      expect(error.message).toContain("is given twice");
    });
  }
});

describe("optional fields that clients send are accepted", () => {
  const cases: [string, object][] = [
    [
      "names of any case in free-form objects",
      {
        metadata: { Model: "x", MODEL: "y" },
        tools: [
          { type: "function", function: { name: "f", parameters: { type: "object", properties: { Content: {}, content: {} }, Type: 1 } } },
        ],
        response_format: { type: "json_schema", json_schema: { name: "s", schema: { Type: "object", NAME: 1 } } },
      },
    ],
    ["bounds, inclusive", { max_tokens: 1, temperature: 2, top_p: 1 }],
    ["zero bounds", { temperature: 0, top_p: 0 }],
    [
      "null for absent",
      { max_tokens: null, temperature: null, top_p: null, stream: null, stop: null, tools: null, n: null, user: null, tool_choice: null },
    ],
    [
      "content parts",
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "x" },
              { type: "image_url", image_url: { url: "data:," } },
            ],
          },
        ],
      },
    ],
    [
      "content parts of other interfaces",
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "video_url", video_url: { url: "https://x.test/a.mp4" } },
              { type: "audio_url", audio_url: "https://x.test/a.mp3" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
              { type: "document", source: "x" },
              { type: "thinking", thinking: [{ type: "text", text: "x" }], uuid: null },
            ],
          },
        ],
      },
    ],
    ["an image by its bare address", { messages: [{ role: "user", content: [{ type: "image_url", image_url: "https://x.test/a.png" }] }] }],
    [
      "developer, tool and function roles",
      {
        messages: [
          { role: "developer", content: "x" },
          { role: "tool", tool_call_id: "c", content: "x" },
          { role: "function", name: "f", content: "x" },
          HI,
        ],
      },
    ],
    [
      "an assistant that only called tools",
      {
        messages: [
          HI,
          { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] },
          { role: "tool", tool_call_id: "c", content: "1" },
        ],
      },
    ],
    [
      "the same without the content field",
      { messages: [HI, { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] }] },
    ],
    [
      "tools, response_format, n, stop",
      {
        tools: [{ type: "function", function: { name: "f", parameters: {} } }],
        tool_choice: { type: "function", function: { name: "f" } },
        response_format: { type: "json_schema", json_schema: {} },
        n: 2,
        stop: ["a"],
        seed: 1,
        logprobs: true,
        top_logprobs: 2,
      },
    ],
    ["fields nobody knows", { reasoning_effort: "xhigh", x: { y: [1] }, __proto__x: 1 }],
  ];
  for (const [name, more] of cases) {
    test(name, async () => {
      const reply = await ask(more);
      expect([reply.status, reply.status === 200 ? "" : await reply.text()]).toEqual([200, ""]);
    });
  }
});

describe("the upstream's request", () => {
  test("is the client's body byte for byte, except the model name", async () => {
    const body =
      ' {"messages": [ {"role":"user","content":"caf\\u00e9 \\ud800 \\"model\\":\\"m\\""} ],\n "model" : "m", "big":12345678901234567890, "e":1e400, "f":1.0, "x":{"__proto__":{"a":1},"model":"m"}}';
    expect((await post(body)).status).toBe(200);
    expect(mock.last().text).toBe(body.replace('"model" : "m"', '"model" : "up-m"'));
  });

  test("keeps every digit, and all of stream_options except include_usage", async () => {
    const body =
      '{"model":"m","stream":true,"seed":9223372036854775807,"stream_options":{ "x":1.0, "include_usage":false, "big":12345678901234567890},"messages":[{"role":"user","content":"x"}]}';
    await (await post(body)).text();
    expect(mock.last().text).toBe(body.replace('"m"', '"up-m"').replace('"include_usage":false', '"include_usage":true'));
    const twice = body.replace('"x":1.0', '"include_usage":false');
    await (await post(twice)).text();
    expect(mock.last().body["stream_options"]).toMatchObject({ include_usage: true });
  });

  test("is the same for any unknown fields", async () => {
    const extra = fc.dictionary(
      fc
        .string()
        .filter((name) => !/^(model|messages|echo)$/.test(name))
        .map((name) => `x_${name}`),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(extra, async (fields) => {
        const body = JSON.stringify({ ...fields, model: "m", messages: [HI] });
        const reply = await post(body);
        expect(reply.status).toBe(200);
        expect(mock.last().body).toEqual({ ...(JSON.parse(body) as object), model: "up-m" });
      }),
      { numRuns: 200 },
    );
  });

  test("has the credential of the upstream and no header of the client", async () => {
    await post(JSON.stringify({ model: "m", messages: [HI] }), {
      "x-secret": "1",
      cookie: "a=b",
      "openai-organization": "o",
      "x-request-id": "mine",
    });
    const { headers } = mock.last();
    expect(headers.get("authorization")).toBe("Bearer upstream-credential-canary");
    expect([...headers.keys()].toSorted()).toEqual([
      "accept",
      "accept-encoding",
      "authorization",
      "content-length",
      "content-type",
      "host",
      "user-agent",
    ]);
  });
});

// `odd-bodies.test.ts` has bodies that are not usable at all, for every endpoint.
describe("a body with many values", () => {
  test("a tool's schema may nest 240 levels deep", async () => {
    let parameters: object = { type: "string" };
    for (let level = 0; level < 120; level++) parameters = { type: "object", properties: { a: parameters } };
    expect((await ask({ tools: [{ type: "function", function: { name: "f", parameters } }] })).status).toBe(200);
  });

  test("too deep or too many values: the error says which", async () => {
    const deep = await errorOf(await post(`{"x":${"[".repeat(256)}${"]".repeat(256)}}`));
    expect(deep.message).toBe("The request body nests deeper than 256 levels.");
    const many = await errorOf(await post(`{"x":[${"1,".repeat(200_001)}1]}`));
    expect(many.message).toBe("The request body has more than 200000 values.");
  });

  test("out-of-range numbers are rejected in fields that the gateway uses", async () => {
    for (const [field, value] of [
      ["max_tokens", "1e400"],
      ["temperature", "1e400"],
      ["top_p", "-1e400"],
      ["n", "1e400"],
      ["max_tokens", "9007199254740993"],
    ]) {
      const reply = await post(`{"model":"m","messages":[{"role":"user","content":"x"}],"${field}":${value}}`);
      expect(await errorOf(reply)).toMatchObject({ code: "invalid_value", param: field! });
    }
  });
});

describe("HTTP handling", () => {
  test("a body without a content type is JSON on the gateway, and a 415 on the platform, where a page of another site could send it", async () => {
    // `fetch` adds no content type to bytes.
    const body = new TextEncoder().encode(JSON.stringify({ model: "m", messages: [HI] }));
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body })).status).toBe(200);
    const sent = await fetch(`${gateway.platformUrl}/api/sign-in`, { method: "POST", headers: { "x-tollgate-request": "1" }, body });
    expect(sent.status).toBe(415);
  });

  test("headers that are too long are rejected with an error body", async () => {
    const reply = await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}`, "x-long": "a".repeat(20_000) } });
    expect(reply.status).toBe(413);
    expect(await errorOf(reply)).toMatchObject({ code: "request_too_large" });
  });

  test("an unknown path is a 404, a wrong method a 405 with Allow", async () => {
    for (const path of [
      "/v1/completions",
      "/v1/embeddings",
      "/v1",
      "/",
      "/v2/models",
      "/v1/models/m",
      "/v1/chat",
      "/api/keys",
      "/v1/chat%2fcompletions",
    ]) {
      const reply = await fetch(new URL(path, gateway.baseUrl), { headers: { authorization: `Bearer ${key}` } });
      expect([path, reply.status, (await errorOf(reply)).code]).toEqual([path, 404, "unknown_url"]);
    }
    for (const [method, path, allow] of [
      ["GET", "/chat/completions", "POST"],
      ["POST", "/models", "GET"],
      ["DELETE", "/models", "GET"],
    ] as const) {
      const reply = await fetch(gateway.baseUrl + path, { method, headers: { authorization: `Bearer ${key}` } });
      expect([reply.status, reply.headers.get("allow"), (await errorOf(reply)).code]).toEqual([405, allow, "method_not_allowed"]);
    }
  });

  test("a trailing slash is ignored, repeated slashes are not", async () => {
    for (const [path, status] of [
      ["/models/", 200],
      ["/chat/completions/", 200],
      ["/models//", 404],
      ["//models", 404],
      ["/chat//completions", 404],
    ] as const) {
      const method = path.includes("chat") ? "POST" : "GET";
      const reply = await fetch(gateway.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(method === "POST" && { body: JSON.stringify({ model: "m", messages: [HI] }) }),
      });
      expect([path, reply.status]).toEqual([path, status]);
    }
  });

  test("a call in another API format, or with a wrong base URL, gets an error that names the setting", async () => {
    for (const [path, words] of [
      ["/v1/responses", 'set_default_openai_api("chat_completions")'],
      ["/v1/messages", "a client of the OpenAI format"],
      ["/chat/completions", "base URL must end in /v1"],
      ["/v1/v1/chat/completions", "base URL must end in /v1"],
    ] as const) {
      const reply = await fetch(new URL(path, gateway.baseUrl), { method: "POST", headers: { authorization: `Bearer ${key}` } });
      expect([path, reply.status, (await errorOf(reply)).message]).toEqual([path, 404, expect.stringContaining(words) as string]);
    }
  });

  test("a browser's preflight needs no key, and replies may be read by any page", async () => {
    const asked = "authorization, content-type, x-stainless-lang, x-stainless-retry-count";
    const preflight = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "OPTIONS",
      headers: { origin: "https://app.test", "access-control-request-method": "POST", "access-control-request-headers": asked },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-headers")).toBe(asked);
    expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
    expect(preflight.headers.get("x-request-id")).toStartWith("req_");
    const refused = await fetch(`${gateway.baseUrl}/models`, { headers: { origin: "https://app.test" } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    expect(refused.headers.get("access-control-expose-headers")).toContain("x-request-id");
  });

  test("rejects request smuggling, and no input crashes the process", async () => {
    const host = new URL(gateway.baseUrl);
    const raw = [
      "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
      "GET /v1/models HTTP/1.1\r\nHost: x\r\n Bad: folded\r\n\r\n",
      "GET /v1/models HTTP/9.9\r\nHost: x\r\n\r\n",
      "GET http://evil.test/v1/models HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /v1/models HTTP/1.1\r\nHost: a b/c?#\r\n\r\n",
      "\0\0\0\r\n\r\n",
    ];
    for (const bytes of raw) expect(await sendRaw(host, bytes)).not.toMatch(/^HTTP\/1\.1 (2|500)/);
    expect((await fetch(new URL("/healthz", host))).status).toBe(200);
  });

  test("the health endpoint needs no key", async () => {
    expect(await (await fetch(new URL("/healthz", gateway.baseUrl))).json()).toEqual({ status: "ok" });
    expect(await (await fetch(new URL("/readyz", gateway.baseUrl))).json()).toEqual({ status: "ready" });
  });
});

/** The start of a server's response to these bytes. Empty if the server closes the connection. */
function sendRaw(host: URL, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(host.port), host.hostname, () => socket.write(bytes));
    const finish = (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on("data", (data) => {
      answer += data.toString("latin1");
      if (answer.includes("\r\n")) finish();
    });
    socket.on("close", finish);
    socket.on("error", finish);
  });
}
