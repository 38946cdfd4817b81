import { expect, test } from "bun:test";
import { readEmbeddings, summarizeVectors } from "./read-embeddings.ts";

test.each<[input: unknown, texts: readonly string[]]>([
  ["one text", ["one text"]],
  [
    ["a", "b"],
    ["a", "b"],
  ],
  [[1, 2, 3], ["3 tokens"]],
  [
    [[1], [2, 3]],
    ["1 token", "2 tokens"],
  ],
])("reads the texts of %j", (input, texts) => {
  expect(readEmbeddings(JSON.stringify({ model: "m", input, dimensions: 8 }))).toEqual({
    texts,
    parameters: { model: "m", dimensions: 8 },
  });
});

test("reads the start of a truncated request, and no other text", () => {
  expect(readEmbeddings('{"model":"m","input":["whole","cut of')!.texts).toEqual(["whole", "cut of…"]);
  expect(readEmbeddings("[]")).toBeUndefined();
  expect(readEmbeddings('{"model":"m"}')).toBeUndefined();
});

const responseWith = (...vectors: readonly unknown[]): string => JSON.stringify({ data: vectors.map((embedding) => ({ embedding })) });

test("counts the vectors of a response, as numbers or base64", () => {
  expect(summarizeVectors(responseWith([1, 2, 3]))).toBe("1 vector of length 3");
  const base64 = Buffer.from(new Float32Array(1536).buffer).toString("base64");
  expect(summarizeVectors(responseWith(base64, base64))).toBe("2 vectors of length 1,536");
});

test("does not count the last vector of a truncated response", () => {
  const whole = responseWith([1, 2, 3], [4, 5, 6], [7, 8, 9]);
  expect(summarizeVectors(whole.slice(0, whole.indexOf("8")))).toBe("at least 2 vectors of length 3");
  expect(summarizeVectors(whole.slice(0, whole.indexOf("2")))).toBeUndefined();
  expect(summarizeVectors('{"error":{}}')).toBeUndefined();
});
