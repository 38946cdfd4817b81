import { expect, test } from "bun:test";
import { LiteLLMDecryption } from "./decrypt-litellm.ts";

const decryption = new LiteLLMDecryption("sk-salt-of-tests");

/** Made by PyNaCl with the SHA-256 of the salt key: the length of the text, and its box. Byte i of the text is (7 i + length) mod 251. */
const BOXES = [
  [0, "fkevFY6dtU/F5JAplvU2CpM8WB57rTVD3cmuMK87NFcpOna6X8kVzg=="],
  [1, "ZU4sh9eCDL6xtbVQ9DFmVJWCtbNT4A4nMCtgO5+m/owscQCkScAuTQY="],
  [33, "Ii+OuMTt7GGEuVxaLD9RRnAAOQZlDsx8KrVsZm6jlGO/latwZTsTblSMCkNO3FvM98zoUbITLM+9yA9jds1E0vXfQN4b8U/J7w=="],
  [
    97,
    "9AFd8mTOPG6eIKWIb062uguMVQ3V+xLsZFYNtnR8E7igYhmQadhxPKGfnV5YIQYbrxkOItNhHciAdKj5+G7rmlIteQp6a+qNe6wtghu1nuSkaigirOqThrZrLXKLFu2CIyR9U6D+naY7HwDRpPs8vu1/OhjK6Wu2VvkUVsfsqBQepx8y8SBYpQg=",
  ],
] as const;

test.each(BOXES)("opens a box of NaCl with %d bytes", (length, box) => {
  const text = Uint8Array.from({ length }, (_, at) => (at * 7 + length) % 251);
  expect(decryption.tryRead(box)).toBe(new TextDecoder().decode(text));
});

test("does not open a box that was changed anywhere, that was cut, or that has another key", () => {
  const box = Buffer.from(BOXES[3][1], "base64");
  for (let at = 0; at < box.length; at += 5) {
    const changed = Buffer.from(box);
    changed[at]! ^= 1;
    expect(decryption.tryRead(changed.toString("base64"))).toBeUndefined();
  }
  for (const length of [48, box.length - 1]) expect(decryption.tryRead(box.subarray(0, length).toString("base64"))).toBeUndefined();
  expect(new LiteLLMDecryption("sk-another-salt").tryRead(BOXES[3][1])).toBeUndefined();
  expect(() => new LiteLLMDecryption("sk-another-salt").read(BOXES[3][1], "The key of model m")).toThrow(
    "The key of model m cannot be decrypted",
  );
});

test("returns text that is too short for a box unchanged", () => {
  expect(decryption.read("aGVsbG8=", "A key")).toBe("aGVsbG8=");
});
