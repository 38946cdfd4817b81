import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { configFor } from "../support/upstreams/mock-upstream.ts";
import { eventually } from "../support/eventually.ts";
import { aboutEntries } from "./compare-logs.ts";
import { FIRST_USAGE, startGatedUpstream, type GatedUpstream } from "./gated-upstream.ts";
import { KillableGateway } from "./killable-gateway.ts";
import { FULL_DISK, LOCK } from "./ledger-failures.ts";
import { countProgress, readLedger, type LedgerRow } from "./read-ledger.ts";
import { untilWritten } from "../support/gateway/until-written.ts";

/** What a client has received from the gateway so far. */
interface Listening {
  text: string;
  isOver: boolean;
  readonly response: Promise<Response>;
  readonly over: Promise<void>;
}

let gated: GatedUpstream;
let gateway: KillableGateway;
let key: string;
/** Ends the simulated failure of a test, even if the test itself fails. */
let end: () => void = () => {};

beforeAll(async () => {
  gated = startGatedUpstream();
  gateway = await KillableGateway.create({ yaml: configFor(gated.upstream.baseUrl, ["whole", "stream"]) });
  await gateway.start();
  await gateway.grant("1000");
  ({ key } = await gateway.makeKey());
});

beforeEach(() => gated.shut());

afterEach(() => end());

afterAll(async () => {
  await gateway.remove();
  await gated.upstream.stop();
});

for (const failure of [LOCK, FULL_DISK]) {
  test.skipIf(!failure.isPossible)(
    `while the ledger is ${failure.name}, rejects new requests and completes none, and then completes all`,
    async () => {
      const linesBefore = gateway.output.length;
      const before = readLedger(gateway.databasePath).length;
      const known = await answered("whole", `known-${failure.name.length}`);
      const inFlight = await begin(6);
      // Otherwise a write that is still in progress would detect the failure before the first request does.
      untilWritten(gateway.databasePath);
      end = failure.begin(gateway);
      const first = await findFailure(linesBefore);
      gated.open();

      // Long enough for the ledger to retry several times, and to try to record the progress of the streams.
      for (let round = 0; round < 30; round++) {
        await Bun.sleep(40);
        await expectRefusal(round % 2 === 0 ? "whole" : "stream");
        expect((await get("/models")).status).toBe(200);
      }
      // Earlier responses can still be replayed.
      expect(await answered("whole", `known-${failure.name.length}`)).toEqual(known);
      expect(inFlight.map(({ isOver, text }) => isOver || text.includes("[DONE]"))).toEqual(inFlight.map(() => false));
      end();

      await Promise.all([first, ...inFlight].map(({ over }) => over));
      for (const each of inFlight) expect(await outcomeOf(each)).toBe("whole");
      // The journal has its reserved space on the disk, so this request was admitted, and is charged like the others.
      expect(await outcomeOf(first)).toBe("whole");
      expect((await answered("stream")).text).toContain("[DONE]");
      const lines = await eventually(newLines(linesBefore), (text) => text.includes("ledger_recovered"));
      expect(lines.match(/"event":"ledger_\w+"/g)).toEqual(['"event":"ledger_unavailable"', '"event":"ledger_recovered"']);
      const since = readLedger(gateway.databasePath).slice(before);
      expect(since.filter(({ kind }) => kind === "settle").map(({ reason }) => reason)).toEqual(Array(9).fill("complete"));
      await expectSoundBooks();
    },
  );
}

test.skipIf(!FULL_DISK.isPossible)("a request that was admitted on a full disk is released after a kill", async () => {
  const before = readLedger(gateway.databasePath).length;
  end = FULL_DISK.begin(gateway);
  const first = await findFailure(gateway.output.length);
  await expectRefusal("whole");
  await gateway.kill();
  end = () => {};
  await first.over;
  await gateway.start();
  const since = readLedger(gateway.databasePath).slice(before);
  expect(since.map(({ kind, actor }) => `${kind} ${actor === "recovery" ? actor : "key"}`)).toEqual(["hold key", "release recovery"]);
  await expectSoundBooks();
});

test("a kill while the ledger is locked charges streams for their recorded progress, and nothing twice", async () => {
  // The progress rows of earlier streams are removed a moment after the streams have ended.
  await eventually(progressRows, (rows) => rows === 0);
  const before = readLedger(gateway.databasePath).length;
  const inFlight = await begin(6);
  const calls = gated.upstream.requests.length;
  const retried = listen("stream", "after-the-kill");
  await eventually(
    () => gated.upstream.requests.length,
    (made) => made === calls + 1,
  );
  await eventually(progressRows, (rows) => rows === 3);
  end = LOCK.begin(gateway);
  inFlight.push(retried, await findFailure(gateway.output.length));
  gated.open();
  // Gives the requests in flight time to end.
  await Bun.sleep(100);
  await gateway.kill();
  await Promise.all(inFlight.map(({ over }) => over));
  for (const each of inFlight) expect(await outcomeOf(each)).toBe("cut");
  // The next start finds the database still locked, and waits for it.
  gateway.spawn();
  await Bun.sleep(700);
  end();
  await gateway.untilReady();

  const closings = readLedger(gateway.databasePath)
    .slice(before)
    .filter(({ kind }) => kind !== "hold");
  expect(closings.map(({ actor }) => actor)).toEqual(Array(8).fill("recovery"));
  expect(closings.filter(({ kind }) => kind === "release")).toHaveLength(5);
  const charged = closings.filter(({ kind }) => kind === "settle");
  const counts = { prompt_tokens: FIRST_USAGE.prompt_tokens, completion_tokens: FIRST_USAGE.completion_tokens, provenance: "partial" };
  expect(charged).toEqual(Array(3).fill(expect.objectContaining(counts)));
  expect((await answered("stream", "after-the-kill")).text).toContain("[DONE]");
  await expectSoundBooks();
});

/** Starts this many requests, half of them streams, and waits until the upstream has received all of them. */
async function begin(count: number): Promise<Listening[]> {
  const before = gated.upstream.requests.length;
  const begun = Array.from({ length: count }, (_, at) => listen(at % 2 === 0 ? "whole" : "stream"));
  await eventually(
    () => [gated.upstream.requests.length - before, begun.filter(({ text }) => text.includes("Hello")).length],
    ([called, received]) => called === count && received === count / 2,
  );
  return begun;
}

/** Sends a request whose entries cannot be written to the database. Afterwards the gateway knows about the failure. */
async function findFailure(linesBefore: number): Promise<Listening> {
  const first = listen("whole");
  await eventually(newLines(linesBefore), (lines) => lines.includes("ledger_unavailable"));
  return first;
}

function listen(model: "whole" | "stream", idempotencyKey?: string): Listening {
  const response = fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], stream: model === "stream" }),
    keepalive: false,
  });
  const listening: Listening = { text: "", isOver: false, response, over: read() };
  return listening;

  async function read(): Promise<void> {
    try {
      for await (const bytes of (await response).body ?? []) listening.text += Buffer.from(bytes).toString();
    } catch {
      // The connection broke; only the data received before it matters.
    }
    listening.isOver = true;
  }
}

async function outcomeOf({ response, text }: Listening): Promise<"whole" | "cut"> {
  const { status, headers } = await response.catch(() => new Response(null, { status: 599 }));
  if (status !== 200) return "cut";
  return headers.get("content-type") === "application/json" || text.endsWith("data: [DONE]\n\n") ? "whole" : "cut";
}

/** Sends a request and waits for the complete response, with the gate open. */
async function answered(model: "whole" | "stream", idempotencyKey?: string): Promise<{ status: number; text: string }> {
  gated.open();
  const listening = listen(model, idempotencyKey);
  await listening.over;
  gated.shut();
  return { status: (await listening.response).status, text: listening.text };
}

/** Expects a rejection while the failure lasts, without waiting for its end. */
async function expectRefusal(model: "whole" | "stream"): Promise<void> {
  const listening = listen(model);
  await listening.over;
  const { status, headers } = await listening.response;
  expect({ status, retryAfter: headers.get("retry-after") }).toEqual({ status: 503, retryAfter: "1" });
  expect(JSON.parse(listening.text)).toMatchObject({ error: { code: "overloaded" } });
}

function get(path: string): Promise<Response> {
  return fetch(`${gateway.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` }, keepalive: false });
}

function newLines(since: number): () => string {
  return () => gateway.output.slice(since);
}

function progressRows(): number {
  return countProgress(gateway.databasePath);
}

async function expectSoundBooks(): Promise<void> {
  const entries = await eventually(
    () => readLedger(gateway.databasePath),
    (rows) => aboutEntries(rows).length === 0,
  );
  const { held, spent } = await gateway.platform<{ held: string; spent: { total: string } }>("GET", "/api/accounts/default");
  expect(held).toBe("0.00");
  expect(Math.round(Number(spent.total) * 1e9)).toBe(chargedIn(entries));
}

function chargedIn(entries: readonly LedgerRow[]): number {
  return entries.filter(({ kind }) => kind === "settle").reduce((sum, entry) => sum + entry.amount_nanos, 0);
}
