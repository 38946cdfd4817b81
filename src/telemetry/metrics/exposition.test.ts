import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { parseExposition } from "../../../test/metrics/parse-exposition.ts";
import { writeExposition, writeLabels, type WrittenFamily } from "./exposition.ts";
import { Distribution } from "./histogram.ts";

const nameArbitrary = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,20}$/);
const textArbitrary = fc
  .oneof(fc.string({ unit: "binary" }), fc.constantFrom('a"b', "a\\", "\\n", "a\nb", 'x",y="z', "}", ""))
  .map((text) => text.toWellFormed());
const labelsArbitrary = fc.dictionary(nameArbitrary, textArbitrary, { maxKeys: 4 });
const valueArbitrary = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(1e21, 1e-9, Number.POSITIVE_INFINITY, Number.NaN));

const plainArbitrary = fc.record({
  name: nameArbitrary,
  type: fc.constant<"gauge">("gauge"),
  help: textArbitrary,
  samples: fc.uniqueArray(fc.record({ labels: labelsArbitrary, value: valueArbitrary }), {
    minLength: 1,
    maxLength: 5,
    selector: ({ labels }) =>
      Object.entries(labels)
        .map((each) => JSON.stringify(each))
        .toSorted()
        .join(),
  }),
});

describe("the Prometheus text", () => {
  test("round-trips any names, texts and numbers", async () => {
    const families = fc.uniqueArray(plainArbitrary, { maxLength: 5, selector: ({ name }) => name });
    await fc.assert(
      fc.asyncProperty(families, async (wanted) => {
        const parsed = parseExposition(await writeExposition(wanted.map(toFamily)));
        const read = parsed.map(({ name, type, help, samples }) => {
          return { name, type, help, samples: samples.map(({ labels, value }) => ({ labels, value })) };
        });
        // JavaScript writes -0 as 0.
        expect(read).toEqual(wanted.map((each) => ({ ...each, samples: each.samples.map(withoutMinusZero) })));
      }),
    );
  });

  test("omits metrics without samples", async () => {
    const empty: WrittenFamily = { name: "empty", type: "counter", help: "Nothing.", samples: () => [] };
    expect(await writeExposition([empty])).toBe("");
  });

  test("is written in slices between which other work runs", async () => {
    const values = Array.from({ length: 200_000 }, (_, value) => ({ labels: { of: `number ${value}` }, value }));
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    await writeExposition([toFamily({ name: "many", type: "gauge", help: "Many.", samples: values })]);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(2);
  });
});

test("a histogram has the buckets, sum and count of the observations", async () => {
  const bounds = [0.001, 0.01, 0.5, 1, 10];
  const observations = fc.array(fc.oneof(fc.constantFrom(...bounds), fc.double({ min: 0, max: 20, noNaN: true })));
  await fc.assert(
    fc.asyncProperty(observations, labelsArbitrary, async (observed, labels) => {
      fc.pre(!Object.hasOwn(labels, "le"));
      const distribution = new Distribution(bounds);
      for (const each of observed) distribution.observe(each);
      const family: WrittenFamily = { name: "h", type: "histogram", help: "", samples: () => [distribution.samples(writeLabels(labels))] };
      const { samples } = parseExposition(await writeExposition([family]))[0]!;
      const buckets = samples.filter(({ name }) => name === "h_bucket");
      for (const { labels: each, value } of buckets) {
        const { le, ...rest } = each;
        expect(rest).toEqual(labels);
        expect(value).toBe(observed.filter((seconds) => seconds <= Number(le!.replace("Inf", "Infinity"))).length);
      }
      expect(buckets.map(({ labels: { le } }) => le)).toEqual([...bounds.map(String), "+Inf"]);
      expect(samples.find(({ name }) => name === "h_count")!.value).toBe(observed.length);
      expect(samples.find(({ name }) => name === "h_sum")!.value).toBe(observed.reduce((sum, each) => sum + each, 0));
    }),
  );
});

interface Plain {
  readonly name: string;
  readonly type: "gauge";
  readonly help: string;
  readonly samples: readonly { readonly labels: Record<string, string>; readonly value: number }[];
}

function toFamily({ samples, ...rest }: Plain): WrittenFamily {
  return {
    ...rest,
    samples: () => samples.map(({ labels, value }) => [{ suffix: "" as const, labels: writeLabels(labels), value }]),
  };
}

function withoutMinusZero({ labels, value }: Plain["samples"][number]): Plain["samples"][number] {
  return { labels, value: value === 0 ? 0 : value };
}
