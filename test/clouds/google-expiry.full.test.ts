import { afterAll, expect, test } from "bun:test";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { eventually } from "../support/eventually.ts";
import { startGoogleCloud } from "./google-cloud.ts";

/** Tests access tokens that expire after seconds, from a metadata server that disappears. */

/** The gateway has twelve seconds to replace an access token before it expires. The machine may stall during this time. */
const cloud = startGoogleCloud({ lifetimeSeconds: 25 });
const vertex = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    if (!cloud.accepts(request.headers.get("authorization"))) return new Response("expired", { status: 401 });
    const candidate = { content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP", index: 0 };
    return Response.json({ candidates: [candidate], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } });
  },
});
const baseUrl = `http://127.0.0.1:${vertex.port}/v1/projects/acme-prod/locations/global/publishers/google`;
const gateway = await startGateway({
  env: cloud.variables,
  yaml: `upstreams:
  - { id: google, preset: vertex-gemini, base_url: "${baseUrl}", allow_private: true, google: {} }
models:
  - { id: chat, routes: [{ upstream: google, model: gemini-3-text }], price: ${TEST_PRICE} }
`,
});
const { key } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await vertex.stop(true);
  await cloud.stop();
});

async function ask(): Promise<number> {
  const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "chat", messages: [{ role: "user", content: "Hello!" }] }),
  });
  await reply.text();
  return reply.status;
}

test("access tokens that expire under load are replaced, and no request fails; without the metadata server, the last one is used up", async () => {
  const statuses = new Set<number>();
  const end = new AbortController();
  const callers = Array.from({ length: 4 }, async () => {
    while (!end.signal.aborted) {
      statuses.add(await ask());
      await Bun.sleep(50);
    }
  });
  await eventually(
    () => cloud.used.size,
    (count) => count >= 4,
  );
  end.abort();
  await Promise.all(callers);
  expect([...statuses]).toEqual([200]);
  // One request per access token, whatever the number of callers.
  expect(cloud.served.length).toBeLessThanOrEqual(cloud.used.size + 1);

  await cloud.stop();
  let firstRefusedAtMs: number | undefined;
  // The upstream rejects a request that was sent at the last moment of the access token. This is a 502.
  await eventually(
    async () => {
      const status = await ask();
      if (status !== 200) firstRefusedAtMs ??= Date.now();
      return status;
    },
    (status) => status === 503,
  );
  expect(firstRefusedAtMs).toBeGreaterThanOrEqual(cloud.lastExpiryMs());
});
