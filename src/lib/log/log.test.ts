import { describe, expect, test } from "bun:test";
import { makeApiKey } from "../../access/api-key.ts";
import { Secret } from "../secret/secret.ts";
import { formatAsJson, formatAsText, type Facts } from "./log-format.ts";
import { createLog, type Log } from "./log.ts";
import { eventually } from "../../../test/streams/eventually.ts";

/** Whoever reads the log: takes what is put out, or takes it when told to. */
interface Reader {
  put: (text: string) => Promise<boolean>;
  /** How often it was given something. */
  puts: number;
  lines: () => Facts[];
  stall: () => void;
  goOn: () => void;
  isGone: boolean;
}

function reader(): Reader {
  let text = "";
  let stalled = Promise.withResolvers<void>();
  stalled.resolve();
  return {
    puts: 0,
    async put(given) {
      this.puts++;
      await stalled.promise;
      if (this.isGone) return false;
      text += given;
      return true;
    },
    lines: () =>
      text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Facts),
    stall: () => void (stalled = Promise.withResolvers()),
    goOn: () => stalled.resolve(),
    isGone: false,
  };
}

/** Writes a line and waits until it is on its way: all others wait behind it. */
async function startWriting(log: Log, to: Reader): Promise<void> {
  log.write({ n: -1 });
  await eventually(
    () => to.puts,
    (puts) => puts > 0,
  );
}

describe("a log", () => {
  test("gathers lines, and flush puts them out", async () => {
    const written: string[] = [];
    const log = createLog(
      (text) => Promise.resolve(written.push(text) > 0),
      (_, facts) => JSON.stringify(facts),
    );
    log.write({ a: 1 });
    log.write({ b: 2 });
    expect(written).toEqual([]);
    await log.flush();
    await log.flush();
    expect(written).toEqual(['{"a":1}\n{"b":2}\n']);
  });

  test("has nothing of the levels below its own, and does no work for them", async () => {
    const to = reader();
    const formatted: unknown[] = [];
    const log = createLog(
      (text) => to.put(text),
      (time, facts) => {
        formatted.push(facts["n"]);
        return formatAsJson(time, facts);
      },
      "warn",
    );
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
    expect([log.takes("info"), log.takes("error")]).toEqual([false, true]);
  });

  test("that nobody reads holds so many lines, and says in their place how many are missing", async () => {
    const to = reader();
    const log = createLog((text) => to.put(text), formatAsJson);
    to.stall();
    await startWriting(log, to);
    for (let n = 0; n < 10_005; n++) log.write({ n });
    expect(log.dropped).toBe(5);
    to.goOn();
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

  test("whose reader is gone for a while counts what was lost, and says so when it is back", async () => {
    const to = reader();
    const log = createLog((text) => to.put(text), formatAsJson);
    to.isGone = true;
    log.write({ n: 1 });
    log.write({ n: 2 });
    await log.flush();
    expect(log.dropped).toBe(2);
    to.isGone = false;
    log.write({ n: 3 });
    await log.flush();
    expect(to.lines()).toMatchObject([{ event: "log_dropped", dropped: 2 }, { n: 3 }]);
    expect(log.dropped).toBe(2);
  });

  test("makes out what is to be said of something when its line is put out", async () => {
    const to = reader();
    const log = createLog((text) => to.put(text), formatAsJson);
    let asked = 0;
    const factsOf = (n: number): Facts => ({ n, asked: ++asked });
    log.writeAbout(1, factsOf);
    log.write({ n: 2 });
    log.writeAbout(3, factsOf);
    expect(asked).toBe(0);
    await log.flush();
    expect(to.lines()).toMatchObject([{ n: 1, asked: 1 }, { n: 2 }, { n: 3, asked: 2 }]);
  });

  test("makes out some of its lines ahead of time, each one once, and puts them out in their order", async () => {
    const to = reader();
    const asked: number[] = [];
    const log = createLog((text) => to.put(text), formatAsJson);
    const ask = (n: number): Facts => ({ n, asked: asked.push(n) });
    for (let n = 0; n < 5; n++) log.writeAbout(n, ask);
    log.chore.runSlice(2);
    expect([asked, log.chore.waiting, to.lines()]).toEqual([[0, 1], 3, []]);
    log.writeAbout(5, ask);
    log.chore.runSlice(9);
    log.chore.runSlice(9);
    expect(log.chore.waiting).toBe(0);
    log.writeAbout(6, ask);
    await log.flush();
    expect(to.lines().map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect([asked, log.chore.waiting]).toEqual([[0, 1, 2, 3, 4, 5, 6], 0]);
  });

  test("tells how many are missing, those too that were dropped since that was made out", async () => {
    const to = reader();
    const log = createLog((text) => to.put(text), formatAsJson);
    for (let n = 0; n < 10_003; n++) log.write({ n });
    while (log.chore.waiting > 0) log.chore.runSlice(20_000);
    log.write({ n: 10_003 });
    await log.flush();
    expect(to.lines().at(-1)).toMatchObject({ event: "log_dropped", dropped: 4 });
  });

  test("whose reader was gone while lines were made out ahead says what is missing, and makes the rest out", async () => {
    const to = reader();
    const log = createLog((text) => to.put(text), formatAsJson);
    to.isGone = true;
    for (let n = 0; n < 3; n++) log.write({ n });
    log.chore.runSlice(2);
    await log.flush();
    to.isGone = false;
    for (let n = 3; n < 6; n++) log.write({ n });
    log.chore.runSlice(2);
    await log.flush();
    expect(to.lines()).toMatchObject([{ event: "log_dropped", dropped: 3 }, { n: 3 }, { n: 4 }, { n: 5 }]);
  });

  test("holds on to nothing but facts while nobody reads", async () => {
    const to = reader();
    const log = createLog((text) => to.put(text), formatAsJson);
    to.stall();
    await startWriting(log, to);
    const subject = { n: 1 };
    log.writeAbout(subject, ({ n }) => ({ n }));
    subject.n = 2;
    to.goOn();
    await log.flush();
    expect(to.lines()).toMatchObject([{ n: -1 }, { n: 1 }]);
  });

  test("goes on behind something of which nothing can be said, and says so", async () => {
    const to = reader();
    const log = createLog((text) => to.put(text), formatAsJson);
    log.writeAbout(1, () => {
      throw new Error("no words");
    });
    log.write({ n: 2 });
    await log.flush();
    expect(to.lines()).toMatchObject([{ level: "error", event: "internal_error", detail: expect.stringContaining("no words") }, { n: 2 }]);
  });

  test("does not keep the end of the process waiting for a reader who does not read", async () => {
    const to = reader();
    const log = createLog((text) => to.put(text), formatAsJson);
    to.stall();
    log.write({ n: 1 });
    await log.flush();
    expect(to.lines()).toEqual([]);
  });

  test("cuts a detail short that goes on and on", async () => {
    const to = reader();
    const log = createLog((text) => to.put(text), formatAsJson);
    log.write({ detail: "x".repeat(100_000) });
    await log.flush();
    expect(String(to.lines()[0]!["detail"])).toHaveLength(2001);
  });
});

describe("what must not be known", () => {
  test("a key that a caller put somewhere odd is not written down", async () => {
    let written = "";
    const log = createLog((text) => Promise.resolve((written += text) !== ""), formatAsJson);
    const { id, key } = makeApiKey();
    log.write({ path: `/v1/${key.reveal()}`, param: key.reveal() });
    await log.flush();
    expect(written).not.toContain(key.reveal().slice(-38));
    expect(written).toContain(`"param":"sk-service-${id}…"`);
  });

  test("a secret is no fact; one that is passed off as a fact is not shown", () => {
    const secret = new Secret("hunter2");
    // @ts-expect-error: facts are plain values.
    const facts: Facts = { status: 200, secret };
    expect(formatAsJson(new Date(0), facts)).toContain('"secret":"[secret]"');
    expect(formatAsText(new Date(0), facts)).toContain("secret=[secret]");
  });

  test("a line cannot be forged from inside: one record, one line, no control characters", () => {
    const facts = { listener: "gateway", method: "GET", path: "/x", status: 200, duration_ms: 3, model: 'a\n{"forged":true}\u001b[2J' };
    expect(formatAsJson(new Date(0), facts).split("\n")).toHaveLength(1);
    expect(formatAsJson(new Date(0), facts)).not.toContain("\u001b");
    expect(formatAsText(new Date(0), facts)).toEndWith('  200  GET /x  3 ms  model="a\\n{\\"forged\\":true}\\u001b[2J"');
  });
});

describe("for people", () => {
  const request = { listener: "gateway", method: "POST", path: "/x", status: 200, duration_ms: 3, request_id: "req_1" };

  test("a line shows what a person looks for, and the request id where something failed", () => {
    expect(formatAsText(new Date(0), { ...request, prompt_tokens: 1, completion_tokens: 12 })).toEndWith(
      "  200  POST /x  3 ms  1+12 tokens",
    );
    const failed = { ...request, listener: "platform", status: 404, code: "unknown_key", param: null };
    expect(formatAsText(new Date(0), failed)).toEndWith("  404  POST /x  3 ms  code=unknown_key request_id=req_1 listener=platform");
  });

  test("the level is said where it is not the usual one", () => {
    expect(formatAsText(new Date(0), { ...request, level: "info" })).toMatch(/^\d\d:\d\d:\d\d {2}200 {2}POST/);
    expect(formatAsText(new Date(0), { ...request, level: "warn" })).toMatch(/^\d\d:\d\d:\d\d {2}warn {2}200 {2}POST/);
    expect(formatAsText(new Date(0), { level: "error", event: "x", message: "it broke", detail: "in a\nplace" })).toEndWith(
      String.raw`  error  it broke  detail="in a\nplace"`,
    );
  });
});
