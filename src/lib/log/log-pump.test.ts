import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { eventually } from "../../../test/support/eventually.ts";
import { LogPump } from "./log-pump.ts";
import { serialOutput } from "./serial-output.ts";

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** An output in memory, which writes a text in two parts, as a file may be. */
function slowOutput(): { texts: string[]; written: () => string; write: (text: string) => Promise<boolean> } {
  let written = "";
  const texts: string[] = [];
  return {
    texts,
    written: () => written,
    async write(text) {
      texts.push(text);
      written += text.slice(0, 3);
      await Promise.resolve();
      written += text.slice(3);
      return true;
    },
  };
}

async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    await Promise.resolve();
    yield chunk;
  }
}

test("lines of several processes stay whole and in order, however their streams are divided", async () => {
  const lines = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "😀", " ") }), { maxLength: 8 });
  const process = fc.record({ lines, cuts: fc.array(fc.nat(60), { maxLength: 8 }), isEnded: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(process, { minLength: 1, maxLength: 3 }), async (processes) => {
      const output = slowOutput();
      const pump = new LogPump(serialOutput((text) => output.write(text)));
      const named = processes.map((each, at) => ({ ...each, lines: each.lines.map((line) => `${at}:${line}`) }));
      await Promise.all(named.map(({ lines: each, cuts, isEnded }) => pump.copy(streamOf(divide(each, cuts, isEnded)))));
      const written = output.written().split("\n");
      expect(written.pop()).toBe("");
      for (const [at, { lines: each }] of named.entries()) expect(written.filter((line) => line.startsWith(`${at}:`))).toEqual(each);
      expect(written).toHaveLength(named.flatMap(({ lines: each }) => each).length);
      expect(pump.dropped).toBe(0);
    }),
  );
});

/** The bytes of lines, in chunks; the last line may have no end. */
function divide(lines: readonly string[], cuts: readonly number[], isEnded: boolean): Uint8Array[] {
  const bytes = toBytes(lines.map((line) => `${line}\n`).join(""));
  const all = isEnded ? bytes : bytes.subarray(0, -1);
  const bounds = [0, ...cuts.map((cut) => Math.min(cut, all.length)), all.length].toSorted((one, other) => one - other);
  return bounds.slice(1).map((end, at) => all.subarray(bounds[at], end));
}

test("writes the lines of a child process, with the last one where it has no end", async () => {
  const output = slowOutput();
  const pump = new LogPump((text) => output.write(text));
  const program = `for (let at = 0; at < 2000; at++) console.log("line " + at); process.stdout.write("last");`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  await pump.copy(child.stdout);
  expect(output.written()).toBe(`${Array.from({ length: 2000 }, (_, at) => `line ${at}\n`).join("")}last\n`);
});

test("reads no more of a stream while its lines are not written", async () => {
  const stalled = Promise.withResolvers<boolean>();
  let read = 0;
  async function* stream(): AsyncGenerator<Uint8Array> {
    for (; read < 3;) {
      await Promise.resolve();
      read++;
      yield toBytes("x\n");
    }
  }
  const pump = new LogPump(() => stalled.promise);
  const copied = pump.copy(stream());
  await eventually(
    () => read,
    (count) => count > 0,
  );
  for (let turns = 0; turns < 20; turns++) await Promise.resolve();
  expect(read).toBe(1);
  stalled.resolve(true);
  await copied;
  expect(read).toBe(3);
});

test("counts the lines that its output loses", async () => {
  const pump = new LogPump((text) => Promise.resolve(!text.includes("lost")));
  await pump.copy(streamOf(["lost 1\nlost 2\n", "written\n", "lost 3"].map(toBytes)));
  expect(pump.dropped).toBe(3);
});

test("truncates a line that never ends, and goes on with the next one", async () => {
  const output = slowOutput();
  const pump = new LogPump((text) => output.write(text));
  const part = "x".repeat(600 * 1024);
  await pump.copy(streamOf([part, part, part, `${part}\nnext\n`].map(toBytes)));
  expect(
    output
      .written()
      .split("\n")
      .map((line) => line.length),
  ).toEqual([2 * part.length, 4, 0]);
  expect(pump.dropped).toBe(1);
});

test("a writer whose text fails does not stop the others of a serial output", async () => {
  const written: string[] = [];
  const write = serialOutput((text) => (text === "bad" ? Promise.reject(new Error("gone")) : Promise.resolve(written.push(text) > 0)));
  const [bad] = await Promise.allSettled([write("bad"), write("good")]);
  expect([bad?.status, written]).toEqual(["rejected", ["good"]]);
});
