import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../test/support/long.ts";
import { Cancellation } from "../lib/async/cancellation.ts";
import { readJson } from "./read-json.ts";

/** A request with this body. */
const requestOf = (bytes: Buffer): Parameters<typeof readJson>[0] => ({
  method: "POST",
  target: "/",
  params: {},
  headers: new Headers({ "content-type": "application/json" }),
  headerBytes: 0,
  signal: new Cancellation(),
  isReceived: true,
  bytes: () => bytes,
});

const text = fc
  .tuple(
    fc.jsonValue({ stringUnit: "grapheme" }),
    fc.string({ unit: "grapheme" }),
    fc.nat({ max: 400 }),
    fc.constantFrom(undefined, 2, "\t"),
  )
  .map(([value, word, times, indent]) =>
    JSON.stringify({ value, messages: [{ content: word.repeat(times), [word]: word }] }, null, indent),
  );

test("parses the complete body on demand, however long its strings are", async () => {
  const property = fc.asyncProperty(text, async (sent) => {
    const bytes = Buffer.from(sent);
    const body = await readJson(requestOf(bytes), 1e9, "rejected");
    expect(body.value).toEqual(JSON.parse(sent));
    expect(body.text).toBe(sent);
    expect(Buffer.from(body.byteText, "latin1").equals(bytes)).toBe(true);
    for (const { key, valueStart, valueEnd } of body.fields) {
      expect(JSON.parse(bytes.toString("utf8", valueStart, valueEnd))).toEqual(body.value[key]);
    }
  });
  await fc.assert(property, runs(500));
});
