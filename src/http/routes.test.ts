import { describe, expect, test } from "bun:test";
import type { Endpoint, Method } from "./endpoint.ts";
import { Reply } from "../lib/http1/server/reply.ts";
import { Routes } from "./routes.ts";

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
