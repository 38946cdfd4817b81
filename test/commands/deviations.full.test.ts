import { afterAll, beforeAll, expect, test } from "bun:test";
import { chunk, completion, configFor, events, GOOD_CHUNKS, startMockUpstream, usageChunk } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { commandRunner } from "./command-runner.ts";

const mock = startMockUpstream({
  "up-odd": ({ body }) =>
    body["stream"]
      ? events([chunk({ content: "Hello" }), chunk({ role: "assistant", content: " world" }), chunk({}, "stop"), usageChunk()])
      : Response.json({ ...completion(), usage: undefined }),
  "up-well": () => events(GOOD_CHUNKS),
});

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway({ yaml: configFor(mock.baseUrl, ["odd", "well"]) });
  const { key } = await gateway.makeKey();
  for (const [model, stream] of [
    ["odd", true],
    ["odd", true],
    ["odd", false],
    ["well", true],
  ] as const) {
    const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, stream, messages: [{ role: "user", content: "Say hello world" }] }),
    });
    expect(await reply.text()).toContain("world");
  }
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

const ROWS = [
  { model: "odd", deviation: "role_missing", handling: "mended", responses: 2 },
  { model: "odd", deviation: "role_repeated", handling: "mended", responses: 2 },
  { model: "odd", deviation: "usage_missing", handling: "counted", responses: 1 },
];

test("format deviations are counted in responses per model", async () => {
  expect(await gateway.platform("GET", "/api/upstreams/mock/deviations")).toEqual({ data: ROWS, next: null });
});

test("the list can be filtered by model", async () => {
  expect(await gateway.platform("GET", "/api/upstreams/mock/deviations?model=odd")).toEqual({ data: ROWS, next: null });
  expect(await gateway.platform("GET", "/api/upstreams/mock/deviations?model=well")).toEqual({ data: [], next: null });
});

test("the list is paginated", async () => {
  let path = "/api/upstreams/mock/deviations?limit=1";
  for (const row of ROWS) {
    const page = (await gateway.platform("GET", path)) as { data: object[]; next: string | null };
    expect(page.data).toEqual([row]);
    path = `/api/upstreams/mock/deviations?limit=1&cursor=${page.next}`;
  }
  expect(path).toEndWith("cursor=null");
});

test("tollgate upstreams deviations lists all upstreams by default", async () => {
  const text = await commandRunner(gateway).text("upstreams deviations");
  expect(text).toMatch(/^UPSTREAM +MODEL +DEVIATION +HANDLING +RESPONSES\nmock +odd +role_missing +mended +2\n/);
  expect(await commandRunner(gateway).json<object>("upstreams deviations")).toEqual({
    data: ROWS.map((row) => ({ upstream: "mock", ...row })),
    next: null,
  });
  const paged = await commandRunner(gateway).run("upstreams deviations --limit 1");
  expect([paged.code, paged.stderr]).toEqual([2, expect.stringContaining("--limit, --cursor and --model need an UPSTREAM") as string]);
});

test("tollgate upstreams deviations lists one upstream", async () => {
  const text = await commandRunner(gateway).text("upstreams deviations mock");
  expect(text).toMatch(/^MODEL +DEVIATION +HANDLING +RESPONSES\nodd +role_missing +mended +2\nodd +role_repeated +mended +2\n/);
  expect((await commandRunner(gateway).run("upstreams deviations nothing")).stderr).toBe(
    'tollgate: There is no upstream with the id "nothing". See: npx tollgate upstreams list\n',
  );
});
