import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { saying } from "./responses-server.ts";

/** What Codex needs if an upstream has several credentials: each credential belongs to another account at the provider. */

type Json = Readonly<Record<string, unknown>>;

const CREDENTIALS = ["credential-one", "credential-two", "credential-three"];

interface Received {
  readonly credential: string;
  readonly headers: Headers;
  readonly body: Json;
}

let received: Received[] = [];

/** Rejects what belongs to another account, as the providers do. */
const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const credential = request.headers.get("x-api-key") ?? request.headers.get("authorization")!.replace("Bearer ", "");
    const body = (await request.json()) as Json;
    received.push({ credential, headers: request.headers, body });
    const state = request.headers.get("x-codex-turn-state");
    if (state !== null && state !== `state of ${credential}`) return refusal("the turn state is of another account");
    if (new URL(request.url).pathname.endsWith("/messages")) return toMessage(credential, body);
    const items = Array.isArray(body["input"]) ? (body["input"] as readonly Json[]) : [];
    const unreadable = items.some(({ type, encrypted_content: encrypted }) => type === "reasoning" && encrypted !== credential);
    if (unreadable) return refusal("The encrypted content could not be verified.", "invalid_encrypted_content");
    const head = { id: "resp_1", object: "response", created_at: 1, model: "m", error: null, incomplete_details: null };
    const whole = { ...head, status: "completed", output: [saying("Hi")], usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 } };
    const headers = {
      "x-codex-turn-state": `state of ${credential}`,
      "x-reasoning-included": "true",
      "openai-organization": "org-canary",
      "openai-model": "m",
      "x-codex-primary-used-percent": "97",
      "x-ratelimit-remaining-requests": "3",
    };
    if (body["stream"] !== true) return Response.json(whole, { headers });
    const events = [
      { type: "response.created", response: { ...head, status: "in_progress", output: [], usage: null } },
      { type: "response.output_item.done", output_index: 0, item: saying("Hi") },
      { type: "response.completed", response: whole },
    ];
    const frames = events.map((event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`);
    return new Response(frames.join(""), { headers: { ...headers, "content-type": "text/event-stream" } });
  },
});

function refusal(message: string, code: string | null = null): Response {
  return Response.json({ error: { message, type: "invalid_request_error", param: null, code } }, { status: 400 });
}

/** The Messages API: the signature of thinking is valid in one account. */
function toMessage(credential: string, { messages, thinking }: Json): Response {
  const turns = messages as { content: readonly Json[] }[];
  const blocks = turns.flatMap(({ content }) => (Array.isArray(content) ? (content as readonly Json[]) : []));
  const wrong = "messages.1.content.0: Invalid `signature` in `thinking` block";
  const error = (words: string): Response =>
    Response.json({ type: "error", error: { type: "invalid_request_error", message: words } }, { status: 400 });
  if (blocks.some(({ type, signature }) => type === "thinking" && signature !== credential)) return error(wrong);
  const isCalling = blocks.some(({ type }) => type === "tool_use");
  if ((thinking as Json | undefined)?.["type"] === "enabled" && isCalling && !blocks.some(({ type }) => type === "thinking")) {
    return error("Expected `thinking` or `redacted_thinking`, but found `tool_use`");
  }
  const usage = { input_tokens: 5, output_tokens: 2 };
  const content = [{ type: "text", text: "Hi" }];
  return Response.json({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content,
    stop_reason: "end_turn",
    stop_sequence: null,
    usage,
  });
}

const PRICE = "{ input_per_million: 1, output_per_million: 2 }";
const upstream = (id: string, ...credentials: readonly string[]): string =>
  `  - { id: ${id}, dialect: openai, preset: openai, base_url: "http://127.0.0.1:${provider.port}/v1", allow_private: true, credentials: [${credentials.join(", ")}] }`;
const gateway = await startGateway({
  yaml: `endpoints: [messages, responses]
upstreams:
  - { id: claude, dialect: anthropic, base_url: "http://127.0.0.1:${provider.port}/v1", allow_private: true, credential: ${CREDENTIALS[0]!} }
${upstream("openai", ...CREDENTIALS)}
${upstream("one", CREDENTIALS[0]!)}
${upstream("two", CREDENTIALS[1]!)}
models:
  - { id: gpt, price: ${PRICE}, routes: [{ upstream: openai, model: m }] }
  - { id: one, price: ${PRICE}, routes: [{ upstream: one, model: m }] }
  - { id: two, price: ${PRICE}, routes: [{ upstream: two, model: m }] }
  - { id: claude, price: ${PRICE}, routes: [{ upstream: claude, model: m }] }
`,
});
const { key } = await gateway.makeKey();
await gateway.platform("POST", "/api/accounts", { id: "other", name: "other" });
await gateway.platform("POST", "/api/accounts/other/grants", { amount: "10", reference: "other", reason: "test" });
const { key: ofAnother } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "other", account: "other", models: ["*"] });

afterAll(async () => {
  await gateway.stop();
  await provider.stop(true);
});

beforeEach(() => {
  received = [];
});

async function send(body: object, headers: Record<string, string> = {}, apiKey = key): Promise<Response> {
  const reply = await fetch(`${gateway.baseUrl}/responses`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}`, ...headers },
    body: JSON.stringify({ model: "gpt", input: "Hi", prompt_cache_key: "session", ...body }),
  });
  await reply.clone().text();
  return reply;
}

const stateIn = (reply: Response): string => reply.headers.get("x-codex-turn-state")!;
const sentStates = (): unknown[] => received.map(({ headers }) => headers.get("x-codex-turn-state"));

describe("the turn state", () => {
  for (const stream of [false, true]) {
    test(`of ${stream ? "a stream" : "JSON"} comes back to the account at the provider that has sent it`, async () => {
      const first = await send({ stream });
      for (let request = 0; request < 5; request++) {
        expect((await send({ stream }, { "x-codex-turn-state": stateIn(first) })).status).toBe(200);
      }
      const [{ credential }] = received as [Received];
      expect(new Set(received.map((each) => each.credential))).toEqual(new Set([credential]));
      expect(sentStates()).toEqual([null, ...Array.from({ length: 5 }, () => `state of ${credential}`)]);
    });
  }

  test("is not sent to another credential, from another account, or if it was changed", async () => {
    const state = stateIn(await send({ model: "one" }));
    received = [];
    const [seal, value] = [state.slice(0, state.indexOf(".")), state.slice(state.indexOf(".") + 1)];
    const forged = [value, `.${value}`, `${seal}.${value}x`, `${seal.slice(0, -2)}.${value}`, `${"A".repeat(43)}.${value}`, ""];
    expect((await send({ model: "two" }, { "x-codex-turn-state": state })).status).toBe(200);
    expect((await send({ model: "one" }, { "x-codex-turn-state": state }, ofAnother)).status).toBe(200);
    for (const each of forged) expect((await send({ model: "one" }, { "x-codex-turn-state": each })).status).toBe(200);
    expect(sentStates()).toEqual(Array.from({ length: 2 + forged.length }, () => null));
  });
});

test("exactly these headers pass in each direction", async () => {
  const passed = { "openai-beta": "responses=1", "x-client-request-id": "thread", "x-openai-internal-codex-responses-lite": "true" };
  const kept = [
    "x-codex-installation-id",
    "x-codex-turn-metadata",
    "x-codex-window-id",
    "session-id",
    "thread-id",
    "cookie",
    "openai-organization",
  ];
  const reply = await send({}, { ...passed, ...Object.fromEntries(kept.map((name) => [name, "a"])) });
  const [{ headers }] = received as [Received];
  for (const [name, value] of Object.entries(passed)) expect([name, headers.get(name)]).toEqual([name, value]);
  for (const name of kept) expect([name, headers.get(name)]).toEqual([name, null]);
  expect(reply.headers.get("x-reasoning-included")).toBe("true");
  for (const name of ["openai-organization", "openai-model", "x-codex-primary-used-percent"])
    expect([name, reply.headers.get(name)]).toEqual([name, null]);
});

describe("reasoning of another account at the provider", () => {
  const reasoning = (encrypted: string): Json => ({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: encrypted });
  const said = { role: "user", content: "Hi" };
  const call = { type: "function_call", call_id: "c", name: "run", arguments: "{}" };
  const result = { type: "function_call_output", call_id: "c", output: "done" };

  for (const stream of [false, true]) {
    test(`is left away when it is rejected, and the request is sent once more: ${stream ? "stream" : "JSON"}`, async () => {
      const input = [said, reasoning(CREDENTIALS[1]!), call, result];
      const reply = await send({ model: "one", stream, input });
      expect([reply.status, reply.headers.get("x-tollgate-attempts")]).toEqual([200, "1"]);
      expect(received.map(({ body }) => body["input"])).toEqual([input, [said, call, result]]);
    });
  }

  test("is counted as a format deviation", async () => {
    await send({ model: "one", input: [said, reasoning("of another")] });
    const metrics = await fetch(`${gateway.platformUrl}/metrics`, { headers: { authorization: `Bearer ${gateway.operatorToken}` } });
    expect(await metrics.text()).toMatch(/^tollgate_deviations_total\{.*deviation="reasoning_rejected".*\} [1-9]/m);
  });

  test("is sent where it is valid, and only there", async () => {
    expect((await send({ model: "two", input: [said, reasoning(CREDENTIALS[1]!)] })).status).toBe(200);
    expect(received).toHaveLength(1);
  });

  test("is left away from messages, too, with the thinking that its tool calls would require", async () => {
    const messages = [
      said,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "of another" },
          { type: "tool_use", id: "t", name: "run", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "done" }] },
    ];
    const body = { model: "claude", max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 2000 }, messages };
    const reply = await fetch(`${gateway.baseUrl}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify(body),
    });
    expect(reply.status).toBe(200);
    expect(received).toHaveLength(2);
    expect(received[1]!.body).toMatchObject({
      thinking: { type: "disabled" },
      messages: [said, { content: [{ type: "tool_use" }] }, messages[2]],
    });
  });
});
