import { afterAll, beforeAll, expect, test } from "bun:test";
import { completion, events, GOOD_CHUNKS } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** The requests that the servers received. */
const seen: { url: string; headers: Headers; body: Record<string, unknown> }[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const body = (await request.json()) as Record<string, unknown>;
    seen.push({ url: pathname + search, headers: request.headers, body });
    return body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion());
  },
});

let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  const place = `base_url: "http://127.0.0.1:${server.port}", allow_private: true, credential: upstream-credential`;
  gateway = await startGateway({
    yaml: `upstreams:
  - { id: mistral, preset: mistral, ${place} }
  - { id: azure, preset: azure-deployments, ${place} }
models:
  - { id: at-mistral, routes: [{ upstream: mistral, model: small }], free: true }
  - { id: own-rules, routes: [{ upstream: mistral, model: small }], free: true, parameters: { logprobs: drop, seed: pass } }
  - { id: at-azure, routes: [{ upstream: azure, model: my deployment }], free: true }
`,
  });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await server.stop(true);
});

const HELLO = [{ role: "user", content: "Hello" }];

async function call(body: object): Promise<{ status: number; dropped: string | null; text: string }> {
  const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ messages: HELLO, ...body }),
  });
  return { status: reply.status, dropped: reply.headers.get("x-tollgate-dropped"), text: await reply.text() };
}

test("sends a server only supported parameters, and names the dropped ones in the reply", async () => {
  const messages = [
    { role: "developer", content: "Be brief." },
    { role: "assistant", content: null, reasoning_content: "hm", tool_calls: [{ id: "call_0123456789", type: "function" }] },
    { role: "tool", tool_call_id: "call_0123456789", content: "42" },
  ];
  const reply = await call({ model: "at-mistral", messages, seed: 7, max_completion_tokens: 9, user: "u", n: 1, stream: true });
  expect(reply).toMatchObject({ status: 200, dropped: "user" });
  expect(reply.text).toEndWith("data: [DONE]\n\n");
  const { body, url, headers } = seen.at(-1)!;
  expect([url, headers.get("authorization")]).toEqual(["/chat/completions", "Bearer upstream-credential"]);
  const id = expect.stringMatching(/^[A-Za-z\d]{9}$/) as string;
  expect(body).toEqual({
    model: "small",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "assistant", content: null, tool_calls: [{ id, type: "function" }] },
      { role: "tool", tool_call_id: id, content: "42" },
    ],
    random_seed: 7,
    max_tokens: 9,
    n: 1,
    stream: true,
  });
});

test("rejects an unsupported parameter before the call, unless the model has another policy", async () => {
  const calls = seen.length;
  const refused = await call({ model: "at-mistral", logprobs: true });
  expect([refused.status, (JSON.parse(refused.text) as { error: object }).error]).toMatchObject([
    400,
    { code: "unsupported_parameter", param: "logprobs" },
  ]);
  expect(seen).toHaveLength(calls);
  expect(await call({ model: "own-rules", logprobs: true, seed: 7 })).toMatchObject({ status: 200, dropped: "logprobs" });
  expect(seen.at(-1)!.body).toEqual({ model: "small", messages: HELLO, seed: 7 });
});

test("calls Azure deployments with their path and header", async () => {
  expect(await call({ model: "at-azure" })).toMatchObject({ status: 200, dropped: null });
  const { url, headers } = seen.at(-1)!;
  expect(url).toBe("/deployments/my%20deployment/chat/completions?api-version=2024-10-21");
  expect([headers.get("api-key"), headers.get("authorization")]).toEqual(["upstream-credential", null]);
});
