import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { completion, startMockUpstream, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";

const upstream = startMockUpstream({
  "up-a": () => Response.json(completion()),
  "up-b": ({ body: { user, metadata } }) =>
    Response.json({ error: { message: `user ${String(user)} is unwelcome in ${JSON.stringify(metadata)}` } }, { status: 500 }),
  // Returns fields of the request, as some servers do.
  "up-d": ({ body: { user, safety_identifier, metadata } }) => Response.json({ ...completion(), user, safety_identifier, metadata }),
  "up-c": ({ body: { user } }) => Response.json({ error: { message: `user ${String(user)} is unwelcome` } }, { status: 400 }),
});
const yaml = `
upstreams:
  - { id: up, dialect: openai, base_url: ${upstream.baseUrl}, allow_private: true }
models:
  - { id: a, routes: [{ upstream: up, model: up-a }], price: ${TEST_PRICE} }
  - { id: b, routes: [{ upstream: up, model: up-b }], price: ${TEST_PRICE} }
  - { id: d, routes: [{ upstream: up, model: up-d }], price: ${TEST_PRICE} }
  - { id: c, routes: [{ upstream: up, model: up-c }], price: ${TEST_PRICE} }
`;

let gateway: RunningGateway;
let key: { id: string; key: string };

beforeAll(async () => {
  gateway = await startGateway({ yaml });
  key = await gateway.makeKey();
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

interface Row extends Record<string, unknown> {
  readonly requests: number;
}

async function chat(more: object, headers: Record<string, string> = {}, status = 200): Promise<string> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "a", messages: [{ role: "user", content: "a secret prompt" }], ...more }),
  });
  expect(response.status).toBe(status);
  await response.text();
  return response.headers.get("x-request-id")!;
}

async function usage(query: string): Promise<Row[]> {
  // The range ends in the future: a range that ends now would exclude a request that ended in this millisecond.
  const to = new Date(Date.now() + 3_600_000).toISOString();
  return (await gateway.platform<{ data: Row[] }>("GET", `/api/usage?${query}&to=${to}`)).data;
}

async function fetchAs(method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${gateway.operatorToken}`, "content-type": "application/json" };
  return fetch(`${gateway.platformUrl}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

const inShort = (rows: readonly Row[], field: string): unknown[][] => rows.map((row) => [row["account"], row[field], row.requests]);

test("an end user's usage is reported, listed, exported and erased, and the ledger stays sound", async () => {
  await gateway.platform("PATCH", "/api/accounts/default", { log_bodies: true, caps: { per_user: { day: "5", month: "50" } } });
  const tags = { "x-tollgate-tags": "team=search", "x-conversation-id": "c1" };
  const ada = await chat({ user: "ada" }, tags);
  await chat({ user: "grace" }, { "x-conversation-id": "c1" });
  await chat({ user: "none" }, { "x-tollgate-tags": "team=ads" });
  const last = await chat({});
  expect(inShort(await usage("by=user"), "user")).toEqual([
    ["default", "ada", 1],
    ["default", "grace", 1],
    ["default", "none", 1],
    ["default", "user:none", 1],
  ]);
  expect(inShort(await usage("by=tag:team&account=default"), "tag")).toEqual([
    ["default", "ads", 1],
    ["default", "none", 2],
    ["default", "search", 1],
  ]);
  expect(inShort(await usage("by=conversation"), "conversation")).toEqual([
    ["default", "c1", 2],
    ["default", "none", 2],
  ]);
  expect((await usage("by=model&user=ada&account=default")).map((row) => [row["model"], row.requests])).toEqual([["a", 1]]);
  expect((await usage(`by=day&user=none&key=${key.id}`)).map((row) => row.requests)).toEqual([1]);

  const listed = await gateway.platform<{ data: object[] }>("GET", "/api/requests?account=default&user=ada&tag=team:search");
  expect(listed.data).toMatchObject([{ request_id: ada, user: "ada", tags: { team: "search" }, conversation: "c1" }]);
  expect(await gateway.platform<object>("GET", `/api/receipts/${ada}`)).toMatchObject({ user: "ada", conversation: "c1" });
  const csv = await (await fetchAs("GET", "/api/requests/export?account=default&conversation=c1")).text();
  expect(csv.split("\r\n")[0]).toContain(",user,conversation,tags");
  expect(csv).toContain(",ada,c1,team=search,");

  const exported = await (await fetchAs("POST", "/api/accounts/default/end-users/export", { user: "ada" })).text();
  const lines = exported
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toMatchObject([
    { type: "entry", kind: "settle", request_id: ada, user: "ada" },
    { type: "request", request_id: ada, bodies: { request: expect.stringContaining("a secret prompt") } },
  ]);

  const erase = (): Promise<object> => gateway.platform("POST", "/api/accounts/default/end-users/erase", { user: "ada" });
  // The hold and the settlement of two requests. The request of grace was in the same conversation.
  expect(await erase()).toEqual({ account: "default", entries: 4, conversations: 1, requests: 2 });
  expect(await erase()).toEqual({ account: "default", entries: 0, conversations: 0, requests: 0 });
  expect(inShort(await usage("by=user"), "user")).toEqual([
    ["default", "erased", 1],
    ["default", "grace", 1],
    ["default", "none", 1],
    ["default", "user:none", 1],
  ]);
  expect(inShort(await usage("by=conversation"), "conversation")[0]).toEqual(["default", "erased", 2]);
  expect(await gateway.platform<object>("GET", `/api/receipts/${ada}`)).toMatchObject({ user: "erased", tags: { team: "search" } });
  expect(await gateway.platform<object>("GET", `/api/requests/${ada}`)).toMatchObject({
    user: "erased",
    conversation: "erased",
    bodies: null,
  });
  expect((await fetchAs("GET", `/api/requests/${ada}/bodies`)).status).toBe(404);
  expect(await gateway.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });

  const audit = await gateway.platform<{ data: { action: string; after: object }[] }>("GET", "/api/audit-log?limit=5");
  const [erasure] = audit.data.filter(({ action }) => action === "account.erase_end_user").slice(-1);
  expect(erasure!.after).toEqual({ user_hash: expect.stringMatching(/^[\w-]{24}$/), entries: 4, conversations: 1, requests: 2 });
  expect(JSON.stringify(audit.data)).not.toMatch(/\bada\b/);
  const log = await eventually(
    () => gateway.output(),
    (output) => output.includes(last),
  );
  expect(log).not.toMatch(/\bada\b/);
});

test.each(["plain", "hashed", "off"])("an upstream's error does not repeat the end user to operators: %s", async (attribution) => {
  const account = `errors-${attribution}`;
  await gateway.platform("POST", "/api/accounts", { id: account, name: account, attribution, conversation_key: "thread" });
  await gateway.platform("POST", `/api/accounts/${account}/grants`, { amount: "10", reference: "r", reason: "test" });
  const own = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "k", models: ["*"], account });
  const authorization = `Bearer ${own.key}`;
  const failed = await chat({ model: "b", user: "eve", metadata: { thread: "thread-of-eve" } }, { authorization }, 502);
  const refused = await chat({ model: "c", safety_identifier: "eve-2", user: "eve" }, { authorization, "x-session-id": "eve-3" }, 400);
  const detail = "user [redacted] is unwelcome";
  for (const id of [failed, refused]) {
    const request = await eventually(
      () => fetchAs("GET", `/api/requests/${id}`),
      ({ status }) => status === 200,
    );
    expect(await request.json()).toMatchObject({ detail: expect.stringContaining(detail) });
    const receipt = await gateway.platform<{ failed_attempts: object[] }>("GET", `/api/receipts/${id}`);
    for (const attempt of receipt.failed_attempts) expect(attempt).toMatchObject({ detail: expect.stringContaining(detail) });
    expect(receipt.failed_attempts.length > 0).toBe(id === failed);
  }
  const log = await eventually(
    () => gateway.output(),
    (output) => [failed, refused].every((id) => output.includes(`"request_id":"${id}"`)),
  );
  expect(log).toContain(detail);
  expect(log).not.toMatch(/\beve\b/);
});

test.each(["plain", "hashed", "off"])("prompt and response logging stores end users as the account does: %s", async (attribution) => {
  const account = `bodies-${attribution}`;
  const settings = { attribution, conversation_key: "thread", log_bodies: true };
  await gateway.platform("POST", "/api/accounts", { id: account, name: account, ...settings });
  await gateway.platform("POST", `/api/accounts/${account}/grants`, { amount: "10", reference: "r", reason: "test" });
  const own = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "k", models: ["*"], account });
  const named = { user: "sue", safety_identifier: "id of sue", metadata: { thread: "thread of sue" } };
  const id = await chat({ model: "d", ...named }, { authorization: `Bearer ${own.key}`, "x-session-id": "session of sue" });
  const found = await eventually(
    () => fetchAs("GET", `/api/requests/${id}/bodies`),
    ({ status }) => status === 200,
  );
  const text = await found.text();
  expect(text).toContain("a secret prompt");
  expect(text.match(/\bsue\b/g)?.length ?? 0).toBe(attribution === "plain" ? 6 : 0);
});

test("finds an end user that is stored as a hash by its name, and by the hash", async () => {
  await gateway.platform("POST", "/api/accounts", { id: "hashed", name: "Hashed", attribution: "hashed" });
  await gateway.platform("POST", "/api/accounts/hashed/grants", { amount: "10", reference: "r", reason: "test" });
  const own = await gateway.platform<{ id: string; key: string }>("POST", "/api/keys", { name: "k", models: ["*"], account: "hashed" });
  await chat({ user: "barbara" }, { authorization: `Bearer ${own.key}`, "x-conversation-id": "talk of barbara" });
  const [talk] = await usage("by=conversation&account=hashed");
  expect(talk!["conversation"]).toMatch(/^[\w-]{24}$/);
  const [row] = await usage("by=user&account=hashed");
  expect(row!["user"]).toMatch(/^[\w-]{24}$/);
  for (const user of ["barbara", row!["user"]]) {
    expect(await usage(`by=user&account=hashed&user=${String(user)}`)).toEqual([row!]);
    const found = await eventually(
      () => gateway.platform<{ data: object[] }>("GET", `/api/requests?account=hashed&user=${String(user)}`),
      ({ data }) => data.length === 1,
    );
    expect(found.data).toMatchObject([{ user: row!["user"] }]);
  }
  const { data: ofKey } = await gateway.platform<{ data: object[] }>("GET", `/api/requests?key=${own.id}&user=barbara`);
  expect(ofKey).toMatchObject([{ key: own.id }]);
  await chat({ user: "none" }, { authorization: `Bearer ${own.key}` });
  for (const user of ["barbara", "user:none"]) {
    expect(await gateway.platform<object>("POST", "/api/accounts/hashed/end-users/erase", { user })).toMatchObject({ entries: 2 });
  }
});

test.each([
  ["by=user,tag:team", "by", "only one of user, conversation, endpoint and a tag"],
  ["by=upstream,user", "by", "cannot be upstream with user"],
  ["by=user&conversation=c1&account=default", "conversation", "cannot be combined with user"],
  ["by=upstream&user=ada&account=default", "by", "cannot be upstream with user"],
  ["by=model&user=ada", "user", "requires an account or a key"],
  ["from=2026-02-30", "from", "is 2026-02-30, which does not exist in the calendar"],
  ["by=tag:", "by", "must be one or two of"],
  ["by=model&tag=team", "tag", "such as team:search"],
])("rejects %s", async (query, param, problem) => {
  const response = await fetchAs("GET", `/api/usage?${query}`);
  expect([response.status, await response.json()]).toMatchObject([400, { param, detail: expect.stringContaining(problem) }]);
});

test("refuses to erase the names of reports, and end users of unknown accounts", async () => {
  const refused = await fetchAs("POST", "/api/accounts/default/end-users/erase", { user: "none" });
  const detail = `user cannot be "none": reports use this name. An end user whom clients name so is "user:none".`;
  expect([refused.status, await refused.json()]).toMatchObject([400, { detail }]);
  expect((await fetchAs("POST", "/api/accounts/nowhere/end-users/erase", { user: "ada" })).status).toBe(404);
});
