import { expect, test } from "bun:test";
import { encodePartialSuccess } from "../../../test/traces/official-proto.ts";
import { SpanExporter, type CollectorReply, type ExportEvent } from "./exporter.ts";
import { until } from "../../../test/support/eventually.ts";

function spans(count: number, bytes = 1): Uint8Array[] {
  const span = new Uint8Array(bytes);
  return Array.from({ length: count }, () => span);
}

const reply = (status: number, headers: Record<string, string> = {}, body: Uint8Array = new Uint8Array()): CollectorReply => ({
  status,
  headers: new Headers(headers),
  body,
});

/** An exporter, and a collector that returns the test's responses in order and repeats the last one. */
function exporting(...answers: (CollectorReply | Error | (() => Promise<CollectorReply>))[]) {
  const batches: number[] = [];
  const event: ExportEvent[] = [];
  const exporter = new SpanExporter({
    async post(batch) {
      const answer = answers[Math.min(batches.length, answers.length - 1)]!;
      batches.push(batch.length);
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer() : answer;
    },
    report: (each) => event.push(each),
    gatherMs: 5,
    backoffMs: 1,
  });
  return { exporter, batches, event };
}

test("sends spans in one batch after a delay", async () => {
  const { exporter, batches, event } = exporting(reply(200));
  for (let at = 0; at < 3; at++) exporter.add(spans(2));
  expect(batches).toEqual([]);
  await until(() => exporter.state.exported === 6);
  expect(batches).toEqual([6]);
  expect(event).toEqual([]);
});

test("sends a full batch at once, with at most 512 spans", async () => {
  const { exporter, batches } = exporting(reply(200));
  for (let at = 0; at < 520; at++) exporter.add(spans(2));
  await until(() => exporter.state.exported === 1040);
  expect(Math.max(...batches)).toBe(512);
});

test("limits a batch by its bytes, but always sends one span", async () => {
  const { exporter, batches } = exporting(reply(200));
  exporter.add(spans(1, 5 * 1024 * 1024));
  exporter.add(spans(3, 1024 * 1024));
  await until(() => exporter.state.exported === 4);
  expect(batches).toEqual([1, 3]);
});

test("sends one batch at a time; a full queue drops whole requests and counts their spans", async () => {
  const { promise, resolve } = Promise.withResolvers<CollectorReply>();
  const { exporter, batches } = exporting(() => promise, reply(200));
  for (let at = 0; at < 3000; at++) exporter.add(spans(3));
  await until(() => batches.length === 1);
  const { queued, dropped } = exporter.state;
  expect(queued).toBeLessThanOrEqual(2048);
  expect(dropped % 3).toBe(0);
  expect(batches).toEqual([512]);
  resolve(reply(200));
  await until(() => exporter.state.queued === 0 && exporter.state.exported + dropped === 9000);
});

test("limits the queued content separately", () => {
  const { exporter } = exporting(new Error("gone"));
  for (let at = 0; at < 1000; at++) exporter.add(spans(1, 128 * 1024));
  expect(exporter.state.dropped).toBeGreaterThan(600);
});

test.each([429, 502, 503, 504])("retries after a %d", async (status) => {
  const { exporter, batches } = exporting(reply(status), reply(status), reply(200));
  exporter.add(spans(1));
  await until(() => exporter.state.exported === 1);
  expect(batches).toEqual([1, 1, 1]);
});

test.each([301, 400, 401, 404, 413, 500, 501])("does not retry after a %d, and counts the spans as failed", async (status) => {
  const { exporter, batches, event } = exporting(reply(status));
  exporter.add(spans(2));
  await until(() => exporter.state.failed === 2);
  expect(batches).toEqual([2]);
  expect(event).toEqual([{ kind: "failing", detail: `the collector returned ${status}` }]);
});

test("retries an unreachable collector a few times, then drops the batch and sends the next", async () => {
  const { exporter, batches } = exporting(new Error("refused"));
  exporter.add(spans(2));
  await until(() => exporter.state.failed === 2);
  expect(batches.length).toBe(6);
});

test("logs once that a collector fails, and once that it has recovered, with the number of lost spans", async () => {
  const refusals = Array.from({ length: 8 }, () => new Error("connection refused"));
  const { exporter, event } = exporting(...refusals, reply(200));
  exporter.add(spans(2));
  await until(() => exporter.state.failed === 2);
  for (let at = 0; at < 3; at++) {
    exporter.add(spans(1));
    await until(() => exporter.state.exported === at + 1);
  }
  expect(event).toEqual([
    { kind: "failing", detail: "connection refused" },
    { kind: "working", lost: 2 },
  ]);
});

test("honours Retry-After", async () => {
  const inSeconds = exporting(reply(503, { "retry-after": "25" }), reply(200));
  const atATime = exporting(reply(429, { "retry-after": new Date(Date.now() + 25_000).toUTCString() }), reply(200));
  const inOtherWords = exporting(reply(429, { "retry-after": "soon" }), reply(200));
  for (const { exporter } of [inSeconds, atATime, inOtherWords]) exporter.add(spans(1));
  await until(() => inOtherWords.exporter.state.exported === 1);
  expect([inSeconds.batches, atATime.batches]).toEqual([[1], [1]]);
  for (const { exporter } of [inSeconds, atATime]) {
    await exporter.close(1_000);
    expect(exporter.state.exported).toBe(1);
  }
});

test("does not resend a partially accepted batch, and logs it once", async () => {
  const answer = reply(200, {}, encodePartialSuccess(300, "attributes: 💥 too long"));
  const { exporter, batches, event } = exporting(answer);
  exporter.add(spans(400));
  await until(() => exporter.state.exported === 100);
  exporter.add(spans(2));
  await until(() => exporter.state.failed === 302);
  expect(batches).toEqual([400, 2]);
  expect(event).toEqual([{ kind: "rejected", rejection: { spans: 300, message: "attributes: 💥 too long" } }]);
});

test("accepts a success reply that is not protobuf", async () => {
  const { exporter, event } = exporting(reply(200, {}, Buffer.from("\xff\xff\xff{}", "latin1")));
  exporter.add(spans(1));
  await until(() => exporter.state.exported === 1);
  expect(event).toEqual([]);
});

test("sends the rest once at shutdown, without retries", async () => {
  const { exporter, batches } = exporting(reply(200));
  exporter.add(spans(3));
  await exporter.close(1_000);
  expect([batches, exporter.state.exported]).toEqual([[3], 3]);
  const { exporter: failing } = exporting(reply(503, { "retry-after": "30" }));
  failing.add(spans(3));
  await until(() => failing.state.queued === 0);
  await failing.close(1_000);
  expect(failing.state.failed).toBe(3);
});

test("a collector that does not respond does not delay the shutdown", async () => {
  const exporter = new SpanExporter({
    post: (_batch, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("given up")))),
    report: () => undefined,
    gatherMs: 1,
  });
  exporter.add(spans(600));
  await exporter.close(20);
  expect(exporter.state.exported).toBe(0);
});
