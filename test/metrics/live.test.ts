import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { METRICS } from "../../src/telemetry/metrics/descriptions.ts";
import {
  completion,
  configFor,
  events,
  GOOD_CHUNKS,
  startMockUpstream,
  TEST_PRICE,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";
import { chatBody, postChat } from "../money/post-chat.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { makeAccessToken } from "./access-token.ts";
import { Scrape } from "./scrape.ts";
import { eventually } from "../support/eventually.ts";

let upstream: MockUpstream;
let collector: Bun.Server<undefined>;
let gateway: RunningGateway;
let key: string;
let token: string;
let release: () => void;

beforeAll(async () => {
  upstream = startMockUpstream({
    "up-good": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion({}, { id: undefined }))),
    "up-slow": () => new Promise((resolve) => (release = () => resolve(Response.json(completion())))),
    "up-failing": () => new Response("out of order", { status: 500 }),
    "up-cached": () => Response.json(completion()),
  });
  // A collector of traces, and the metadata server of Google.
  const accessToken = { access_token: "an-access-token", expires_in: 3599, token_type: "Bearer" };
  const fetch = (): Response => Response.json(accessToken, { headers: { "metadata-flavor": "Google" } });
  collector = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  const address = `127.0.0.1:${collector.port}`;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://${address}`, GCE_METADATA_HOST: address, TOLLGATE_LOG_LEVEL: "debug" };
  gateway = await startGateway({ yaml: config(), env });
  ({ key } = await gateway.makeKey());
  token = await makeAccessToken(gateway, ["metrics:read"]);
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all([upstream.stop(), collector.stop(true)]);
});

function config(): string {
  const cached = `  - { id: cached, routes: [{ upstream: mock, model: up-cached }], price: ${TEST_PRICE}, cache: { ttl_seconds: 60 } }\n`;
  const cloud = `  - { id: cloud, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true, google: {} }`;
  const inCloud = `  - { id: in-cloud, routes: [{ upstream: cloud, model: up-cached }], price: ${TEST_PRICE} }\n`;
  const falling = `  - { id: falling, routes: [{ upstream: mock, model: up-failing }], price: ${TEST_PRICE}, fallback_models: [good] }\n`;
  return configFor(upstream.baseUrl, ["good", "slow", "failing"], cloud) + cached + inCloud + falling;
}

function ask(model: string, more: object = {}): Promise<unknown> {
  return postChat(gateway, key, chatBody(model, more));
}

async function value(metric: string, labels = ""): Promise<number | undefined> {
  return (await Scrape.of(gateway)).values(metric).get(labels);
}

async function until(metric: string, labels: string, isSo: (value: number | undefined) => boolean): Promise<void> {
  await eventually(() => value(metric, labels), isSo);
}

test("a gateway in use exports every described metric, and no other", async () => {
  await Promise.all([ask("good"), ask("good", { stream: true }), ask("cached"), ask("failing"), ask("falling"), ask("in-cloud")]);
  const described = Object.keys(METRICS).toSorted();
  const exported = await eventually(
    async () => (await Scrape.of(gateway)).families.map(({ name }) => name).toSorted(),
    ({ length }) => length >= described.length,
  );
  expect(exported).toEqual(described);
});

test("a metrics token reads only metrics, and only rejected scrapes are logged", async () => {
  const byToken = { headers: { authorization: `Bearer ${token}` } };
  const scraped = await fetch(`${gateway.platformUrl}/metrics`, byToken);
  expect(scraped.status).toBe(200);
  expect(scraped.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(scraped.headers.get("cache-control")).toBe("no-store");
  expect((await fetch(`${gateway.platformUrl}/api/keys`, byToken)).status).toBe(403);
  expect((await fetch(`${gateway.platformUrl}/metrics`)).status).toBe(401);
  expect((await fetch(`${gateway.baseUrl.replace("/v1", "")}/metrics`, byToken)).status).toBe(404);
  const refused = await waitFor(() => gateway.logLines().find(({ path, listener }) => path === "/metrics" && listener === "platform"));
  expect(refused).toMatchObject({ status: 401 });
  const told = gateway.logLines().filter(({ path, listener }) => path === "/metrics" && listener === "platform");
  expect(told.map(({ status }) => status)).toEqual([401]);
});

test("holds and calls in flight are exported while a request is in flight and no longer", async () => {
  const asked = upstream.requests.length;
  const answer = ask("slow");
  await waitFor(() => upstream.requests.length > asked);
  const during = await Scrape.of(gateway);
  expect(during.sum("tollgate_holds_open")).toBe(1);
  expect(during.sum("tollgate_holds_open_dollars")).toBeGreaterThan(0);
  expect(during.values("tollgate_requests_in_flight").get("gateway")).toBe(1);
  expect(during.values("tollgate_upstream_calls_in_flight").get("mock")).toBe(1);
  expect(during.values("tollgate_upstream_model_calls_in_flight").get("mock up-slow")).toBe(1);
  release();
  await answer;
  await until("tollgate_requests_in_flight", "gateway", (count) => count === 0);
  expect(await value("tollgate_holds_open")).toBe(0);
  expect(await value("tollgate_holds_open_dollars")).toBe(0);
});

test("a failing upstream model is exported as ejected", async () => {
  for (let at = 0; at < 20; at++) await ask("failing");
  const states = (await Scrape.of(gateway)).values("tollgate_upstream_model_state");
  expect(states.get("mock up-failing healthy")).toBe(0);
  expect(states.get("mock up-failing ejected")! + states.get("mock up-failing probing")!).toBe(1);
  expect(states.get("mock up-good healthy")).toBe(1);
});

test("metrics are available while the ledger is unwritable, and report it", async () => {
  const database = new Database(join(gateway.folder, "data", "tollgate.db"));
  database.run("pragma busy_timeout = 120000");
  database.run("begin immediate");
  // The settlement may wait for the database, if it is combined with a write that the journal cannot hold.
  const answer = ask("good");
  try {
    await until("tollgate_ledger_unwritable", "", (trouble) => trouble === 1);
    expect(await value("tollgate_ledger_unwritten_entries")).toBeGreaterThan(0);
  } finally {
    database.close();
  }
  await answer;
  await until("tollgate_ledger_unwritable", "", (trouble) => trouble === 0);
});

test("a rejected config file is exported until it is fixed", async () => {
  const file = join(gateway.folder, "tollgate.yaml");
  const before = await value("tollgate_config_last_reload_success_timestamp_seconds");
  writeFileSync(file, "models: [");
  await until("tollgate_config_last_reload_successful", "", (isGood) => isGood === 0);
  expect(await value("tollgate_config_last_reload_success_timestamp_seconds")).toBe(before);
  writeFileSync(file, config());
  await until("tollgate_config_last_reload_successful", "", (isGood) => isGood === 1);
  expect(await value("tollgate_config_last_reload_success_timestamp_seconds")).toBeGreaterThan(before!);
});
