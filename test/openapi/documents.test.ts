import { describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Schema } from "../../src/lib/schema/schema.ts";
import { publishSchema, type SchemaComponents } from "../../src/openapi/describe-operation.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";
import { documents, type DescribedOperation } from "./documents.ts";

type Json = Record<string, unknown>;

/** The other validator is Redocly's linter, in `npm run check`. */
for (const [name, document] of Object.entries(documents)) {
  describe(`the ${name} document`, () => {
    const schemas = schemasIn(document);

    test("is valid OpenAPI 3.0.3", async () => {
      const { valid, errors } = await new Validator().validate(structuredClone(document) as unknown as Json);
      expect({ valid, errors }).toMatchObject({ valid: true });
    });

    test("has null among the values of every enum that may be null, and types beside nullable", () => {
      const nullable = schemas.filter(([, schema]) => schema["nullable"] === true);
      const wrong = nullable.filter(
        ([, { enum: values, type }]) => type === undefined || (values && !(values as unknown[]).includes(null)),
      );
      expect(wrong.map(([place]) => place)).toEqual([]);
      expect(nullable.length).toBeGreaterThan(0);
    });

    test("has patterns that need no flag", () => {
      const patterns = schemas.flatMap(([, { pattern }]) => (typeof pattern === "string" ? [pattern] : []));
      for (const pattern of patterns) {
        expect(pattern).not.toMatch(/\\p\{/i);
        expect(new RegExp(pattern).source).toBe(new RegExp(pattern, "u").source);
      }
    });

    test("names every object, so that no generator has to invent a name", () => {
      const unnamed = schemas.filter(([place, schema]) => schema["properties"] && !/^\/components\/schemas\/\w+$/.test(place));
      expect(unnamed.map(([place]) => place)).toEqual([]);
    });

    test("has the statuses that any call can get, on every operation", () => {
      for (const { operationId, responses } of operationsIn(document.paths)) {
        const missing = ["400", "404", "405", "413", "500", "503"].filter((status) => !(status in responses));
        expect([operationId, missing]).toEqual([operationId, []]);
      }
    });
  });
}

test("a creation that can be repeated documents 200 beside 201", () => {
  const creations = operationsIn(documents.platform.paths).filter(({ responses }) => "201" in responses);
  const isRepeatable = ({ operationId, parameters = [] }: DescribedOperation): boolean =>
    parameters.some(({ name }) => name === "idempotency-key") || /^(grant|adjust)Credit$/.test(operationId);
  const repeatable = creations.filter(isRepeatable);
  expect(repeatable.length).toBeGreaterThan(5);
  for (const { operationId, responses } of repeatable) expect([operationId, "200" in responses]).toEqual([operationId, true]);
});

test("errors of the platform are documented with the headers that they have", () => {
  const headersOf = (name: string): string[] =>
    Object.keys((documents.platform.components["responses"]![name] as { headers: Json }).headers);
  expect(headersOf("Unauthorized")).toContain("WWW-Authenticate");
  expect(headersOf("MethodNotAllowed")).toContain("Allow");
  expect(headersOf("TooManyRequests")).toContain("Retry-After");
  expect(headersOf("ServiceUnavailable")).toContain("Retry-After");
});

test("two different schemas cannot share a title", () => {
  const components: SchemaComponents = {};
  const price: Schema = { title: "Price", type: "object", properties: { amount: { type: "string" } } };
  for (const each of [price, { ...price }]) expect(publishSchema(each, components)).toEqual({ $ref: "#/components/schemas/Price" });
  expect(() => publishSchema({ ...price, nullable: true }, components)).toThrow("Price");
});

test("the files in the repository name the addresses of a start without settings", () => {
  const defaults = readFileSync(join(ROOT, "src/config.ts"), "utf8");
  expect(documents.gateway.servers.map(({ url }) => url)).toEqual(["http://127.0.0.1:8700/v1"]);
  expect(documents.platform.servers.map(({ url }) => url)).toEqual(["http://127.0.0.1:8701"]);
  expect([defaults.includes("8700"), defaults.includes("8701")]).toEqual([true, true]);
});

function operationsIn(paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>): DescribedOperation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

/** Every schema of a document, with its position. */
function schemasIn(document: object): [place: string, schema: Json][] {
  const found: [string, Json][] = [];
  const visit = (value: unknown, place: string, isSchema: boolean): void => {
    if (typeof value !== "object" || value === null) return;
    if (isSchema) found.push([place, value as Json]);
    for (const [name, part] of Object.entries(value)) visit(part, `${place}/${name}`, holdsSchema(place, name, isSchema));
  };
  visit(document, "", false);
  return found;
}

function holdsSchema(place: string, name: string, isSchema: boolean): boolean {
  const isNamed = place === "/components/schemas" || (!isSchema && /\/properties$/.test(place));
  const isPart = isSchema && (name === "items" || name === "additionalProperties");
  return isNamed || isPart || (!isSchema && (name === "schema" || /\/oneOf$/.test(place)));
}
