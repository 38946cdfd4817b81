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

/** Rejects what belongs to another account, as the provider does. */
const provider = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const credential = request.headers.get("authorization")!.replace("Bearer ", "");
    const body = (await request.json()) as Json;
    received.push({ credential, headers: request.headers, body });
    const state = request.headers.get("x-codex-turn-state");
    if (state !== null && state !== `state of ${credential}`) return refusal("the turn state is of another account");
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

const PRICE = "{ input_per_million: 1, output_per_million: 2 }";
const upstream = (id: string, ...credentials: readonly string[]): string =>
  `  - { id: ${id}, dialect: openai, preset: openai, base_url: "http://127.0.0.1:${provider.port}/v1", allow_private: true, credentials: [${credentials.join(", ")}] }`;
const gateway = await startGateway({
  yaml: `endpoints: [responses]
upstreams:
${upstream("openai", ...CREDENTIALS)}
${upstream("one", CREDENTIALS[0]!)}
${upstream("two", CREDENTIALS[1]!)}
models:
  - { id: gpt, price: ${PRICE}, routes: [{ upstream: openai, model: m }] }
  - { id: one, price: ${PRICE}, routes: [{ upstream: one, model: m }] }
  - { id: two, price: ${PRICE}, routes: [{ upstream: two, model: m }] }
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
