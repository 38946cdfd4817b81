import { afterAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { gzipSync, zstdCompressSync } from "node:zlib";
import * as fc from "fast-check";
import { message, text } from "../dialects/messages-answers.ts";
import { ENDPOINTS, type ModelEndpoint } from "../support/endpoints.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { completion, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";

/** Bytes, framing and encodings of request bodies, at every endpoint, relayed and translated. */

const MAX_BYTES = 1_000_000;

/** The last body that an upstream has received. */
let received = "";

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    received = await request.text();
    const { pathname } = new URL(request.url);
    if (pathname === "/v1/chat/completions") return Response.json(completion());
    if (pathname === "/v1/messages/count_tokens") return Response.json({ input_tokens: 1 });
    if (pathname === "/v1/messages") return Response.json(message([text("Hello")]));
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    return Response.json({ id: "resp_1", object: "response", created_at: 1, model: "m", status: "completed", output: [], usage });
  },
});

const address = `base_url: "http://127.0.0.1:${upstream.port}/v1", allow_private: true, credential: canary`;
const PLACES = { chat: "dialect: openai", messages: "dialect: anthropic", responses: "dialect: openai, preset: openai" };
const lines = Object.entries(PLACES);
const gateway = await startGateway({
  env: { TOLLGATE_MAX_BODY_BYTES: String(MAX_BYTES) },
  yaml: `endpoints: [messages, responses]
upstreams:
${lines.map(([id, dialect]) => `  - { id: ${id}, ${dialect}, ${address} }`).join("\n")}
models:
${lines.map(([id]) => `  - { id: ${id}, routes: [{ upstream: ${id}, model: ${id} }], price: ${TEST_PRICE} }`).join("\n")}
`,
});
const { key } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop(true);
});

/** An endpoint, and a model behind it. */
interface Target {
  readonly endpoint: ModelEndpoint;
  readonly path: string;
  readonly model: string;
  /** Whether the upstream speaks the format of the endpoint, so that it receives the client's bytes. */
  readonly isRelayed: boolean;
}

const [chat, messages, responses] = ENDPOINTS as [ModelEndpoint, ModelEndpoint, ModelEndpoint];
const TARGETS: readonly Target[] = [
  { endpoint: chat, path: chat.path, model: "chat", isRelayed: true },
  { endpoint: messages, path: messages.path, model: "messages", isRelayed: true },
  { endpoint: messages, path: messages.path, model: "chat", isRelayed: false },
  { endpoint: messages, path: `${messages.path}/count_tokens`, model: "messages", isRelayed: true },
  { endpoint: responses, path: responses.path, model: "responses", isRelayed: true },
  { endpoint: responses, path: responses.path, model: "chat", isRelayed: false },
];

type Body = string | Uint8Array | ReadableStream;

function post({ path }: Target, body: Body, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.baseUrl}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body,
  });
}

/** The body of a valid request. A request to count tokens has neither a limit nor `stream`. */
function bodyOf({ endpoint, path, model }: Target, prompt = "hi"): string {
  const { max_tokens: limit, stream: _, ...body } = endpoint.bodyFor({ model, prompt });
  return JSON.stringify(path.endsWith("count_tokens") || limit === undefined ? body : { ...body, max_tokens: limit });
}

/** The code and the message of an error; of the Messages API, its type instead of the code. */
async function errorOf({ endpoint }: Target, reply: Response): Promise<{ kind: unknown; message: string }> {
  return endpoint.readError((await reply.json()) as Record<string, unknown>);
}

/** An error code as the endpoint shows it. */
function kindOf({ endpoint }: Target, code: string, status: number): string {
  if (endpoint.name !== "messages") return code;
  return status === 413 ? "request_too_large" : "invalid_request_error";
}

const TWICE = (field: string): string => `The field "${field}" is given twice.`;
const OTHERWISE = (field: string): string => `${field} is not spelled exactly like`;

const UNUSABLE: readonly [name: string, body: string | Uint8Array, status: number, code: string][] = [
  ["cut short", '{"model":"m"', 400, "invalid_json"],
  ["misspelled", '{"model": m}', 400, "invalid_json"],
  ["nothing", "", 400, "invalid_json"],
  ["an array", "[]", 400, "invalid_json"],
  ["a string", '"m"', 400, "invalid_json"],
  ["not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, "invalid_json"],
  ["an overlong NUL", new Uint8Array([0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]), 400, "invalid_json"],
  ["a surrogate in UTF-8", new Uint8Array([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]), 400, "invalid_json"],
  ["a bare NUL in a string", '{"model":"\0"}', 400, "invalid_json"],
  ["nested too deep", `{"x":${"[".repeat(300)}${"]".repeat(300)}}`, 400, "invalid_value"],
  ["too many values", `{"x":[${"{},".repeat(300_000)}1]}`, 400, "invalid_value"],
  ["too many fields", `{"":1${',"":1'.repeat(190_000)},"x":[${"1,".repeat(20_000)}1]}`, 400, "invalid_value"],
  ["a million brackets", `{"x":${"[".repeat(900_000)}`, 400, "invalid_value"],
  ["too large", `{"x":"${"a".repeat(MAX_BYTES + 1)}"}`, 413, "request_too_large"],
];

describe.each(TARGETS)("$path, $model", (target) => {
  const { endpoint, path, model, isRelayed } = target;
  const valid = bodyOf(target);
  const inside = valid.slice(1, -1);

  test.each(UNUSABLE)("%s is rejected", async (_, body, status, code) => {
    const reply = await post(target, body);
    expect([reply.status, (await errorOf(target, reply)).kind]).toEqual([status, kindOf(target, code, status)]);
  });

  test("a field that is given twice, or spelled like another one, is rejected by name", async () => {
    const said = endpoint === responses ? "input" : "messages";
    const cases: readonly [body: string, field: string, says: (field: string) => string][] = [
      [`{${inside},"model":"other"}`, "model", TWICE],
      [`{${inside},"\\u006dodel":"other"}`, "model", TWICE],
      [`{"model":"${model}","max_tokens":5,"${said}":[{"role":"user","content":"a","content":"b"}]}`, `${said}[0].content`, TWICE],
      [`{${inside},"Model":"other"}`, "Model", OTHERWISE],
      [`{${inside},"\\u017ftream":true}`, "\u017ftream", OTHERWISE],
      [`{"model":"${model}","max_tokens":5,"${said}":[{"role":"user","content":"a","Content":"b"}]}`, `${said}[0].Content`, OTHERWISE],
    ];
    for (const [body, field, says] of cases) {
      const reply = await post(target, body);
      const { message: words } = await errorOf(target, reply);
      expect([body, reply.status, words]).toEqual([body, 400, expect.stringContaining(says(field)) as string]);
    }
  });

  test("numbers out of range are rejected in fields that the gateway uses", async () => {
    const limit = endpoint === responses ? "max_output_tokens" : "max_tokens";
    for (const value of ["1e400", "9007199254740993", "1.5", "-1"]) {
      const said = endpoint === responses ? '"input":"hi"' : '"messages":[{"role":"user","content":"hi"}]';
      const reply = await post(target, `{"model":"${model}",${said},"${limit}":${value}}`);
      expect([value, reply.status]).toEqual([value, 400]);
      expect((await errorOf(target, reply)).message).toStartWith(limit);
    }
  });

  test("a chunked body is limited while it is received, and a small one works", async () => {
    const piece = new TextEncoder().encode("a".repeat(100_000));
    let sent = 0;
    const endless = new ReadableStream({ pull: (controller) => (sent++ < 100 ? controller.enqueue(piece) : controller.close()) });
    expect((await post(target, endless)).status).toBe(413);
    const bytes = new TextEncoder().encode(valid);
    let at = 0;
    const trickle = new ReadableStream({
      pull: (controller) => (at < bytes.length ? controller.enqueue(bytes.slice(at, (at += 7))) : controller.close()),
    });
    expect((await post(target, trickle)).status).toBe(200);
  });

  test("another media type or a content encoding is a 415", async () => {
    const cases: readonly [body: Body, headers: Record<string, string>][] = [
      [valid, { "content-type": "text/plain" }],
      [valid, { "content-type": "multipart/form-data; boundary=x" }],
      [gzipSync(valid), { "content-encoding": "gzip" }],
      [zstdCompressSync(valid), { "content-encoding": "zstd" }],
    ];
    for (const [body, headers] of cases) expect((await post(target, body, headers)).status).toBe(415);
    expect((await post(target, valid, { "content-type": "Application/JSON; charset=utf-8" })).status).toBe(200);
  });

  test("any text reaches the upstream as it is", async () => {
    const odd = ["\u0000", "\ud800", "\udc00x", "\u2028", "\ufeff", "👩‍👩‍👧", '"\\', "</script>", "e\u0301", "data: [DONE]\n\n", "__proto__"];
    const prompts = fc.array(fc.oneof(fc.constantFrom(...odd), fc.string({ unit: "binary" })), { minLength: 1, maxLength: 5 });
    const same = fc.asyncProperty(prompts, async (pieces) => {
      const prompt = `${pieces.join("")}.`;
      const body = bodyOf(target, prompt);
      expect((await post(target, body)).status).toBe(200);
      expect(promptIn(JSON.parse(received) as Received)).toBe(prompt);
    });
    await fc.assert(same, { numRuns: 20, seed: 1 });
  });

  test.if(isRelayed)("unknown fields reach an upstream of the same format byte for byte", async () => {
    const extra =
      '"x_big":12345678901234567890,"x_e":1e400,"x_f":1.0,"x_u":"\\ud800\\u0000caf\\u00e9","x":{"__proto__":{"a":1},"model":"m"}, "x_y" : [ ]';
    expect((await post(target, `{${inside},${extra}}`)).status).toBe(200);
    expect(received).toContain(extra);
  });

  test("ambiguous framing is rejected, and no input crashes the process", async () => {
    const head = `POST /v1${path} HTTP/1.1\r\nHost: x\r\n`;
    const smuggled = [
      `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${head}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`,
      `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
      `${head}Content-Length: +3\r\n\r\nabc`,
      `${head} Folded: yes\r\n\r\n`,
    ];
    for (const bytes of smuggled) expect(await sendRaw(bytes)).not.toMatch(/^HTTP\/1\.1 (2|500)/);
    expect((await post(target, valid)).status).toBe(200);
  });
});

interface Received {
  readonly input?: unknown;
  readonly messages?: readonly [{ readonly content: unknown }];
}

function promptIn({ input, messages: sent }: Received): unknown {
  return input ?? sent![0].content;
}

/** The start of a server's response to these bytes. Empty if the server closes the connection. */
function sendRaw(bytes: string): Promise<string> {
  const { port, hostname } = new URL(gateway.baseUrl);
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
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
