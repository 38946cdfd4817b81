import { afterAll, beforeAll, expect, test } from "bun:test";
import { chunk } from "../mock-upstream.ts";
import { follow } from "../start-gateway.ts";
import { eventually } from "../streams/eventually.ts";
import { bodyPart, EVENTS_HEAD, startRawUpstream, type RawUpstream } from "../streams/raw-upstream.ts";
import { FickleUpstream } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, type ModelTerms } from "./routed-gateway.ts";

const BEGUN = [chunk({ role: "assistant", content: "" }), chunk({ content: "Hello" })].map((event) => `data: ${event}\n\n`).join("");

/** Ends the stream that began last. */
let cut: () => void;
const sound = new FickleUpstream("sound");
let raw: RawUpstream;
let routed: RoutedGateway;

/** First to the one that is asked by the name of what it does, then to the sound one. */
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

/** Reads a stream, which is cut when its first word is there: one that was cut before would be asked for elsewhere. */
async function readBroken(): Promise<string> {
  const response = await routed.open("dies", { stream: true });
  let text = "";
  await follow(response.body!, (piece) => {
    text += piece;
    if (text.includes('"Hello"')) cut();
  });
  return text;
}

test("streams that die after their first word leave the route out after five of them, as calls that never answer do", async () => {
  for (let at = 0; at < 5; at++) expect(await readBroken()).toContain('"code":"upstream_error"');
  const health = await healthAtRaw("dies");
  expect(health).toMatchObject({ in_flight: 0, recent_calls: 5, recent_failures: 5 });
  // On a slow machine its time may be over.
  expect(["out", "due"]).toContain(health!.state);
}, 300_000);

test("a caller that leaves a stream in the middle says nothing against the route", async () => {
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
  expect(health).toMatchObject({ state: "in", recent_calls: 6, recent_failures: 0 });
}, 300_000);
