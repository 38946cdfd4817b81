import { afterAll, describe, expect, test } from "bun:test";
import { readMessage } from "../messages/read-message.ts";
import { BilledProvider, PLACES } from "../money/billed-provider.ts";
import { eventsIn, readResponse } from "../responses/read-response.ts";
import { ENDPOINTS, type ModelEndpoint } from "../support/endpoints.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { expectGoodStream } from "../support/upstreams/conformance.ts";
import { TEST_PRICE } from "../support/upstreams/mock-upstream.ts";

/** Streams that are stored, for a replay or in the response cache, are whole and equal for every client, the first one included. */

const provider = new BilledProvider();
const gateway = await startGateway({ yaml: provider.yamlWith([TEST_PRICE], ", cache: { ttl_seconds: 600 }") });
const { key } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});

async function post(endpoint: ModelEndpoint, model: string, prompt: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`${gateway.baseUrl}${endpoint.path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(endpoint.bodyFor({ model, prompt, maxTokens: 100, stream: true })),
  });
}

/** Throws unless a strict client accepts the stream. */
function readStrictly({ name }: ModelEndpoint, model: string, text: string): void {
  if (name === "chat") expectGoodStream(text, model);
  else if (name === "messages") readMessage(eventsIn(text).map((event) => ({ ...event })));
  else readResponse(eventsIn(text));
}

describe.each(ENDPOINTS)("$path", (endpoint) => {
  test.each(PLACES)("$id: a replay under the same Idempotency-Key is the first stream", async ({ id }) => {
    const model = `${id}-0`;
    const send = async (): Promise<string> =>
      (await post(endpoint, model, "Once.", { "idempotency-key": `${endpoint.name}-${id}`, "cache-control": "no-cache" })).text();
    const first = await send();
    readStrictly(endpoint, model, first);
    expect(await send()).toBe(first);
  });

  test.each(PLACES)("$id: a cached stream is as whole as the first one", async ({ id }) => {
    const model = `${id}-0`;
    const states: (string | null)[] = [];
    const texts: unknown[] = [];
    for (const _ of "12") {
      const reply = await post(endpoint, model, "Cached.", {});
      const text = await reply.text();
      readStrictly(endpoint, model, text);
      states.push(reply.headers.get("x-tollgate-cache"));
      texts.push(endpoint.readStream(text));
    }
    expect(states).toEqual(["miss", "hit"]);
    expect(texts[1]).toEqual(texts[0]);
  });
});
