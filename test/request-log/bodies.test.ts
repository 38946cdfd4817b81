import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  chunk,
  completion,
  configFor,
  events,
  startMockUpstream,
  usageChunk,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { inFile, openLogFile } from "./read-log.ts";

/** A hook that removes names, and fails on request. */
const HOOK = `
export default async ({ request, reply, account, model }) => {
  if (request.includes("please throw")) throw new Error(request);
  if (request.includes("please hang")) for (;;);
  if (request.includes("please forget")) return null;
  if (request.includes("please be odd")) return { request: 5 };
  const hide = (text) => text && text.replaceAll("Alice", "[" + account + "/" + model + "]");
  return { request: hide(request), reply: hide(reply) };
};`;

interface BodiesRow {
  readonly request: string;
  readonly reply: string | null;
  readonly is_cut: number;
}

let folder: string;
let upstream: MockUpstream;
let gateway: RunningGateway;
const keys: Record<string, string> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-hook-"));
  writeFileSync(join(folder, "hook.mjs"), HOOK);
  upstream = startMockUpstream({
    "up-whole": ({ body }) => Response.json(completion({ content: `You said: ${lastWords(body)}` })),
    "up-stream": ({ body }) =>
      events([chunk({ role: "assistant", content: "You said: " }), chunk({ content: lastWords(body) }), chunk({}, "stop"), usageChunk()]),
    "up-long": () =>
      events([chunk({ content: "€".repeat(30_000) }), chunk({ content: "b".repeat(30_000) }), chunk({}, "stop"), usageChunk()]),
  });
  const accounts = "accounts:\n  - { id: declared, name: D, log_bodies: true }\n";
  const yaml = configFor(upstream.baseUrl, ["whole", "stream", "long"], accounts);
  gateway = await startGateway({ yaml, env: { TOLLGATE_REDACT: join(folder, "hook.mjs") } });
  await gateway.platform("POST", "/api/accounts", { id: "shut", name: "S" });
  await gateway.platform("POST", "/api/accounts", { id: "open", name: "O" });
  await gateway.platform("PATCH", "/api/accounts/open", { log_bodies: true });
  for (const account of ["shut", "open", "declared"]) {
    await gateway.platform("POST", `/api/accounts/${account}/grants`, { amount: "100", reference: "r", reason: "r" });
    const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: account, account, models: ["*"] });
    keys[account] = key;
  }
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  rmSync(folder, { recursive: true });
});

function lastWords(body: Record<string, unknown>): string {
  return (body["messages"] as { content: string }[]).at(-1)!.content;
}

async function ask(account: string, model: string, words: string, more: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys[account]}`, "content-type": "application/json", ...more },
    body: JSON.stringify({ model, messages: [{ role: "user", content: words }], stream: model !== "whole" }),
  });
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.get("x-request-id")!;
}

/** The stored bodies of a request: undefined if there is no request, null if it has no bodies. */
function bodiesOnDisk(requestId: string): BodiesRow | null | undefined {
  const requests = join(gateway.folder, "data", "requests");
  if (!existsSync(requests)) return undefined;
  for (const name of readdirSync(requests).filter((each) => each.endsWith(".db"))) {
    const file = openLogFile(join(requests, name));
    if (!file) continue;
    const id = inFile(requestId);
    const request = file.query<unknown, [string]>("select 1 from requests where id = unhex(?)").get(id);
    const bodies = file.query<BodiesRow, [string]>("select request, reply, is_cut from bodies where id = unhex(?)").get(id);
    file.close();
    if (request) return bodies;
  }
  return undefined;
}

function bodiesOf(requestId: string): Promise<BodiesRow> {
  return eventually(
    () => bodiesOnDisk(requestId)!,
    (found) => Boolean(found),
  );
}

/** All bytes in the folder of a gateway. */
function onDisk(): string {
  const data = join(gateway.folder, "data");
  const names = readdirSync(data, { recursive: true, encoding: "utf8", withFileTypes: true }).filter((entry) => entry.isFile());
  return names.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n");
}

function hookFailures(): number {
  return gateway.logLines().filter(({ event }) => event === "redaction_failed").length;
}

test("stores no prompt or response on the disk, unless the account enables it", async () => {
  for (const model of ["whole", "stream"]) {
    const shut = await ask("shut", model, "canary-of-the-shut");
    const open = await ask("open", model, "canary-of-the-open");
    await bodiesOf(open);
    await eventually(
      () => bodiesOnDisk(shut),
      (found) => found === null,
    );
  }
  expect(onDisk()).not.toContain("canary-of-the-shut");
  expect(onDisk()).toContain("canary-of-the-open");
  expect(gateway.output()).not.toContain("canary-of-the");
});

test("stores the body of a JSON response and the events of a stream, as redacted by the hook", async () => {
  const whole = await bodiesOf(await ask("open", "whole", "I am Alice."));
  expect(JSON.parse(whole.request)).toMatchObject({ model: "whole", messages: [{ content: "I am [open/whole]." }] });
  expect(JSON.parse(whole.reply!)).toMatchObject({ choices: [{ message: { content: "You said: I am [open/whole]." } }] });

  const stream = await bodiesOf(await ask("declared", "stream", "I am Alice."));
  const pieces = stream.reply!.split("\n").map((line) => JSON.parse(line) as { choices: { delta: { content?: string } }[] });
  expect(pieces.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("You said: I am [declared/stream].");
  expect([whole.is_cut, stream.is_cut]).toEqual([0, 0]);
  expect(onDisk()).not.toContain("Alice");
});

test("truncates each body at 64 KiB, between two characters, and reports that", async () => {
  const { request, reply, is_cut } = await bodiesOf(await ask("open", "long", "x".repeat(100_000)));
  expect(is_cut).toBe(1);
  expect(Buffer.byteLength(request)).toBe(64 * 1024);
  expect(Buffer.byteLength(reply!)).toBeGreaterThan(64 * 1024 - 3);
  expect(Buffer.byteLength(reply!)).toBeLessThanOrEqual(64 * 1024);
  expect(reply).not.toContain("\ufffd");
});

test("hides API keys in bodies, also at the cut", async () => {
  const key = keys["open"]!;
  const { request, reply } = await bodiesOf(await ask("open", "whole", `my key is ${key}, ${"y".repeat(65_400)}${key}`));
  expect(request).toContain("my key is sk-service-");
  for (const text of [request, reply!]) expect(text).not.toContain(key.slice(0, 30));
});

test("stores an idempotent replay with the request that received it", async () => {
  const again = { "idempotency-key": "once" };
  await ask("open", "whole", "once", again);
  const { reply } = await bodiesOf(await ask("open", "whole", "once", again));
  expect(reply).toContain("You said: once");
});

test("stores nothing where the hook returns null, which is not a failure", async () => {
  const id = await ask("open", "whole", "please forget");
  await bodiesOf(await ask("open", "whole", "after it"));
  expect(bodiesOnDisk(id)).toBeNull();
  expect(hookFailures()).toBe(0);
});

test("where the hook throws, hangs or returns nonsense, logs the request without bodies, and serves on", async () => {
  let failures = 0;
  for (const words of ["please throw", "please be odd", "please hang"]) {
    const id = await ask("open", "whole", `${words}, canary-of-the-hook`);
    await bodiesOf(await ask("open", "whole", "after it"));
    expect(bodiesOnDisk(id)).toBeNull();
    failures++;
    await eventually(hookFailures, (seen) => seen === failures);
  }
  expect(onDisk()).not.toContain("canary-of-the-hook");
  expect(gateway.output()).not.toContain("canary-of-the-hook");
});

test("operators can change body logging from the next request on, recorded in the audit log", async () => {
  await gateway.platform("PATCH", "/api/accounts/open", { log_bodies: false });
  const id = await ask("open", "whole", "no longer");
  await eventually(
    () => bodiesOnDisk(id),
    (found) => found === null,
  );
  await gateway.platform("PATCH", "/api/accounts/open", { log_bodies: true });
  await bodiesOf(await ask("open", "whole", "again"));
  expect(onDisk()).not.toContain("no longer");
  const { data } = await gateway.platform<{ data: Record<string, Record<string, unknown>>[] }>("GET", "/api/audit-log?limit=2");
  expect(data.map(({ before, after }) => [before!["log_bodies"], after!["log_bodies"]])).toEqual([
    [false, true],
    [true, false],
  ]);
});
