import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askPlatform, type PlatformReply } from "../support/gateway/call-platform.ts";
import { completion, events, GOOD_CHUNKS, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

const DAY = "2999-01-31";
const TODAY = new Date().toISOString().slice(0, 10);
const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

let mock: MockUpstream;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  mock = startMockUpstream({
    any: ({ body }) => (body["stream"] ? events(GOOD_CHUNKS) : Response.json(completion())),
  });
  gateway = await startGateway({
    yaml: `
upstreams:
  - { id: of-the-file, dialect: openai, base_url: "${mock.baseUrl}", allow_private: true, credential: credential-of-the-file }
models:
  - { id: declared, routes: [{ upstream: of-the-file, model: any }], free: true }
  - { id: declared-and-old, routes: [{ upstream: of-the-file, model: any }], free: true, state: deprecated, shutdown_date: ${DAY}, replacement: declared }
`,
  });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

const ask = (method: string, path: string, body?: object): Promise<PlatformReply> => askPlatform(gateway, method, path, body);

async function make(id: string, more: object = { free: true }): Promise<void> {
  const reply = await ask("POST", "/api/models", { id, routes: [{ upstream: "of-the-file", model: "any" }], ...more });
  expect([reply.status, reply.body["state"]]).toEqual([201, "available"]);
}

const move = (id: string, to: "deprecate" | "retire", body?: object): Promise<PlatformReply> =>
  ask("POST", `/api/models/${encodeURIComponent(id)}/${to}`, body);

/** What clients see: the entry in the model list, and the results of a JSON call and of a stream. */
async function seenByCallers(id: string): Promise<{ listed: unknown; json: unknown[]; stream: unknown[] }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const list = (await (await fetch(`${gateway.baseUrl}/models`, { headers })).json()) as { data: { id: string }[] };
  const call = async (stream: boolean): Promise<unknown[]> => {
    const body = JSON.stringify({ model: id, stream, messages: [{ role: "user", content: "hi" }] });
    const reply = await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body });
    const text = await reply.text();
    const isWhole = stream ? text.endsWith("data: [DONE]\n\n") : text.includes("Hello world");
    const { code, message } = reply.ok ? { code: null, message: null } : (JSON.parse(text) as { error: Record<string, string> }).error;
    const ending = ["shutdown-date", "replacement"].map((name) => reply.headers.get(`x-tollgate-${name}`));
    return reply.ok ? [reply.status, isWhole, ...ending] : [reply.status, code, message, ...ending];
  };
  const listed = list.data.find((model) => model.id === id);
  return { listed, json: await call(false), stream: await call(true) };
}

function expectRefused({ status, body }: PlatformReply, code: string, words: string | RegExp, param: string | null = null): void {
  expect([status, body["code"], body["param"]]).toEqual([
    code === "invalid_value" ? 400 : code === "unknown_model" ? 404 : 409,
    code,
    param,
  ]);
  expect(body["detail"]).toMatch(words);
}

describe("the lifecycle of a model", () => {
  test("available, deprecated, retired: clients see each state with their next request", async () => {
    await make("acme/old", { free: true, owned_by: "acme" });
    await make("acme/new");

    const available = await seenByCallers("acme/old");
    expect(available.listed).toMatchObject({ id: "acme/old", owned_by: "acme" });
    expect(available.listed).not.toHaveProperty("deprecated");
    expect(available).toMatchObject({ json: [200, true, null, null], stream: [200, true, null, null] });

    const deprecated = await move("acme/old", "deprecate", { shutdown_date: DAY, replacement: "acme/new" });
    expect(deprecated).toMatchObject({
      status: 200,
      body: { state: "deprecated", shutdown_date: DAY, replacement: "acme/new", deprecated_by: "operator token", retired_at: null },
    });
    expect(await seenByCallers("acme/old")).toMatchObject({
      listed: { id: "acme/old", deprecated: true, shutdown_date: DAY, replacement: "acme/new" },
      json: [200, true, DAY, "acme/new"],
      stream: [200, true, DAY, "acme/new"],
    });

    const retired = await move("acme/old", "retire");
    expect(retired).toMatchObject({
      status: 200,
      body: {
        state: "retired",
        shutdown_date: null,
        replacement: "acme/new",
        deprecated_by: "operator token",
        retired_by: "operator token",
      },
    });
    const refusal = [403, "model_retired", "The model acme/old was retired. Use acme/new instead.", null, null];
    expect(await seenByCallers("acme/old")).toEqual({ listed: undefined, json: refusal, stream: refusal });
    const { body } = await ask("GET", "/api/models/acme%2Fold");
    expect(Date.parse(String(body["deprecated_at"]))).toBeLessThanOrEqual(Date.parse(String(body["retired_at"])));
  });

  test("each transition is in the audit log with the states before and after, and in the changelog", async () => {
    const log = await gateway.platform<{ data: Record<string, unknown>[] }>("GET", "/api/audit-log?kind=model&id=acme/old");
    expect(log.data).toMatchObject([
      {
        action: "model.retire",
        actor: "operator-token",
        before: { state: "deprecated" },
        after: { state: "retired", replacement: "acme/new" },
      },
      { action: "model.deprecate", before: { state: "available", replacement: null }, after: { state: "deprecated", shutdown_date: DAY } },
      { action: "model.create", before: null, after: { id: "acme/old", owned_by: "acme", state: "available", free: true } },
    ]);
    const { data } = await gateway.platform<{ data: { model: string; text: string; by: string }[] }>(
      "GET",
      "/api/changelog?model=acme/old",
    );
    expect(data.map(({ text, by }) => [text, by])).toEqual([
      ["The model acme/old was retired. Use acme/new instead.", "operator token"],
      [`The model acme/old is deprecated and will be retired on ${DAY}. Use acme/new instead.`, "operator token"],
      ["The model acme/old is available.", "operator token"],
    ]);
  });

  test("the shutdown date and the replacement of a deprecated model can be changed, and are announced again", async () => {
    for (const id of ["a", "b", "c"]) await make(id);
    await move("a", "deprecate", { shutdown_date: TODAY, replacement: "b" });
    expect(await ask("PATCH", "/api/models/a", { shutdown_date: DAY })).toMatchObject({
      status: 200,
      body: { shutdown_date: DAY, replacement: "b" },
    });
    expect(await ask("PATCH", "/api/models/a", { replacement: "c", owned_by: "beta" })).toMatchObject({
      status: 200,
      body: { shutdown_date: DAY, replacement: "c", owned_by: "beta" },
    });
    expect((await seenByCallers("a")).json).toEqual([200, true, DAY, "c"]);
    const { data } = await gateway.platform<{ data: Record<string, unknown>[] }>("GET", "/api/changelog?limit=3");
    expect(data).toMatchObject([
      { model: "a", state: "deprecated", shutdown_date: DAY, replacement: "c" },
      { model: "a", state: "deprecated", shutdown_date: DAY, replacement: "b" },
      { model: "a", state: "deprecated", shutdown_date: TODAY, replacement: "b" },
    ]);
  });
});

describe("rejects a transition", () => {
  beforeAll(async () => {
    for (const id of ["free", "other", "dep", "ret", "target"]) await make(id);
    await make("unpriced", {});
    await make("priced-tomorrow", { price: { input_per_million: 1, output_per_million: 1, effective: DAY } });
    await move("dep", "deprecate", { shutdown_date: DAY, replacement: "target" });
    await move("ret", "deprecate", { shutdown_date: DAY, replacement: "other" });
    await move("ret", "retire");
  });

  const GOOD = { shutdown_date: DAY, replacement: "other" };

  test("available to retired", async () => {
    expectRefused(await move("free", "retire"), "state_conflict", /free is available\. Deprecate it first/);
  });

  test("deprecated to deprecated", async () => {
    expectRefused(await move("dep", "deprecate", GOOD), "state_conflict", /dep is deprecated already/);
  });

  test("from retired: it is final", async () => {
    expectRefused(await move("ret", "deprecate", GOOD), "state_conflict", /ret is retired, for good/);
    expectRefused(await move("ret", "retire"), "state_conflict", /ret is already retired/);
    expectRefused(
      await ask("PATCH", "/api/models/ret", { owned_by: "x" }),
      "state_conflict",
      /ret is retired and can no longer be changed/,
    );
    expectRefused(await ask("PATCH", "/api/models/ret", GOOD), "state_conflict", /ret is retired/);
    const again = { id: "ret", routes: [{ upstream: "of-the-file", model: "any" }], free: true };
    expectRefused(await ask("POST", "/api/models", again), "already_exists", /was a model ret\. It was retired/, "id");
  });

  test("with a shutdown date or a replacement of an available model", async () => {
    expectRefused(await ask("PATCH", "/api/models/free", { shutdown_date: DAY }), "state_conflict", /Only a deprecated model/);
    expectRefused(await ask("PATCH", "/api/models/free", { replacement: "other" }), "state_conflict", /Only a deprecated model/);
  });

  test("to an invalid or past shutdown date", async () => {
    for (const day of ["2027-02-30", "2027-13-01", "0000-00-00"]) {
      expectRefused(await move("free", "deprecate", { ...GOOD, shutdown_date: day }), "invalid_value", /not a day/, "shutdown_date");
    }
    for (const day of ["tomorrow", "2027-1-1", `${DAY}T00:00:00Z`, ""]) {
      expectRefused(await move("free", "deprecate", { ...GOOD, shutdown_date: day }), "invalid_value", /must be a day/, "shutdown_date");
    }
    const past = /must not be in the past/;
    expectRefused(await move("free", "deprecate", { ...GOOD, shutdown_date: YESTERDAY }), "invalid_value", past, "shutdown_date");
    expectRefused(await ask("PATCH", "/api/models/dep", { shutdown_date: YESTERDAY }), "invalid_value", past, "shutdown_date");
  });

  test("to a replacement that is itself, unknown, deprecated, or cannot be called", async () => {
    const cases: [string, RegExp][] = [
      ["free", /is the model itself/],
      ["nobody", /there is no such model/],
      ["dep", /dep, which is deprecated/],
      ["ret", /ret, which is retired/],
      ["unpriced", /unpriced, which has no price/],
      ["priced-tomorrow", /priced-tomorrow, which has no price/],
    ];
    for (const [replacement, words] of cases) {
      expectRefused(await move("free", "deprecate", { ...GOOD, replacement }), "invalid_value", words, "replacement");
    }
    expectRefused(await ask("PATCH", "/api/models/dep", { replacement: "ret" }), "invalid_value", /ret, which is retired/, "replacement");
  });

  test("without a shutdown date or a replacement", async () => {
    for (const missing of ["shutdown_date", "replacement"]) {
      const { status, body } = await move("free", "deprecate", { ...GOOD, [missing]: undefined });
      expect([status, body["code"], body["param"]]).toEqual([400, "missing_required_parameter", missing]);
    }
  });

  test("the end of a model that another one's callers are sent to", async () => {
    expectRefused(await move("target", "deprecate", GOOD), "state_conflict", /target is the replacement of dep\. Set another replacement/);
    await ask("PATCH", "/api/models/dep", { replacement: "other" });
    expect((await move("target", "deprecate", GOOD)).status).toBe(200);
  });

  test("to retired, when the replacement cannot be called any more", async () => {
    await make("dear", { price: { input_per_million: 1, output_per_million: 1 } });
    await make("going");
    await move("going", "deprecate", { shutdown_date: DAY, replacement: "dear" });
    await ask("PATCH", "/api/models/dear", { price: { input_per_million: 1, output_per_million: 1, effective: DAY } });
    expectRefused(await move("going", "retire"), "state_conflict", /its replacement names dear, which has no price/);
    await ask("PATCH", "/api/models/dear", { free: true });
    expect((await move("going", "retire")).status).toBe(200);
  });

  test("of an unknown model", async () => {
    for (const reply of [
      await move("nobody", "retire"),
      await move("nobody", "deprecate", GOOD),
      await ask("PATCH", "/api/models/nobody", {}),
    ]) {
      expectRefused(reply, "unknown_model", /no model with the id "/);
    }
  });

  test("of a model that is declared in the config file, with its location", async () => {
    const replies = [
      await move("declared", "deprecate", GOOD),
      await move("declared-and-old", "retire"),
      await ask("PATCH", "/api/models/declared", { free: true }),
    ];
    for (const reply of replies)
      expectRefused(reply, "managed_elsewhere", new RegExp(`declared in ${gateway.folder}/tollgate.yaml .*id declared`));
    const { body } = await ask("GET", "/api/models/declared");
    expect(body).toMatchObject({ managed_by: "file", state: "available" });
  });

  test("without any change, and without an entry in the changelog", async () => {
    await make("calm");
    const before = [await seenByCallers("calm"), (await ask("GET", "/api/changelog")).body, (await ask("GET", "/api/audit-log")).body];
    for (const body of [
      { ...GOOD, shutdown_date: YESTERDAY },
      { ...GOOD, replacement: "nobody" },
    ])
      await move("calm", "deprecate", body);
    await move("calm", "retire");
    expect([await seenByCallers("calm"), (await ask("GET", "/api/changelog")).body, (await ask("GET", "/api/audit-log")).body]).toEqual(
      before,
    );
  });
});

test("of two concurrent transitions that exclude each other, one succeeds", async () => {
  for (let at = 0; at < 10; at++) {
    const [a, b] = [`left-${at}`, `right-${at}`];
    await Promise.all([make(a), make(b)]);
    const replies = await Promise.all([
      move(a, "deprecate", { shutdown_date: DAY, replacement: b }),
      move(b, "deprecate", { shutdown_date: DAY, replacement: a }),
      move(a, "deprecate", { shutdown_date: DAY, replacement: b }),
    ]);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  }
});

test("every model has the same state after a restart, and a retired one stays retired", async () => {
  const statesOf = async (): Promise<string[]> => {
    const { data } = await gateway.platform<{ data: Record<string, string>[] }>("GET", "/api/models?limit=1000");
    return data.map(({ id, state, replacement, deprecated_at }) => [id, state, replacement, deprecated_at].join(" "));
  };
  const before = await statesOf();
  await gateway.end();
  gateway = await startGateway({ folder: gateway.folder });
  expect(await statesOf()).toEqual(before);
  expect((await seenByCallers("acme/old")).json[1]).toBe("model_retired");
  expect((await seenByCallers("a")).json).toEqual([200, true, DAY, "c"]);
});
