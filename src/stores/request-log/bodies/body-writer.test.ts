import { afterEach, expect, test } from "bun:test";
import { endedRequest } from "../../../../test/request-log/ended-requests.ts";
import { LogInFolder } from "../../../../test/request-log/log-in-folder.ts";
import { CapturedBodies, MAX_STORED_BYTES } from "../../../requests/captured-bodies.ts";
import type { EndedRequest } from "../../../requests/request-notes.ts";
import type { ReceivedBodies } from "../queued-request.ts";
import { BodyWriter, MAX_WAITING_BYTES, type BodyWriterOptions } from "./body-writer.ts";

const OPTIONS: BodyWriterOptions = {
  redactSecrets: (text) => text.replaceAll("secret", "…"),
  redact: undefined,
  reportHook: () => undefined,
};

let log: LogInFolder | undefined;
afterEach(() => log?.remove());

function saying(request: string, reply?: string): EndedRequest {
  const bodies = new CapturedBodies(request);
  if (reply !== undefined) bodies.capture(reply);
  return endedRequest({ notes: { bodies } });
}

const LONG = "x".repeat(512 * 1024);

test("bounds the memory of waiting bodies, and frees it when they are written", async () => {
  const keeper = new BodyWriter(OPTIONS);
  const bytes = saying(LONG).notes.bodies!.heldBytes;
  const room = Math.floor(MAX_WAITING_BYTES / bytes);
  const held = Array.from({ length: room + 3 }, () => saying(LONG));
  for (const ended of held) keeper.reserve(ended);
  expect(keeper.drops).toEqual({ no_memory: 3, hook_failed: 0, no_disk_room: 0 });
  expect(held.filter(({ notes }) => notes.bodies)).toHaveLength(room);

  for (const ended of held.slice(0, 4)) keeper.enqueue(ended);
  await keeper.redactNext(3);
  keeper.clear();
  keeper.discard(held[5]!, "no_disk_room");
  // Three are written, and one is dropped with its request; one of the remaining bodies is still to be written.
  for (let at = 0; at < 5; at++) keeper.reserve(saying(LONG));
  expect(keeper.drops).toEqual({ no_memory: 4, hook_failed: 0, no_disk_room: 1 });
});

test("captures nothing after the end, so that exactly the reserved memory is freed", async () => {
  const keeper = new BodyWriter(OPTIONS);
  for (let round = 0; round < 3; round++) {
    const ended = saying("asked", "answered");
    const { bodies } = ended.notes;
    keeper.reserve(ended);
    const heldBytes = bodies!.heldBytes;
    bodies!.capture(LONG);
    expect([bodies!.heldBytes, bodies!.reply]).toEqual([heldBytes, "answered"]);
    keeper.enqueue(ended);
    await keeper.redactNext(1);
    expect(keeper.readyBytes).toBe(heldBytes);
    keeper.clear();
  }
});

test("truncates the output of the redaction hook and removes secrets from it", async () => {
  const long = "secret ".repeat(MAX_STORED_BYTES);
  const keeper = new BodyWriter({ ...OPTIONS, redact: async () => ({ request: "my secret", reply: long }) });
  const ended = saying("asked", "answered");
  keeper.reserve(ended);
  keeper.enqueue(ended);
  await keeper.redactNext(1);
  const { request, reply, isCut } = keeper.ready[0]!.bodies;
  expect([request, isCut]).toEqual(["my …", true]);
  expect(reply).not.toContain("secret");
  expect(Buffer.byteLength(reply!)).toBeGreaterThan(MAX_STORED_BYTES - 3);
  expect(Buffer.byteLength(reply!)).toBeLessThanOrEqual(MAX_STORED_BYTES);
});

test("hasBodies does not wait for the redaction hook", async () => {
  const hook = Promise.withResolvers<void>();
  log = new LogInFolder({ redact: (bodies) => hook.promise.then(() => bodies) });
  const [captured, uncaptured] = log.note({ notes: { bodies: new CapturedBodies("asked") } }, {});
  expect([await log.store.hasBodies(captured!), await log.store.hasBodies(uncaptured!)]).toEqual([true, false]);
  hook.resolve();
  expect(await log.store.bodiesOf(captured!)).toMatchObject({ request: "asked" });
  expect(await log.store.hasBodies(captured!)).toBe(true);
});

test("bodies of another process count in the same memory, and are redacted as they came", async () => {
  const hidden: string[] = [];
  const redactSecrets = (text: string): string => {
    hidden.push(text);
    return text;
  };
  const seen: unknown[] = [];
  const writer = new BodyWriter({
    ...OPTIONS,
    redactSecrets,
    redact: (bodies) => {
      seen.push(bodies);
      return Promise.resolve({ request: "redacted", reply: null });
    },
  });
  const bodies = { request: "q".repeat(1024 * 1024), reply: "a", isCut: false };
  const received = (requestId: string): ReceivedBodies => ({ requestId, account: "acme", model: "m", bodies });
  for (let at = 0; at < 40; at++) writer.receive(received(`req_${at}`));
  expect(writer.drops.no_memory).toBe(9);
  await writer.redactNext(1);
  expect(seen).toEqual([{ request: bodies.request, reply: "a", account: "acme", model: "m" }]);
  expect(writer.ready[0]).toMatchObject({ requestId: "req_0", bodies: { request: "redacted", reply: null } });
  expect(hidden).toEqual(["redacted"]);
  writer.clear();
  writer.receive(received("req_later"));
  expect(writer.drops.no_memory).toBe(9);
});
