import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStores } from "../../src/stores/open-stores.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { HAS_PROC, residentBytes } from "../streams/process-facts.ts";
import { attemptAt, chargeOf, endedAt } from "./ended-samples.ts";
import { readCsv } from "./read-csv.ts";

const ROWS = 100_000;
const MIB = 1024 * 1024;

let gateway: RunningGateway;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-test-"));
  await writeRows(join(folder, "data"));
  gateway = await startGateway({ folder, env: { TOLLGATE_LOG_LEVEL: "debug" } });
}, 300_000);
afterAll(() => gateway.stop());

/** A log with the requests of a working day. */
async function writeRows(dataFolder: string): Promise<void> {
  const requestLog = { ...STORE_OPTIONS.requestLog, days: 30, maxBytes: 1e10 };
  const stores = await openStores({ ...STORE_OPTIONS, dataFolder, requestLog });
  const startMs = Date.now() - ROWS;
  for (let at = 0; at < ROWS; at++) {
    const notes = {
      accountId: "default",
      keyId: "key",
      requestedModel: "fast-chat",
      charge: chargeOf(5n),
      attempts: [attemptAt("mock", 1010)],
    };
    stores.requestLog.note(endedAt(startMs + at, 200, notes, "OpenAI/Python 1.2.3"));
    if (at % 5000 === 4999) await stores.requestLog.list({}, undefined, "older", 1);
  }
  await stores.close();
}

const authorized = (): Record<string, string> => ({ authorization: `Bearer ${gateway.operatorToken}` });

async function ask(): Promise<number> {
  const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.firstKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello!" }] }),
  });
  await reply.text();
  return reply.status;
}

/** A client that reads a piece now and then. */
async function readSlowly(pieces: number): Promise<{ go: () => Promise<string>; leave: () => Promise<void> }> {
  const { body } = await fetch(`${gateway.platformUrl}/api/requests/export`, { headers: authorized() });
  const reader = body!.getReader();
  const utf8 = new TextDecoder();
  let text = "";
  const take = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    text += utf8.decode(value, { stream: !done });
    return !done;
  };
  for (let at = 0; at < pieces; at++) {
    await take();
    await Bun.sleep(20);
  }
  return {
    async go() {
      while (await take()) continue;
      return text;
    },
    leave: () => reader.cancel(),
  };
}

test.skipIf(!HAS_PROC)(
  "a reader of a large export who takes little costs no memory, and everybody else is answered",
  async () => {
    await ask();
    const before = residentBytes(gateway.pid);
    const readers = await Promise.all(Array.from({ length: 4 }, () => readSlowly(20)));
    const statuses = await Promise.all(Array.from({ length: 200 }, ask));
    expect(new Set(statuses)).toEqual(new Set([200]));
    // If the exports were built before they are read, all of them together would need four times 22 MB.
    expect(residentBytes(gateway.pid) - before).toBeLessThan(48 * MIB);
    for (const reader of readers.slice(1)) await reader.leave();
    const rows = readCsv(await readers[0]!.go());
    expect(rows).toHaveLength(ROWS + 2);
    expect(new Set(rows.map(([id]) => id)).size).toBe(ROWS + 2);
    const ends = (): string[] =>
      gateway.logLines().flatMap((line) => (String(line["path"]).endsWith("/export") ? String(line["end"]) : []));
    await waitFor(() => ends().length === 4);
    expect(ends().toSorted()).toEqual(["caller_gone", "caller_gone", "caller_gone", "complete"]);
  },
  300_000,
);

test("serves requests while exports are read at full speed", async () => {
  const over = new AbortController();
  const exports = Promise.all(
    Array.from({ length: 2 }, async () => {
      const reply = await fetch(`${gateway.platformUrl}/api/requests/export?format=jsonl`, { headers: authorized() });
      return (await reply.text()).split("\n").length - 1;
    }),
  ).finally(() => over.abort());
  let answers = 0;
  for (; !over.signal.aborted; answers++) expect(await ask()).toBe(200);
  for (const rows of await exports) expect(rows).toBeGreaterThanOrEqual(ROWS);
  expect(answers).toBeGreaterThan(20);
}, 300_000);

test("HEAD returns the headers of GET without creating the export", async () => {
  const reply = await fetch(`${gateway.platformUrl}/api/requests/export`, { method: "HEAD", headers: authorized() });
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8; header=present"]);
});

test("the command prints the whole file, and fails where the connection breaks", async () => {
  const run = (): Bun.Subprocess<"ignore", "pipe", "pipe"> =>
    Bun.spawn([launcher(), "logs", "export", "--account", "default"], {
      cwd: gateway.folder,
      env: { PATH: process.env["PATH"]!, TOLLGATE_PLATFORM_PORT: new URL(gateway.platformUrl).port },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  const whole = run();
  expect(readCsv(await whole.stdout.text()).length).toBeGreaterThan(ROWS);
  expect([await whole.exited, await whole.stderr.text()]).toEqual([0, ""]);

  const broken = run();
  const reader = broken.stdout.getReader();
  await reader.read();
  process.kill(gateway.pid, "SIGKILL");
  while (!(await reader.read()).done) continue;
  expect([await broken.exited, await broken.stderr.text()]).toEqual([
    1,
    "tollgate: the connection to the gateway was lost: the export is incomplete\n",
  ]);
}, 300_000);
