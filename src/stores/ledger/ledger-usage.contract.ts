import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, LARGE, NOW, USAGE, grant, hold, settlement } from "../../../test/support/money/ledger-samples.ts";
import { cells } from "../../../test/support/long.ts";
import { addUpPlainly, type EndedRequest } from "../../../test/support/money/plain-usage.ts";
import type { Entry } from "../../money/ledger-entry.ts";
import type { LedgerFixture } from "./ledger-store.contract.ts";
import type { Attribution, Tags } from "../../money/attribution.ts";
import {
  RANKED_MEASURES,
  type AttributedUsage,
  type LedgerRecordStore,
  type UsageDimension,
  type CostedMeasures,
  type UsageReportQuery,
} from "./ledger-record-store.ts";
import type { LedgerStore } from "./ledger-store.ts";

const EVER = [0, NOW + 1000 * DAY_MS];
const MINUTE_MS = 60_000;
const NO_TOKENS = { promptTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, completionTokens: 0, reasoningTokens: 0 };
const NO_COSTS = { costedRequests: 0, upstreamCostNanos: 0n, costedNanos: 0n };
const NOTHING: CostedMeasures = { requests: 0, failed: 0, ...NO_TOKENS, costNanos: 0n, unchargedNanos: 0n, ...NO_COSTS };

/** Requests over some weeks, some of them failed, on a clock that is corrected now and then. */
function requests(count: number): EndedRequest[] {
  return Array.from({ length: count }, (_, at) => {
    const isFailure = at % 11 === 0;
    return {
      accountId: `account-${at % 3}`,
      keyId: `key-${at % 3}-${at % 2}`,
      model: `model-${at % 5}`,
      upstream: isFailure ? "" : `upstream-${at % 4}`,
      atMs: NOW + at * 7 * MINUTE_MS - (at % 500 < 5 ? 3 * DAY_MS : 0),
      usage: isFailure ? NO_TOKENS : { ...USAGE, promptTokens: at },
      costNanos: isFailure ? 0n : LARGE + BigInt(at),
      unchargedNanos: isFailure ? 0n : BigInt(at % 3),
      attribution: attributionOf(at),
      upstreamCostNanos: isFailure || at % 4 === 0 ? undefined : LARGE - BigInt(at),
    };
  });
}

/** Some have an end user, some a conversation, tags or an endpoint other than chat completions, and some nothing. */
function attributionOf(at: number): Attribution | undefined {
  const user = at % 4 === 0 ? undefined : `user-${at % 7}`;
  const tags = at % 3 === 0 ? undefined : { team: `team-${at % 2}`, ...(at % 5 === 0 && { env: "prod" }) };
  const conversation = at % 2 === 0 ? undefined : `conversation-${at % 9}`;
  const endpoint = at % 6 === 1 ? "messages" : at % 6 === 2 ? "responses" : undefined;
  return at % 13 === 0 ? undefined : { user, tags, conversation, endpoint };
}

async function endAll(store: LedgerStore, all: readonly EndedRequest[], prefix = "r"): Promise<void> {
  for (const [
    at,
    { accountId, keyId, model, upstream, atMs, usage, costNanos, unchargedNanos, upstreamCostNanos, attribution },
  ] of all.entries()) {
    const id = `${prefix}${String(at).padStart(6, "0")}`;
    await store.hold(hold(id, costNanos, { accountId, keyId, model, atMs: atMs - 1, attribution }));
    if (upstream === "") store.release(id, "upstream_error", atMs);
    else await store.settle(id, settlement(costNanos + unchargedNanos, { atMs, usage, upstream, capNanos: costNanos, upstreamCostNanos }));
  }
}

const GROUPS: readonly (readonly UsageDimension[])[] = [
  [],
  ["model"],
  ["key"],
  ["account"],
  ["upstream"],
  ["key", "model"],
  ["account", "upstream"],
];

const ATTRIBUTED: readonly (readonly [AttributedUsage, readonly UsageDimension[]])[] = [
  [{ dimension: "user" }, ["attributed"]],
  [{ dimension: "user" }, ["account", "attributed"]],
  [{ dimension: "user" }, ["model", "attributed"]],
  [{ dimension: "user" }, []],
  [{ dimension: "user", names: ["user-3"] }, []],
  [{ dimension: "user", names: ["user-3"] }, ["key", "attributed"]],
  [{ dimension: "user", names: ["none"] }, ["model"]],
  [{ dimension: "conversation" }, ["key", "attributed"]],
  [{ dimension: "conversation", names: ["conversation-5"] }, ["account"]],
  [{ dimension: "tag:team" }, ["account", "attributed"]],
  [{ dimension: "tag:env", names: ["prod"] }, ["model"]],
  [{ dimension: "tag:env", names: ["none"] }, ["attributed"]],
  [{ dimension: "tag:absent" }, ["attributed"]],
  [{ dimension: "endpoint" }, ["attributed"]],
  [{ dimension: "endpoint" }, ["account", "attributed"]],
  [{ dimension: "endpoint" }, ["model", "attributed"]],
  [{ dimension: "endpoint", names: ["messages"] }, ["key"]],
  [{ dimension: "endpoint", names: ["none"] }, ["model"]],
];

/** All entries, in order. */
async function readEntries(records: LedgerRecordStore): Promise<readonly Entry[]> {
  const all: Entry[] = [];
  for (let page = await records.entriesAfter(0, 500); page.length > 0; page = await records.entriesAfter(all.at(-1)!.id, 500))
    all.push(...page);
  return all;
}

/** Contract tests of usage reports for every implementation of this port. */
export function ledgerUsageContract(name: string, open: () => Promise<LedgerFixture>): void {
  describe(`${name} adds up usage`, () => {
    let fixture: LedgerFixture;
    let store: LedgerStore;
    let records: LedgerRecordStore;
    beforeEach(async () => {
      fixture = await open();
      ({ store, records } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    test("an empty ledger has none", async () => {
      expect(await records.usage({ bounds: EVER, by: ["model"] })).toEqual({ rows: [], total: NOTHING });
    });

    test("exactly, by time, model, key, account and upstream", async () => {
      const all = requests(2500);
      await endAll(store, all);
      const begin = NOW + 3 * DAY_MS + 1;
      const some = [begin, NOW + 8 * DAY_MS];
      const days = Array.from({ length: 6 }, (_, at) => begin + at * DAY_MS);
      const oddly = [begin, begin + 1, begin + 15 * MINUTE_MS, begin + 16 * MINUTE_MS, begin + 3 * DAY_MS, begin + 9 * DAY_MS + 7];
      const questions: Omit<UsageReportQuery, "by">[] = [
        { bounds: EVER },
        { bounds: some },
        { bounds: days },
        { bounds: oddly },
        { bounds: oddly, accountId: "account-2" },
        { bounds: days, accountId: "account-1" },
        { bounds: EVER, keyId: "key-2-0" },
        { bounds: days, model: "model-3" },
        { bounds: EVER, accountId: "account-0", keyId: "key-0-1", model: "model-1" },
        { bounds: EVER, accountId: "account-9" },
        { bounds: EVER, accountId: "" },
        { bounds: [all[700]!.atMs, all[700]!.atMs + 1] },
        { bounds: [all[1000]!.atMs, all[1004]!.atMs + 1] },
        { bounds: [all[998]!.atMs, all[1999]!.atMs] },
      ];
      for (const [question, by] of cells(questions, GROUPS)) {
        const asked = { ...question, by };
        expect([asked, await records.usage(asked)]).toEqual([asked, addUpPlainly(all, asked)]);
      }
      for (const [question, [attributed, by]] of cells(questions, ATTRIBUTED)) {
        const asked = { ...question, by, attributed };
        expect([asked, await records.usage(asked)]).toEqual([asked, addUpPlainly(all, asked)]);
      }
      const [one, other] = [{ bounds: days, by: ["model"] } as const, { bounds: some, by: ["key"] } as const];
      const asked = await Promise.all([records.usage(one), records.usage(other)]);
      expect(asked).toEqual([addUpPlainly(all, one), addUpPlainly(all, other)]);
    });

    test("of the largest groups by each measure, and of all others together", async () => {
      const all = requests(600);
      await endAll(store, all);
      const begin = NOW + 1;
      const days = Array.from({ length: 4 }, (_, at) => begin + at * DAY_MS);
      const groups: readonly (readonly [AttributedUsage | undefined, readonly UsageDimension[]])[] = [
        [undefined, ["model"]],
        [undefined, ["upstream"]],
        [undefined, ["key", "model"]],
        [{ dimension: "user" }, ["attributed"]],
        [{ dimension: "conversation" }, ["account", "attributed"]],
        [{ dimension: "tag:team" }, ["account", "attributed"]],
      ];
      for (const [[attributed, by], [at, measure]] of cells(groups, [...RANKED_MEASURES.entries()])) {
        for (const question of [{ bounds: days }, { bounds: EVER, accountId: "account-1" }]) {
          const asked = { ...question, by, attributed, largest: { count: at + 1, by: measure } };
          expect([asked, await records.usage(asked)]).toEqual([asked, addUpPlainly(all, asked)]);
        }
      }
    });

    test("by the tags that an account has had", async () => {
      await endAll(store, requests(40));
      expect(await records.tagsOf("account-1", NOW - 4 * DAY_MS)).toEqual(["env", "team"]);
      // Every third request is of this account, and has no tags.
      expect(await records.tagsOf("account-0", NOW - 4 * DAY_MS)).toEqual([]);
      ({ records } = await fixture.reopen());
      expect(await records.tagsOf("account-1", NOW - 4 * DAY_MS)).toEqual(["env", "team"]);
    });

    test("until the caller is gone, and serves the next report after it", async () => {
      const all = requests(30);
      await endAll(store, all);
      const question = { bounds: [all[3]!.atMs, all[20]!.atMs], by: ["model"] } as const;
      // One caller disconnects before the report begins, the other soon after.
      for (const looks of [0, 1]) {
        let left = looks;
        const signal = {
          get aborted() {
            return left-- <= 0;
          },
        } as AbortSignal;
        const asked = await Promise.allSettled([records.usage(question, signal), records.usage(question)]);
        expect(asked).toMatchObject([
          { status: "rejected", reason: { name: "CallerGone" } },
          { status: "fulfilled", value: addUpPlainly(all, question) },
        ]);
      }
    });

    test("in pages, each row once, with the overall total on each page", async () => {
      const all = requests(300);
      await endAll(store, all);
      const bounds = Array.from({ length: 4 }, (_, at) => NOW - 3 * DAY_MS + at * 2 * DAY_MS);
      for (const by of GROUPS) {
        const expected = addUpPlainly(all, { bounds, by });
        const rows = [];
        for (let after = undefined; rows.length < expected.rows.length; after = rows.at(-1)) {
          const page = await records.usage({ bounds, by, after, limit: 4 });
          expect(page.total).toEqual(expected.total);
          expect(page.rows.length).toBe(Math.min(4, expected.rows.length - rows.length));
          rows.push(...page.rows);
        }
        expect(rows).toEqual(expected.rows);
        expect((await records.usage({ bounds, by, after: rows.at(-1), limit: 4 })).rows).toEqual([]);
      }
    });

    test("in pages by end user, with the overall total on each page", async () => {
      const all = requests(300);
      await endAll(store, all);
      const bounds = Array.from({ length: 3 }, (_, at) => NOW - 3 * DAY_MS + at * 3 * DAY_MS);
      for (const names of [undefined, ["none"], ["user-2", "user-4"]]) {
        const question = { bounds, by: ["account", "attributed"], attributed: { dimension: "user", names } } as const;
        const expected = addUpPlainly(all, question);
        const rows = [];
        for (let after = undefined; rows.length < expected.rows.length; after = rows.at(-1)) {
          const page = await records.usage({ ...question, after, limit: 4 });
          expect(page.total).toEqual(expected.total);
          rows.push(...page.rows);
        }
        expect(rows).toEqual(expected.rows);
      }
    });

    test("without an end user that was erased, and its conversations, while amounts stay", async () => {
      const all = requests(400);
      await endAll(store, all);
      // Some entries are in the rollups already, and some are not.
      await records.usage({ bounds: EVER, by: ["attributed"], attributed: { dimension: "user" } });
      const later = requests(40);
      await endAll(store, later, "s");
      const [accountId, user] = ["account-1", "user-3"];
      const before = await readEntries(records);
      const conversations = new Set(
        [...all, ...later].flatMap(({ accountId: account, attribution: { user: who, conversation } = {} }) =>
          account === accountId && who === user && conversation !== undefined ? conversation : [],
        ),
      );
      const erase = (given: Attribution | undefined): Attribution | undefined => {
        const { user: who, conversation } = given ?? {};
        const isConversation = conversation !== undefined && conversations.has(conversation);
        return given && { ...given, ...(who === user && { user: "erased" }), ...(isConversation && { conversation: "erased" }) };
      };
      const erased = [...all, ...later].map((each) =>
        each.accountId === accountId ? { ...each, attribution: erase(each.attribution) } : each,
      );
      const result = await records.eraseEndUser(accountId, [user, "a hash of it"]);
      expect(result.conversations.toSorted()).toEqual([...conversations].toSorted());
      const expected = before.map((entry) =>
        "requestId" in entry && entry.accountId === accountId ? { ...entry, attribution: erase(entry.attribution) } : entry,
      );
      const changed = expected.filter((entry, at) => !Bun.deepEquals(entry, before[at]!, false));
      expect([result.entries, changed.length > 20]).toEqual([changed.length, true]);
      expect(await readEntries(records)).toEqual(expected);
      const ask = async (from: LedgerRecordStore): Promise<void> => {
        for (const dimension of ["user", "conversation", "tag:team"] as const) {
          for (const bounds of [EVER, [NOW + 1, NOW + DAY_MS + 1, NOW + 2 * DAY_MS]]) {
            const asked = { bounds, by: ["account", "attributed"], attributed: { dimension } } as const;
            expect([asked, await from.usage(asked)]).toEqual([asked, addUpPlainly(erased, asked)]);
          }
        }
      };
      await ask(records);
      expect(await records.eraseEndUser(accountId, [user])).toEqual({ entries: 0, conversations: [] });
      // A later request of the same end user counts as a new end user.
      const [again] = requests(4)
        .slice(3)
        .map((each) => ({ ...each, accountId, attribution: { user } }));
      await endAll(store, [again!], "t");
      erased.push(again!);
      await ask(records);
      ({ store, records } = await fixture.crash());
      await ask(records);
    });

    test("counts the tags of a day, however many others there were on the day before", async () => {
      const accountId = "account-0";
      const many = Array.from({ length: 13 }, (_, at) =>
        Object.fromEntries(Array.from({ length: 8 }, (_none, tag) => [`t${at}-${tag}`, "v"])),
      );
      const [first] = requests(1);
      const withTags = (atMs: number, tags: Tags): EndedRequest => ({ ...first!, accountId, atMs, attribution: { tags } });
      await endAll(store, [
        ...many.map((tags) => withTags(NOW, tags)),
        withTags(NOW + 1, { team: "a" }),
        withTags(NOW + DAY_MS, { team: "b" }),
      ]);
      const ask = async (from: LedgerRecordStore): Promise<unknown> => {
        const { rows } = await from.usage({ bounds: EVER, by: ["attributed"], accountId, attributed: { dimension: "tag:team" } });
        return rows.map(({ names, requests: count, failed }) => [names[0], count + failed]);
      };
      const expected = [
        ["b", 1],
        ["none", 14],
      ];
      expect(await ask(records)).toEqual(expected);
      ({ store, records } = await fixture.crash());
      expect(await ask(records)).toEqual(expected);
    });

    test("counts settlements and releases at once, but no open holds and no credit", async () => {
      await records.addCredit(grant(5n));
      for (const id of ["open", "released", "settled"]) await store.hold(hold(id, 10n));
      store.release("released", "client disconnected", NOW);
      const settled = store.settle("settled", settlement(7n));
      const { cacheWriteTokens, reasoningTokens } = USAGE;
      const counts = { promptTokens: 11, cachedTokens: 3, cacheWriteTokens, completionTokens: 22, reasoningTokens };
      const measures = { requests: 1, failed: 1, ...counts, costNanos: 7n, unchargedNanos: 0n, ...NO_COSTS };
      const question = { bounds: EVER, by: ["model"] } as const;
      const expected = { rows: [{ fromMs: 0, names: ["m"], ...measures }], total: measures };
      expect(await records.usage(question)).toEqual(expected);
      await settled;
      // The next start releases the open request.
      const later = { ...measures, failed: 2 };
      const after = { rows: [{ fromMs: 0, names: ["m"], ...later }], total: later };
      expect(await (await fixture.reopen()).records.usage(question)).toEqual(after);
    });

    test("the same after a crash and after a clean shutdown", async () => {
      const all = requests(60);
      const question = { bounds: EVER, by: ["key", "model"] } as const;
      for (let round = 0; round < 6; round++) {
        await endAll(store, all.slice(round * 10, round * 10 + 10), `${round}-`);
        if (round % 2 === 0) expect(await records.usage(question)).toEqual(addUpPlainly(all.slice(0, round * 10 + 10), question));
        ({ store, records } = round % 3 === 0 ? await fixture.crash() : await fixture.reopen());
        expect(await records.usage(question)).toEqual(addUpPlainly(all.slice(0, round * 10 + 10), question));
      }
    });
  });
}
