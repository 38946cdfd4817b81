import { expect, test } from "bun:test";
import type { Provider, Upstream } from "../../../../platform-client/types.ts";
import { editOf, toCreate, toUpdate, withProvider, type UpstreamDraft } from "./upstream-draft.ts";

const EMPTY: UpstreamDraft = { provider: "", dialect: "openai", id: "", baseUrl: "", credential: "", allowsPrivate: false };
const GROQ: Provider = {
  id: "groq",
  name: "Groq",
  dialect: "openai",
  base_url: "https://api.groq.com/openai/v1",
  needs_credential: true,
  variable: null,
  note: null,
};
const OLLAMA: Provider = { ...GROQ, id: "ollama", base_url: "http://127.0.0.1:11434/v1", needs_credential: false };

test("takes ID and base URL from the provider, unless they were edited", () => {
  const groq = withProvider(EMPTY, GROQ, undefined);
  expect(groq).toMatchObject({ id: "groq", baseUrl: GROQ.base_url, allowsPrivate: false });
  expect(withProvider(groq, OLLAMA, GROQ)).toMatchObject({ id: "ollama", baseUrl: OLLAMA.base_url, allowsPrivate: true });
  expect(withProvider({ ...groq, id: "mine", baseUrl: "https://a.example" }, OLLAMA, GROQ)).toMatchObject({
    id: "mine",
    baseUrl: "https://a.example",
  });
});

test("sends the base URL only where it differs from the preset", () => {
  const draft = { ...withProvider(EMPTY, GROQ, undefined), credential: " gsk-1 " };
  expect(toCreate(draft, GROQ)).toEqual({ id: "groq", preset: "groq", credential: "gsk-1" });
  expect(toCreate({ ...draft, baseUrl: "https://proxy.example/v1" }, GROQ).base_url).toBe("https://proxy.example/v1");
  expect(toCreate({ ...EMPTY, id: "x", baseUrl: "http://10.0.0.1/v1", allowsPrivate: true }, undefined)).toEqual({
    id: "x",
    dialect: "openai",
    base_url: "http://10.0.0.1/v1",
    allow_private: true,
  });
});

test("sends only the edited fields", () => {
  const upstream: Upstream = {
    id: "u",
    preset: null,
    dialect: "openai",
    base_url: "https://a.example/v1",
    allow_private: false,
    timeouts: null,
    concurrency: { max_calls: 100, max_queued: 10, max_wait_ms: 5000 },
    unknown_parameters: null,
    credentials: [],
    managed_by: "operator",
    models: [],
  };
  expect(toUpdate(editOf(upstream), upstream)).toEqual({});
  expect(toUpdate({ ...editOf(upstream), maxCalls: "50", baseUrl: "https://b.example/v1", credential: "new" }, upstream)).toEqual({
    base_url: "https://b.example/v1",
    credential: "new",
    concurrency: { max_calls: 50 },
  });
});
