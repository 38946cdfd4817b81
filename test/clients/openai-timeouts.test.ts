import { afterAll, describe, expect, test } from "bun:test";
import type OpenAI from "openai";
import { completion, configFor, events, GOOD_CHUNKS, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { ByHandUpstream } from "./by-hand-upstream.ts";
import { OPENAI_PACKAGES } from "./openai-packages.ts";

/**
 * A client sends the timeout of a single request to the gateway, in `x-stainless-timeout`. It does not send the timeout of the client
 * object.
 */

const byHand = new ByHandUpstream();
const upstream = startMockUpstream({
  "up-chat": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
  "up-by-hand": byHand.script,
});
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["chat", "by-hand"]) });
const { key: apiKey } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const ASKED = { model: "chat", messages: [{ role: "user", content: "Hello!" }] } satisfies OpenAI.ChatCompletionCreateParams;

let told: string | null = null;
/** A fetch that records the timeout sent to the gateway. */
const noting = Object.assign(
  (...[url, init]: Parameters<typeof fetch>): Promise<Response> => {
    told = new Headers(init?.headers).get("x-stainless-timeout");
    return fetch(url, init);
  },
  { preconnect: fetch.preconnect },
);

describe.each(OPENAI_PACKAGES)("$name", ({ OpenAI }) => {
  const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey, fetch: noting, maxRetries: 0 });

  test.each([
    ["an answer", answerTo],
    ["a stream", streamTo],
  ])("a timeout that is long enough changes nothing in %s", async (_, ask) => {
    const plain = await ask(client, {});
    expect(told).toBeNull();
    expect(await ask(client, { timeout: 300_000 })).toEqual(plain);
    expect(told).toBe("300");
  });

  test("a stream that has begun goes on for longer than the timeout", async () => {
    const { stream, timeoutMs } = await begin(client);
    expect(told).toBe(String(timeoutMs / 1000));
    await Bun.sleep(timeoutMs + 200);
    byHand.write([...GOOD_CHUNKS.slice(2), "[DONE]"].map((event) => `data: ${event}\n\n`).join(""));
    byHand.end();
    const chunks = await Array.fromAsync(stream);
    expect(chunks.flatMap((chunk) => chunk.choices[0]?.delta.content ?? [])).toEqual(["", "Hello", " world"]);
  });
});

/** Starts a stream with a short timeout, and with a longer one if the machine is too slow for it. */
async function begin(client: OpenAI): Promise<{ stream: AsyncIterable<OpenAI.ChatCompletionChunk>; timeoutMs: number }> {
  for (let timeoutMs = 1000; ; timeoutMs *= 4) {
    const begun = client.chat.completions.create({ ...ASKED, model: "by-hand", stream: true }, { timeout: timeoutMs });
    const stream = await begun.catch((error: Error) => error);
    if (!(stream instanceof Error)) return { stream, timeoutMs };
    if (timeoutMs > 30_000 || !stream.message.includes("timed out")) throw stream;
  }
}

async function answerTo(client: OpenAI, options: OpenAI.RequestOptions): Promise<object> {
  const { data, response } = await client.chat.completions.create(ASKED, options).withResponse();
  return { data, headers: namesOf(response) };
}

async function streamTo(client: OpenAI, options: OpenAI.RequestOptions): Promise<object> {
  const body = { ...ASKED, stream: true, stream_options: { include_usage: true } } as const;
  const { data, response } = await client.chat.completions.create(body, options).withResponse();
  const text = JSON.stringify(await Array.fromAsync(data));
  return { headers: namesOf(response), text: text.replace(response.headers.get("x-request-id")!, "") };
}

function namesOf({ headers }: Response): string[] {
  return [...headers.keys()].toSorted();
}
