import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Endpoint, Exchange } from "../../src/http/endpoint.ts";
import type { IncomingRequest } from "../../src/lib/http1/server/incoming-request.ts";
import { platformEndpoints } from "../../src/platform/app.ts";
import { textOf } from "../support/http/reply-text.ts";
import { type PlatformInProcess, exchangeWith, openPlatform } from "../support/gateway/platform-in-process.ts";

let open: PlatformInProcess;
let endpoints: readonly Endpoint[];
/** The number of existing keys each time when a call waited for the processes. */
let waits: number[];
let release: () => void;

beforeEach(async () => {
  open = await openPlatform();
  waits = [];
  endpoints = platformEndpoints({
    ...open.platform,
    propagated() {
      waits.push(open.stores.keys.ids().length);
      return new Promise((resolve) => {
        release = resolve;
      });
    },
  });
});
afterEach(() => open.stop());

function exchangeOf(method: string, path: string, body: object | undefined, params: Record<string, string>): Exchange {
  const request: IncomingRequest = {
    method,
    target: path,
    params,
    headers: new Headers({ "content-type": "application/json", authorization: "Bearer token" }),
    headerBytes: 0,
    signal: new AbortController().signal,
    isReceived: true,
    bytes: () => Buffer.from(body ? JSON.stringify(body) : ""),
  };
  return exchangeWith(request);
}

/** The outcome of a call so far. */
function call(
  method: string,
  path: string,
  body?: object,
  params: Record<string, string> = {},
): { reply?: string; ended: Promise<unknown> } {
  const endpoint = endpoints.find((each) => each.method === method && each.path === path)!;
  const outcome: { reply?: string; ended: Promise<unknown> } = { ended: Promise.resolve() };
  const run = async (): Promise<void> => {
    outcome.reply = await textOf(await endpoint.handle(exchangeOf(method, path, body, params)));
  };
  outcome.ended = run().catch((error: unknown) => {
    outcome.reply = String(error);
  });
  return outcome;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function untilWaiting(count: number): Promise<void> {
  while (waits.length < count) await turn();
  await turn();
}

test("a change is replied to once every process has it in force", async () => {
  const creation = call("POST", "/api/keys", { name: "k", models: ["*"] });
  await untilWaiting(1);
  expect([creation.reply, waits]).toEqual([undefined, [1]]);
  release();
  await creation.ended;
  expect(JSON.parse(creation.reply!)).toMatchObject({ name: "k" });
});

test("an error is replied to as late: a revocation that could not be written is in force", async () => {
  const creation = call("DELETE", "/api/keys/:id", undefined, { id: "unknown" });
  await untilWaiting(1);
  expect(creation.reply).toBeUndefined();
  release();
  await creation.ended;
  expect(creation.reply).toContain("unknown");
});

test("reading waits for nobody", async () => {
  await call("GET", "/api/keys").ended;
  expect(waits).toEqual([]);
});
