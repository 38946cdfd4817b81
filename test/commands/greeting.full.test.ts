import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { greetingIn } from "../support/gateway/read-greeting.ts";

/** The greeting of a gateway that starts with this config file and environment. */
async function greetingOf(yaml: string | undefined, env: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-greeting-"));
  if (yaml !== undefined) writeFileSync(join(folder, "tollgate.yaml"), yaml);
  try {
    return await greetingIn(folder, env);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const CAPPED = `upstreams: [{ id: quirky, dialect: echo }]
models: [{ id: capped, routes: [{ upstream: quirky, model: x, max_price: { input_per_million: 1 } }], free: true }]
`;

const DRAINED = `upstreams: [{ id: quirky, dialect: echo }]
models: [{ id: drained, routes: [{ upstream: quirky, model: x, weight: 0 }], free: true }]
`;

test.each([
  ["a model whose every route is drained", DRAINED, {}, "rejected because every route has weight 0: drained"],
  ["a route that is never used", CAPPED, {}, "never used because max_price is set and the price is unknown: capped at quirky"],
  ["an Azure that is nowhere", undefined, { AZURE_OPENAI_API_KEY: "a" }, "none of azure: AZURE_OPENAI_ENDPOINT is not set"],
] as [string, string | undefined, Record<string, string>, string][])(
  "the greeting reports %s",
  async (_what, yaml, env, line) => {
    expect(await greetingOf(yaml, env)).toContain(`\n                ${line}\n`);
  },
  300_000,
);

test("the greeting has the base URL that clients use", async () => {
  const greeting = await greetingOf(undefined, { TOLLGATE_GATEWAY_URL: "https://models.example.test/llm" });
  expect(greeting).toContain("\n  Base URL      https://models.example.test/llm/v1\n");
  expect(greeting).toContain("\ncurl https://models.example.test/llm/v1/chat/completions ");
}, 300_000);

test("the greeting has the origin of the trace collector, without headers and path, which may contain a token", async () => {
  const greeting = await greetingOf(undefined, {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:9/path-canary",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=header-canary",
    TOLLGATE_TRACE_CONTENT: "on",
  });
  expect(greeting).toContain("\n  Traces        http://127.0.0.1:9, with prompts and responses\n");
  expect(greeting).not.toContain("canary");
}, 300_000);
