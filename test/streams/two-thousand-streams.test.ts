import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { configFor } from "../mock-upstream.ts";
import { startGateway, waitFor, type RunningGateway } from "../start-gateway.ts";
import { eventually } from "./eventually.ts";
import { descriptorsOf, HAS_PROC, type Descriptors, type OpenSocket } from "./process-facts.ts";
import { startStreamUpstream, type StreamUpstream } from "./start-stream-upstream.ts";
import type { CallersOrder, CallersReport } from "./stream-callers.ts";

const STREAMS = 2000;
/** The gateway keeps 64 idle connections to an upstream at the most, and we have one to the platform. More are no pool, but a leak. */
const MOST_KEPT = 65;
const ALL_RIGHT: CallersReport = { right: STREAMS, wrong: [] };

let upstream: StreamUpstream;
let gateway: RunningGateway;
let key: string;
/** What the gateway has open after its very first stream: what a process opens once and keeps is among it. */
let before: { total: number } | undefined;

beforeAll(async () => {
  upstream = await startStreamUpstream();
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["public-name"]) });
  ({ key } = await gateway.makeKey());
  const first = runCallers("read", ["first"]);
  await eventually(upstream.stats, ({ held }) => held === 1);
  await upstream.release();
  expect(await first).toEqual({ right: 1, wrong: [] });
  await waitFor(isLogOpen);
  if (HAS_PROC) before = await descriptorsAtRest();
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

test("2,000 streams that are all open at once arrive to the byte", async () => {
  const arriving = runCallers("read", seedsOf("whole"));
  // None of them can end before all of them have begun: the upstream holds every end back.
  const held = await eventually(upstream.stats, (stats) => stats.held === STREAMS);
  expect(held).toMatchObject({ open: STREAMS, finished: 1, aborted: 0 });
  await upstream.release();
  expect(await arriving).toEqual(ALL_RIGHT);
  expect(await eventually(upstream.stats, ({ open }) => open === 0)).toMatchObject({ finished: 1 + STREAMS, aborted: 0 });
});

test("2,000 callers that leave in mid-stream each reach the upstream", async () => {
  expect(await runCallers("cut", seedsOf("cut"))).toEqual(ALL_RIGHT);
  const stats = await eventually(upstream.stats, ({ aborted }) => aborted === STREAMS);
  expect(stats).toMatchObject({ open: 0, finished: 1 + STREAMS });
  await waitFor(() => timesInLog('"end":"caller_gone"') === STREAMS);
  expect(timesInLog('"end":"complete"')).toBe(1 + STREAMS);
});

// Without /proc nobody can tell what a process has open.
test.skipIf(!HAS_PROC)("4,000 streams leave no descriptor behind", async () => {
  // There may be fewer than before: what opens the first file of the log has a folder open for a moment.
  await eventually(descriptorsAtRest, ({ total, kept }) => total <= before!.total && kept <= MOST_KEPT);
  // With the upstream gone no connection to it can be kept: what is left is all there is.
  await upstream.stop();
  await eventually(descriptors, ({ sockets }) => sockets.every(({ remotePort }) => remotePort !== upstream.port));
  expect((await descriptorsAtRest()).total).toBeLessThanOrEqual(before!.total);
});

/** The request log opens the file of the day, and what SQLite has beside it, when the first request has ended. */
function isLogOpen(): boolean {
  const folder = join(gateway.folder, "data", "requests");
  return existsSync(folder) && readdirSync(folder).length === 3;
}

async function runCallers(manner: CallersOrder["manner"], seeds: readonly string[]): Promise<CallersReport> {
  const order: CallersOrder = { baseUrl: gateway.baseUrl, key, model: "public-name", seeds, manner };
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "stream-callers.ts"), JSON.stringify(order)], {
    env: { PATH: process.env["PATH"]!, BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" },
    stdout: "pipe",
    stderr: "inherit",
  });
  return (await child.stdout.json()) as CallersReport;
}

function seedsOf(round: string): string[] {
  return Array.from({ length: STREAMS }, (_, at) => `${round} ${at}`);
}

function timesInLog(words: string): number {
  return gateway.output().split(words).length - 1;
}

function descriptors(): Descriptors {
  return descriptorsOf(gateway.pid);
}

/** What is open once no caller is connected, apart from the connections that are kept for the next call. */
async function descriptorsAtRest(): Promise<{ total: number; kept: number }> {
  const { total, sockets } = await eventually(descriptors, (now) =>
    now.sockets.every((socket) => socket.state === "listen" || isKept(socket)),
  );
  const kept = sockets.filter(isKept).length;
  return { total: total - kept, kept };
}

/** The gateway keeps connections to its upstream, and we the one by which the key was made. One half closed is not kept, but lost. */
function isKept({ state, localPort, remotePort }: OpenSocket): boolean {
  return state === "established" && (remotePort === upstream.port || localPort === Number(new URL(gateway.platformUrl).port));
}
