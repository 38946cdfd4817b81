import { expect, test } from "bun:test";
import { encodePartialSuccess } from "../../../test/traces/official-proto.ts";
import { RequestNotes, type EndedRequest } from "../../requests/request-notes.ts";
import { Secret } from "../../lib/secret/secret.ts";
import type { TraceSettings } from "./trace-settings.ts";
import type { ExportEvent } from "./exporter.ts";
import { Tracing } from "./tracing.ts";

const SETTINGS: TraceSettings = {
  endpoint: "http://127.0.0.1/v1/traces",
  headers: { authorization: new Secret("Bearer collector-token-canary"), "x-org": new Secret("org-canary") },
  timeoutMs: 1_000,
  isCompressed: false,
  gatherMs: 60_000,
  resource: { "service.name": "tollgate" },
  sampler: { ratio: 1, isParentBased: true },
  hasContent: false,
};

/** An ended request without an attempt. */
function endedIn(tracing: Tracing): EndedRequest {
  const notes = new RequestNotes();
  notes.keyId = "key";
  notes.trace = tracing.begin(new Headers());
  const moments = { startedAt: 1, endedAt: 2, endedAtMs: 3 };
  return {
    listener: "gateway",
    method: "POST",
    path: "/",
    isProbe: false,
    requestId: "req_1",
    status: 403,
    ...moments,
    client: undefined,
    notes,
  };
}

test("a collector that says our token back to us does not get it into the log", async () => {
  const event: ExportEvent[] = [];
  const words = "bad attribute; you sent Authorization: Bearer collector-token-canary, token collector-token-canary, x-org org-canary";
  const sent: Readonly<Record<string, string>>[] = [];
  const tracing = new Tracing({
    settings: SETTINGS,
    version: "1",
    async post(headers) {
      sent.push(headers);
      return { status: 200, headers: new Headers(), body: encodePartialSuccess(1, words) };
    },
    findUpstream: () => undefined,
    hide: (text) => text,
    report: (each) => event.push(each),
    reportFailure: (thrown) => expect(thrown).toBeUndefined(),
  });
  tracing.observe(endedIn(tracing));
  await tracing.close();
  expect(sent[0]).toMatchObject({ authorization: "Bearer collector-token-canary" });
  const told = JSON.stringify(event);
  expect(told).toStartWith('[{"kind":"rejected","rejection":{"spans":1,"message":"bad attribute; you sent');
  expect(told).not.toContain("canary");
  expect(tracing.state).toEqual({ queued: 0, exported: 0, dropped: 0, failed: 1 });
});

test("spans are not encoded while the queue is full, and counted as dropped", async () => {
  const tracing = new Tracing({
    settings: SETTINGS,
    version: "1",
    post: () => new Promise(() => undefined),
    findUpstream: () => undefined,
    hide: (text) => text,
    report: () => undefined,
    reportFailure: (thrown) => expect(thrown).toBeUndefined(),
  });
  for (let round = 0; round < 30; round++) {
    for (let at = 0; at < 100; at++) tracing.observe(endedIn(tracing));
    await new Promise(setImmediate);
  }
  const { queued, dropped } = tracing.state;
  // An export that never ends.
  expect([queued, dropped]).toEqual([2048, 3000 - 512 - 2048]);
});

test("a request whose spans cannot be built is reported, and does not affect the others", async () => {
  const failures: unknown[] = [];
  const tracing = new Tracing({
    settings: SETTINGS,
    version: "1",
    post: async () => ({ status: 200, headers: new Headers(), body: new Uint8Array() }),
    findUpstream: () => undefined,
    hide: (text) => text,
    report: () => undefined,
    reportFailure: (thrown) => failures.push(thrown),
  });
  const broken = endedIn(tracing);
  tracing.observe({ ...broken, method: null as never });
  tracing.observe(endedIn(tracing));
  await new Promise(setImmediate);
  expect(failures).toEqual([expect.any(TypeError)]);
  await tracing.close();
  expect(tracing.state).toMatchObject({ exported: 1, dropped: 0, failed: 0 });
});
