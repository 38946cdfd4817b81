import { expect, test } from "bun:test";
import { BufferedBytes } from "./buffered-bytes.ts";

const MB = 1024 * 1024;

test("rejects large responses above the total limit, never small ones, and frees released bytes", () => {
  const replies = Array.from({ length: 4 }, () => new BufferedBytes());
  for (const reply of replies) reply.hold(60 * MB);
  const next = new BufferedBytes();
  next.hold(MB);
  expect(() => next.hold(20 * MB)).toThrow("too many large responses");
  next.hold(15 * MB);
  const small = new BufferedBytes();
  replies[0]!.hold(61 * MB);
  small.hold(256 * 1024);
  expect(() => small.hold(MB)).toThrow("too many large responses");
  for (const reply of [...replies, next]) reply.hold(0);
  small.hold(200 * MB);
  small.hold(0);
});
