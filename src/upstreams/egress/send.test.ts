import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { CallerGone } from "../../lib/async/caller-gone.ts";
import { toByteText } from "../../lib/text/byte-text.ts";
import { DEFAULT_TIMEOUTS } from "../../models/timeouts.ts";
import { Destination } from "./destination.ts";
import type { Lookup } from "./resolve.ts";
import { send, mayResend } from "./send.ts";
import { ConnectionPool } from "../../lib/http1/client/connection-pool.ts";
import { eventually } from "../../../test/support/eventually.ts";

interface SeenRequest {
  readonly at: string;
  readonly host: string | null;
  readonly clientPort: number;
}

let seen: SeenRequest[] = [];
let lookups: string[] = [];
beforeEach(() => {
  seen = [];
  lookups = [];
});

function serveAt(hostname: string, port = 0): Bun.Server<undefined> {
  return Bun.serve({
    hostname,
    port,
    fetch(request, server) {
      seen.push({ at: hostname, host: request.headers.get("host"), clientPort: server.requestIP(request)!.port });
      return new Response("{}");
    },
  });
}

const first = serveAt("127.0.0.2");
const { port } = first;
const second = serveAt("127.0.0.3", port);
afterAll(() => Promise.all([first.stop(true), second.stop(true)]));

/** A port without a listener. */
const NOBODY = ["127.0.0.4", "127.0.0.5"];

/** Returns these results in order, and repeats the last one. */
function answering(...answers: string[][]): Lookup {
  return (name) => {
    lookups.push(name);
    return Promise.resolve(answers.length > 1 ? answers.shift()! : answers[0]!);
  };
}

function destinationOf(lookup: Lookup): Destination {
  return new Destination({ baseUrl: `http://name.test:${port}/v1`, allowPrivate: true }, lookup);
}

/** Waits until no idle connection to an address is left: only a pool with idle connections is reused. */
async function connectionsEnded(address: string): Promise<void> {
  const place = (): ConnectionPool => ConnectionPool.at(address, { hostname: "name.test", port: port!, isEncrypted: false });
  await eventually(
    () => place() === place(),
    (isKept) => !isKept,
    { everyMs: 1 },
  );
}

async function ask(destination: Destination, signal = new AbortController().signal, timeouts = DEFAULT_TIMEOUTS): Promise<number> {
  const reply = await send({
    destination,
    path: "/chat/completions",
    headers: {},
    body: [toByteText("{}")],
    signal,
    timeouts,
    streaming: false,
  });
  await reply.text();
  return reply.status;
}

async function failureOf(asking: Promise<unknown>): Promise<unknown> {
  return asking.then(
    () => "it was answered",
    (error: unknown) => error,
  );
}

test("dials the checked address: one lookup, one address, one connection for many calls, and the name in Host", async () => {
  const destination = destinationOf(answering(["127.0.0.2"], ["127.0.0.3"]));
  for (let at = 0; at < 5; at++) expect(await ask(destination)).toBe(200);
  expect(seen.map(({ at, host }) => [at, host])).toEqual(Array.from({ length: 5 }, () => ["127.0.0.2", `name.test:${port}`]));
  expect(new Set(seen.map(({ clientPort }) => clientPort)).size).toBe(1);
  expect(lookups).toEqual(["name.test"]);
});

describe("several addresses", () => {
  test("the next one is dialled when the first ones refuse", async () => {
    const destination = destinationOf(answering([...NOBODY, "127.0.0.3"]));
    for (let at = 0; at < 3; at++) expect(await ask(destination)).toBe(200);
    expect(seen.map(({ at }) => at)).toEqual(["127.0.0.3", "127.0.0.3", "127.0.0.3"]);
  });

  test("the next one is dialled when a previously good one refuses", async () => {
    const leaving = serveAt("127.0.0.6", port);
    const destination = destinationOf(answering(["127.0.0.6", NOBODY[0]!, "127.0.0.3"]));
    expect(await ask(destination)).toBe(200);
    await leaving.stop(true);
    await connectionsEnded("127.0.0.6");
    for (let at = 0; at < 2; at++) expect(await ask(destination)).toBe(200);
    expect(seen.map(({ at }) => at)).toEqual(["127.0.0.6", "127.0.0.3", "127.0.0.3"]);
  });

  test("the last good one is dialled again, whatever their order", async () => {
    const destination = destinationOf(answering(["127.0.0.2", "127.0.0.3"]));
    expect(await ask(destination)).toBe(200);
    expect(await destination.addresses()).toEqual(["127.0.0.2", "127.0.0.3"]);
    destination.markReachable("127.0.0.3");
    expect(await destination.addresses()).toEqual(["127.0.0.3", "127.0.0.2"]);
  });

  test("all refusing is an error", async () => {
    const failure = await failureOf(ask(destinationOf(answering(NOBODY))));
    expect(failure).toMatchObject({ code: "no_upstream_available", detail: "nothing listens there (ECONNREFUSED)" });
  });
});

const silent: Lookup = () => new Promise(() => undefined);

describe("a resolver that does not respond", () => {
  test("times out with the connect timeout", async () => {
    const failure = await failureOf(ask(destinationOf(silent), undefined, { ...DEFAULT_TIMEOUTS, connectMs: 20 }));
    expect(failure).toMatchObject({ code: "no_upstream_available", detail: "waited 20 ms for the connection" });
  });

  test("does not block a caller that cancels", async () => {
    const caller = new AbortController();
    const failure = failureOf(ask(destinationOf(silent), caller.signal));
    caller.abort();
    expect(await failure).toBeInstanceOf(CallerGone);
    expect(await failureOf(ask(destinationOf(silent), caller.signal))).toBeInstanceOf(CallerGone);
  });
});

test("an unresolvable name is an unreachable upstream", async () => {
  const failure = await failureOf(ask(destinationOf(() => Promise.reject(new Error("getaddrinfo ENOTFOUND")))));
  expect(failure).toMatchObject({
    code: "no_upstream_available",
    retryAfterSeconds: 5,
    detail: "name.test cannot be resolved: getaddrinfo ENOTFOUND",
  });
});

describe("may resend", () => {
  const SENT = { wasSent: true, hasReceived: false };

  test("resends a POST when its reused connection closed early, before any byte of the response", () => {
    expect(mayResend(SENT, { startsWork: true, afterMs: 2_000 })).toBe(true);
  });

  test("does not resend a POST that the server may have processed, but resends a GET", () => {
    expect(mayResend(SENT, { startsWork: true, afterMs: 30_000 })).toBe(false);
    expect(mayResend(SENT, { startsWork: false, afterMs: 30_000 })).toBe(true);
  });

  test("resends nothing after the first byte of the response", () => {
    for (const startsWork of [true, false]) expect(mayResend({ wasSent: true, hasReceived: true }, { startsWork, afterMs: 0 })).toBe(false);
  });

  test("always resends a request that was not sent", () => {
    expect(mayResend({ wasSent: false, hasReceived: false }, { startsWork: true, afterMs: 60_000 })).toBe(true);
  });
});
