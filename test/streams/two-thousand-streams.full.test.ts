import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { configFor } from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { descriptorsOf, HAS_PROC, type Descriptors, type OpenSocket } from "./process-facts.ts";
import { startStreamUpstream, type StreamUpstream } from "./start-stream-upstream.ts";
import type { CallersOrder, CallersReport } from "./stream-callers.ts";

const STREAMS = 2000;
/**
 * The connection pool has at most 64 idle connections to an upstream, and the test has one to the platform. More connections are a leak.
 */
const MAX_OPEN = 65;
const ALL_RIGHT: CallersReport = { right: STREAMS, wrong: [] };

let upstream: StreamUpstream;
let gateway: RunningGateway;
let key: string;
/** The number of the gateway's descriptors after its first stream, including those that a process opens only once. */
let before: { total: number } | undefined;

beforeAll(async () => {
  upstream = await startStreamUpstream();
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["public-name"]), env: CANCELS });
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

test(`${STREAMS} streams that are all open at once arrive to the byte`, async () => {
  const arriving = runCallers("read", seedsOf("whole"));
  // No stream can end before all of them have started: the upstream holds back every end.
  const held = await eventually(upstream.stats, (stats) => stats.held === STREAMS);
  expect(held).toMatchObject({ open: STREAMS, finished: 1, aborted: 0 });
  await upstream.release();
  expect(await arriving).toEqual(ALL_RIGHT);
  expect(await eventually(upstream.stats, ({ open }) => open === 0)).toMatchObject({ finished: 1 + STREAMS, aborted: 0 });
});

test(`${STREAMS} disconnects mid-stream each cancel the upstream call`, async () => {
  expect(await runCallers("cut", seedsOf("cut"))).toEqual(ALL_RIGHT);
  const stats = await eventually(upstream.stats, ({ aborted }) => aborted === STREAMS);
  expect(stats).toMatchObject({ open: 0, finished: 1 + STREAMS });
  await waitFor(() => timesInLog('"end":"caller_gone"') === STREAMS);
  expect(timesInLog('"end":"complete"')).toBe(1 + STREAMS);
});

// Open descriptors are read from /proc.
test.skipIf(!HAS_PROC)("all of these streams leak no descriptor", async () => {
  // There may be fewer than before: opening the first file of the log also opens a folder for a moment.
  await eventually(descriptorsAtRest, ({ total, kept }) => total <= before!.total && kept <= MAX_OPEN);
  // After the upstream was stopped, no pooled connection to it is left.
  await upstream.stop();
  await eventually(descriptors, ({ sockets }) => sockets.every(({ remotePort }) => remotePort !== upstream.port));
  await eventually(descriptorsAtRest, ({ total }) => total <= before!.total);
});

/** The request log opens the file of the day, with its WAL, when the first request has ended. */
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

/** The open descriptors after all clients have disconnected, without pooled connections. */
async function descriptorsAtRest(): Promise<{ total: number; kept: number }> {
  const { total, sockets } = await eventually(descriptors, (now) =>
    now.sockets.every((socket) => socket.state === "listen" || isKept(socket)),
  );
  const kept = sockets.filter(isKept).length;
  return { total: total - kept, kept };
}

/**
 * The gateway pools connections to its upstream, and the test has the connection by which it created the key. A half-closed connection is a
 * leak.
 */
function isKept({ state, localPort, remotePort }: OpenSocket): boolean {
  return state === "established" && (remotePort === upstream.port || localPort === Number(new URL(gateway.platformUrl).port));
}
