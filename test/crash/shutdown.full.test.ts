import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { entriesToReplay, readJournal } from "../../src/stores/ledger/journal/read-journal.ts";
import { configFor } from "../support/upstreams/mock-upstream.ts";
import { eventually } from "../support/eventually.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { untilWritten } from "../support/gateway/until-written.ts";
import { aboutEntries } from "./compare-logs.ts";
import { startGatedUpstream, type GatedUpstream } from "./gated-upstream.ts";
import { KillableGateway } from "./killable-gateway.ts";
import { FULL_DISK, LOCK } from "./ledger-failures.ts";
import { readLedger, type LedgerRow } from "./read-ledger.ts";

let gated: GatedUpstream;
let gateway: KillableGateway;
let key: string;
/** Ends the simulated failure of a test, even if the test itself fails. */
let end: () => void = () => {};

beforeAll(async () => {
  gated = startGatedUpstream();
  gateway = await KillableGateway.create({
    yaml: configFor(gated.upstream.baseUrl, ["whole", "stream"]),
    env: { TOLLGATE_DRAIN_SECONDS: "1" },
  });
  await gateway.start();
  await gateway.grant("1000");
  ({ key } = await gateway.makeKey());
});

beforeEach(() => gated.shut());

afterEach(() => {
  end();
  end = () => {};
});

afterAll(async () => {
  await gateway.remove();
  await gated.upstream.stop();
});

test("SIGTERM ends the process while another process has locked the database, and the next start replays the journal", async () => {
  const before = readLedger(gateway.databasePath).length;
  const cut = ask("stream");
  await untilCalled(1);
  const linesBefore = gateway.output.length;
  await beginFailure(LOCK, linesBefore);
  gateway.signal("SIGTERM");
  expect(await gateway.exited).toBe(1);
  await cut;
  const left = inJournal();
  expect(left.length).toBeGreaterThan(0);
  const message = await eventually(newOutput(linesBefore), (text) => text.includes("Could not close"));
  expect(message).toContain("Cancelling ");
  expect(message).toContain(
    `Could not close the ledger: the database cannot be written (database is locked): ${entries(left.length)} in ledger-journal`,
  );
  expect(message.match(/Could not close/g)).toHaveLength(1);

  // No request is admitted before the journal is recovered, and the start waits for the recovery.
  gateway.spawn();
  for (let look = 0; look < 20; look++) {
    expect(await gateway.isReady()).toBe(false);
    await Bun.sleep(50);
  }
  end();
  await gateway.untilReady();
  expect(inJournal()).toEqual([]);
  await expectRecovered(
    before,
    left.map(({ id }) => id),
  );
});

test.skipIf(!FULL_DISK.isPossible)("on a full disk another signal ends the shutdown at once, and no durable entry is lost", async () => {
  const before = readLedger(gateway.databasePath).length;
  const linesBefore = gateway.output.length;
  await beginFailure(FULL_DISK, linesBefore);
  gateway.signal("SIGTERM");
  await eventually(newOutput(linesBefore), (text) => text.includes("Send the signal again to stop now."));
  gateway.signal("SIGTERM");
  await eventually(newOutput(linesBefore), (text) => text.includes("Cancelling 1 request."));
  gateway.signal("SIGTERM");
  expect(await gateway.exited).toBe(1);
  end = () => {};
  const left = inJournal();
  const message = await eventually(newOutput(linesBefore), (text) => text.includes("Could not close the ledger"));
  expect(message).toContain(`${entries(left.length)} in ledger-journal`);
  await gateway.start();
  await expectRecovered(
    before,
    left.map(({ id }) => id),
  );
});

test("cuts a response for a disconnected client when TOLLGATE_DRAIN_SECONDS are over", async () => {
  const before = readLedger(gateway.databasePath).length;
  const linesBefore = gateway.output.length;
  const leaving = new AbortController();
  const left = ask("whole", { "idempotency-key": "left" }, leaving.signal);
  await untilCalled(1);
  leaving.abort();
  await left;
  gateway.signal("SIGTERM");
  expect(await gateway.exited).toBe(0);
  const output = await eventually(newOutput(linesBefore), (text) => text.includes("Cancelling"));
  expect(output).toContain("Finishing 1 request, for up to 1 s. Send the signal again to stop now.\n");
  expect(output).toContain("Cancelling 1 request. The next start releases their holds.\n");
  await gateway.start();
  await expectRecovered(before, []);
});

let called = 0;

/** Sends a request, and waits until the connection ends in any way. */
async function ask(model: "whole" | "stream", headers: Record<string, string> = {}, signal?: AbortSignal): Promise<string> {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], stream: model === "stream" });
  called = gated.upstream.requests.length;
  const init = { method: "POST", headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers }, body };
  try {
    return await (await fetch(`${gateway.baseUrl}/chat/completions`, { ...init, keepalive: false, signal: signal ?? null })).text();
  } catch {
    return "cut";
  }
}

async function untilCalled(times: number): Promise<void> {
  await eventually(
    () => gated.upstream.requests.length - called,
    (calls) => calls >= times,
  );
}

/**
 * Starts the failure, and sends a request that encounters it: the request's hold is in the journal, and cannot be written to the database.
 */
async function beginFailure(failure: typeof LOCK, linesBefore: number): Promise<void> {
  untilWritten(gateway.databasePath);
  end = failure.begin(gateway);
  void ask("whole");
  await eventually(newOutput(linesBefore), (lines) => lines.includes("ledger_unavailable"));
}

function newOutput(since: number): () => string {
  return () => gateway.output.slice(since);
}

function inJournal(): readonly { id: number }[] {
  const file = new Database(gateway.databasePath, { readonly: true });
  const lastId = file.query<{ id: number | null }, []>("select max(id) as id from entries").get()?.id ?? 0;
  file.close();
  return entriesToReplay(readJournal(join(dirname(gateway.databasePath), "ledger-journal")), lastId);
}

function entries(count: number): string {
  return count === 1 ? "1 entry is" : `${count} entries are`;
}

/** Each entry of the journal must be in the ledger once, every hold must be closed, and the balance must be the sum of the entries. */
async function expectRecovered(before: number, journaled: readonly number[]): Promise<void> {
  const rows = readLedger(gateway.databasePath);
  const since = rows.slice(before);
  expect(since.filter(({ id }) => journaled.includes(id)).map(({ id }) => id)).toEqual([...journaled]);
  expect(since.filter(({ kind }) => kind === "hold").length).toBe(since.filter(({ kind }) => kind !== "hold").length);
  expect(aboutEntries(rows)).toEqual([]);
  const { held, spent } = await gateway.platform<{ held: string; spent: { total: string } }>("GET", "/api/accounts/default");
  expect([held, Math.round(Number(spent.total) * 1e9)]).toEqual(["0.00", chargedIn(rows)]);
}

function chargedIn(rows: readonly LedgerRow[]): number {
  return rows.filter(({ kind }) => kind === "settle").reduce((sum, entry) => sum + entry.amount_nanos, 0);
}

test("under npx, which signals only its shell, the end of the shell is the signal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-npx-"));
  const shell = join(folder, "npx");
  // The shell stays a separate process, as with npm.
  writeFileSync(shell, `#!/bin/sh\n${launcher()} "$@"\nexit\n`, { mode: 0o755 });
  const started = await startGateway({ launcher: shell, env: { npm_command: "exec" } });
  // Ends the shell, and waits until no process has its output open any more.
  await started.stop();
  rmSync(folder, { recursive: true });
});
