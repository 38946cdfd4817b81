import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { endedRequest } from "../../../test/request-log/ended-requests.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";
import type { RequestTrace } from "../../requests/request-trace.ts";
import { buildLoggedRequest } from "./build-logged-request.ts";
import { ReceivedRequest } from "./queued-request.ts";
import { MAX_QUEUED, RequestQueue, UNAUTHENTICATED_PER_MINUTE } from "./request-queue.ts";

const START_MS = Date.parse("2027-01-31T12:00:00Z");
const KNOWN = endedRequest({ endedAtMs: START_MS });

/** Steps of a queue: requests of one kind are added, or the oldest requests are removed. */
const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom("known", "stranger", "other"),
      count: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: MAX_QUEUED * 2 })),
      minute: fc.integer({ min: 0, max: 3 }),
    }),
    fc.record({ kind: fc.constant("done" as const), count: fc.integer({ min: 1, max: MAX_QUEUED }) }),
  ),
  { maxLength: 25 },
);

test("queues, orders and counts drops like a plain list", () => {
  const once = fc.property(steps, (history) => {
    const queue = new RequestQueue();
    let model: EndedRequest[] = [];
    const drops = { queue_full: 0, without_key: 0, no_disk_room: 0 };
    const strangers = { minute: -1, count: 0 };
    let done = 0;
    for (const step of history) {
      if (step.kind === "done") {
        const first = queue.first(step.count);
        expect(first).toEqual(model.slice(0, step.count));
        queue.remove(first.length);
        model = model.slice(first.length);
        done += first.length;
        continue;
      }
      for (let at = 0; at < step.count; at++) {
        const ended = come(step.kind, step.minute);
        queue.add(ended);
        if (step.kind === "other") continue;
        if (step.kind === "stranger") {
          if (strangers.minute !== step.minute) Object.assign(strangers, { minute: step.minute, count: 0 });
          if (strangers.count++ >= UNAUTHENTICATED_PER_MINUTE) {
            drops.without_key++;
            continue;
          }
        }
        if (model.length < MAX_QUEUED) model.push(ended);
        else drops.queue_full++;
      }
    }
    expect({ length: queue.length, done: queue.done, drops: queue.drops }).toEqual({ length: model.length, done, drops });
    expect(queue.first(MAX_QUEUED)).toEqual(model);
  });
  fc.assert(once, { numRuns: 40 });
});

function come(kind: "known" | "stranger" | "other", minute: number): EndedRequest {
  if (kind === "other") return endedRequest({ path: "/v1/models" });
  // Built with little work, because there are many thousands.
  const notes = kind === "known" ? KNOWN.notes : NOBODY.notes;
  return { ...KNOWN, notes, endedAtMs: START_MS + minute * 60_000 };
}

const NOBODY = endedRequest({ status: 401, notes: { keyId: undefined } });

test("a queued request holds neither its trace nor long texts in memory", () => {
  const queue = new RequestQueue();
  const trace = { traceId: "t" } as RequestTrace;
  const [attempt] = endedRequest().notes.attempts;
  const attempts = [{ ...attempt!, outcome: "failed" as const, detail: "a".repeat(5000) }, attempt!];
  const ended = endedRequest({ notes: { trace, traceId: "t", param: "p".repeat(5000), detail: "d".repeat(5000), attempts } });
  const queued = queue.add(ended);
  expect(queue.first(1)).toEqual([queued!]);
  expect(queued!.notes.trace).toBeUndefined();
  expect([queued!.notes.param!.length, queued!.notes.detail!.length]).toEqual([600, 600]);
  expect(queued!.notes.attempts).toEqual([{ ...attempts[0]!, detail: "a".repeat(600) }, attempt!]);
  expect(attempts[0]!.detail).toHaveLength(5000);
  const { trace: _trace, param: _param, detail: _detail, attempts: _attempts, ...rest } = ended.notes;
  expect(queued!.notes).toMatchObject(rest);
  expect(ended.notes.trace).toBe(trace);
  expect(queued!.notes.traceId).toBe("t");
});

test("queues POST requests only", () => {
  const queue = new RequestQueue();
  queue.add({ ...endedRequest({ status: 405, notes: { keyId: undefined } }), method: "GET" });
  expect([queue.length, queue.drops.without_key]).toEqual([0, 0]);
});

test("takes the records of another process as far as there is room, and counts the others", () => {
  const queue = new RequestQueue();
  const record = buildLoggedRequest(endedRequest(), (text) => text);
  for (let at = 1; at < MAX_QUEUED; at++) queue.add(endedRequest());
  queue.receive([record, record, record]);
  expect([queue.length, queue.drops.queue_full]).toEqual([MAX_QUEUED, 2]);
  queue.receive([record]);
  expect([queue.length, queue.drops.queue_full]).toEqual([MAX_QUEUED, 3]);
  queue.remove(MAX_QUEUED - 1);
  expect(queue.first(2)).toEqual([new ReceivedRequest(record)]);
});
