import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { chunk } from "../../../test/support/upstreams/mock-upstream.ts";
import { callOf, chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import { ChunkMender } from "./chunk-mender.ts";

test("relays any well-formed chunk unchanged under the public model name, and counts its text", () => {
  const deltas = fc.oneof(
    fc.string({ unit: "grapheme" }).map((content) => ({ content })),
    fc.constantFrom({ content: '"' }, { content: "\n" }, { content: null }, { refusal: "no" }, { reasoning_content: "hm" }, {}),
  );
  const faithful = fc.property(fc.array(deltas, { maxLength: 12 }), (sent) => {
    const mender = new ChunkMender(callOf(chatOf({ model: "public" })));
    const events = [{ role: "assistant", content: "" }, ...sent].map((delta) => chunk(delta));
    const chunks: string[] = [];
    for (const event of events) expect(mender.take(event, chunks)).toBe(false);
    expect(chunks.map((each) => JSON.parse(each) as unknown)).toEqual(
      events.map((event) => ({ ...(JSON.parse(event) as object), model: "public" })),
    );
    expect(mender.uncountedBytes).toBe(Buffer.byteLength(sent.flatMap((delta) => Object.values(delta)).join("")));
  });
  fc.assert(faithful, runs(3000));
});
