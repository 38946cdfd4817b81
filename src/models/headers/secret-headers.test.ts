import { expect, test } from "bun:test";
import { inspect } from "node:util";
import { findViolation } from "../../lib/schema/schema.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { plainModel, type Model } from "../catalog.ts";
import { hasSameHeaders, headersSchema, namesOfHeaders, toHeaders } from "./secret-headers.ts";
import { changeHeaders, isSameModel, keepHeaders } from "./route-headers.ts";

const fail = (path: readonly (string | number)[], message: string): never => {
  throw new Error(`${path.join(".")} ${message}`);
};

test("names are in lower case, and values cannot be printed", () => {
  const headers = toHeaders({ "X-Team": "search-canary", "anthropic-beta": "a, b" }, ["headers"], fail)!;
  expect(namesOfHeaders(headers)).toEqual(["anthropic-beta", "x-team"]);
  expect(inspect(headers) + JSON.stringify(headers)).not.toContain("canary");
  expect(toHeaders({}, [], fail)).toBeUndefined();
});

test.each(["Host", "content-length", "Transfer-Encoding", "connection", "authorization", "content-type", "user-agent", "traceparent"])(
  "refuses %s, naming the place",
  (name) => {
    expect(() => toHeaders({ [name]: "x" }, ["routes", 0, "headers"], fail)).toThrow(`routes.0.headers.${name} is set by the gateway`);
  },
);

test("refuses a name that is there twice", () => {
  expect(() => toHeaders({ "X-A": "1", "x-a": "2" }, [], fail)).toThrow("x-a is there twice");
});

test.each([
  { "x-a": "1\r\nx-b: 2" },
  { "x-a": "1\n" },
  { "x-a": "é" },
  { "x-a": " 1" },
  { "x-a": "" },
  { "x a": "1" },
  { "x-a\r\n": "1" },
  { "x-a:": "1" },
  { "x-a": 1 },
  "x-a: canary-value",
])("refuses %j without repeating its value", (headers) => {
  const violation = findViolation(headersSchema, headers);
  expect(violation?.message).toBeString();
  expect(violation!.message).not.toContain("canary");
});

const team = (value: string): { "x-a": Secret } => ({ "x-a": new Secret(value) });

test("compares values, which generic comparisons do not see", () => {
  expect([
    hasSameHeaders(team("1"), team("1")),
    hasSameHeaders(team("1"), team("2")),
    hasSameHeaders(team("1"), undefined),
    hasSameHeaders(undefined, undefined),
  ]).toEqual([true, false, false, true]);
});

test("a model with another value is another model, also in replicas and after a reload of the file", () => {
  const model = plainModel("m", { upstream: "u", upstreamModel: "m" });
  const of = (value: string): Model => ({ ...model, routes: [{ ...model.routes[0]!, headers: team(value) }] });
  expect([isSameModel(of("1"), of("1")), isSameModel(of("1"), of("2")), isSameModel(of("1"), model)]).toEqual([true, false, false]);
});

test("a change sets given headers, removes those with null, and keeps the others", () => {
  const before = { "x-a": "1", "x-b": "2" };
  expect(changeHeaders(before, undefined)).toEqual(before);
  expect(changeHeaders(before, { "X-A": null, "x-c": "3" })).toEqual({ "x-b": "2", "x-c": "3" });
  expect(changeHeaders(before, null)).toBeUndefined();
});

test("a route keeps its headers as long as it goes to the same upstream model", () => {
  const before = [
    { upstream: "u", model: "m", headers: { "x-a": "1" } },
    { upstream: "u", model: "n" },
  ];
  const kept = keepHeaders(
    [
      { upstream: "u", model: "m", weight: 2 },
      { upstream: "v", model: "m" },
      { upstream: "u", model: "n" },
    ],
    before,
    fail,
  );
  expect(kept).toEqual([
    { upstream: "u", model: "m", weight: 2, headers: { "x-a": "1" } },
    { upstream: "v", model: "m" },
    { upstream: "u", model: "n" },
  ]);
  const twice = [...before, { upstream: "u", model: "m" }];
  expect(() => keepHeaders([{ upstream: "u", model: "m" }], twice, fail)).toThrow("routes.0.headers is required");
  expect(keepHeaders([{ upstream: "u", model: "m", headers: { "x-a": "2" } }], twice, fail)).toEqual([
    { upstream: "u", model: "m", headers: { "x-a": "2" } },
  ]);
});
