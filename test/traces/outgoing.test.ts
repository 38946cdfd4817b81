import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OPENAI_PACKAGES } from "../clients/openai-packages.ts";
import { answerOf, framesOf } from "../dialects/gemini-answers.ts";
import * as converse from "../dialects/converse-answers.ts";
import { eventsOf, message, text, wireOf } from "../dialects/messages-answers.ts";
import { completion, events, GOOD_CHUNKS, rawEvents, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { startCollector } from "./collector.ts";

const HELLO = [text("Hello.")];
const RESPONSE = {
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello." }] }],
  usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
};
const RESPONSES = framesOf([
  { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hello." },
  { type: "response.completed", response: RESPONSE },
]);
const GEMINI = answerOf([{ text: "Hello." }], "STOP");

/** Responds in every dialect, and records the headers of each call. */
const calls: { readonly path: string; readonly headers: Headers }[] = [];
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname } = new URL(request.url);
    calls.push({ path: pathname, headers: request.headers });
    const { stream } = (await request.json()) as { stream?: boolean };
    if (pathname.endsWith("/chat/completions")) return stream ? events(GOOD_CHUNKS) : Response.json(completion());
    if (pathname.endsWith("/responses")) return stream ? rawEvents(RESPONSES) : Response.json(RESPONSE);
    if (pathname.endsWith("/messages")) return stream ? rawEvents(wireOf(eventsOf(HELLO))) : Response.json(message(HELLO));
    if (pathname.endsWith("/converse")) return Response.json(converse.answerOf([{ text: "Hello." }]));
    if (pathname.endsWith("/converse-stream"))
      return new Response(Buffer.concat(converse.framesOf(converse.eventsOf([{ text: "Hello." }]))));
    return pathname.endsWith(":streamGenerateContent") ? rawEvents(framesOf([GEMINI])) : Response.json(GEMINI);
  },
});

const DIALECTS = ["openai", "responses", "anthropic", "gemini", "bedrock"];
const yaml = `
upstreams:
${DIALECTS.map((dialect) => `  - { id: ${dialect}, dialect: ${dialect}, base_url: "http://127.0.0.1:${upstream.port}/v1", allow_private: true }`).join("\n")}
models:
${DIALECTS.map((dialect) => `  - { id: by-${dialect}, routes: [{ upstream: ${dialect}, model: some-model }], price: ${TEST_PRICE} }`).join("\n")}
`;

const collector = startCollector();
let gateway: RunningGateway;
let quiet: RunningGateway;
let key: string;
let quietKey: string;
beforeAll(async () => {
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/in/traces`, OTEL_BSP_SCHEDULE_DELAY: "20" };
  [gateway, quiet] = await Promise.all([startGateway({ yaml, env }), startGateway({ yaml })]);
  [key, quietKey] = (await Promise.all([gateway.makeKey(), quiet.makeKey()])).map((made) => made.key) as [string, string];
});
afterAll(async () => {
  await Promise.all([gateway.stop(), quiet.stop()]);
  await Promise.all([collector.stop(), upstream.stop(true)]);
});

const PARENT = { traceparent: "00-abcdefabcdefabcdefabcdefabcdefab-1234567890123456-01", tracestate: "vendor=x" };

async function ask(baseUrl: string, bearer: string, model: string, stream: boolean, headers: Record<string, string>): Promise<Response> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, stream, messages: [{ role: "user", content: "Hello!" }] }),
  });
  expect(response.status).toBe(200);
  await response.text();
  return response;
}

for (const dialect of DIALECTS) {
  for (const stream of [false, true]) {
    test(`an upstream of the ${dialect} dialect receives the traceparent of its span${stream ? ", on a stream" : ""}`, async () => {
      const response = await ask(gateway.baseUrl, key, `by-${dialect}`, stream, PARENT);
      const { headers } = calls.at(-1)!;
      const [own, attempt] = await collector.spansOf(response.headers.get("x-request-id")!);
      expect(headers.get("traceparent")).toBe(`00-abcdefabcdefabcdefabcdefabcdefab-${attempt!.spanId}-01`);
      expect(headers.get("tracestate")).toBe("vendor=x");
      expect([own.parentId, attempt!.parentId]).toEqual(["1234567890123456", own.spanId]);
      expect(attempt!.attributes).toMatchObject({ "gen_ai.response.finish_reasons": ["stop"], "gen_ai.response.id": expect.any(String) });
    });

    test(`with traces off it receives no traceparent${stream ? ", on a stream" : ""}, whatever the client sends: ${dialect}`, async () => {
      await ask(quiet.baseUrl, quietKey, `by-${dialect}`, stream, PARENT);
      const { headers } = calls.at(-1)!;
      expect([headers.get("traceparent"), headers.get("tracestate")]).toEqual([null, null]);
    });
  }
}

test("a new trace declares its id random", async () => {
  await ask(gateway.baseUrl, key, "by-openai", false, {});
  expect(calls.at(-1)!.headers.get("traceparent")).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-03$/);
});

test("an endpoint for traces is called unchanged", () => {
  expect(new Set(collector.exports.map(({ path }) => path))).toEqual(new Set(["/in/traces"]));
});

describe("the traceparent of a real client is continued", () => {
  for (const { name, OpenAI } of OPENAI_PACKAGES) {
    test(name, async () => {
      const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: key, defaultHeaders: { traceparent: PARENT.traceparent } });
      const asked = { model: "by-openai", messages: [{ role: "user" as const, content: "Hello!" }] };
      const whole = await client.chat.completions.create(asked).withResponse();
      const streamed = await client.chat.completions.create({ ...asked, stream: true }).withResponse();
      for await (const _ of streamed.data);
      for (const { request_id: requestId } of [whole, streamed]) {
        const [own, attempt] = await collector.spansOf(requestId!);
        expect([own.traceId, own.parentId]).toEqual(["abcdefabcdefabcdefabcdefabcdefab", "1234567890123456"]);
        expect([attempt!.traceId, attempt!.parentId]).toEqual([own.traceId, own.spanId]);
      }
    });
  }
});
