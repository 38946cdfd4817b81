import { afterAll, beforeAll, expect, test } from "bun:test";
import { askPlatform } from "../support/gateway/call-platform.ts";
import {
  chunk,
  completion,
  manualStream,
  rawEvents,
  startMockUpstream,
  usageChunk,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** Tests responses in flight while their upstream is changed, loses its credential, or is removed. */

let stream = manualStream();
let mock: MockUpstream;
let elsewhere: MockUpstream;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  mock = startMockUpstream({ slow: () => rawEvents(stream.stream), any: () => Response.json(completion()) });
  elsewhere = startMockUpstream({ slow: () => Response.json(completion()), any: () => Response.json(completion()) });
  gateway = await startGateway({
    yaml: "upstreams: [{ id: echo, dialect: echo }]\nmodels: [{ id: e, routes: [{ upstream: echo, model: echo }], free: true }]\n",
  });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all([mock.stop(), elsewhere.stop()]);
});

async function change(method: string, path: string, body?: object): Promise<void> {
  const { status, text } = await askPlatform(gateway, method, path, body);
  if (status >= 300) throw new Error(text);
}

function call(model: string, isStream: boolean): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream: isStream, messages: [{ role: "user", content: "hi" }] }),
  });
}

/** Reads a stream up to this word, and returns a function that reads the rest. */
async function readUntil(response: Response, word: string): Promise<() => Promise<string>> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(word)) text += (await reader.read()).value ?? "";
  return async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
    return text;
  };
}

const say = (event: string): void => stream.write(`data: ${event}\n\n`);

async function beginStream(upstream: string, model: string): Promise<() => Promise<string>> {
  stream = manualStream();
  await change("POST", "/api/upstreams", {
    id: upstream,
    dialect: "openai",
    base_url: mock.baseUrl,
    allow_private: true,
    credential: "first-credential",
  });
  await change("POST", "/api/models", { id: model, routes: [{ upstream, model: "slow" }], free: true });
  const answering = call(model, true);
  say(chunk({ role: "assistant", content: "before" }));
  const response = await answering;
  expect(response.status).toBe(200);
  return readUntil(response, "before");
}

async function finishStream(rest: () => Promise<string>): Promise<void> {
  for (const event of [chunk({ content: "after" }), chunk({}, "stop"), usageChunk(), "[DONE]"]) say(event);
  stream.end();
  const text = await rest();
  expect([text.includes("after"), text.includes("error"), text.endsWith("data: [DONE]\n\n")]).toEqual([true, false, true]);
}

test("a stream goes on while its upstream gets another address and another credential; the next call goes there", async () => {
  const rest = await beginStream("moving", "m1");
  await change("PUT", "/api/upstreams/moving/credential", { credential: "second-credential" });
  await change("PATCH", "/api/upstreams/moving", { base_url: elsewhere.baseUrl, credential: "third-credential" });
  expect((await call("m1", false)).status).toBe(200);
  expect(elsewhere.last().headers.get("authorization")).toBe("Bearer third-credential");
  await finishStream(rest);
});

test("a stream goes on while its upstream's credential is rotated; the next call has the new one", async () => {
  const rest = await beginStream("rotating", "m2");
  await change("PUT", "/api/upstreams/rotating/credential", { credential: "second-credential" });
  await change("PATCH", "/api/models/m2", { routes: [{ upstream: "rotating", model: "any" }] });
  expect((await call("m2", false)).status).toBe(200);
  expect(mock.last().headers.get("authorization")).toBe("Bearer second-credential");
  await finishStream(rest);
});

test("a stream goes on while its model is deprecated, served elsewhere, retired, and its upstream removed", async () => {
  const rest = await beginStream("leaving", "m3");
  await change("PATCH", "/api/models/m3", { routes: [{ upstream: "echo", model: "echo" }] });
  await change("DELETE", "/api/upstreams/leaving");
  await change("POST", "/api/models/m3/deprecate", { shutdown_date: "2999-01-31", replacement: "e" });
  await change("POST", "/api/models/m3/retire");
  expect((await call("m3", false)).status).toBe(403);
  await finishStream(rest);
});

test("a stream is charged at the price that it began with, and the next call at the new one", async () => {
  const rest = await beginStream("pricing", "m4");
  const price = { input_per_million: 100, output_per_million: 100 };
  await change("PATCH", "/api/models/m4", { price, routes: [{ upstream: "pricing", model: "any" }] });
  expect((await call("m4", false)).headers.get("x-tollgate-cost")).toBe("0.0007");
  await finishStream(rest);
  const { data } = await gateway.platform<{ data: Record<string, unknown>[] }>("GET", "/api/accounts/default/entries?limit=2");
  expect(data.map((entry) => [entry["model"], entry["amount"]])).toEqual([
    ["m4", "0.00"],
    ["m4", "0.0007"],
  ]);
  const audit = await gateway.platform<{ discrepancy_count: number }>("GET", "/api/audit");
  expect(audit.discrepancy_count).toBe(0);
});
