import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { askPlatform, type PlatformReply } from "../support/gateway/call-platform.ts";
import { completion, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";

const CANARY = "sk-upstream-canary-0001-abcd";

let mock: MockUpstream;
let gateway: RunningGateway;
/** All replies of the platform in this file. */
const replies: string[] = [];

beforeAll(async () => {
  mock = startMockUpstream({ any: () => Response.json(completion()) });
  gateway = await startGateway({
    yaml: `
upstreams:
  - { id: of-the-file, dialect: openai, base_url: "${mock.baseUrl}", allow_private: true, credential: ${CANARY}-of-the-file }
models:
  - { id: declared, routes: [{ upstream: of-the-file, model: any }], free: true }
`,
  });
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

async function ask(method: string, path: string, body?: object): Promise<PlatformReply> {
  const reply = await askPlatform(gateway, method, path, body);
  replies.push(reply.text);
  return reply;
}

const make = (id: string, more: object = {}): Promise<PlatformReply> =>
  ask("POST", "/api/upstreams", { id, dialect: "openai", base_url: mock.baseUrl, allow_private: true, credential: CANARY, ...more });

async function makeOnce(): Promise<[number, unknown]> {
  const response = await fetch(`${gateway.platformUrl}/api/upstreams`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.operatorToken}`, "content-type": "application/json", "idempotency-key": "once" },
    body: JSON.stringify({ id: "once", dialect: "openai", base_url: "https://a.example/v1", credential: CANARY }),
  });
  return [response.status, await response.json()];
}

async function found(search: string): Promise<string[]> {
  const { body } = await ask("GET", `/api/upstreams?search=${search}`);
  return (body["data"] as { id: string }[]).map(({ id }) => id);
}

function outcome({ status, body }: PlatformReply): unknown[] {
  return status < 300 ? [status] : [status, body["code"], body["param"]];
}

describe("an upstream", () => {
  test("is created, shown and listed without its credential", async () => {
    const made = await make("acme/up", { timeouts: { non_streamed_ms: 4000, total_ms: 5000 } });
    expect(made).toMatchObject({
      status: 201,
      body: {
        id: "acme/up",
        dialect: "openai",
        base_url: mock.baseUrl,
        allow_private: true,
        timeouts: { connect_ms: 3000, first_byte_ms: 120_000, between_chunks_ms: 60_000, non_streamed_ms: 4000, total_ms: 5000 },
        preset: null,
        concurrency: { max_calls: 10_000, max_queued: 1000, max_wait_ms: 5000 },
        credentials: [{ last4: "abcd" }],
        managed_by: "operator",
        models: [],
      },
    });
    expect((await ask("GET", "/api/upstreams/acme%2Fup")).body).toEqual(made.body);
    const cleared = await ask("PATCH", "/api/upstreams/acme%2Fup", { timeouts: { non_streamed_ms: null } });
    expect(cleared.body["timeouts"]).toEqual({ connect_ms: 3000, first_byte_ms: 120_000, between_chunks_ms: 60_000, total_ms: 5000 });
    const first = await ask("GET", "/api/upstreams?limit=1");
    const second = await ask("GET", `/api/upstreams?limit=1&cursor=${String(first.body["next"])}`);
    expect([first.body["data"], second.body]).toMatchObject([
      [{ id: "acme/up" }],
      { data: [{ id: "of-the-file", managed_by: "file", models: ["declared"] }], next: null },
    ]);
    expect(outcome(await make("acme/up"))).toEqual([409, "already_exists", "id"]);
    expect(outcome(await make("of-the-file"))).toEqual([409, "already_exists", "id"]);
    expect(outcome(await ask("GET", "/api/upstreams/nobody"))).toEqual([404, "unknown_upstream", null]);
  });

  test("is found by a part of its id or base URL", async () => {
    expect([await found("OF-THE"), await found("nowhere"), (await found("127.0.0.1")).length > 1]).toEqual([["of-the-file"], [], true]);
  });

  test("is tested with another credential, and keeps its own", async () => {
    await make("tried");
    const tried = await ask("POST", "/api/upstreams/tried/credential/test", { credential: `${CANARY}-tried` });
    expect([tried.status, mock.last().headers.get("authorization")]).toEqual([200, `Bearer ${CANARY}-tried`]);
    await ask("POST", "/api/upstreams/tried/test");
    expect(mock.last().headers.get("authorization")).toBe(`Bearer ${CANARY}`);
  });

  test("serves a model from the next request on, with its credential", async () => {
    await make("serving");
    const { body } = await ask("POST", "/api/models", { id: "m", routes: [{ upstream: "serving", model: "any" }], free: true });
    expect(body).toMatchObject({ routes: [{ upstream: "serving", model: "any" }] });
    const { key } = await gateway.makeKey();
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const call = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
    expect((await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body: call })).status).toBe(200);
    expect(mock.last().headers.get("authorization")).toBe(`Bearer ${CANARY}`);
    await ask("PUT", "/api/upstreams/serving/credential", { credential: `${CANARY}-new` });
    await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body: call });
    expect(mock.last().headers.get("authorization")).toBe(`Bearer ${CANARY}-new`);
    await ask("DELETE", "/api/upstreams/serving/credential");
    await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body: call });
    expect(mock.last().headers.get("authorization")).toBeNull();
  });

  test("is created once per Idempotency-Key", async () => {
    const [first, second] = [await makeOnce(), await makeOnce()];
    expect([first[0], second[0], second[1]]).toEqual([201, 200, first[1]]);
  });

  test("that serves a model cannot be removed until the model has another route", async () => {
    await make("busy");
    await ask("POST", "/api/models", { id: "needy", routes: [{ upstream: "busy", model: "any" }], free: true });
    const refused = await ask("DELETE", "/api/upstreams/busy");
    expect([outcome(refused), refused.body["detail"]]).toEqual([[409, "still_in_use", null], expect.stringContaining("serves needy.")]);
    await ask("PATCH", "/api/models/needy", { routes: [{ upstream: "of-the-file", model: "any" }] });
    expect(await ask("DELETE", "/api/upstreams/busy")).toMatchObject({ status: 200, body: { id: "busy" } });
    expect(outcome(await ask("GET", "/api/upstreams/busy"))).toEqual([404, "unknown_upstream", null]);
  });

  test("that served only a retired model can be removed", async () => {
    await make("of-old");
    const routes = [{ upstream: "of-old", model: "any" }];
    await ask("POST", "/api/models", { id: "old", routes, free: true });
    await ask("POST", "/api/models/old/deprecate", { shutdown_date: "2999-01-31", replacement: "declared" });
    expect(outcome(await ask("DELETE", "/api/upstreams/of-old"))).toEqual([409, "still_in_use", null]);
    await ask("POST", "/api/models/old/retire");
    expect(outcome(await ask("DELETE", "/api/upstreams/of-old"))).toEqual([200]);
  });

  test("of the config file is changed there, as the error says", async () => {
    const attempts = [
      await ask("PATCH", "/api/upstreams/of-the-file", { timeouts: { total_ms: 1 } }),
      await ask("PUT", "/api/upstreams/of-the-file/credential", { credential: "another-credential" }),
      await ask("DELETE", "/api/upstreams/of-the-file/credential"),
      await ask("DELETE", "/api/upstreams/of-the-file"),
    ];
    for (const attempt of attempts) {
      expect(outcome(attempt)).toEqual([409, "managed_elsewhere", null]);
      expect(attempt.body["detail"]).toContain(`${gateway.folder}/tollgate.yaml`);
    }
  });
});

describe("a base URL", () => {
  const REFUSED = [
    "ftp://a.example/v1",
    "file:///etc/passwd",
    "a.example",
    "",
    "http://a.example/v1",
    "https://user:secret@a.example/v1",
    "https://a.example/v1?x=1",
    "https://a.example/v1#x",
    "https://a.example/v1/chat/completions",
    "https://localhost/v1",
    "https://a.localhost./v1",
    "https://127.0.0.1/v1",
    "https://2130706433/v1",
    "https://0x7f.1/v1",
    "https://0177.0.0.1/v1",
    "https://[::1]/v1",
    "https://[::ffff:127.0.0.1]/v1",
    "https://10.0.0.1/v1",
    "https://192.168.1.1/v1",
    "https://169.254.169.254/latest/meta-data",
    "https://[fd00::1]/v1",
    "https://0.0.0.0/v1",
  ];

  test("that is private, plaintext or invalid is rejected at creation and at an update", async () => {
    await make("steady", { base_url: "https://a.example/v1", allow_private: false });
    for (const base_url of REFUSED) {
      const tries = [
        await make("new", { base_url, allow_private: false }),
        await ask("PATCH", "/api/upstreams/steady", { base_url, credential: CANARY }),
      ];
      for (const each of tries) expect([base_url, ...outcome(each)]).toEqual([base_url, 400, "invalid_value", "base_url"]);
    }
    // No permission allows a base URL that is a cloud's metadata service.
    expect(outcome(await make("new", { base_url: "http://169.254.169.254/latest" }))).toEqual([400, "invalid_value", "base_url"]);
    expect(outcome(await make("new", { base_url: undefined }))).toEqual([400, "invalid_value", "base_url"]);
    expect((await ask("GET", "/api/upstreams/steady")).body).toMatchObject({ base_url: "https://a.example/v1" });
  });

  test("cannot be changed without the credential, which would be sent to another server", async () => {
    await make("prey");
    const thief = { base_url: "https://thief.example/v1" };
    expect(outcome(await ask("PATCH", "/api/upstreams/prey", thief))).toEqual([400, "missing_required_parameter", "credential"]);
    expect(outcome(await ask("PATCH", "/api/upstreams/prey", { ...thief, credential: null }))).toEqual([
      400,
      "invalid_value",
      "credential",
    ]);
    expect(outcome(await ask("PATCH", "/api/upstreams/prey", { ...thief, credential: "" }))).toEqual([400, "invalid_value", "credential"]);
    for (const credentials of [null, []]) {
      expect(outcome(await ask("PATCH", "/api/upstreams/prey", { ...thief, credentials }))).toEqual([400, "invalid_value", "credentials"]);
    }
    expect((await ask("GET", "/api/upstreams/prey")).body).toMatchObject({ base_url: mock.baseUrl, credentials: [{ last4: "abcd" }] });

    const moved = await ask("PATCH", "/api/upstreams/prey", { ...thief, credential: `${CANARY}-9876` });
    expect(moved.body).toMatchObject({ base_url: "https://thief.example/v1", credentials: [{ last4: "9876" }] });
    await ask("DELETE", "/api/upstreams/prey/credential");
    const bare = await ask("PATCH", "/api/upstreams/prey", { base_url: "https://other.example/v1", timeouts: { total_ms: 9 } });
    expect(bare.body).toMatchObject({
      base_url: "https://other.example/v1",
      credentials: [],
      timeouts: { total_ms: 9, connect_ms: 3000 },
    });
  });

  test("that stays the same needs no credential, and its permission for private networks cannot be removed", async () => {
    await make("same");
    expect(outcome(await ask("PATCH", "/api/upstreams/same", { base_url: mock.baseUrl, timeouts: { total_ms: 9 } }))).toEqual([200]);
    expect(outcome(await ask("PATCH", "/api/upstreams/same", { allow_private: false }))).toEqual([400, "invalid_value", "base_url"]);
    expect((await ask("GET", "/api/upstreams/same")).body).toMatchObject({ allow_private: true, credentials: [{ last4: "abcd" }] });
  });
});

test("unknown fields, and fields of other dialects, are rejected by name", async () => {
  const cases: [object, string, string][] = [
    [{ password: "x" }, "unsupported_parameter", "password"],
    [{ dialect: "soap" }, "invalid_value", "dialect"],
    [{ id: ".." }, "invalid_value", "id"],
    [{ id: "a b" }, "invalid_value", "id"],
    [{ credential: "two words" }, "invalid_value", "credential"],
    [{ timeouts: { total_ms: 0 } }, "invalid_value", "timeouts.total_ms"],
    [{ dialect: "echo" }, "invalid_value", "base_url"],
  ];
  for (const [more, code, param] of cases) expect(outcome(await make("odd", more))).toEqual([400, code, param]);
  await ask("POST", "/api/upstreams", { id: "my-echo", dialect: "echo" });
  const onEcho = await ask("PUT", "/api/upstreams/my-echo/credential", { credential: "a-credential" });
  expect([outcome(onEcho), outcome(await ask("PATCH", "/api/upstreams/my-echo", { allow_private: true }))]).toEqual([
    [400, "invalid_value", "credential"],
    [400, "invalid_value", "allow_private"],
  ]);
});

test("the last characters of a short credential are not shown, because they would reveal most of it", async () => {
  expect((await make("short", { credential: "elevenchars" })).body).toMatchObject({ credentials: [{ last4: null }] });
});

test("the audit log has each change without the credential, and records that it was replaced", async () => {
  await make("audited");
  await ask("PATCH", "/api/upstreams/audited", { timeouts: { total_ms: 7 } });
  await ask("PUT", "/api/upstreams/audited/credential", { credential: `${CANARY}-abcd` });
  await ask("DELETE", "/api/upstreams/audited/credential");
  await ask("DELETE", "/api/upstreams/audited");
  const { body } = await ask("GET", "/api/audit-log?kind=upstream&id=audited");
  const credentials = [{ last4: "abcd" }];
  expect(body["data"]).toMatchObject([
    { action: "upstream.remove", before: { credentials: [] }, after: null },
    { action: "upstream.remove_credential", before: { credentials }, after: { credentials: [] } },
    { action: "upstream.replace_credential", before: { credentials }, after: { credentials: [{ last4: "abcd", replaced: true }] } },
    { action: "upstream.update", before: { timeouts: { total_ms: 900_000 } }, after: { timeouts: { total_ms: 7 }, credentials } },
    { action: "upstream.create", before: null, after: { base_url: mock.baseUrl, credentials } },
  ]);
});

test("no credential is in any reply, in the log, or in the data folder", async () => {
  const last = await fetch(`${gateway.platformUrl}/api/upstreams`);
  await waitFor(() => gateway.output().includes(last.headers.get("x-request-id")!));
  expect(replies.length).toBeGreaterThan(100);
  const folder = join(gateway.folder, "data");
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const files = names.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));
  for (const text of [...replies, gateway.output(), ...files]) expect(text.includes("upstream-canary")).toBe(false);
});
