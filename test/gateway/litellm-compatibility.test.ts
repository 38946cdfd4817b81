import { afterAll, describe, expect, test } from "bun:test";
import { chatBody } from "../money/post-chat.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";

const upstream = startMockUpstream({ "up-good": () => Response.json(completion()), "up-a/b": () => Response.json(completion()) });
const yaml = configFor(upstream.baseUrl, ["good", "a/b"]);
const [usual, compatible] = await Promise.all([startGateway({ yaml }), startGateway({ yaml: `compatibility: litellm\n${yaml}` })]);

afterAll(async () => {
  await Promise.all([usual.stop(), compatible.stop()]);
  await upstream.stop();
});

async function statusOf(of: RunningGateway, path: string, headers: Record<string, string>, body?: string): Promise<number> {
  const url = new URL(path, of.baseUrl);
  const method = body === undefined ? "GET" : "POST";
  const init = { method, headers: { "content-type": "application/json", ...headers }, ...(body !== undefined && { body }) };
  const reply = await fetch(url, init);
  // Not read as text, because text is compared with the OpenAPI document of the public API.
  await reply.arrayBuffer();
  return reply.status;
}

/** The statuses for each header and path that clients of LiteLLM use. */
async function statusesOf(of: RunningGateway): Promise<unknown> {
  const { key } = await of.makeKey();
  const own = { authorization: `Bearer ${key}` };
  const calls = {
    "POST /chat/completions": statusOf(of, "/chat/completions", own, chatBody("good")),
    "GET /models": statusOf(of, "/models", own),
    "GET /models/good": statusOf(of, "/models/good", own),
    "GET /v1/models/good": statusOf(of, "/v1/models/good", own),
    "GET /v1/models/a/b": statusOf(of, "/v1/models/a/b", own),
    "GET /v1/models/a%2Fb": statusOf(of, "/v1/models/a%2Fb", own),
    "GET /v1/models/other": statusOf(of, "/v1/models/other", own),
    "x-api-key": statusOf(of, "/v1/chat/completions", { "x-api-key": key }, chatBody("good")),
    "api-key": statusOf(of, "/v1/chat/completions", { "api-key": key }, chatBody("good")),
    "api-key, with Bearer": statusOf(of, "/v1/models", { "api-key": `Bearer ${key}` }),
    "a wrong api-key": statusOf(of, "/v1/models", { "api-key": `${key}x` }),
    "a wrong Authorization beside it": statusOf(of, "/v1/models", { authorization: "Bearer sk-wrong", "api-key": key }),
    "no key": statusOf(of, "/models", {}),
    usual: statusOf(of, "/v1/chat/completions", own, chatBody("good")),
  };
  return Object.fromEntries(await Promise.all(Object.entries(calls).map(async ([name, status]) => [name, await status] as const)));
}

describe("compatibility: litellm", () => {
  test("serves LiteLLM's paths, and takes the key in its headers", async () => {
    expect(await statusesOf(compatible)).toEqual({
      "POST /chat/completions": 200,
      "GET /models": 200,
      "GET /models/good": 200,
      "GET /v1/models/good": 200,
      "GET /v1/models/a/b": 200,
      "GET /v1/models/a%2Fb": 200,
      "GET /v1/models/other": 404,
      "x-api-key": 200,
      "api-key": 200,
      "api-key, with Bearer": 200,
      "a wrong api-key": 401,
      "a wrong Authorization beside it": 401,
      "no key": 401,
      usual: 200,
    });
    const { key } = await compatible.makeKey();
    const reply = await fetch(new URL("/v1/models/good", compatible.baseUrl), { headers: { "x-api-key": key } });
    expect(JSON.parse(Buffer.from(await reply.arrayBuffer()).toString())).toMatchObject({ id: "good", object: "model", owned_by: "test" });
  });

  test("is off by default", async () => {
    expect(await statusesOf(usual)).toMatchObject({
      "POST /chat/completions": 404,
      "GET /models": 404,
      "GET /v1/models/good": 404,
      "x-api-key": 401,
      "api-key": 401,
      usual: 200,
    });
  });
});
