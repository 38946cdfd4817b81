import { afterAll, beforeAll, expect, test } from "bun:test";
import { completion, configFor, events, GOOD_CHUNKS, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { startCollector } from "./collector.ts";

const upstream = startMockUpstream({
  "up-chat": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
});
const collector = startCollector();
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  gateway = await startGateway({
    yaml: configFor(upstream.baseUrl, ["chat"]),
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "20", TOLLGATE_TRACE_CONTENT: "on" },
  });
  ({ key } = await gateway.makeKey());
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([collector.stop(), upstream.stop()]);
});

async function contentOf(stream: boolean, content: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "chat", stream, messages: [{ role: "user", content }] }),
  });
  await response.text();
  const [own, attempt] = await collector.spansOf(response.headers.get("x-request-id")!);
  expect(attempt!.attributes["gen_ai.input.messages"]).toBeUndefined();
  return own.attributes;
}

for (const stream of [false, true]) {
  test(`with content capture on, the span of a ${stream ? "stream" : "JSON response"} has the prompt and the response`, async () => {
    const { "gen_ai.input.messages": input, "gen_ai.output.messages": output, ...rest } = await contentOf(stream, "What is up?");
    expect(JSON.parse(String(input))).toEqual([{ role: "user", parts: [{ type: "text", content: "What is up?" }] }]);
    expect(JSON.parse(String(output))).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "Hello world" }], finish_reason: "stop" },
    ]);
    expect(rest["tollgate.content_truncated"]).toBeUndefined();
  });
}

test("long content is truncated and marked", async () => {
  const { "gen_ai.input.messages": input, "tollgate.content_truncated": isCut } = await contentOf(false, "x".repeat(200_000));
  expect([isCut, String(input).length < 70_000]).toEqual([true, true]);
  expect(JSON.parse(String(input))).toMatchObject([{ role: "user" }]);
});

test("a key in the content is redacted", async () => {
  const { "gen_ai.input.messages": input } = await contentOf(false, `my key is ${key}`);
  expect(String(input)).toContain("my key is sk-service-");
  expect(String(input)).not.toContain(key);
  expect(Buffer.concat(collector.exports.map(({ bytes }) => bytes)).toString("latin1")).not.toContain("credential-canary");
});
