import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { endedRequest, type EndedSketch } from "../../../test/request-log/ended-requests.ts";
import { CapturedBodies, MAX_STORED_BYTES } from "../../requests/captured-bodies.ts";
import type { MirrorResult } from "../../requests/mirror-result.ts";
import type { LogPosition, PositionedRequest, RequestFilter, RequestLogStore } from "./request-log-store.ts";

/** A store under test, with a retention of 30 days, and a way to close and reopen it. */
export interface RequestLogFixture {
  readonly store: RequestLogStore;
  reopen(): Promise<RequestLogStore>;
  cleanUp(): Promise<void>;
}

/** Noon, so that tests stay within a day unless they intend otherwise. */
const NOON_MS = Date.parse("2027-01-31T12:00:00Z");
const DAY_MS = 24 * 60 * 60 * 1000;

type Direction = "older" | "newer";

function atEndpoint(endpoint: string): RequestFilter {
  return { attributed: [{ dimension: "endpoint", names: [endpoint] }] };
}

/** Contract tests for every implementation of this port. `nowMs` is the store's clock. */
export function requestLogStoreContract(name: string, open: (nowMs: () => number) => Promise<RequestLogFixture>): void {
  describe(`${name} implements RequestLogStore`, () => {
    let fixture: RequestLogFixture;
    let store: RequestLogStore;
    beforeEach(async () => {
      fixture = await open(() => NOON_MS);
      ({ store } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    /** Notes a request for each sketch, and returns their ids. */
    function note(...sketches: readonly EndedSketch[]): string[] {
      return sketches.map((sketch) => {
        const ended = endedRequest({ endedAtMs: NOON_MS, ...sketch });
        store.note(ended);
        return ended.requestId;
      });
    }

    async function ids(filter: RequestFilter = {}, direction: Direction = "newer"): Promise<string[]> {
      return (await store.list(filter, undefined, direction, 1000)).map(({ request }) => request.requestId);
    }

    test("lists noted requests unchanged and in order, from either end", async () => {
      const noted = note(
        {},
        { status: 429, notes: { code: "rate_limit_exceeded", charge: undefined, attempts: [] } },
        { notes: { isStream: false } },
      );
      expect(await ids()).toEqual(noted);
      expect(await ids({}, "older")).toEqual(noted.toReversed());
      const [first] = await store.list({}, undefined, "newer", 1);
      expect(first!.request).toMatchObject({ accountId: "acme", costNanos: 123_456n, durationMs: 1000.123, upstream: "openai" });
    });

    test("finds a request by its id, with all attempts", async () => {
      const tried = { upstreamModel: "m", startedAt: 5001, durationMs: 12.5, detail: "it said: no" };
      const attempts = [
        { ...tried, upstream: "a", outcome: "unreachable" as const },
        { ...tried, upstream: "b", outcome: "answered" as const, detail: undefined },
      ];
      const [id] = note({ notes: { attempts } }, {}, {});
      const found = await store.find(id!);
      expect(found!.attempts).toEqual([
        { upstream: "a", upstreamModel: "m", startedMs: 1, durationMs: 12.5, outcome: "unreachable", detail: "it said: no" },
        { upstream: "b", upstreamModel: "m", startedMs: 1, durationMs: 12.5, outcome: "answered", detail: null },
      ]);
      for (const other of [`req_${Bun.randomUUIDv7()}`, id!.toUpperCase(), "req_", "", "' or 1=1; --"]) {
        expect(await store.find(other)).toBeUndefined();
      }
    });

    test("finds a request that ended days after it started", async () => {
      const id = `req_${Bun.randomUUIDv7("hex", NOON_MS - 3 * DAY_MS)}`;
      store.note({ ...endedRequest({ endedAtMs: NOON_MS }), requestId: id });
      expect((await store.find(id))?.requestId).toBe(id);
    });

    test("returns what mirrors returned, by request and by model, newest first", async () => {
      const [mirrored, other, plain] = note({}, {}, {});
      const compared = { status: 200, finishReason: "stop", promptTokens: 5, completionTokens: 7, firstByteMs: null, durationMs: 12.5 };
      const result: MirrorResult = {
        requestId: mirrored!,
        model: "gpt",
        upstream: "old",
        upstreamModel: "gpt-4o",
        response: compared,
        mirror: { ...compared, status: 502, finishReason: null },
        detail: "it said: no",
      };
      store.noteMirror(result);
      store.noteMirror({ ...result, requestId: other! });
      expect(await store.mirrorsOf([plain!, mirrored!, "req_none"])).toEqual(new Map([[mirrored!, result]]));
      const ended = await (await fixture.reopen()).mirrorResults("gpt", 0, 10);
      expect(ended.map(({ requestId }) => requestId)).toEqual([mirrored!, other!].toSorted().toReversed());
      expect(await store.mirrorResults("other", 0, 10)).toEqual([]);
    });

    test("filters by mirrors: those that ended, and those with another status or finish reason, also after midnight", async () => {
      // The mirrors of `late` end on the day after their requests.
      const midnight = NOON_MS - 12 * 60 * 60 * 1000;
      const late = note({ endedAtMs: midnight - 1000 }, { endedAtMs: midnight - 1000 }, { endedAtMs: midnight - 1000 });
      const [equal, failed, shorter, plain] = note({}, {}, { status: 502 }, {});
      const response = { status: 200, finishReason: "stop", promptTokens: 5, completionTokens: 7, firstByteMs: null, durationMs: 12.5 };
      const mirrored = (requestId: string, mirror: Partial<MirrorResult["mirror"]>): void => {
        const names = { model: "gpt", upstream: "old", upstreamModel: "gpt-4o" };
        store.noteMirror({ requestId, ...names, response, mirror: { ...response, ...mirror }, detail: "it said: \0" });
      };
      expect(await ids({ mirror: "any" })).toEqual([]);
      mirrored(equal!, { completionTokens: 9, durationMs: 100 });
      mirrored(failed!, { status: 502, finishReason: null });
      mirrored(shorter!, { finishReason: "length" });
      mirrored(late[0]!, {});
      mirrored(late[1]!, { finishReason: null });
      mirrored(`req_${Bun.randomUUIDv7("hex", NOON_MS)}`, {});
      expect(await ids({ mirror: "any" })).toEqual([late[0]!, late[1]!, equal!, failed!, shorter!]);
      expect(await ids({ mirror: "different" })).toEqual([late[1]!, failed!, shorter!]);
      expect(await ids({ mirror: "different", status: 502 }, "older")).toEqual([shorter!]);
      expect(await store.count({ mirror: "any" })).toEqual({ count: 5, isExact: true });
      const sorted = await store.listSorted({ mirror: "different" }, { by: "cost", direction: "highest" }, undefined, 2);
      expect(sorted!.map(({ request }) => request.requestId)).toEqual([shorter!, failed!]);
      expect(await ids()).toEqual([...late, equal!, failed!, shorter!, plain!]);
    });

    test("every filter returns exactly the matching requests, also in combination", async () => {
      const code = { status: 429, notes: { code: "rate_limit_exceeded", charge: undefined, attempts: [] } };
      const [plain, account, key, model, upstream, refused] = note(
        {},
        { notes: { accountId: "beta" } },
        { notes: { keyId: "k2" } },
        { notes: { requestedModel: "other" } },
        { notes: { charge: undefined, attempts: [{ ...endedRequest().notes.attempts[0]!, upstream: "azure" }] } },
        code,
      );
      expect(await ids({ accountId: "beta" })).toEqual([account!]);
      expect(await ids({ keyId: "k2" })).toEqual([key!]);
      expect(await ids({ model: "other" })).toEqual([model!]);
      expect(await ids({ upstream: "azure" })).toEqual([upstream!]);
      const clientErrors = { status: { least: 400, most: 499 } };
      const bad = { outcome: ["failed", "refused"] } as const;
      for (const filter of [{ status: 429 }, clientErrors, { outcome: "refused" }, bad, { code: "rate_limit_exceeded" }] as const) {
        expect(await ids(filter)).toEqual([refused!]);
      }
      expect(await ids({ accountId: "acme", outcome: "complete", model: "fast-chat", keyId: "1t8M70XpfTe0", upstream: "openai" })).toEqual([
        plain!,
      ]);
      expect(await ids({ accountId: "beta", status: 429 })).toEqual([]);
      expect(await ids({ status: { least: 430, most: 599 } })).toEqual([]);
      expect((await ids({ outcome: ["complete", "refused"] })).length).toBe(6);
      expect(await ids({ accountId: "nobody" })).toEqual([]);
    });

    test("filters by end user, conversation and tag, and returns them", async () => {
      const attribution = { user: "ada", tags: { team: "search", "a.b": "1" }, conversation: "c1" };
      const [plain, ada, grace, tagged] = note(
        {},
        { notes: { attribution } },
        { notes: { attribution: { user: "grace", conversation: "c1" } } },
        { notes: { attribution: { tags: { team: "ads" } } } },
      );
      expect((await store.find(ada!))!.attribution).toEqual(attribution);
      expect((await store.find(plain!))!.attribution).toBeNull();
      const by = (...attributed: NonNullable<RequestFilter["attributed"]>): Promise<string[]> => ids({ attributed });
      expect(await by({ dimension: "user", names: ["ada"] })).toEqual([ada!]);
      expect(await by({ dimension: "user", names: ["hash", "grace", "ada"] })).toEqual([ada!, grace!]);
      expect(await by({ dimension: "user", names: ["none"] })).toEqual([plain!, tagged!]);
      expect(await by({ dimension: "conversation", names: ["c1"] })).toEqual([ada!, grace!]);
      expect(await by({ dimension: "tag:team", names: ["ads"] })).toEqual([tagged!]);
      expect(await by({ dimension: "tag:a.b", names: ["1"] })).toEqual([ada!]);
      expect(await by({ dimension: "tag:team", names: ["none"] })).toEqual([plain!, grace!]);
      const [user, conversation] = [
        { dimension: "user", names: ["grace"] } as const,
        { dimension: "conversation", names: ["c1"] } as const,
      ];
      expect(await by(user, conversation)).toEqual([grace!]);
      expect(await ids({ accountId: "beta", attributed: [user] })).toEqual([]);
    });

    test("filters by endpoint, of rejected requests too", async () => {
      const attribution = { user: "ada", endpoint: "messages" } as const;
      const rejected = { status: 401, notes: { code: "invalid_api_key", charge: undefined, attempts: [] } };
      const [chat, refusedChat, message, refusedMessage, response] = note(
        {},
        rejected,
        { path: "/v1/messages", notes: { attribution } },
        { path: "/v1/messages", ...rejected },
        { path: "/v1/responses" },
      );
      expect(await ids(atEndpoint("none"))).toEqual([chat!, refusedChat!]);
      expect(await ids(atEndpoint("messages"))).toEqual([message!, refusedMessage!]);
      expect(await ids(atEndpoint("responses"))).toEqual([response!]);
      expect((await store.find(message!))!.attribution).toEqual(attribution);
      expect((await store.find(refusedMessage!))!.attribution).toEqual({ endpoint: "messages" });
    });

    test("erases an end user and its prompts from requests, and leaves the others", async () => {
      const attribution = { user: "ada", tags: { team: "search" }, conversation: "c1" };
      const [ada, grace] = note(
        { notes: { attribution, bodies: new CapturedBodies("a prompt") } },
        { notes: { attribution: { user: "grace" }, bodies: new CapturedBodies("a prompt") } },
      );
      const user = { dimension: "user", names: ["ada"] } as const;
      const found = await store.list({ attributed: [user] }, undefined, "newer", 10);
      const erased = { user: "erased", tags: { team: "search" }, conversation: "erased" };
      await store.erase(found.map((each) => ({ ...each, attribution: erased, deletesBodies: true })));
      for (const log of [store, await fixture.reopen()]) {
        expect((await log.find(ada!))!.attribution).toEqual(erased);
        expect((await log.find(grace!))!.attribution).toEqual({ user: "grace" });
        expect(await log.list({ attributed: [user] }, undefined, "newer", 10)).toEqual([]);
        // The requests around an erased name are still found.
        const others = await log.list({ attributed: [{ dimension: "user", names: ["grace"] }] }, undefined, "newer", 10);
        expect(others.map(({ request }) => request.requestId)).toEqual([grace!]);
        expect(await log.bodiesOf(ada!)).toBeUndefined();
        expect((await log.bodiesOf(grace!))?.request).toBe("a prompt");
      }
    });

    test("a span includes its first moment and excludes its last", async () => {
      const times = [-2 * DAY_MS, -1000, 0, 1000, DAY_MS].map((offset) => NOON_MS + offset);
      const noted = note(...times.map((endedAtMs) => ({ endedAtMs })));
      expect(await ids({ fromMs: times[1]!, toMs: times[3]! })).toEqual(noted.slice(1, 3));
      expect(await ids({ fromMs: times[1]! + 1 })).toEqual(noted.slice(2));
      expect(await ids({ toMs: times[1]! })).toEqual(noted.slice(0, 1));
      expect(await ids({ fromMs: NOON_MS + 2 * DAY_MS })).toEqual([]);
      for (const end of ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59-23:59"]) expect(await ids({ toMs: Date.parse(end) })).toEqual(noted);
    });

    test("pages in either direction, over days and from any position, have each request once", async () => {
      const noted = note(
        ...Array.from({ length: 60 }, (_, at) => ({
          endedAtMs: NOON_MS - DAY_MS + at * 3_600_000,
          notes: { accountId: at % 3 ? "acme" : "beta" },
        })),
      );
      for (const [filter, expected] of [
        [{}, noted],
        [{ accountId: "beta" }, noted.filter((_, at) => at % 3 === 0)],
      ] as const) {
        for (const limit of [1, 7, 20, 60, 100]) {
          expect(await inPages(store, filter, "newer", limit)).toEqual([...expected]);
          expect(await inPages(store, filter, "older", limit)).toEqual(expected.toReversed());
        }
      }
    });

    test("paging forward while requests are written returns each once", async () => {
      const noted: string[] = [];
      const met: string[] = [];
      let from: LogPosition | undefined;
      for (let round = 0; round < 60; round++) {
        const count = (round * 7) % 23;
        noted.push(...note(...Array.from({ length: count }, () => ({ endedAtMs: NOON_MS + round * 1_800_000 }))));
        const page = await store.list({}, from, "newer", 10);
        met.push(...page.map(({ request }) => request.requestId));
        from = page.at(-1)?.position ?? from;
      }
      for (
        let page = await store.list({}, from, "newer", 10);
        page.length > 0;
        page = await store.list({}, page.at(-1)!.position, "newer", 10)
      ) {
        met.push(...page.map(({ request }) => request.requestId));
      }
      expect(met).toEqual(noted);
    });

    test("logs chat completions only, no probes and no other endpoints", async () => {
      note({ path: "/v1/models" }, { isProbe: true }, { path: "/healthz" });
      const [id] = note({});
      expect(await ids()).toEqual([id!]);
    });

    test("written requests survive a restart, and new ones follow them", async () => {
      const [before] = note({});
      store = await fixture.reopen();
      const [after] = note({});
      expect(await ids()).toEqual([before!, after!]);
    });

    test("counts as many written requests as were noted", async () => {
      note({}, {}, {});
      await ids();
      expect(store.state()).toMatchObject({ queued: 0, written: 3, dropped: 0, failure: undefined });
    });

    test("stores bodies of requests that were captured, and of no others", async () => {
      const bodies = new CapturedBodies('{"model":"m"}');
      bodies.capture('{"a":1}');
      bodies.capture('{"a":2}');
      const [captured, uncaptured] = note({ notes: { bodies } }, {});
      expect(await Promise.all([captured!, uncaptured!, "nonsense"].map((id) => store.hasBodies(id)))).toEqual([true, false, false]);
      expect(await store.bodiesOf(captured!)).toEqual({ request: '{"model":"m"}', reply: '{"a":1}\n{"a":2}', isCut: false });
      expect(await store.bodiesOf(uncaptured!)).toBeUndefined();
      expect(await store.bodiesOf("nonsense")).toBeUndefined();
      const reopened = await fixture.reopen();
      expect(await reopened.bodiesOf(captured!)).toMatchObject({ request: '{"model":"m"}' });
      expect(await Promise.all([captured!, uncaptured!].map((id) => reopened.hasBodies(id)))).toEqual([true, false]);
    });

    test("truncates bodies between two characters", async () => {
      const bodies = new CapturedBodies(`a${"€".repeat(40_000)}`);
      bodies.capture("short");
      const [id] = note({ notes: { bodies } });
      const kept = await store.bodiesOf(id!);
      expect(kept).toEqual({ request: `a${"€".repeat(Math.floor((MAX_STORED_BYTES - 1) / 3))}`, reply: "short", isCut: true });
    });
  });
}

/** All matching requests, read page by page. */
async function inPages(store: RequestLogStore, filter: RequestFilter, direction: Direction, limit: number): Promise<string[]> {
  const met: string[] = [];
  for (let page: readonly PositionedRequest[] | undefined; page === undefined || page.length > 0;) {
    page = await store.list(filter, page?.at(-1)?.position, direction, limit);
    met.push(...page.map(({ request }) => request.requestId));
  }
  return met;
}
