import { expect, test } from "bun:test";
import { toUpstream, type DeclaredUpstream } from "./declared-upstream.ts";
import type { RemoteSettings } from "./upstream-settings.ts";

function upstream(declared: Omit<DeclaredUpstream, "id">): RemoteSettings {
  return toUpstream({ id: "u", ...declared }, (path, message) => {
    throw new Error(`${path.join(".")} ${message}`);
  }) as RemoteSettings;
}

function at(dialect: "openai" | "anthropic" | "gemini", baseUrl: string): string {
  return upstream({ dialect, base_url: baseUrl }).baseUrl;
}

test("adds the standard path to a host for formats that have one", () => {
  expect(at("anthropic", "https://a.test")).toBe("https://a.test/v1");
  expect(at("anthropic", "https://a.test/")).toBe("https://a.test/v1");
  expect(at("gemini", "https://a.test")).toBe("https://a.test/v1beta");
  expect(at("gemini", "https://a.test/v1/publishers/google")).toBe("https://a.test/v1/publishers/google");
  expect(at("openai", "https://a.test")).toBe("https://a.test");
});

test("a well-known base URL selects its preset", () => {
  expect(upstream({ dialect: "anthropic", base_url: "https://api.anthropic.com" }).preset).toBe("anthropic");
  expect(upstream({ dialect: "openai", base_url: "https://a.test/v1" }).preset).toBeUndefined();
});
