import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { KillableGateway } from "../crash/killable-gateway.ts";
import { startMockUpstream, configFor, completion, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { eventually } from "../support/eventually.ts";
import { inFile, readLog } from "./read-log.ts";

let upstream: MockUpstream;
let gateway: KillableGateway;
let key: string;

beforeAll(async () => {
  upstream = startMockUpstream({ "up-m": () => Response.json(completion()) });
  gateway = await KillableGateway.create({ yaml: configFor(upstream.baseUrl, ["m"]) });
  await gateway.start();
  await gateway.grant("1000");
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.remove();
  await upstream.stop();
});

test("kill -9 under load loses at most the last moment of the log, and damages no file", async () => {
  for (let round = 0; round < 2; round++) {
    const answered: string[] = [];
    const over = new AbortController();
    const callers = Array.from({ length: 8 }, async () => {
      while (!over.signal.aborted) {
        const id = await ask().catch(() => undefined);
        if (id !== undefined) answered.push(id);
      }
    });
    await eventually(
      () => answered.length,
      (count) => count >= 100,
    );
    // Requests that were already answered are written while others arrive.
    const early = [...answered];
    await eventually(
      () => missing(early),
      (ids) => ids.length === 0,
    );
    await gateway.kill();
    over.abort();
    await Promise.all(callers);
    expect(missing(early)).toEqual([]);
    await gateway.start();
    expect(await addedUp()).toBe(readLog(join(gateway.folder, "data")).length);
  }
  const id = await ask();
  const rows = await eventually(
    () => readLog(join(gateway.folder, "data")).map((row) => row.id),
    (ids) => ids.at(-1) === inFile(id),
  );
  expect(new Set(rows).size).toBe(rows.length);
});

/** The requests among these that are not in the log. */
function missing(ids: readonly string[]): string[] {
  const kept = new Set(readLog(join(gateway.folder, "data")).map(({ id }) => id));
  return ids.filter((id) => !kept.has(inFile(id)));
}

/** The number of requests in the statistics, which continue from the state at the kill. */
async function addedUp(): Promise<number> {
  const { total } = await gateway.platform<{ total: { requests: number } }>("GET", "/api/requests/statistics");
  return total.requests;
}

async function ask(): Promise<string> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
    keepalive: false,
  });
  if (!response.ok) throw new Error(await response.text());
  await response.text();
  return response.headers.get("x-request-id")!;
}
