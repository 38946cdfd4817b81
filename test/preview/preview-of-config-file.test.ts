import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chatBody, postChat } from "../money/post-chat.ts";
import { callPlatform } from "../support/upstreams/money-upstream.ts";
import { replace, requestReload } from "../support/gateway/reload-gateway.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

const config = (rate: number): string => `upstreams:
  - { id: echo, dialect: echo }
models:
  - id: chat
    routes: [{ upstream: echo, model: echo }]
    price: { input_per_million: ${rate}, output_per_million: ${rate} }
  - id: old-chat
    routes: [{ upstream: echo, model: echo }]
    price: { input_per_million: 1000, output_per_million: 1000 }
    state: deprecated
    shutdown_date: "2999-06-30"
    replacement: chat
accounts:
  - { id: acme, name: Acme Inc. }
`;

const DOUBLE = { price: { input_per_million: 2000, output_per_million: 2000 } };
const END = { shutdown_date: "2999-06-30", replacement: "chat" };

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway({ yaml: config(1000) });
  await gateway.platform("POST", "/api/accounts/acme/grants", { amount: "10", reference: "for tests", reason: "for tests" });
  const { key } = await gateway.makeKey(["*"], { account: "acme" });
  for (const model of ["chat", "old-chat", "old-chat"]) {
    expect((await postChat(gateway, key, chatBody(model, { max_tokens: 5 }))).status).toBe(200);
  }
});

afterAll(() => gateway.stop());

const ask = async (method: string, path: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }> =>
  callPlatform(gateway, method, path, body);

const CHANGES: [what: string, method: string, path: string, body: object | undefined, preview: object][] = [
  ["an account", "PATCH", "/api/accounts/acme", { models: ["chat"] }, { requests: 3, refused_by: { model_not_allowed: 2 } }],
  ["the price of a model", "PATCH", "/api/models/chat", DOUBLE, { requests: 1, refused: 0, price: { source: "operator" } }],
  ["the end of a model", "POST", "/api/models/old-chat/retire", undefined, { refused_by: { model_retired: 2 }, replacement: "chat" }],
];

describe("resources of the config file can be previewed, and changed only there:", () => {
  for (const [what, method, path, body, preview] of CHANGES) {
    test(what, async () => {
      expect(await ask(method, `${path}?preview=true`, body)).toMatchObject({ status: 200, body: preview });
      for (const change of ["", "?preview=false"]) {
        expect(await ask(method, `${path}${change}`, body)).toMatchObject({ status: 409, body: { code: "managed_elsewhere" } });
      }
    });
  }
});

test("a preview of the file's resources rejects all other errors", async () => {
  const wrong: [method: string, path: string, body: object | undefined, code: string][] = [
    ["PATCH", "/api/models/chat", { routes: [{ upstream: "nowhere", model: "m" }] }, "invalid_value"],
    ["PATCH", "/api/models/chat", { shutdown_date: "2999-01-01" }, "state_conflict"],
    ["POST", "/api/models/chat/deprecate", { ...END, replacement: "old-chat" }, "invalid_value"],
    ["POST", "/api/models/old-chat/deprecate", END, "state_conflict"],
    ["POST", "/api/models/chat/retire", undefined, "state_conflict"],
    ["PATCH", "/api/accounts/acme", { limits: null }, "invalid_value"],
  ];
  for (const [method, path, body, code] of wrong) {
    expect([path, (await ask(method, `${path}?preview=true`, body)).body["code"]]).toEqual([path, code]);
  }
});

test("a preview of the file's model is based on the file", async () => {
  const { body: doubled } = await ask("PATCH", "/api/models/chat?preview=true", DOUBLE);
  const { charged, would_be_charged: wouldBe } = doubled["money"] as { charged: string; would_be_charged: string };
  expect(Number(wouldBe)).toBeCloseTo(2 * Number(charged), 9);
  const { body: same } = await ask("PATCH", "/api/models/chat?preview=true", { context_window: 1000 });
  expect(same).toMatchObject({ requests: 1, price: null, money: { charged, would_be_charged: charged } });
  replace(gateway, config(2000));
  await requestReload(gateway);
  const { price } = await gateway.platform<{ price: object }>("GET", "/api/models/chat");
  expect(price).toEqual(doubled["price"] as object);
});
