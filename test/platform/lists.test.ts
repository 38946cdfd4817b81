import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

interface Listed {
  readonly data: readonly { readonly id: string; readonly name: string }[];
  readonly next: string | null;
  readonly total: number;
}

let mock: MockUpstream;
let gateway: RunningGateway;

beforeAll(async () => {
  mock = startMockUpstream({ "up-declared": () => Response.json(completion()), x: () => Response.json(completion()) });
  const yaml = `${configFor(mock.baseUrl, ["declared"])}\naccounts:\n  - { id: from-file, name: From the file }\n`;
  gateway = await startGateway({ yaml });
  const upstream = { id: "up", dialect: "openai", base_url: mock.baseUrl, allow_private: true, credential: "c".repeat(20) };
  await platform("POST", "/api/upstreams", upstream);
  await platform("POST", "/api/accounts/default/grants", { amount: "9", reference: "r", reason: "for tests" });
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

const platform = <T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T> =>
  gateway.platform<T>(method, path, body);

/** The code and message of a call that must be rejected. */
const refusalOf = async (method: string, path: string, body?: object): Promise<string> => {
  const [refused] = await Promise.allSettled([platform(method, path, body)]);
  if (refused.status === "fulfilled") return "accepted";
  const { code, detail } = JSON.parse((refused.reason as Error).message) as { code: string; detail: string };
  return `${code}: ${detail}`;
};

const namesOf = async (path: string): Promise<string[]> => (await platform<Listed>("GET", path)).data.map(({ name }) => name);
const idsOf = async (path: string): Promise<string[]> => (await platform<Listed>("GET", path)).data.map(({ id }) => id);

const sorted = (query: string): Promise<string[]> => namesOf(`/api/keys?account=sorted&${query}`);

const createKey = (fields: object): Promise<{ id: string; key: string }> => platform("POST", "/api/keys", { models: ["*"], ...fields });
const createModel = (id: string): Promise<unknown> =>
  platform("POST", "/api/models", { id, routes: [{ upstream: "up", model: "x" }], free: true });

const call = (key: string, model: string): Promise<Response> =>
  fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });

const auditOf = async (kind: string, id: string): Promise<string[]> =>
  (await platform<{ data: { action: string }[] }>("GET", `/api/audit-log?kind=${kind}&id=${id}`)).data.map(({ action }) => action);

describe("pause and archive", () => {
  test("a paused key is rejected, also by the model list, and works again when it is resumed", async () => {
    const { id, key } = await createKey({ name: "p" });
    expect(await platform("PATCH", `/api/keys/${id}`, { paused: true })).toMatchObject({ active: false, state: "paused" });
    const models = await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } });
    for (const reply of [models, await call(key, "declared")]) {
      const { error } = (await reply.json()) as { error: { code: string; type: string } };
      expect([reply.status, error.code, error.type]).toEqual([401, "api_key_paused", "authentication_error"]);
    }
    expect(await namesOf("/api/keys?state=paused")).toEqual(["p"]);
    // A rotation keeps the state.
    const rotated = await platform<{ key: string; state: string }>("POST", `/api/keys/${id}/rotate`, {});
    expect([rotated.state, (await call(rotated.key, "declared")).status]).toEqual(["paused", 401]);
    expect(await platform("PATCH", `/api/keys/${id}`, { paused: false })).toMatchObject({ active: true, state: "active", paused_at: null });
    expect([(await call(key, "declared")).status, (await call(rotated.key, "declared")).status]).toEqual([200, 200]);
    await platform("DELETE", `/api/keys/${id}`);
    expect(await refusalOf("PATCH", `/api/keys/${id}`, { paused: false })).toStartWith("state_conflict: This key was revoked");
  });

  test("the preview of a pause counts the requests that would have been rejected", async () => {
    const { id, key } = await createKey({ name: "previewed" });
    expect((await call(key, "declared")).status).toBe(200);
    const preview = await platform("PATCH", `/api/keys/${id}?preview=true`, { paused: true });
    expect(JSON.stringify(preview)).toContain("api_key_paused");
    expect(await platform("GET", `/api/keys/${id}`)).toMatchObject({ paused_at: null });
  });

  test("an archived key is paused and in a list of its own, and stays paused when it is restored", async () => {
    const { id } = await createKey({ name: "shelved" });
    await platform("PATCH", `/api/keys/${id}`, { archived: true });
    expect([await namesOf("/api/keys?search=shelved"), await namesOf("/api/keys?search=shelved&archived=true")]).toEqual([[], ["shelved"]]);
    expect(await refusalOf("PATCH", `/api/keys/${id}`, { paused: false })).toBe("state_conflict: This key is archived. Restore it first.");
    expect(await platform("PATCH", `/api/keys/${id}`, { archived: false })).toMatchObject({ archived_at: null, state: "paused" });
    expect(await platform("PATCH", `/api/keys/${id}`, { paused: false })).toMatchObject({ state: "active" });
    expect(await auditOf("key", id)).toEqual(["key.update", "key.update", "key.update", "key.create"]);
  });

  test("the keys of an archived account are rejected, and it gets no keys, members and credit", async () => {
    await platform("POST", "/api/accounts", { id: "old", name: "Old" });
    const { id, key } = await createKey({ name: "of old", account: "old" });
    await platform("PATCH", "/api/accounts/old", { archived: true });
    expect(((await (await call(key, "declared")).json()) as { error: object }).error).toMatchObject({ code: "api_key_paused" });
    expect(await platform("GET", `/api/keys/${id}`)).toMatchObject({ active: false, state: "active" });
    expect([await idsOf("/api/accounts?search=old"), await idsOf("/api/accounts?archived=true")]).toEqual([[], ["old"]]);
    for (const [path, body] of [
      ["/api/keys", { name: "n", models: ["*"], account: "old" }],
      [`/api/keys/${id}/clone`, {}],
      ["/api/people", { email: "n@example.com", name: "N", role: "member", account: "old" }],
      ["/api/accounts/old/grants", { amount: "1", reference: "r", reason: "why" }],
    ] as const) {
      expect(await refusalOf("POST", path, body)).toBe("state_conflict: The account old is archived. Restore it first.");
    }
    await platform("PATCH", "/api/accounts/old", { archived: false });
    expect((await call(key, "declared")).status).toBe(402);
    expect(await refusalOf("PATCH", "/api/accounts/default", { archived: true })).toStartWith("state_conflict: The account default cannot");
    expect(await refusalOf("PATCH", "/api/accounts/from-file", { archived: true })).toStartWith("managed_elsewhere: ");
  });

  test("an archived person is disabled, and stays so when they are restored", async () => {
    const { id } = await platform<{ id: string }>("POST", "/api/people", {
      email: "s@example.com",
      name: "Sam",
      role: "member",
      account: "default",
    });
    expect(await platform("PATCH", `/api/people/${id}`, { archived: true })).toMatchObject({ invited_until: null });
    expect([await namesOf("/api/people?search=sam"), await namesOf("/api/people?archived=true")]).toEqual([[], ["Sam"]]);
    expect(await refusalOf("PATCH", `/api/people/${id}`, { disabled: false })).toStartWith("state_conflict: This person is archived.");
    const restored = await platform("PATCH", `/api/people/${id}`, { archived: false });
    expect([restored["archived_at"], typeof restored["disabled_at"]]).toEqual([null, "string"]);
  });

  test("only a retired model can be archived, and nothing else of it changes", async () => {
    await createModel("fading");
    await createModel("lasting");
    expect(await refusalOf("PATCH", "/api/models/fading", { archived: true })).toStartWith(
      "state_conflict: The model fading is available.",
    );
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await platform("POST", "/api/models/fading/deprecate", { shutdown_date: tomorrow, replacement: "lasting" });
    await platform("POST", "/api/models/fading/retire");
    expect(await refusalOf("PATCH", "/api/models/fading", { archived: true, owned_by: "x" })).toStartWith("state_conflict: ");
    await platform("PATCH", "/api/models/fading", { archived: true });
    expect([await idsOf("/api/models?state=retired"), await idsOf("/api/models?archived=true")]).toEqual([[], ["fading"]]);
    await platform("PATCH", "/api/models/fading", { archived: false });
    expect(await idsOf("/api/models?state=retired")).toEqual(["fading"]);
    expect(await refusalOf("PATCH", "/api/models/declared", { archived: true })).toStartWith("managed_elsewhere: ");
  });
});

describe("removal", () => {
  test("a key that was never used can be removed once it is not active; one that was used cannot", async () => {
    const unused = await createKey({ name: "unused" });
    expect(await refusalOf("DELETE", `/api/keys/${unused.id}/record`)).toStartWith("state_conflict: This key is active.");
    await platform("PATCH", `/api/keys/${unused.id}`, { archived: true });
    expect(await platform("DELETE", `/api/keys/${unused.id}/record`)).toMatchObject({ id: unused.id });
    expect(await refusalOf("GET", `/api/keys/${unused.id}`)).toStartWith("unknown_key: ");
    expect((await auditOf("key", unused.id))[0]).toBe("key.remove");

    const used = await createKey({ name: "used" });
    const listed = await createKey({ name: "listed models only" });
    expect((await call(used.key, "declared")).status).toBe(200);
    await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${listed.key}` } });
    for (const { id } of [used, listed]) await platform("DELETE", `/api/keys/${id}`);
    expect(await refusalOf("DELETE", `/api/keys/${used.id}/record`)).toBe(
      `still_in_use: The key ${used.id} cannot be removed: 1 request of the ledger refer to it. Archive it instead.`,
    );
    expect(await refusalOf("DELETE", `/api/keys/${listed.id}/record`)).toContain("cannot be removed: it was used at ");
  });

  test("a mistyped model can be removed and created again, but not while something names it or after a call", async () => {
    await createModel("mistpyed");
    const { id, key } = await createKey({ name: "names it", models: ["mistpyed"] });
    expect(await refusalOf("DELETE", "/api/models/mistpyed")).toBe(
      `still_in_use: The model mistpyed cannot be removed while these refer to it: the keys ${id}. Change them first.`,
    );
    await platform("PATCH", `/api/keys/${id}`, { models: ["*"] });
    await platform("DELETE", "/api/models/mistpyed");
    expect([await refusalOf("GET", "/api/models/mistpyed"), (await call(key, "mistpyed")).status]).toEqual([
      'unknown_model: There is no model with the id "mistpyed".',
      403,
    ]);
    await createModel("mistpyed");
    expect((await call(key, "mistpyed")).status).toBe(200);
    expect(await refusalOf("DELETE", "/api/models/mistpyed")).toStartWith("still_in_use: The model mistpyed cannot be removed: 1 request");
    expect(await refusalOf("DELETE", "/api/models/declared")).toStartWith("managed_elsewhere: ");
  });

  test("an archived account without entries, keys and members can be removed", async () => {
    await platform("POST", "/api/accounts", { id: "empty", name: "Empty" });
    expect(await refusalOf("DELETE", "/api/accounts/empty")).toBe("state_conflict: The account empty is in use. Archive it first.");
    await platform("PATCH", "/api/accounts/empty", { archived: true });
    expect(await platform("DELETE", "/api/accounts/empty")).toMatchObject({ id: "empty" });
    expect(await refusalOf("GET", "/api/accounts/empty")).toStartWith("unknown_account: ");

    await platform("POST", "/api/accounts", { id: "empty", name: "Empty again" });
    const { id } = await createKey({ name: "k", account: "empty" });
    const member = { email: "m@example.com", name: "M", role: "member", account: "empty" };
    const person = await platform<{ id: string }>("POST", "/api/people", member);
    await platform("PATCH", "/api/accounts/empty", { archived: true });
    expect(await refusalOf("DELETE", "/api/accounts/empty")).toContain(`the keys ${id}; the members m@example.com.`);
    await platform("DELETE", `/api/people/${person.id}`);
    await platform("PATCH", `/api/keys/${id}`, { paused: true });
    await platform("DELETE", `/api/keys/${id}/record`);
    await platform("PATCH", "/api/accounts/empty", { archived: false });
    for (const [path, amount] of [
      ["grants", "1"],
      ["adjustments", "-1"],
    ] as const) {
      await platform("POST", `/api/accounts/empty/${path}`, { amount, reference: path, reason: "why" });
    }
    await platform("PATCH", "/api/accounts/empty", { archived: true });
    expect(await refusalOf("DELETE", "/api/accounts/empty")).toContain("it has ledger entries, the last is entry 2.");
    expect(await refusalOf("DELETE", "/api/accounts/default")).toStartWith("still_in_use: ");
    expect(await refusalOf("DELETE", "/api/accounts/from-file")).toStartWith("managed_elsewhere: ");
  });

  test("an invited person can be removed; one with a password cannot", async () => {
    const invite = (email: string): Promise<{ id: string; invitation: { url: string } }> =>
      platform("POST", "/api/people", { email, name: "I", role: "operator" });
    const accept = (invited: { invitation: { url: string } }): Promise<unknown> =>
      platform("POST", "/api/invitations/accept", { token: new URL(invited.invitation.url).hash.slice(1), password: "a long password 1" });
    const invited = await invite("i@example.com");
    await platform("DELETE", `/api/people/${invited.id}`);
    const [accepted] = await Promise.allSettled([accept(invited)]);
    expect(accepted.status).toBe("rejected");
    const again = await invite("i@example.com");
    await accept(again);
    expect(await refusalOf("DELETE", `/api/people/${again.id}`)).toStartWith("still_in_use: The person ");
  });
});

describe("clone", () => {
  test("a key's clone has its settings and a secret of its own, and not its state", async () => {
    const settings = {
      models: ["declared"],
      limits: { requests_per_minute: 7 },
      caps: { day: "5" },
      expires_at: "2099-01-01T00:00:00.000Z",
    };
    const { id, key } = await createKey({ name: "original", ...settings });
    await platform("PATCH", `/api/keys/${id}`, { paused: true });
    const clone = await platform<{ id: string; key: string }>("POST", `/api/keys/${id}/clone`, {});
    expect(clone).toMatchObject({
      name: "original (copy)",
      account: "default",
      models: ["declared"],
      state: "active",
      expires_at: settings.expires_at,
    });
    expect(clone).toMatchObject({ limits: { requests_per_minute: 7 }, caps: { day: "5.00" } });
    expect([clone.key === key, (await call(clone.key, "declared")).status]).toEqual([false, 200]);
    expect(await platform("POST", `/api/keys/${id}/clone`, { name: "b", expires_at: null })).toMatchObject({ name: "b", expires_at: null });
  });

  test("a model's clone has its routes and prices, also of a model in the config file", async () => {
    const clone = await platform("POST", "/api/models/declared/clone", { id: "declared-copy" });
    const source = await platform("GET", "/api/models/declared");
    for (const field of ["routes", "price", "capabilities"]) expect(clone[field]).toEqual(source[field]);
    expect(clone).toMatchObject({ id: "declared-copy", managed_by: "operator", state: "available" });
    expect(await refusalOf("POST", "/api/models/declared/clone", { id: "declared-copy" })).toStartWith("already_exists: ");
    await createModel("source");
    expect(await platform("POST", "/api/models/source/clone", { id: "source-2" })).toMatchObject({
      routes: [{ upstream: "up", model: "x" }],
    });
  });
});

describe("sort", () => {
  test("keys by name, last use, spend and expiry, in pages of any length", async () => {
    await platform("POST", "/api/accounts", { id: "sorted", name: "Sorted" });
    const made: Record<string, string> = {};
    for (const [name, expires] of [
      ["beta", "2099-01-02"],
      ["Alpha", null],
      ["gamma", "2098-01-01"],
    ] as const) {
      made[name] = (await createKey({ name, account: "sorted", expires_at: expires && `${expires}T00:00:00Z` })).id;
    }
    const used = await createKey({ name: "delta", account: "sorted" });
    await call(used.key, "declared");
    expect(await sorted("")).toEqual(["delta", "gamma", "Alpha", "beta"]);
    expect(await sorted("sort=name")).toEqual(["Alpha", "beta", "delta", "gamma"]);
    expect(await sorted("sort=name&direction=desc")).toEqual(["gamma", "delta", "beta", "Alpha"]);
    expect((await sorted("sort=last_used"))[0]).toBe("delta");
    expect((await sorted("sort=expires")).slice(0, 2)).toEqual(["gamma", "beta"]);
    const paged: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const path: string = `/api/keys?account=sorted&sort=name&limit=1${cursor && `&cursor=${cursor}`}`;
      const { data, next, total } = await platform<Listed>("GET", path);
      expect(total).toBe(4);
      paged.push(...data.map(({ name }) => name));
      cursor = next;
    }
    expect(paged).toEqual(["Alpha", "beta", "delta", "gamma"]);
    const { next } = await platform<Listed>("GET", "/api/keys?sort=name&limit=1");
    expect(await refusalOf("GET", `/api/keys?sort=spent&cursor=${next}`)).toStartWith("invalid_value: cursor must be `next`");
  });

  test("accounts by available credit, models by creation, people by email", async () => {
    for (const [id, amount] of [
      ["rich", "9"],
      ["poor", "2"],
    ] as const) {
      await platform("POST", "/api/accounts", { id, name: `credit of ${id}` });
      await platform("POST", `/api/accounts/${id}/grants`, { amount, reference: "r", reason: "why" });
    }
    expect(await idsOf("/api/accounts?search=credit%20of&sort=available")).toEqual(["poor", "rich"]);
    expect(await idsOf("/api/accounts?search=credit%20of&sort=id&direction=desc")).toEqual(["rich", "poor"]);
    expect((await idsOf("/api/models?sort=id&direction=desc"))[0]).toBe("source-2");
    const emails = (await platform<{ data: { email: string }[] }>("GET", "/api/people?sort=email")).data.map(({ email }) => email);
    expect(emails).toEqual(emails.toSorted());
  });
});
