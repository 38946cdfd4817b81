import { afterAll, beforeAll, expect, test } from "bun:test";
import { chunk } from "../support/upstreams/mock-upstream.ts";
import { follow } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { bodyPart, EVENTS_HEAD, startRawUpstream, type RawUpstream } from "../streams/raw-upstream.ts";
import { FlakyUpstream } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, type ModelTerms } from "./routed-gateway.ts";

const BEGUN = [chunk({ role: "assistant", content: "" }), chunk({ content: "Hello" })].map((event) => `data: ${event}\n\n`).join("");

/** Ends the most recent stream. */
let cut: () => void;
const sound = new FlakyUpstream("sound");
let raw: RawUpstream;
let routed: RoutedGateway;

/** Routes first to the raw upstream, which fails in the named way, then to the healthy upstream. */
function rawFirst(id: string): ModelTerms {
  return {
    id,
    routes: [
      { upstream: "raw", model: id },
      { upstream: "sound", model: `m-${id}`, priority: 2 },
    ],
  };
}

beforeAll(async () => {
  raw = await startRawUpstream({
    dies: (socket) => {
      cut = () => void socket.end();
      socket.write(EVENTS_HEAD + bodyPart(BEGUN));
    },
    "goes-on": (socket) => void socket.write(EVENTS_HEAD + bodyPart(BEGUN)),
  });
  const places = [sound, { id: "raw", port: Number(new URL(raw.baseUrl).port) }];
  routed = await RoutedGateway.start(routesConfig(places, ["dies", "goes-on"].map(rawFirst)));
});
afterAll(async () => {
  await routed.stop();
  raw.stop();
  await sound.stop();
});

interface ModelHealth {
  readonly model: string;
  readonly state: string;
  readonly in_flight: number;
  readonly recent_calls: number;
  readonly recent_failures: number;
}

async function healthAtRaw(model: string): Promise<ModelHealth | undefined> {
  const { models } = await routed.gateway.platform<{ models: ModelHealth[] }>("GET", "/api/upstreams/raw/health");
  return models.find((each) => each.model === model);
}

/** Reads a stream that is cut after its first chunk: before that, the gateway would fail over. */
async function readBroken(): Promise<string> {
  const response = await routed.open("dies", { stream: true });
  let text = "";
  await follow(response.body!, (piece) => {
    text += piece;
    if (text.includes('"Hello"')) cut();
  });
  return text;
}

test("five streams that fail after their first chunk eject the route, as failed calls do", async () => {
  for (let at = 0; at < 5; at++) expect(await readBroken()).toContain('"code":"upstream_error"');
  const health = await healthAtRaw("dies");
  expect(health).toMatchObject({ in_flight: 0, recent_calls: 5, recent_failures: 5 });
  // On a slow machine the ejection may be over.
  expect(["ejected", "probing"]).toContain(health!.state);
}, 300_000);

test("a client that disconnects mid-stream does not count as a failure of the route", async () => {
  for (let at = 0; at < 6; at++) {
    const leaving = new AbortController();
    const response = await routed.open("goes-on", { stream: true, signal: leaving.signal });
    await response.body!.getReader().read();
    leaving.abort();
  }
  const health = await eventually(
    () => healthAtRaw("goes-on"),
    (seen) => seen?.in_flight === 0,
  );
  expect(health).toMatchObject({ state: "healthy", recent_calls: 6, recent_failures: 0 });
}, 300_000);
