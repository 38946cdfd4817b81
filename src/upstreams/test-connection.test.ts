import { NO_CLOUD_VARIABLES } from "../models/identities/cloud-variables.ts";
import { Identities } from "./identities/identities.ts";
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { FakeAuthorizer } from "../../test/support/upstreams/fake-authorizer.ts";
import { remoteAt } from "../models/declared-upstream.ts";
import { Secret } from "../lib/secret/secret.ts";
import type { RemoteSettings, UpstreamSettings } from "../models/upstream-settings.ts";
import { DIALECTS_OVER_HTTP } from "./registry.ts";
import { testConnection } from "./test-connection.ts";

const IDENTITIES = new Identities(NO_CLOUD_VARIABLES);

const CANARY = "sk-canary-0123456789";

let answer: (request: Request) => Response | Promise<Response>;
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => answer(request) });
afterAll(() => server.stop(true));

beforeEach(() => {
  answer = () => Response.json({ data: [] });
});

const NEVER = new AbortController().signal;

function settings(more: Partial<RemoteSettings> = {}): UpstreamSettings {
  const place = { baseUrl: `http://127.0.0.1:${server.port}/v1/`, allowPrivate: true };
  return { ...remoteAt("u", undefined, place, [new Secret(CANARY)]), ...more };
}

test("an upstream that lists its models is healthy, and is called with its credential", async () => {
  let asked = "";
  answer = (request) => {
    asked = `${request.method} ${new URL(request.url).pathname} ${request.headers.get("authorization")}`;
    return Response.json({ data: [{ id: "a" }, { id: "b" }] });
  };
  expect(await testConnection(settings(), DIALECTS_OVER_HTTP, IDENTITIES, NEVER)).toMatchObject({
    ok: true,
    status: 200,
    models: 2,
    problem: null,
  });
  expect(asked).toBe(`GET /v1/models Bearer ${CANARY}`);
});

test("returns its models, except invalid names and names that contain the credential", async () => {
  answer = () => Response.json({ data: [{ id: "a" }, { id: `b-${CANARY}` }, { id: "x".repeat(201) }, { id: "c" }] });
  expect(await testConnection(settings(), DIALECTS_OVER_HTTP, IDENTITIES, NEVER)).toMatchObject({ models: 4, names: ["a", "c"] });
});

test("suggests a public id for each model, shortened where the name is a file path", async () => {
  answer = () => Response.json({ data: [{ id: "/models/SmolLM2.Q4_1.gguf" }, { id: "llama3.2:3b" }] });
  expect(await testConnection(settings(), DIALECTS_OVER_HTTP, IDENTITIES, NEVER)).toMatchObject({
    names: ["/models/SmolLM2.Q4_1.gguf", "llama3.2:3b"],
    ids: ["SmolLM2.Q4_1", "llama3.2:3b"],
  });
});

test("accepts a bare array of models, and an empty one", async () => {
  answer = () => Response.json([{ id: "a" }]);
  expect(await testConnection(settings(), DIALECTS_OVER_HTTP, IDENTITIES, NEVER)).toMatchObject({ ok: true, models: 1 });
  answer = () => Response.json({ data: [] });
  expect(await testConnection(settings(), DIALECTS_OVER_HTTP, IDENTITIES, NEVER)).toMatchObject({ ok: true, models: 0 });
});

test("reports a rejected credential with the upstream's message, with the credential redacted", async () => {
  for (const status of [401, 403]) {
    answer = () => Response.json({ error: { message: `Incorrect key: ${CANARY}.` } }, { status });
    const outcome = await testConnection(settings(), DIALECTS_OVER_HTTP, IDENTITIES, NEVER);
    expect(outcome).toMatchObject({ ok: false, status, models: null });
    expect(outcome.problem).toBe(`It rejected the credential with status ${status}. Its message: Incorrect key: [secret].`);
  }
});

test("redacts the credential wherever the upstream's message is truncated", async () => {
  for (let before = 1800; before < 2010; before += 3) {
    answer = () => new Response(`${"x".repeat(before)}${CANARY}`, { status: 401 });
    const { problem } = await testConnection(settings(), DIALECTS_OVER_HTTP, IDENTITIES, NEVER);
    expect(problem!.length).toBeLessThanOrEqual(2000);
    expect(problem).not.toMatch(/sk-c/);
  }
});

const PROXY_PAGE = `<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title><style>${"a{}".repeat(400)}</style></head><body></body></html>`;

test("reports any other response with its status and message", async () => {
  const cases: [() => Response, number, RegExp][] = [
    [() => new Response("nothing here", { status: 404 }), 404, /no list of models at this base URL.*nothing here/],
    [() => new Response("<html>hello</html>"), 200, /not with a list of models/],
    [() => Response.json({ models: [] }), 200, /not with a list of models/],
    [() => new Response("down", { status: 500 }), 500, /status 500\. Its message: down/],
    [() => new Response(PROXY_PAGE, { status: 502 }), 502, /message: an HTML page with the title "502 Bad Gateway"$/],
    [() => new Response("<html><body>no title</body></html>", { status: 502 }), 502, /message: an HTML page$/],
    [() => new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } }), 302, /status 302/],
  ];
  for (const [reply, status, words] of cases) {
    answer = reply;
    const outcome = await testConnection(settings(), DIALECTS_OVER_HTTP, IDENTITIES, NEVER);
    expect([outcome.ok, outcome.status, outcome.models]).toEqual([false, status, null]);
    expect(outcome.problem).toMatch(words);
  }
});

test("reports an unreachable address", async () => {
  const gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const baseUrl = `http://127.0.0.1:${gone.port}/v1`;
  await gone.stop(true);
  const outcome = await testConnection(settings({ baseUrl }), DIALECTS_OVER_HTTP, IDENTITIES, NEVER);
  expect([outcome.ok, outcome.status, outcome.models]).toEqual([false, null, null]);
  expect(outcome.problem).toMatch(/^It cannot be reached: /);
});

test("stops waiting for a silent upstream when the operator disconnects", async () => {
  answer = () => new Promise<Response>(() => undefined);
  const impatient = new AbortController();
  const waiting = testConnection(settings(), DIALECTS_OVER_HTTP, IDENTITIES, impatient.signal);
  impatient.abort();
  expect(await waiting).toMatchObject({ ok: false, status: null });
});

test("the echo is always healthy", async () => {
  expect(await testConnection({ id: "e", dialect: "echo" }, DIALECTS_OVER_HTTP, IDENTITIES, NEVER)).toMatchObject({
    ok: true,
    status: null,
    problem: null,
  });
});

const withIdentity = (authorizer: FakeAuthorizer, more: Partial<RemoteSettings> = {}, model?: string): ReturnType<typeof testConnection> =>
  testConnection(settings({ credentials: [], ...more }), DIALECTS_OVER_HTTP, { authorizerOf: () => authorizer }, NEVER, model);

describe("an upstream with an identity", () => {
  test("lists its models with the access token, and the result has the state of the identity", async () => {
    let asked: string | null = "";
    answer = ({ headers }) => {
      asked = headers.get("authorization");
      return Response.json({ data: [{ id: "a" }] });
    };
    const authorizer = new FakeAuthorizer({ expiresAtMs: 5, clockSkewMs: 600_000 });
    expect(await withIdentity(authorizer)).toMatchObject({ ok: true, models: 1, identity: authorizer.state });
    expect(asked).toBe("Bearer access-token-canary");
  });

  test("is not called where there are no credentials, and the problem is why", async () => {
    let calls = 0;
    answer = () => Response.json({ data: [], calls: calls++ });
    const outcome = await withIdentity(new FakeAuthorizer({ source: undefined, failure: "no file ~/.aws/config" }));
    expect(outcome).toMatchObject({ ok: false, status: null, problem: "Its identity has no credentials: no file ~/.aws/config" });
    expect([calls, outcome.identity?.failure]).toEqual([0, "no file ~/.aws/config"]);
  });

  test("that lacks a permission has its name in the problem, and the access token redacted", async () => {
    const message = "User: arn:aws:sts::1:assumed-role/r is not authorized to perform: bedrock:InvokeModel on resource: *";
    answer = () => Response.json({ error: { message: `${message} access-token-canary` } }, { status: 403 });
    const { problem } = await withIdentity(new FakeAuthorizer());
    expect(problem).toBe(`The identity lacks the permission bedrock:InvokeModel: status 403. Its message: ${message} [secret]`);
    // Azure's message for a missing role: https://github.com/MicrosoftDocs/azure-docs/issues/114370
    const denied = { code: "PermissionDenied", message: "Principal does not have access to API/Operation." };
    answer = () => Response.json({ error: denied }, { status: 401 });
    expect((await withIdentity(new FakeAuthorizer())).problem).toBe(
      `The identity lacks a role on the resource, such as Cognitive Services OpenAI User: status 401. Its message: ${denied.message}`,
    );
    answer = () => new Response("who?", { status: 401 });
    expect((await withIdentity(new FakeAuthorizer())).problem).toBe("It rejected the identity with status 401. Its message: who?");
  });
});

const denied = (permission: string): Response =>
  Response.json(
    { message: `User: arn:aws:sts::1:assumed-role/r is not authorized to perform: ${permission} on resource: *` },
    { status: 403 },
  );
const bedrock = (): ReturnType<typeof testConnection> =>
  withIdentity(new FakeAuthorizer(), { dialect: "bedrock", baseUrl: `http://127.0.0.1:${server.port}` });

describe("an identity that may call models and not list them", () => {
  test.each(["bedrock:ListFoundationModels", "bedrock:ListInferenceProfiles"])("is usable without %s", async (permission) => {
    answer = ({ url }) =>
      permission.endsWith("Models") || url.includes("profiles") ? denied(permission) : Response.json({ modelSummaries: [] });
    const checked = `its credentials alone: it cannot list models without the permission ${permission}; calls may still work`;
    expect(await bedrock()).toMatchObject({ ok: true, checked, models: null, problem: null });
  });

  test("is not called usable where the permission of calls is missing, or a key has no permission", async () => {
    answer = () => denied("bedrock:InvokeModel");
    expect(await bedrock()).toMatchObject({ ok: false });
    answer = () => denied("bedrock:ListFoundationModels");
    expect(await testConnection(settings(), DIALECTS_OVER_HTTP, IDENTITIES, NEVER)).toMatchObject({ ok: false });
  });
});

describe("Vertex AI, which has no list of models,", () => {
  const GEMINI = { preset: "vertex-gemini", dialect: "gemini" } as const;
  const CLAUDE = { preset: "vertex-claude", dialect: "anthropic" } as const;
  const requests: string[] = [];
  beforeEach(() => {
    requests.length = 0;
    answer = async (request) => {
      requests.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get("authorization")} ${await request.text()}`);
      return Response.json({ totalTokens: 1 });
    };
  });

  test.each([
    [GEMINI, "gemini-2.5-pro", "/v1/models/gemini-2.5-pro:countTokens", '{"contents":[{"role":"user","parts":[{"text":"Hello"}]}]}'],
    [
      CLAUDE,
      "claude-sonnet-4-5@20250929",
      "/v1/models/count-tokens:rawPredict",
      '{"model":"claude-sonnet-4-5@20250929","messages":[{"role":"user","content":"Hello"}]}',
    ],
  ])("counts tokens with a model that it serves (%#)", async (preset, model, path, body) => {
    const outcome = await withIdentity(new FakeAuthorizer(), preset, model);
    expect(outcome).toMatchObject({ ok: true, status: 200, models: null, problem: null });
    expect(outcome.checked).toBe(`a count of tokens by ${model}, which needs the permission of a call`);
    expect(requests).toEqual([`POST ${path} Bearer access-token-canary ${body}`]);
  });

  test("reports a missing permission, and a model that it does not have", async () => {
    const message = "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/p'.";
    answer = () => Response.json({ error: { code: 403, message, status: "PERMISSION_DENIED" } }, { status: 403 });
    const lacking = await withIdentity(new FakeAuthorizer(), GEMINI, "gemini-2.5-pro");
    expect([lacking.ok, lacking.problem]).toEqual([
      false,
      `The identity lacks the permission aiplatform.endpoints.predict: status 403. Its message: ${message}`,
    ]);
    answer = () => Response.json({ error: { code: 404, message: "access-token-canary was not found" } }, { status: 404 });
    const unknown = await withIdentity(new FakeAuthorizer(), GEMINI, "gemini-9");
    expect(unknown.problem).toBe("It does not know gemini-9 at this base URL: status 404. Its message: [secret] was not found");
  });

  test.each([
    [GEMINI, undefined, "its credentials alone: it has no list of models, and no model has a route to it"],
    [{ preset: "vertex" } as const, "google/gemini-2.5-pro", "its credentials alone: it has no list of models"],
  ])("has only its credentials checked where no tokens can be counted (%#)", async (preset, model, checked) => {
    expect(await withIdentity(new FakeAuthorizer(), preset, model)).toMatchObject({ ok: true, checked, status: null, problem: null });
    expect(requests).toEqual([]);
  });
});
