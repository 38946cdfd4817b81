import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import type { EndedRequest } from "../../src/requests/request-notes.ts";
import { memberOf, openPlatform, OPERATOR, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { attemptAt, chargeOf, endedAt } from "./ended-samples.ts";

const MINUTE = 60_000;
const requestLog = { ...STORE_OPTIONS.requestLog, days: 30, maxBytes: 1e9 };

let platform: PlatformInProcess;
/** Requests by name, in the order in which they ended, over two days. */
let noted: Record<string, EndedRequest>;
let nowMs: number;

beforeAll(async () => {
  platform = await openPlatform(new Map(), { requestLog });
  nowMs = Date.now();
  const acme = { accountId: "acme", keyId: "key-a", requestedModel: "fast" };
  const other = { accountId: "other", keyId: "key-b", requestedModel: "slow" };
  const failed = attemptAt("hidden-1", 1010, { outcome: "failed", detail: "hidden words" });
  noted = {
    yesterday: endedAt(nowMs - 25 * 60 * MINUTE, 200, {
      ...acme,
      charge: chargeOf(7n, "hidden-2"),
      attempts: [attemptAt("hidden-2", 1010)],
    }),
    anonymous: endedAt(nowMs - 50 * MINUTE, 401, { code: "invalid_api_key" }),
    limited: endedAt(nowMs - 40 * MINUTE, 429, { ...acme, code: "rate_limit_exceeded", detail: "what was told" }),
    failed: endedAt(nowMs - 30 * MINUTE, 502, { ...acme, code: "upstream_error", detail: "hidden detail", attempts: [failed] }),
    broken: endedAt(nowMs - 20 * MINUTE, 200, { ...other, isStream: true, end: "failed", code: "upstream_error", begunAt: 1100 }),
    second: endedAt(nowMs - 10 * MINUTE, 200, {
      ...other,
      charge: chargeOf(9n, "second"),
      attempts: [failed, attemptAt("second", 1040)],
    }),
  };
  for (const request of Object.values(noted)) platform.stores.requestLog.note(request);
  for (const [name, status] of [
    ["failed", 200],
    ["yesterday", 502],
  ] as const) {
    const response = { status: 502, finishReason: null, promptTokens: null, completionTokens: null, firstByteMs: null, durationMs: 5 };
    const result = { model: "fast", upstream: "hidden-3", upstreamModel: "m", response, mirror: { ...response, status }, detail: null };
    platform.stores.requestLog.noteMirror({ requestId: noted[name]!.requestId, ...result });
  }
});
afterAll(() => platform.stop());

interface Page {
  readonly data: readonly Record<string, unknown>[];
  readonly next: string | null;
  readonly newer: string | null;
}

async function list(query: string, actor = OPERATOR): Promise<Page> {
  const { status, text, body } = await platform.call(actor, "listRequests", { query });
  expect([status, status === 200 ? "" : text]).toEqual([200, ""]);
  return body as unknown as Page;
}

/** The names of the rows' requests. */
function namesOf(rows: readonly Record<string, unknown>[]): string[] {
  const names = new Map(Object.entries(noted).map(([name, { requestId }]) => [requestId, name]));
  return rows.map((row) => names.get(row["request_id"] as string)!);
}

const all = ["second", "broken", "failed", "limited", "anonymous", "yesterday"];
const since = (minutes: number): string => encodeURIComponent(new Date(nowMs - minutes * MINUTE).toISOString());

describe("a list of requests", () => {
  test.each([
    ["", all],
    ["account=acme", ["failed", "limited", "yesterday"]],
    ["key=key-b", ["second", "broken"]],
    ["model=fast", ["failed", "limited", "yesterday"]],
    ["upstream=second", ["second"]],
    ["upstream=hidden-1", ["failed"]],
    ["status=200", ["second", "broken", "yesterday"]],
    ["status=4xx", ["limited", "anonymous"]],
    ["status=5xx", ["failed"]],
    ["status=3xx", []],
    ["outcome=failed", ["failed", "broken"].toReversed()],
    ["outcome=refused,failed", ["broken", "failed", "limited", "anonymous"]],
    ["code=upstream_error", ["broken", "failed"]],
    ["account=acme&code=upstream_error", ["failed"]],
    ["min_cost=0.000000008", ["second"]],
    ["max_cost=0.000000008", ["yesterday"]],
    ["min_cost=0&max_cost=1.5", ["second", "yesterday"]],
    ["min_duration_ms=501", []],
    ["max_duration_ms=500&status=4xx", ["limited", "anonymous"]],
    ["min_tokens=46&max_tokens=46", ["second", "yesterday"]],
    ["min_attempts=2", ["second"]],
    ["max_attempts=0", ["broken", "limited", "anonymous"]],
    ["error=HIDDEN", ["second", "failed"]],
    ["error=hidden+words&code=upstream_error", ["failed"]],
    ["mirror=any", ["failed", "yesterday"]],
    ["mirror=different", ["failed"]],
    ["mirror=any&status=200", ["yesterday"]],
    ["sort=cost", ["second", "yesterday", "broken", "failed", "limited", "anonymous"]],
    ["sort=cost&order=lowest&account=acme", ["yesterday", "failed", "limited"]],
    ["sort=tokens&status=200", ["second", "yesterday", "broken"]],
    ["sort=time&order=oldest&status=4xx", ["anonymous", "limited"]],
    ["order=oldest", all.toReversed()],
    ["order=oldest&status=4xx", ["anonymous", "limited"]],
    ["account=nobody", []],
  ])("has what %p asks for", async (query, names) => {
    expect(namesOf((await list(query)).data)).toEqual(names);
    const filters = new URLSearchParams(query);
    for (const other of ["sort", "order"]) filters.delete(other);
    const { body } = await platform.call(OPERATOR, "countRequests", { query: filters.toString() });
    expect(body as unknown).toEqual({ count: names.length, is_exact: true });
  });

  test("filters by end time", async () => {
    expect(namesOf((await list(`from=${since(45)}&to=${since(15)}`)).data)).toEqual(["broken", "failed", "limited"]);
  });

  test("finds a request by its id, whatever the other filters", async () => {
    expect(namesOf((await list(`request_id=${noted["limited"]!.requestId}&status=200`)).data)).toEqual(["limited"]);
    expect((await list("request_id=req_none")).data).toEqual([]);
  });

  test.each([
    ["status=9xx", "status must be"],
    ["status=teapot", "status must be"],
    ["outcome=fine", "outcome must be one or more of complete, replayed"],
    ["order=random", "order must be"],
    ["order=highest", "order must be newest or oldest when requests are sorted by time"],
    ["sort=cost&order=newest", "order must be highest or lowest when requests are sorted by cost"],
    ["sort=colour", "sort must be one of"],
    ["min_cost=cheap", "min_cost must be a number of dollars"],
    ["max_cost=-1", "max_cost must be a number of dollars"],
    ["min_cost=2&max_cost=1", "min_cost must not be more than `max_cost`"],
    ["min_tokens=1.5", "min_tokens must be"],
    ["min_attempts=-1", "min_attempts must be"],
    ["min_duration_ms=5&max_duration_ms=4", "min_duration_ms must not be more than `max_duration_ms`"],
    ["error=", "error must"],
    ["mirror=same", "mirror must be one of any, different"],
    ["from=yesterday", "from must be a date"],
    ["from=2027-02-01&to=2027-01-31", "from must be before `to`"],
    ["code=rate_limit_exeeded", "code must be one of"],
    ["cursor=nonsense", "cursor must be"],
    [`cursor=${Buffer.from('["2027-01-31",1e999]').toString("base64url")}`, "cursor must be"],
    ["colour=red", "colour is not"],
  ])("refuses %p", async (query, words) => {
    const { status, text } = await platform.call(OPERATOR, "listRequests", { query });
    expect([status, text]).toEqual([400, expect.stringContaining(words)]);
  });

  test.each(["newest", "oldest"])("comes in pages, %s first, across days", async (order) => {
    const seen: Record<string, unknown>[] = [];
    let cursor = "";
    for (let pages = 0; pages < 10; pages++) {
      const { data, next } = await list(`order=${order}&limit=2${cursor}`);
      seen.push(...data);
      expect(data.length).toBeLessThanOrEqual(2);
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    expect(namesOf(seen)).toEqual(order === "newest" ? all : all.toReversed());
  });

  test("comes in pages by cost, and a cursor fits its order", async () => {
    const seen: string[] = [];
    let cursor = "";
    do {
      const { data, next, newer } = await list(`sort=cost&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...namesOf(data));
      expect(newer).toBeNull();
      if (next !== null) expect((await platform.call(OPERATOR, "listRequests", { query: `cursor=${next}` })).status).toBe(400);
      cursor = next ?? "";
    } while (cursor !== "");
    expect(seen).toEqual(["second", "yesterday", "broken", "failed", "limited", "anonymous"]);
  });

  test("refuses to sort more than a million requests, and says what to do", async () => {
    const refusing = spyOn(platform.platform.requestLog, "listSorted").mockResolvedValue(undefined);
    try {
      const { status, text } = await platform.call(OPERATOR, "listRequests", { query: "sort=cost" });
      expect([status, text]).toEqual([400, expect.stringContaining("sort by cost can read about 1,000,000 requests")]);
    } finally {
      refusing.mockRestore();
    }
  });

  test("shows all fields of a request", async () => {
    const [row] = (await list("upstream=second")).data;
    expect(row).toEqual({
      request_id: noted["second"]!.requestId,
      started_at: new Date(nowMs - 10 * MINUTE - 500).toISOString(),
      ended_at: new Date(nowMs - 10 * MINUTE).toISOString(),
      account: "other",
      key: "key-b",
      key_name: null,
      model: "slow",
      stream: false,
      status: 200,
      outcome: "complete",
      code: null,
      param: null,
      attempts: 2,
      from_cache: false,
      usage: {
        prompt_tokens: 12,
        completion_tokens: 34,
        total_tokens: 46,
        prompt_tokens_details: { cached_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 6 },
      },
      provenance: "measured",
      cost: "0.000000009",
      duration_ms: 500,
      first_token_ms: null,
      overhead_ms: null,
      request_bytes: 0,
      reply_bytes: 0,
      client: "a-client/1.0",
      user: null,
      conversation: null,
      endpoint: "chat_completions",
      tags: {},
      answered_by: null,
      upstream: "second",
      mirror: null,
      detail: null,
    });
  });
});

describe("following the log", () => {
  test("returns each request once after the newest page, also with small pages", async () => {
    const { newer: start } = await list("account=late");
    const late = Array.from({ length: 7 }, (_, at) =>
      endedAt(nowMs + at, at % 2 === 0 ? 200 : 429, { accountId: at % 3 === 0 ? "late" : "noise" }),
    );
    const seen: string[] = [];
    let cursor = start!;
    for (const request of late) {
      platform.stores.requestLog.note(request);
      const { data, next, newer } = await list(`account=late&order=oldest&cursor=${cursor}`);
      seen.push(...data.map((row) => row["request_id"] as string));
      expect(next).toBeNull();
      cursor = newer!;
      // The cursor also passes rows that do not match the filter.
      expect((await list(`order=oldest&cursor=${cursor}`)).data).toEqual([]);
    }
    expect(seen).toEqual(late.filter(({ notes }) => notes.accountId === "late").map(({ requestId }) => requestId));
    const pages = await list(`order=oldest&limit=3&cursor=${start}`);
    expect(pages.data.length).toBe(3);
    const after = async (place: string | null): Promise<unknown> => (await list(`order=oldest&limit=3&cursor=${place}`)).data;
    expect(await after(pages.newer)).toEqual(await after(pages.next));
  });

  test("starts at the beginning of an empty log", async () => {
    const empty = await openPlatform(new Map(), { requestLog });
    try {
      const { data, newer } = (await empty.call(OPERATOR, "listRequests")).body;
      expect(data).toEqual([]);
      empty.stores.requestLog.note(endedAt(nowMs, 200));
      const { body } = await empty.call(OPERATOR, "listRequests", { query: `order=oldest&cursor=${newer as string}` });
      expect((body["data"] as unknown[]).length).toBe(1);
    } finally {
      await empty.stop();
    }
  });
});

describe("a member", () => {
  const member = memberOf("acme");

  test("sees the requests of the own account, without upstreams and their errors", async () => {
    const own = (await list("", member)).data;
    expect(namesOf(own)).toEqual(["failed", "limited", "yesterday"]);
    expect(JSON.stringify(own)).not.toMatch(/hidden|"upstream"/);
    expect(own.map(({ detail }) => detail)).toEqual([undefined, "what was told", undefined]);
    expect((await list("account=other", member)).data).toEqual([]);
    expect((await list("key=key-b", member)).data).toEqual([]);
  });

  test("sees why a model may not be called, like the caller", async () => {
    const refused = { accountId: "third", keyId: "key-c", requestedModel: "fast", code: "model_not_allowed", detail: "why not" } as const;
    platform.stores.requestLog.note(endedAt(nowMs, 403, refused));
    expect((await list("", memberOf("third"))).data.map(({ detail }) => detail)).toEqual(["why not"]);
  });

  test("cannot probe for an upstream or its words with a filter", async () => {
    for (const query of ["upstream=hidden-1", "error=hidden", "mirror=any"]) {
      for (const operation of ["listRequests", "countRequests", "exportRequests"]) {
        const { status, body } = await platform.call(member, operation, { query });
        expect([status, body["code"]]).toEqual([403, "not_permitted"]);
      }
    }
  });

  test("counts and sorts the requests of the own account", async () => {
    expect((await platform.call(member, "countRequests")).body as unknown).toEqual({ count: 3, is_exact: true });
    expect((await platform.call(member, "countRequests", { query: "account=other" })).body as unknown).toEqual({
      count: 0,
      is_exact: true,
    });
    expect(namesOf((await list("sort=cost", member)).data)).toEqual(["yesterday", "failed", "limited"]);
  });

  test("finds no request of another account by its id, nor one without an account", async () => {
    for (const name of ["second", "anonymous"]) {
      const { requestId } = noted[name]!;
      expect((await list(`request_id=${requestId}`, member)).data).toEqual([]);
      const { status, body } = await platform.call(member, "showRequest", { params: { requestId } });
      expect([status, body["code"]]).toEqual([404, "unknown_request"]);
    }
  });

  test("sees the same fields as in lists, and only the number of attempts", async () => {
    const { requestId } = noted["failed"]!;
    const { body, text } = await platform.call(member, "showRequest", { params: { requestId } });
    expect(body).toMatchObject({ request_id: requestId, attempts: 1, receipt: null });
    expect(text).not.toMatch(/hidden|"upstream"|"detail"|bodies|all_attempts/);
  });
});

test("an operator sees the attempts of a request in order, with their start times", async () => {
  const { requestId } = noted["second"]!;
  const { body } = await platform.call(OPERATOR, "showRequest", { params: { requestId } });
  expect(body["bodies"]).toBeNull();
  expect(body["all_attempts"]).toEqual([
    {
      upstream: "hidden-1",
      model: "up-hidden-1",
      started_ms: 10,
      duration_ms: 20,
      outcome: "failed",
      detail: "hidden words",
      fallback: null,
    },
    { upstream: "second", model: "up-second", started_ms: 40, duration_ms: 20, outcome: "answered", detail: null, fallback: null },
  ]);
});

test("returns 404 for bodies that were not stored, and changes nothing", async () => {
  for (const requestId of [noted["second"]!.requestId, "req_none"]) {
    const { status, body } = await platform.call(OPERATOR, "showBodies", { params: { requestId } });
    expect([status, body["code"]]).toEqual([404, "unknown_request"]);
  }
  expect(await platform.stores.auditLog.page({ action: "request.read_bodies" }, Number.MAX_SAFE_INTEGER, 1)).toEqual([]);
});
