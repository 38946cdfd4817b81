import { afterEach, beforeEach, expect, test } from "bun:test";
import type { EndedRequest } from "../requests/request-notes.ts";
import type { Endpoint, Exchange } from "./endpoint.ts";
import { serve, type Listener } from "./serve.ts";
import { Reply } from "../lib/http1/server/reply.ts";
import { UNBOUNDED } from "../../test/support/http/unbounded-listener.ts";

let listener: Listener;
let handle: (exchange: Exchange) => Reply;
let ended: PromiseWithResolvers<EndedRequest>;
let failures: unknown[];

beforeEach(() => {
  ended = Promise.withResolvers();
  failures = [];
  listener = serve({
    name: "test",
    ...UNBOUNDED,
    endpoints: [{ method: "GET", path: "/", handle: (exchange) => handle(exchange) }],
    observers: [
      () => {
        throw new Error("an observer failed");
      },
      (request) => ended.resolve(request),
    ],
    reportFailure: (thrown) => failures.push(thrown),
    openToBrowsers: false,
    errorFormat: "problem-details",
  });
});
afterEach(() => listener.close());

test("reports a failing observer, which affects neither the reply nor the other observers", async () => {
  handle = () => Reply.json({ paid: true });
  const reply = await fetch(listener.url);
  expect([reply.status, await reply.json()]).toEqual([200, { paid: true }]);
  expect(await ended.promise).toMatchObject({ status: 200, path: "/" });
  expect(failures).toEqual([new Error("an observer failed")]);
});

test("notifies observers of a request whose end fails", async () => {
  handle = (exchange) => {
    exchange.ends = Promise.reject(new Error("the end failed"));
    return new Reply("answer");
  };
  expect(await (await fetch(listener.url)).text()).toBe("answer");
  expect(await ended.promise).toMatchObject({ status: 200 });
  expect(failures).toEqual([new Error("the end failed"), new Error("an observer failed")]);
});

test("resets the idle timeout after a rejected request, though the request ends later", async () => {
  const silences: number[] = [];
  const { promise: ends, resolve } = Promise.withResolvers<void>();
  handle = (exchange) => {
    exchange.setIdleTimeout = (seconds) => silences.push(seconds);
    exchange.ends = ends;
    exchange.setIdleTimeout(0);
    throw new Error("refused");
  };
  expect((await fetch(listener.url)).status).toBe(500);
  expect(silences).toEqual([0, 30]);
  resolve();
  expect(await ended.promise).toMatchObject({ status: 500 });
});

test("truncates the User-Agent", async () => {
  handle = () => new Reply(null);
  await fetch(listener.url, { headers: { "user-agent": "a".repeat(5_000) } });
  expect((await ended.promise).client).toBe("a".repeat(200));
});

test("notes when the head of the reply was ready", async () => {
  handle = () => new Reply(null);
  await fetch(listener.url);
  const { startedAt, endedAt, notes } = await ended.promise;
  expect(notes.repliedAt).toBeWithin(startedAt, endedAt + 1);
});

const answering = (path: string): Endpoint => ({ method: "GET", path, handle: () => new Reply(path) });

test("prefers the path without the base path where both match", async () => {
  const options = {
    name: "test",
    ...UNBOUNDED,
    observers: [],
    openToBrowsers: false,
    basePath: "/api",
  } as const;
  const endpoints = [answering("/keys"), answering("/api/keys"), answering("/api/more")];
  const based = serve({ ...options, endpoints, reportFailure: (thrown) => failures.push(thrown), errorFormat: "problem-details" });
  const said = async (path: string): Promise<string> => (await fetch(based.url + path)).text();
  expect([await said("/api/keys"), await said("/keys"), await said("/api/api/more")]).toEqual(["/api/keys", "/keys", "/api/more"]);
  const status = async (path: string): Promise<number> => (await fetch(based.url + path)).status;
  expect([await status("/api/keys/"), await status("/api/api/more/")]).toEqual([200, 200]);
  for (const path of ["/api//keys", "/api//api/more", "/api/api//more", "/api/keys//", "/api/%2fkeys"]) {
    expect([path, await status(path)]).toEqual([path, 404]);
  }
  await based.close();
});
