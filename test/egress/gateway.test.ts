import { afterAll, beforeAll, expect, test } from "bun:test";
import { completion, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { ask } from "../streams/ask.ts";
import { fakeNames } from "./fake-names.ts";
import { dialledElsewhere, listenOnLoopback, type LoopbackListeners } from "./loopback-listeners.ts";
import { NEVER, PRIVATE, PUBLIC } from "./vectors.ts";

interface Case {
  readonly id: string;
  readonly scheme: "http" | "https";
  readonly allowPrivate: boolean;
  /** The address in the answer that must be rejected. */
  readonly refused: string;
  readonly answer: readonly string[];
}

const CASES: readonly Case[] = [
  ...[...PRIVATE, ...NEVER].map((refused) => ({ scheme: "https", allowPrivate: false, refused, answer: [PUBLIC[0], refused] }) as const),
  ...NEVER.map((refused) => ({ scheme: "http", allowPrivate: true, refused, answer: ["127.0.0.1", refused] }) as const),
  ...PUBLIC.map((refused) => ({ scheme: "http", allowPrivate: true, refused, answer: ["127.0.0.1", refused] }) as const),
].map((each, at) => ({ ...each, id: `case-${at}` }));

const REDIRECTS = [301, 302, 303, 307, 308];

let listeners: LoopbackListeners;
let gateway: RunningGateway;
let key: string;

/** Redirects with the status that is the name of the model. Other models respond like an honest upstream. */
const upstream = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const status = Number(((await request.json()) as { model: string }).model);
    if (Number.isNaN(status)) return Response.json(completion());
    return new Response(null, { status, headers: { location: `http://127.0.0.1:${listeners.port}/v1/chat/completions` } });
  },
});

beforeAll(async () => {
  listeners = await listenOnLoopback();
  const upstreams = [
    ...CASES.map(
      ({ id, scheme, allowPrivate }) =>
        `{ id: ${id}, base_url: "${scheme}://${id}.test:${listeners.port}/v1", allow_private: ${allowPrivate}`,
    ),
    `{ id: allowed, base_url: "http://allowed.test:${upstream.port}/v1", allow_private: true`,
  ];
  const models = [
    ...CASES.map(({ id }) => `{ id: ${id}, routes: [{ upstream: ${id}, model: m }]`),
    ...REDIRECTS.map((status) => `{ id: redirect-${status}, routes: [{ upstream: allowed, model: "${status}" }]`),
    `{ id: honest, routes: [{ upstream: allowed, model: m }]`,
  ];
  gateway = await startGateway({
    yaml: `upstreams:
${upstreams.map((each) => `  - ${each}, dialect: openai }`).join("\n")}
models:
${models.map((each) => `  - ${each}, price: ${TEST_PRICE} }`).join("\n")}
`,
    env: fakeNames({ ...Object.fromEntries(CASES.map(({ id, answer }) => [`${id}.test`, [answer]])), "allowed.test": [["127.0.0.1"]] }),
  });
  ({ key } = await gateway.makeKey());
});
afterAll(async () => {
  await gateway.stop();
  listeners.stop();
  await upstream.stop(true);
});

async function expectNoConnection(): Promise<void> {
  expect(await listeners.accepted()).toBe(0);
  expect(dialledElsewhere(listeners.port)).toEqual([]);
}

async function expectRefusal({ id, refused }: Case): Promise<void> {
  const heard = await ask(gateway, key, id, false);
  expect([id, heard.status, heard.errorCode]).toEqual([id, 503, "no_upstream_available"]);
  expect(heard.text).not.toContain(refused);
  expect(await heard.log()).toMatchObject({ detail: expect.stringContaining(`${id}.test is not called: ${refused} is `) });
}

test(`${CASES.length} upstreams whose names resolve to forbidden addresses are not connected to; the log has the reason, and the reply has not`, async () => {
  await Promise.all(CASES.map(expectRefusal));
  await expectNoConnection();
});

test("a redirect to another address of this machine is an upstream error", async () => {
  for (const status of REDIRECTS) {
    for (const stream of [false, true]) {
      const heard = await ask(gateway, key, `redirect-${status}`, stream);
      expect([status, heard.status, heard.errorCode]).toEqual([status, 502, "upstream_error"]);
    }
  }
  await expectNoConnection();
});

test("an upstream whose name resolves to an allowed address is called", async () => {
  expect((await ask(gateway, key, "honest", false)).status).toBe(200);
});
