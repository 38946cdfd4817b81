import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  completion,
  configFor,
  events,
  GOOD_CHUNKS,
  rawEvents,
  startMockUpstream,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";
import { Gate } from "../money/gate.ts";
import { chatBody } from "../money/post-chat.ts";
import { CANCELS, startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { Scrape } from "./scrape.ts";

let upstream: MockUpstream;
let gateway: RunningGateway;
let key: string;
const gate = new Gate();

beforeAll(async () => {
  upstream = startMockUpstream({
    "up-good": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
    "up-broken": () => rawEvents(`data: ${GOOD_CHUNKS[1]}\n\n`),
    "up-late": () => gate.pass().then(() => Response.json(completion())),
    "up-refusing": () => Response.json({ error: { message: "no such tool", type: "invalid_request_error" } }, { status: 400 }),
  });
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["good", "broken", "late", "refusing"]), env: CANCELS });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  gate.open();
  await gateway.stop();
  await upstream.stop();
});

interface RequestOptions {
  readonly model: string;
  readonly stream?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

async function ask({ model, stream = false, headers = {}, signal }: RequestOptions): Promise<{ status: number; bytes: number }> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: chatBody(model, { stream }),
    signal: signal ?? null,
  });
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
}

async function value(metric: string, labels = ""): Promise<number> {
  return (await Scrape.of(gateway)).values(metric).get(labels) ?? 0;
}

test("counts every byte of a response in every format, and none of a rejection", async () => {
  const kept = { "idempotency-key": "kept" };
  for (const asking of [
    { model: "good" },
    { model: "good", stream: true },
    { model: "broken", stream: true },
    { model: "good", headers: kept },
    { model: "good", headers: kept },
  ]) {
    const before = await value("tollgate_reply_bytes_total");
    const { status, bytes } = await ask(asking);
    expect(status).toBe(200);
    expect((await value("tollgate_reply_bytes_total")) - before).toBe(bytes);
  }
  const before = await value("tollgate_reply_bytes_total");
  expect((await ask({ model: "unknown" })).status).toBe(403);
  expect((await ask({ model: "good", headers: { "x-dry-run": "true" } })).status).toBe(200);
  expect(await value("tollgate_reply_bytes_total")).toBe(before);
});

test("a response after the client's deadline is not counted", async () => {
  const before = await value("tollgate_reply_bytes_total");
  expect((await ask({ model: "late", headers: { "idempotency-key": "late", "x-timeout-ms": "1500" } })).status).toBe(504);
  await gate.holds(1);
  gate.open();
  await eventually(
    () => value("tollgate_charged_dollars_total", "late"),
    (dollars) => dollars > 0,
  );
  gate.close();
  expect(await value("tollgate_reply_bytes_total")).toBe(before);
});

test("the gateway's overhead is exported for JSON and streams", async () => {
  const before = await value("tollgate_gateway_overhead_seconds_count");
  await ask({ model: "good" });
  await ask({ model: "good", stream: true });
  expect((await value("tollgate_gateway_overhead_seconds_count")) - before).toBe(2);
});

/** The numbers of rejected and cancelled attempts. */
async function outcomes(): Promise<number[]> {
  const attempts = (await Scrape.of(gateway)).values("tollgate_attempts_total");
  return ["mock refused", "mock abandoned"].map((labels) => attempts.get(labels) ?? 0);
}

test("distinguishes an attempt that the upstream refused from one that the client abandoned", async () => {
  const [refused, abandoned] = await outcomes();
  expect((await ask({ model: "refusing" })).status).toBe(400);
  expect(await outcomes()).toEqual([refused! + 1, abandoned!]);
  const leaving = new AbortController();
  const asked = upstream.requests.length;
  const left = ask({ model: "late", signal: leaving.signal }).catch(() => undefined);
  await waitFor(() => upstream.requests.length > asked);
  leaving.abort();
  await left;
  await eventually(outcomes, ([, count]) => count === abandoned! + 1);
  expect(await outcomes()).toEqual([refused! + 1, abandoned! + 1]);
});
