import { afterEach, beforeEach, expect, test } from "bun:test";
import { serve, type Listener } from "../http/serve.ts";
import { ApiError } from "../requests/api-error.ts";
import type { EndedRequest } from "../requests/request-notes.ts";
import { TextStream } from "./text-stream.ts";
import { Reply } from "../lib/http1/server/reply.ts";
import { UNBOUNDED } from "../../test/support/http/unbounded-listener.ts";

let listener: Listener;
let pieces: () => AsyncGenerator<string, void>;
let ended: PromiseWithResolvers<EndedRequest>;

beforeEach(() => {
  ended = Promise.withResolvers();
  listener = serve({
    name: "test",
    ...UNBOUNDED,
    endpoints: [{ method: "GET", path: "/", handle: (exchange) => new Reply(new TextStream(pieces(), exchange)) }],
    observers: [(request) => ended.resolve(request)],
    reportFailure: (thrown) => ended.reject(thrown),
    openToBrowsers: false,
    errorFormat: "problem-details",
  });
});
afterEach(() => listener.close());

test("streams the chunks in order, and the request ends with the last", async () => {
  pieces = async function* () {
    yield "one ";
    yield "two";
  };
  expect(await (await fetch(listener.url)).text()).toBe("one two");
  const { notes } = await ended.promise;
  expect([notes.end, notes.replyBytes]).toEqual(["complete", 7]);
});

test("closes the connection when the text cannot be completed", async () => {
  const received = Promise.withResolvers<void>();
  pieces = async function* () {
    yield "one ";
    await received.promise;
    throw new ApiError("overloaded", "It cannot be read.", { detail: "the disk is gone" });
  };
  const reply = await fetch(listener.url);
  expect(reply.status).toBe(200);
  received.resolve();
  expect(await reply.text().catch(() => "cut")).toBe("cut");
  const { notes } = await ended.promise;
  expect([notes.end, notes.code, notes.detail]).toEqual(["failed", "overloaded", "the disk is gone"]);
});

test("a reader that disconnects stops the generation", async () => {
  const made = Promise.withResolvers<number>();
  pieces = async function* () {
    let count = 0;
    try {
      for (;;) {
        await Bun.sleep(1);
        count++;
        yield "x".repeat(64 * 1024);
      }
    } finally {
      made.resolve(count);
    }
  };
  const reader = (await fetch(listener.url)).body!.getReader();
  await reader.read();
  await reader.cancel();
  expect(await made.promise).toBeGreaterThan(0);
  expect((await ended.promise).notes.end).toBe("caller_gone");
});
