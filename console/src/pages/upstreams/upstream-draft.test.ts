import { expect, test } from "bun:test";
import type { Provider, Upstream } from "../../../../platform-client/types.ts";
import { editOf, hintOfPlaceholders, toCreate, toUpdate, withProvider, type UpstreamDraft } from "./upstream-draft.ts";

const EMPTY: UpstreamDraft = {
  provider: "",
  dialect: "openai",
  id: "",
  baseUrl: "",
  apiVersion: "",
  authorization: "credential",
  credential: "",
  identity: {},
  allowsPrivate: false,
  headers: [],
};
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

const UPSTREAM: Upstream = {
  id: "u",
  preset: null,
  dialect: "openai",
  base_url: "https://a.example/v1",
  api_version: null,
  allow_private: false,
  timeouts: null,
  concurrency: { max_calls: 100, max_queued: 10, max_wait_ms: 5000 },
  unknown_parameters: null,
  headers: [],
  organization: null,
  project: null,
  credentials: [],
  aws: null,
  google: null,
  azure: null,
  managed_by: "operator",
  models: [],
};

test("sends only the edited fields", () => {
  const upstream = UPSTREAM;
  expect(toUpdate(editOf(upstream), upstream)).toEqual({});
  expect(toUpdate({ ...editOf(upstream), maxCalls: "50", baseUrl: "https://b.example/v1", credential: "new" }, upstream)).toEqual({
    base_url: "https://b.example/v1",
    credential: "new",
    concurrency: { max_calls: 50 },
  });
});

const AWS = {
  region: "us-east-1",
  profile: null,
  access_key_id: "AKIAIOSFODNN7EXAMPLE",
  has_session_token: false,
  role_arn: null,
  role_session_name: null,
  has_external_id: false,
};

test("sends an identity instead of a credential", () => {
  const identity = { "aws.region": " us-east-1 ", "aws.access_key_id": "AKIA", "aws.secret_access_key": "s", "aws.role_arn": "" };
  const draft = { ...EMPTY, id: "x", baseUrl: "https://a.example", authorization: "aws", credential: "left over", identity } as const;
  expect(toCreate(draft, undefined)).toEqual({
    id: "x",
    dialect: "openai",
    base_url: "https://a.example",
    aws: { region: "us-east-1", access_key_id: "AKIA", secret_access_key: "s" },
  });
});

test("asks for the identity again with a new base URL, with its readable fields", () => {
  const upstream: Upstream = { ...UPSTREAM, aws: AWS };
  const edit = editOf(upstream);
  expect([edit.identity, toUpdate(edit, upstream)]).toEqual([
    { "aws.region": "us-east-1", "aws.access_key_id": "AKIAIOSFODNN7EXAMPLE" },
    {},
  ]);
  const moved = { ...edit, baseUrl: "https://b.example/v1", identity: { ...edit.identity, "aws.secret_access_key": "s" } };
  expect(toUpdate(moved, upstream)).toEqual({
    base_url: "https://b.example/v1",
    aws: { region: "us-east-1", access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: "s" },
  });
  expect(toUpdate({ ...edit, authorization: "credential", credential: "k" }, upstream)).toEqual({ credential: "k" });
});

test("sends the API version of Azure, and null to clear it", () => {
  const azure: Provider = { ...GROQ, id: "azure-deployments", base_url: "https://a.openai.azure.com/openai" };
  const draft = { ...withProvider(EMPTY, azure, undefined), apiVersion: " 2025-04-01-preview " };
  expect(toCreate(draft, azure)).toMatchObject({ api_version: "2025-04-01-preview" });
  expect(toCreate({ ...draft, apiVersion: " " }, azure)).not.toHaveProperty("api_version");
  expect(toCreate(withProvider(draft, GROQ, azure), GROQ)).not.toHaveProperty("api_version");

  const upstream: Upstream = { ...UPSTREAM, preset: "azure-deployments", api_version: "2024-10-21" };
  const edit = editOf(upstream);
  expect(toUpdate(edit, upstream)).toEqual({});
  expect(toUpdate({ ...edit, apiVersion: "2025-04-01-preview" }, upstream)).toEqual({ api_version: "2025-04-01-preview" });
  expect(toUpdate({ ...edit, apiVersion: " " }, upstream)).toEqual({ api_version: null });
});

test("says what to do about the placeholders of a base URL", () => {
  const url = "https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}";
  expect(hintOfPlaceholders(url, "credential")).toBe("Replace {location} and {project} with your own.");
  expect(hintOfPlaceholders(url, "google")).toBe("Leave {location} and {project}: filled in from the fields below.");
  expect(hintOfPlaceholders("https://a.example/v1", "aws")).toBeUndefined();
});
