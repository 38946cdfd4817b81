import { afterAll, beforeAll, expect, test } from "bun:test";
import { answers, FlakyUpstream } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, routesTo } from "./routed-gateway.ts";

/** Tests one model with two API formats: a request that one format does not support goes to the other. */

const claude = new FlakyUpstream("claude", () =>
  Response.json({
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "Hello, world!" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 5, output_tokens: 3 },
  }),
);
const other = new FlakyUpstream("other", answers);
let routed: RoutedGateway;

beforeAll(async () => {
  const upstreams = [{ id: claude.id, port: claude.port, dialect: "anthropic" }, other];
  const models = [
    { id: "both", routes: routesTo([claude, other], true) },
    { id: "claude-alone", routes: routesTo([claude]) },
  ];
  routed = await RoutedGateway.start(routesConfig(upstreams, models));
});
afterAll(async () => {
  await routed.stop();
  await Promise.all([claude.stop(), other.stop()]);
});

const SOUND = [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }] }];

test("a request that both support goes to the first", async () => {
  const { status, headers, text } = await routed.ask("both");
  expect([status, headers.get("x-tollgate-upstream"), headers.get("x-tollgate-attempts")]).toEqual([200, "claude", "1"]);
  expect(text).toContain("Hello, world!");
});

test("a request with a parameter or a content part that the first does not support goes to the other at once", async () => {
  for (const body of [{ n: 2 }, { messages: SOUND }]) {
    const { status, headers } = await routed.ask("both", { body });
    expect([status, headers.get("x-tollgate-upstream"), headers.get("x-tollgate-attempts")]).toEqual([200, "other", "1"]);
  }
});

test("a max_tokens that the format requires is reported to a client that set none, in the dry run and in the reply", async () => {
  const dry = await routed.ask("claude-alone", { headers: { "x-dry-run": "1" } });
  expect(JSON.parse(dry.text)).toMatchObject({ max_tokens: 16_384 });
  const { headers } = await routed.ask("claude-alone");
  expect(headers.get("x-tollgate-max-tokens")).toBe("16384");
  expect(claude.requests.at(-1)!.body["max_tokens"]).toBe(16_384);
  const own = await routed.ask("claude-alone", { body: { max_tokens: 7 } });
  expect([own.headers.get("x-tollgate-max-tokens"), claude.requests.at(-1)!.body["max_tokens"]]).toEqual([null, 7]);
  expect((await routed.ask("both", { body: { n: 2 } })).headers.get("x-tollgate-max-tokens")).toBeNull();
});

test("where no format supports a field, the error names it", async () => {
  const before = claude.calls;
  const refused = await Promise.all([{ n: 2 }, { messages: SOUND }].map((body) => routed.ask("claude-alone", { body })));
  expect(refused.map(({ status, text }) => [status, (JSON.parse(text) as { error: { param: string } }).error.param])).toEqual([
    [400, "n"],
    [400, "messages[0].content[0]"],
  ]);
  expect(claude.calls).toBe(before);
});
