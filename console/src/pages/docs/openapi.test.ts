import { expect, test } from "bun:test";
import gateway from "../../../../openapi/gateway.json";
import platform from "../../../../openapi/platform.json";
import { fieldsOf, operationsIn, resolve, typeOf, type OpenApi, type PlacedOperation, type Schema } from "./openapi.ts";

const documents = [gateway, platform] as unknown as OpenApi[];

test("describes every field of the published documents", () => {
  for (const document of documents) {
    const seen = new Set<Schema>();
    const visit = (schema: Schema): void => {
      const meant = resolve(schema, document);
      if (seen.has(meant)) return;
      seen.add(meant);
      expect(typeOf(schema, document)).not.toContain("undefined");
      for (const [, field] of fieldsOf(schema, document)) visit(field);
    };
    for (const { requestBody, responses } of operationsIn(document)) {
      const contents = [requestBody, ...Object.values(responses)].flatMap((place) => Object.values(place?.content ?? {}));
      for (const { schema } of contents) visit(schema);
    }
    expect(seen.size).toBeGreaterThan(30);
  }
});

test("formats types in plain words", () => {
  const [document] = documents as [OpenApi];
  const format = (schema: Schema): string => typeOf(schema, document);
  expect(format({ type: "array", items: { type: "string" } })).toBe("list of strings");
  expect(format({ type: "string", enum: ["auto", "none"] })).toBe('"auto", "none"');
  expect(format({ type: "string", nullable: true, enum: ["auto", null] })).toBe('"auto" or null');
  expect(format({ oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] })).toBe("string or list of strings");
  expect(format({ type: "integer", nullable: true })).toBe("integer or null");
});

test("resolves an operation's path and the references of its responses", () => {
  const [{ path, responses }] = operationsIn({ ...documents[1]!, servers: [{ url: "https://ops.example.com/tollgate" }] }) as [
    PlacedOperation,
  ];
  expect(path).toMatch(/^\/tollgate\/api\//);
  for (const { description, headers } of Object.values(responses)) {
    expect(description).not.toBe("");
    expect(Object.values(headers!).every((header) => header.description !== undefined)).toBe(true);
  }
});
