import { afterEach, beforeEach, expect, test, describe } from "bun:test";
import type { EndedRequest } from "../requests/request-notes.ts";
import type { Endpoint, Exchange, Method } from "./endpoint.ts";
import { serve, type Listener, Routes } from "./serve.ts";
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

describe("routes", () => {
  const at = (method: Method, path: string): Endpoint => ({ method, path, handle: () => new Reply(null) });

  const ENDPOINTS = [
    at("GET", "/keys"),
    at("POST", "/keys"),
    at("GET", "/keys/:id"),
    at("DELETE", "/keys/:id"),
    at("GET", "/keys/export"),
    at("GET", "/accounts/:id/keys/:keyId"),
    at("GET", "/accounts/:id/keys/newest"),
    at("GET", "/models/:id/prices/newest"),
    at("GET", "/models/:id/prices/:version"),
    at("GET", "/:page"),
  ];

  function found(method: string, target: string, basePath?: string): string | undefined {
    const result = new Routes(ENDPOINTS, basePath).find(method, target);
    return result && `${result.endpoint.method} ${result.endpoint.path} ${JSON.stringify(result.params)}`;
  }

  describe("the endpoint of a request", () => {
    const cases: [method: string, target: string, expected: string | undefined][] = [
      ["GET", "/keys", "GET /keys {}"],
      ["GET", "/keys?a=/b", "GET /keys {}"],
      ["HEAD", "/keys", "GET /keys {}"],
      ["POST", "/keys", "POST /keys {}"],
      ["PUT", "/keys", undefined],
      ["get", "/keys", undefined],
      ["GET", "/keys/k1", 'GET /keys/:id {"id":"k1"}'],
      ["HEAD", "/keys/k1?x", 'GET /keys/:id {"id":"k1"}'],
      ["DELETE", "/keys/export", 'DELETE /keys/:id {"id":"export"}'],
      ["GET", "/keys/export", "GET /keys/export {}"],
      ["GET", "/keys/a%2Fb%20c", 'GET /keys/:id {"id":"a/b c"}'],
      ["GET", "/keys/%ff", undefined],
      ["GET", "/keys/%", undefined],
      ["GET", "/keys/", undefined],
      ["GET", "/keys/k1/", undefined],
      ["GET", "//keys", undefined],
      ["GET", "/KEYS/k1", undefined],
      ["GET", "/accounts/a/keys/k", 'GET /accounts/:id/keys/:keyId {"id":"a","keyId":"k"}'],
      ["GET", "/accounts//keys/k", undefined],
      ["GET", "/accounts/a/keys/newest", 'GET /accounts/:id/keys/newest {"id":"a"}'],
      ["GET", "/models/m/prices/1", 'GET /models/:id/prices/:version {"id":"m","version":"1"}'],
      ["GET", "/models/m/prices/newest", 'GET /models/:id/prices/newest {"id":"m"}'],
      ["GET", "/other", 'GET /:page {"page":"other"}'],
      ["GET", "/", undefined],
      ["OPTIONS", "*", undefined],
    ];
    for (const [method, target, expected] of cases) {
      test(`${method} ${target}: ${expected ?? "none"}`, () => expect(found(method, target)).toBe(expected));
    }

    test("matches with and without the base path", () => {
      for (const base of ["", "/tollgate"]) {
        expect(found("GET", `${base}/keys`, "/tollgate")).toBe("GET /keys {}");
        expect(found("GET", `${base}/keys/k1`, "/tollgate")).toBe('GET /keys/:id {"id":"k1"}');
      }
      expect(found("GET", "/tollgate/tollgate/keys", "/tollgate")).toBeUndefined();
    });
  });
});
