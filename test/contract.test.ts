import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { platformTypes, type Description } from "../scripts/platform-types.ts";
import { gatewayDocument, gatewayDocumentWithEndpoints, platformDocument } from "../src/openapi.ts";
import { breakingChanges } from "./support/contract-changes.ts";
import { ROOT } from "./support/gateway/start-gateway.ts";

type Json = Record<string, unknown>;

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const committed = JSON.parse(read("openapi/gateway.json")) as Json & { info: { version: string } };
const withEndpoints = JSON.parse(read("openapi/gateway-with-endpoints.json")) as typeof committed;

test("the OpenAPI documents match the code (npm run openapi writes them)", () => {
  expect(committed).toEqual(JSON.parse(JSON.stringify(gatewayDocument())));
  expect(withEndpoints).toEqual(JSON.parse(JSON.stringify(gatewayDocumentWithEndpoints())));
  expect(JSON.parse(read("openapi/platform.json"))).toEqual(JSON.parse(JSON.stringify(platformDocument())));
});

test("the generated types of the platform API match its published description (npm run openapi writes them)", () => {
  expect(read("platform-client/types.ts")).toBe(platformTypes(JSON.parse(read("openapi/platform.json")) as Description));
});

test("the description covers exactly the two endpoints and the bearer scheme, as OpenAPI 3.0.3", () => {
  expect(committed["openapi"]).toBe("3.0.3");
  expect(Object.keys(committed["paths"] as Json)).toEqual(["/chat/completions", "/models"]);
  expect(committed["security"]).toEqual([{ bearer: [] }]);
});

test("endpoints that operators turn on only add to the interface", () => {
  expect(breakingChanges(committed, withEndpoints)).toEqual([]);
  expect(withEndpoints.info.version).toBe("1.2.0");
  expect(Object.keys(withEndpoints["paths"] as Json)).toEqual([
    "/chat/completions",
    "/models",
    "/messages",
    "/messages/count_tokens",
    "/responses",
    "/embeddings",
  ]);
});

describe("a change of the public contract is additive, or a new major with a migration note", () => {
  for (const file of readdirSync(join(ROOT, "openapi/published"))) {
    test(`since ${file}`, () => {
      const published = JSON.parse(read(`openapi/published/${file}`)) as Json & { info: { version: string } };
      if (major(published.info.version) === major(committed.info.version)) {
        expect(breakingChanges(published, committed)).toEqual([]);
      } else {
        expect(sectionOf(read("CHANGELOG.md"), committed.info.version)).toMatch(/^### Migration$/m);
      }
    });
  }

  test("the published version is stored for comparison", () => {
    expect(readdirSync(join(ROOT, "openapi/published"))).toContain(`gateway-${committed.info.version}.json`);
  });
});

function major(version: string): string {
  return version.split(".")[0]!;
}

/** The section of the changelog about one version of the API. */
function sectionOf(changelog: string, version: string): string {
  return changelog.split(/^(?=## )/m).find((section) => section.includes(`interface ${version}`)) ?? "";
}

describe("breaking changes", () => {
  const request = (schema: Json): Json => ({ paths: { "/a": { post: { requestBody: { content: { "application/json": { schema } } } } } } });
  const reply = (schema: Json): Json => ({
    paths: { "/a": { post: { responses: { 200: { content: { "application/json": { schema } } } } } } },
  });
  const stream = (schema: Json): Json => ({
    paths: { "/a": { post: { responses: { 200: { content: { "text/event-stream": { schema } } } } } } },
  });
  const object = (properties: Json, required: string[] = []): Json => ({ type: "object", properties, required });
  const text = { type: "string" };

  const breaking: [string, Json, Json][] = [
    ["an endpoint goes", request(text), { paths: {} }],
    ["a request field goes", request(object({ a: text })), request(object({}))],
    ["a request field becomes required", request(object({ a: text })), request(object({ a: text }, ["a"]))],
    ["a request field changes its type", request(object({ a: text })), request(object({ a: { type: "integer" } }))],
    ["a request field's range shrinks", request({ type: "number", maximum: 2 }), request({ type: "number", maximum: 1 })],
    ["a request field gets a first limit", request({ type: "number" }), request({ type: "number", minimum: 0 })],
    ["a request field may no longer be null", request({ ...text, nullable: true }), request(text)],
    ["a request field loses a value", request({ ...text, enum: ["a", "b"] }), request({ ...text, enum: ["a"] })],
    ["a request loses an alternative", request({ oneOf: [text, { type: "array" }] }), request({ oneOf: [text] })],
    ["a request's items change", request({ type: "array", items: text }), request({ type: "array", items: { type: "number" } })],
    ["unknown request fields become refused", request(object({})), request({ ...object({}), additionalProperties: false })],
    ["a reply field goes", reply(object({ a: text })), reply(object({}))],
    ["a reply field is not always there any more", reply(object({ a: text }, ["a"])), reply(object({ a: text }))],
    ["a reply field may be null", reply(text), reply({ ...text, nullable: true })],
    ["a reply field gets a new value", reply({ ...text, enum: ["a"] }), reply({ ...text, enum: ["a", "b"] })],
    ["a kind of event goes", stream({ oneOf: [object({ a: text }), object({ b: text })] }), stream(object({ b: text }))],
    ["a documented status goes", reply(text), { paths: { "/a": { post: { responses: {} } } } }],
  ];
  for (const [name, older, newer] of breaking) {
    test(name, () => expect(breakingChanges(older, newer)).toHaveLength(1));
  }

  const additive: [string, Json, Json][] = [
    ["a new endpoint", { paths: {} }, request(text)],
    ["a new optional request field", request(object({})), request(object({ a: text }))],
    ["a wider range", request({ type: "number", maximum: 1 }), request({ type: "number", maximum: 2 })],
    ["a new request value", request({ ...text, enum: ["a"] }), request({ ...text, enum: ["a", "b"] })],
    ["a new kind of event", stream(object({ a: text })), stream({ oneOf: [object({ b: text }), object({ a: text })] })],
    ["a new reply field", reply(object({})), reply(object({ a: text }, ["a"]))],
  ];
  for (const [name, older, newer] of additive) {
    test(`not: ${name}`, () => expect(breakingChanges(older, newer)).toEqual([]));
  }
});
