import { describe, expect, test } from "bun:test";
import { makeApiKey } from "../../access/api-key.ts";
import { redactSecrets } from "../../http/redact-secrets.ts";
import { Secret } from "../secret/secret.ts";
import { formatAsJson, formatAsText, type LogFields } from "./log-format.ts";
import { createLog, type Log } from "./log.ts";
import { eventually } from "../../../test/support/eventually.ts";

const unredacted = (line: string): string => line;

/** The output of a log, which accepts text, stalls, or loses text. */
interface Reader {
  write: (text: string) => Promise<boolean>;
  /** The number of batches that were written. */
  writes: number;
  lines: () => LogFields[];
  stall: () => void;
  resume: () => void;
  isClosed: boolean;
}

function reader(): Reader {
  let text = "";
  let stalled = Promise.withResolvers<void>();
  stalled.resolve();
  return {
    writes: 0,
    async write(given) {
      this.writes++;
      await stalled.promise;
      if (this.isClosed) return false;
      text += given;
      return true;
    },
    lines: () =>
      text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as LogFields),
    stall: () => void (stalled = Promise.withResolvers()),
    resume: () => stalled.resolve(),
    isClosed: false,
  };
}

function logTo(to: Reader): Log {
  return createLog({ output: (text) => to.write(text), format: formatAsJson, redact: unredacted });
}

/** Writes a line and waits until its batch is being written: all further lines queue behind it. */
async function startWriting(log: Log, to: Reader): Promise<void> {
  log.write({ n: -1 });
  await eventually(
    () => to.writes,
    (writes) => writes > 0,
  );
}

describe("a log", () => {
  test("batches lines, and flush writes them", async () => {
    const written: string[] = [];
    const log = createLog({
      output: (text) => Promise.resolve(written.push(text) > 0),
      format: (_, fields) => JSON.stringify(fields),
      redact: unredacted,
    });
    log.write({ a: 1 });
    log.write({ b: 2 });
    expect(written).toEqual([]);
    await log.flush();
    await log.flush();
    expect(written).toEqual(['{"a":1}\n{"b":2}\n']);
  });

  test("neither writes nor formats lines below its level", async () => {
    const to = reader();
    const formatted: unknown[] = [];
    const log = createLog({
      output: (text) => to.write(text),
      format(time, fields) {
        formatted.push(fields["n"]);
        return formatAsJson(time, fields);
      },
      redact: unredacted,
      level: "warn",
    });
    log.write({ n: 1 });
    log.write({ level: "debug", n: 2 });
    log.write({ level: "warn", n: 3 });
    log.write({ level: "error", n: 4 });
    await log.flush();
    expect(to.lines()).toMatchObject([
      { level: "warn", n: 3 },
      { level: "error", n: 4 },
    ]);
    expect(formatted).toEqual([3, 4]);
    expect([log.isEnabled("info"), log.isEnabled("error")]).toEqual([false, true]);
  });

  test("queues up to 10,000 lines while its output is stalled, and reports how many it dropped", async () => {
    const to = reader();
    const log = logTo(to);
    to.stall();
    await startWriting(log, to);
    for (let n = 0; n < 10_005; n++) log.write({ n });
    expect(log.dropped).toBe(5);
    to.resume();
    await log.flush();
    log.write({ n: "later" });
    await log.flush();
    const lines = to.lines();
    expect(lines.slice(0, -2).map(({ n }) => n)).toEqual(Array.from({ length: 10_001 }, (_, at) => at - 1));
    expect(lines.slice(-2)).toMatchObject([
      { level: "warn", event: "log_dropped", dropped: 5, message: expect.stringContaining("5 lines are missing here") },
      { n: "later" },
    ]);
  });

  test("counts lines lost by its output, and reports them when it accepts lines again", async () => {
    const to = reader();
    const log = logTo(to);
    to.isClosed = true;
    log.write({ n: 1 });
    log.write({ n: 2 });
    await log.flush();
    expect(log.dropped).toBe(2);
    to.isClosed = false;
    log.write({ n: 3 });
    await log.flush();
    expect(to.lines()).toMatchObject([{ event: "log_dropped", dropped: 2 }, { n: 3 }]);
    expect(log.dropped).toBe(2);
  });

  test("builds the fields of a lazy line when the line is written", async () => {
    const to = reader();
    const log = logTo(to);
    let asked = 0;
    const fieldsOf = (n: number): LogFields => ({ n, asked: ++asked });
    log.writeLazily(1, fieldsOf);
    log.write({ n: 2 });
    log.writeLazily(3, fieldsOf);
    expect(asked).toBe(0);
    await log.flush();
    expect(to.lines()).toMatchObject([{ n: 1, asked: 1 }, { n: 2 }, { n: 3, asked: 2 }]);
  });

  test("formats lines in the background, each once, and writes them in order", async () => {
    const to = reader();
    const asked: number[] = [];
    const log = logTo(to);
    const ask = (n: number): LogFields => ({ n, asked: asked.push(n) });
    for (let n = 0; n < 5; n++) log.writeLazily(n, ask);
    log.backgroundTask.runSlice(2);
    expect([asked, log.backgroundTask.waiting, to.lines()]).toEqual([[0, 1], 3, []]);
    log.writeLazily(5, ask);
    log.backgroundTask.runSlice(9);
    log.backgroundTask.runSlice(9);
    expect(log.backgroundTask.waiting).toBe(0);
    log.writeLazily(6, ask);
    await log.flush();
    expect(to.lines().map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect([asked, log.backgroundTask.waiting]).toEqual([[0, 1, 2, 3, 4, 5, 6], 0]);
  });

  test("reports every dropped line, including those dropped after the report was formatted", async () => {
    const to = reader();
    const log = logTo(to);
    for (let n = 0; n < 10_003; n++) log.write({ n });
    while (log.backgroundTask.waiting > 0) log.backgroundTask.runSlice(20_000);
    log.write({ n: 10_003 });
    await log.flush();
    expect(to.lines().at(-1)).toMatchObject({ event: "log_dropped", dropped: 4 });
  });

  test("reports lost lines that were formatted ahead, and formats the rest", async () => {
    const to = reader();
    const log = logTo(to);
    to.isClosed = true;
    for (let n = 0; n < 3; n++) log.write({ n });
    log.backgroundTask.runSlice(2);
    await log.flush();
    to.isClosed = false;
    for (let n = 3; n < 6; n++) log.write({ n });
    log.backgroundTask.runSlice(2);
    await log.flush();
    expect(to.lines()).toMatchObject([{ event: "log_dropped", dropped: 3 }, { n: 3 }, { n: 4 }, { n: 5 }]);
  });

  test("queues fields, not subjects, while its output is stalled", async () => {
    const to = reader();
    const log = logTo(to);
    to.stall();
    await startWriting(log, to);
    const subject = { n: 1 };
    log.writeLazily(subject, ({ n }) => ({ n }));
    subject.n = 2;
    to.resume();
    await log.flush();
    expect(to.lines()).toMatchObject([{ n: -1 }, { n: 1 }]);
  });

  test("logs an error instead of a line that cannot be built, and goes on", async () => {
    const to = reader();
    const log = logTo(to);
    log.writeLazily(1, () => {
      throw new Error("no words");
    });
    log.write({ n: 2 });
    await log.flush();
    expect(to.lines()).toMatchObject([{ level: "error", event: "internal_error", detail: expect.stringContaining("no words") }, { n: 2 }]);
  });

  test("does not delay a shutdown because of a stalled output", async () => {
    const to = reader();
    const log = logTo(to);
    to.stall();
    log.write({ n: 1 });
    await log.flush();
    expect(to.lines()).toEqual([]);
  });

  test("truncates a long detail", async () => {
    const to = reader();
    const log = logTo(to);
    log.write({ detail: "x".repeat(100_000) });
    await log.flush();
    expect(String(to.lines()[0]!["detail"])).toHaveLength(2001);
  });
});

describe("secrets", () => {
  test("a key in an unexpected field is redacted", async () => {
    let written = "";
    const log = createLog({ output: (text) => Promise.resolve((written += text) !== ""), format: formatAsJson, redact: redactSecrets });
    const { id, key } = makeApiKey();
    log.write({ path: `/v1/${key.reveal()}`, param: key.reveal() });
    await log.flush();
    expect(written).not.toContain(key.reveal().slice(-38));
    expect(written).toContain(`"param":"sk-service-${id}…"`);
  });

  test("a Secret is not a field by its type, and is never shown where it is passed as one", () => {
    const secret = new Secret("hunter2");
    // @ts-expect-error: fields are plain values.
    const fields: LogFields = { status: 200, secret };
    expect(formatAsJson(new Date(0), fields)).toContain('"secret":"[secret]"');
    expect(formatAsText(new Date(0), fields)).toContain("secret=[secret]");
  });

  test("a value cannot forge a line: one record is one line without control characters", () => {
    const fields = { listener: "gateway", method: "GET", path: "/x", status: 200, duration_ms: 3, model: 'a\n{"forged":true}\u001b[2J' };
    expect(formatAsJson(new Date(0), fields).split("\n")).toHaveLength(1);
    expect(formatAsJson(new Date(0), fields)).not.toContain("\u001b");
    expect(formatAsText(new Date(0), fields)).toEndWith('  200  GET /x  3 ms  model="a\\n{\\"forged\\":true}\\u001b[2J"');
  });
});

describe("the text format", () => {
  const request = { listener: "gateway", method: "POST", path: "/x", status: 200, duration_ms: 3, request_id: "req_1" };

  test("a line has the status, duration and tokens, and the request id after a failure", () => {
    expect(formatAsText(new Date(0), { ...request, prompt_tokens: 1, completion_tokens: 12 })).toEndWith(
      "  200  POST /x  3 ms  1+12 tokens",
    );
    const failed = { ...request, listener: "platform", status: 404, code: "unknown_key", param: null };
    expect(formatAsText(new Date(0), failed)).toEndWith("  404  POST /x  3 ms  code=unknown_key request_id=req_1 listener=platform");
  });

  test("a line has its level where that is not info", () => {
    expect(formatAsText(new Date(0), { ...request, level: "info" })).toMatch(/^\d\d:\d\d:\d\d {2}200 {2}POST/);
    expect(formatAsText(new Date(0), { ...request, level: "warn" })).toMatch(/^\d\d:\d\d:\d\d {2}warn {2}200 {2}POST/);
    expect(formatAsText(new Date(0), { level: "error", event: "x", message: "it broke", detail: "in a\nplace" })).toEndWith(
      String.raw`  error  it broke  detail="in a\nplace"`,
    );
  });
});
