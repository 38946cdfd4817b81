import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { completion, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

const route = (model: string): string => `routes: [{ upstream: mock, model: ${model} }], free: true`;
const answered = (): Response => Response.json(completion());

let mock: MockUpstream;
let gateway: RunningGateway;
/** The plaintext keys of the account that the models name, and of another account. */
let own: { readonly id: string; readonly key: string };
let other: typeof own;

beforeAll(async () => {
  mock = startMockUpstream({ up: answered, broken: () => new Response("{}", { status: 500 }) });
  gateway = await startGateway({
    yaml: `
compatibility: litellm
upstreams:
  - { id: mock, dialect: openai, base_url: "${mock.baseUrl}/", allow_private: true, credential: c }
models:
  - { id: open, ${route("up")} }
  - { id: restricted, ${route("up")}, accounts: [acme, gone] }
  - { id: falls-back, ${route("broken")}, fallback_models: [restricted] }
accounts:
  - { id: acme, name: Acme }
  - { id: beta, name: Beta }
  - { id: gone, name: Gone }
`,
  });
  own = await gateway.makeKey(["*"], { account: "acme" });
  other = await gateway.makeKey(["*"], { account: "beta" });
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

function get(key: string, path: string): Promise<Response> {
  return fetch(`${gateway.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}`, "x-usage": "1" } });
}

async function listed(key: string): Promise<string[]> {
  return ((await (await get(key, "/models")).json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

function call(
  key: string,
  model: string,
  headers: Record<string, string> = {},
  url = `${gateway.baseUrl}/chat/completions`,
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
}

/** The complete reply, without the name of the model and the values that differ between any two requests. */
async function replyFor(reply: Promise<Response>, model: string): Promise<unknown> {
  const { status, headers } = await reply;
  const text = await (await reply).text();
  const names = [...headers.keys()].toSorted();
  return { status, names, text: text.replaceAll(model, "MODEL").replaceAll(/req_[0-9a-f-]{36}/g, "") };
}

describe("a model with accounts", () => {
  test("is listed and can be called with keys of these accounts", async () => {
    expect(await listed(own.key)).toEqual(["open", "restricted", "falls-back"]);
    expect((await call(own.key, "restricted")).status).toBe(200);
    expect((await get(own.key, "/models/restricted")).status).toBe(200);
    const { key } = await gateway.makeKey(["open"], { account: "acme" });
    expect(await listed(key)).toEqual(["open"]);
    expect((await call(key, "restricted")).status).toBe(403);
  });

  test("is like a model that does not exist for all other keys", async () => {
    expect(await listed(other.key)).toEqual(["open", "falls-back"]);
    const urls = [`${gateway.baseUrl}/chat/completions`, `${gateway.platformUrl}/api/keys/${other.id}/chat/completions`];
    for (const [at, url] of urls.entries()) {
      const key = at === 0 ? other.key : gateway.operatorToken;
      for (const headers of [{}, { "x-dry-run": "1" }]) {
        const refused = await replyFor(call(key, "restricted", headers, url), "restricted");
        expect(refused).toEqual(await replyFor(call(key, "nowhere", headers, url), "nowhere"));
        expect(refused).toMatchObject({ text: expect.stringContaining("model_not_allowed") as string });
      }
    }
    expect((await call(other.key, "restricted")).status).toBe(403);
    expect(await replyFor(get(other.key, "/models/restricted"), "restricted")).toEqual(
      await replyFor(get(other.key, "/models/nowhere"), "nowhere"),
    );
  });

  test("is a fallback for requests of these accounts only", async () => {
    const served = await call(own.key, "falls-back");
    expect([served.status, served.headers.get("x-tollgate-model")]).toEqual([200, "restricted"]);
    const refused = await call(other.key, "falls-back");
    expect([refused.status, refused.headers.get("x-tollgate-model")]).toEqual([502, null]);
    const plan = async (key: string): Promise<string> => (await call(key, "falls-back", { "x-dry-run": "1" })).text();
    expect(JSON.parse(await plan(own.key))).toMatchObject({ fallbacks: [{ model: "restricted", excluded: null }] });
    expect(JSON.parse(await plan(other.key))).toMatchObject({ fallbacks: [] });
    expect(await plan(other.key)).not.toContain("restricted");
  });

  test("can be opened to every account, and restricted again, from the next request on", async () => {
    const set = (accounts: readonly string[] | null): Promise<object> => gateway.platform("PATCH", "/api/models/changing", { accounts });
    await gateway.platform("POST", "/api/models", { id: "changing", routes: [{ upstream: "mock", model: "up" }], free: true });
    for (const [accounts, status] of [[["acme"], 403] as const, [null, 200] as const, [["beta"], 200] as const, [["acme"], 403] as const]) {
      await set(accounts);
      expect([accounts, (await call(other.key, "changing")).status]).toEqual([accounts, status]);
      expect((await listed(other.key)).includes("changing")).toBe(status === 200);
    }
  });
});
