import { expect, test } from "bun:test";
import { openSecretBox } from "./secret-box.ts";

const KEY = new Bun.CryptoHasher("sha256").update("sk-salt-of-tests").digest();

/** Made by PyNaCl: the length of the text, and its box. Byte i of the text is (7 i + length) mod 251. */
const BOXES = [
  [0, "fkevFY6dtU/F5JAplvU2CpM8WB57rTVD3cmuMK87NFcpOna6X8kVzg=="],
  [1, "ZU4sh9eCDL6xtbVQ9DFmVJWCtbNT4A4nMCtgO5+m/owscQCkScAuTQY="],
  [33, "Ii+OuMTt7GGEuVxaLD9RRnAAOQZlDsx8KrVsZm6jlGO/latwZTsTblSMCkNO3FvM98zoUbITLM+9yA9jds1E0vXfQN4b8U/J7w=="],
  [
    97,
    "9AFd8mTOPG6eIKWIb062uguMVQ3V+xLsZFYNtnR8E7igYhmQadhxPKGfnV5YIQYbrxkOItNhHciAdKj5+G7rmlIteQp6a+qNe6wtghu1nuSkaigirOqThrZrLXKLFu2CIyR9U6D+naY7HwDRpPs8vu1/OhjK6Wu2VvkUVsfsqBQepx8y8SBYpQg=",
  ],
  [
    200,
    "iyL+twGclhyD0zh6lyb2h/loDFgYlH9IyzxE/CW2fWwQR8l+jkcDbgVR8afmuK+VSYm3pxUd138bxJoQTtSy6Yr6KRDXnJh8LUgKOmGEmPQnWFfgXqMG/XZemjGFKinunWNzdwBxWAjR5xkv7BQLOMcQ1yxwYQUsJOzGoI365uH8l/X6caU1L5VmnaSXCBOkxWsuNnF47jgPtJjFsUcsYkK6pDmvK+fuNdcoG68P2zOny2Io1V8r30sns7+ldzuB6jNmXt4BeP5A2N7tiKdF1UbYsYlX1SLCteSq0Q4O0HrmmYhnkDdqUYjI+LWkTXn+",
  ],
] as const;

test.each(BOXES)("opens a box of NaCl with %d bytes", (length, box) => {
  const text = Uint8Array.from({ length }, (_, at) => (at * 7 + length) % 251);
  expect([...openSecretBox(Buffer.from(box, "base64"), KEY)!]).toEqual([...text]);
});

test("a box that was changed anywhere, is cut, or has another key is not opened", () => {
  const box = Buffer.from(BOXES[3][1], "base64");
  for (let at = 0; at < box.length; at += 5)
    expect(
      openSecretBox(
        box.map((byte, index) => (index === at ? byte ^ 1 : byte)),
        KEY,
      ),
    ).toBeUndefined();
  for (const length of [0, 24, 39, 40, box.length - 1]) expect(openSecretBox(box.subarray(0, length), KEY)).toBeUndefined();
  expect(openSecretBox(box, KEY.toReversed())).toBeUndefined();
});
