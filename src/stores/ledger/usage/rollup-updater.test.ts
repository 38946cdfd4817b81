import type { Database as SqliteFile } from "bun:sqlite";
import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import * as fc from "fast-check";
import { FaultyFile, openMemory } from "../../../../test/ledger-model/faulty-file.ts";
import { NOW } from "../../../../test/support/money/ledger-samples.ts";
import { runs } from "../../../../test/support/long.ts";
import { addUpPlainly, type EndedRequest } from "../../../../test/support/money/plain-usage.ts";
import type { ApiError } from "../../../requests/api-error.ts";
import type { Entry } from "../../../money/ledger-entry.ts";
import { EntryTable } from "../tables/entry-table.ts";
import type { UsageReportQuery } from "../ledger-record-store.ts";
import { UsageReader } from "./usage-reader.ts";
import { RollupUpdater, type Pace } from "./rollup-updater.ts";

const QUARTER_MS = 900_000;

/** A request, and the time between the end of the previous request and its end. */
type RequestEnd = Omit<EndedRequest, "atMs"> & { readonly stepMs: number };

const request: fc.Arbitrary<RequestEnd> = fc
  .record({
    account: fc.nat(2),
    key: fc.nat(1),
    model: fc.nat(1),
    upstream: fc.constantFrom("", "here", "there"),
    // Mostly forward, sometimes back, by less than a quarter hour or by days.
    stepMs: fc.oneof(
      { weight: 6, arbitrary: fc.nat(5 * 60_000) },
      { weight: 1, arbitrary: fc.integer({ min: -3 * 86_400_000, max: 40 * 86_400_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: -QUARTER_MS, max: 0 }) },
    ),
    tokens: fc.array(fc.oneof(fc.nat(9), fc.nat(1_000_000_000)), { minLength: 5, maxLength: 5 }),
    costNanos: fc.oneof(fc.bigInt(0n, 2_000_000_000n), fc.bigInt(0n, 2n ** 60n)),
    unchargedNanos: fc.bigInt(0n, 3n),
    attribution: fc.option(
      fc.record(
        {
          user: fc.constantFrom("ada", "grace", "edsger", "barbara"),
          conversation: fc.constantFrom("one", "two"),
          tags: fc.record({ team: fc.constantFrom("search", "ads"), env: fc.constantFrom("prod", "test") }, { requiredKeys: [] }),
        },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    ),
  })
  .map(({ account, key, model, upstream, stepMs, tokens, costNanos, unchargedNanos, attribution }) => {
    const isFailure = upstream === "";
    const [promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens] = (isFailure ? [0, 0, 0, 0, 0] : tokens) as [
      number,
      number,
      number,
      number,
      number,
    ];
    return {
      accountId: `account-${account}`,
      keyId: `key-${account}-${key}`,
      model: `model-${model}`,
      upstream,
      stepMs,
      usage: { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens },
      costNanos: isFailure ? 0n : costNanos,
      unchargedNanos: isFailure ? 0n : unchargedNanos,
      attribution,
    };
  });

const time = {
  /** In thousandths of the whole time span. */
  bounds: fc.uniqueArray(fc.integer({ min: -100, max: 1100 }), { minLength: 2, maxLength: 6 }),
  areQuarters: fc.boolean(),
};

const filters = {
  accountId: fc.option(fc.constantFrom("account-0", "account-2", "account-9"), { nil: undefined }),
  keyId: fc.option(fc.constantFrom("key-0-1", "key-2-0"), { nil: undefined, freq: 6 }),
  model: fc.option(fc.constantFrom("model-1"), { nil: undefined }),
};

const plainQuestion = fc.record({
  ...time,
  ...filters,
  by: fc.constantFrom<UsageReportQuery["by"][]>(
    [],
    ["model"],
    ["key"],
    ["account"],
    ["upstream"],
    ["account", "model"],
    ["model", "upstream"],
  ),
  attributed: fc.constant(undefined),
});

const attributedQuestion = fc.record({
  ...time,
  ...filters,
  by: fc.constantFrom<UsageReportQuery["by"][]>([], ["attributed"], ["account", "attributed"], ["key", "attributed"], ["model"]),
  attributed: fc.oneof(
    fc.record({
      dimension: fc.constant("user" as const),
      names: fc.option(fc.constantFrom(["ada"], ["none"], ["other", "grace"], ["nobody"]), { nil: undefined }),
    }),
    fc.record({
      dimension: fc.constant("conversation" as const),
      names: fc.option(fc.constantFrom(["two"], ["none"], ["other"]), { nil: undefined }),
    }),
    fc.record({
      dimension: fc.constant("tag:team" as const),
      names: fc.option(fc.constantFrom(["ads"], ["none"], ["other"]), { nil: undefined }),
    }),
  ),
});

const question: fc.Arbitrary<Question> = fc.oneof(plainQuestion, attributedQuestion);

const namesPerDay = fc.constantFrom(1, 2, 3, 10_000);

const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("end" as const), requests: fc.array(request, { minLength: 1, maxLength: 6 }) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("ask" as const), question }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("turn" as const), times: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("kill" as const), namesPerDay }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("close" as const), namesPerDay }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("break" as const),
      fault: fc.constantFrom("fails", "undone", "kept", undefined, undefined, undefined),
    }),
  },
);

const pace: fc.Arbitrary<Pace> = fc.record({
  entriesRead: fc.integer({ min: 1, max: 50 }),
  // With 0, a transaction writes only one rollup.
  writeMs: fc.constantFrom(0, 1000),
  usesPerWrite: fc.integer({ min: 1, max: 12 }),
  seriesInRow: fc.constantFrom(1, 2, 256),
  attributedInRow: fc.constantFrom(1, 2, 256),
  seriesInMemory: fc.constantFrom(0, 3, 100_000),
  namesPerDay,
  awaited: fc.constant(Infinity),
});

/** An updater in a process that can be killed: its later work then has no effect. */
class Life {
  readonly updater: RollupUpdater;
  readonly file: SqliteFile;
  #isOver = false;

  constructor(faulty: FaultyFile, its: Pace) {
    this.file = new Proxy(faulty.asFile, {
      get: (file, name) => {
        if (this.#isOver) throw new Error("killed");
        const value = Reflect.get(file, name, file) as unknown;
        return typeof value === "function" ? (value.bind(file) as unknown) : value;
      },
    });
    this.updater = new RollupUpdater(this.file, its);
  }

  kill(): void {
    this.#isOver = true;
    this.updater.close();
  }
}

class History {
  readonly #faulty: FaultyFile;
  readonly #entries: EntryTable;
  readonly #requests: EndedRequest[] = [];
  #pace: Pace;
  #life: Life;
  #lastId = 0;
  #nowMs = NOW;

  constructor(faulty: FaultyFile, its: Pace) {
    faulty.empty();
    this.#faulty = faulty;
    this.#entries = new EntryTable(faulty.asFile);
    this.#pace = its;
    this.#life = new Life(faulty, its);
  }

  async run(commands: readonly Command[]): Promise<void> {
    for (const each of commands) await this.#step(each);
    this.#faulty.faultBeside = undefined;
    const everything = { bounds: [-100, 1100], areQuarters: false, accountId: undefined, keyId: undefined, model: undefined };
    await this.#ask({ ...everything, by: ["key", "model"], attributed: undefined });
    for (const dimension of ["user", "conversation", "tag:team", "tag:env"] as const) {
      await this.#ask({ ...everything, by: ["account", "attributed"], attributed: { dimension } });
    }
    this.#life.updater.close();
  }

  /** Two queries during the same reading return the same result, whatever requests end meanwhile. */
  async readTwice(before: readonly RequestEnd[], meanwhile: readonly RequestEnd[]): Promise<void> {
    this.#end(before);
    const asked: UsageReportQuery = { bounds: [0, 2 * NOW], by: ["key", "model"] };
    const expected = addUpPlainly(this.#requests, asked);
    const { updater } = this.#life;
    const [first, second] = await updater.read(async () => {
      const earlier = await new UsageReader(updater.state, asked).report();
      this.#end(meanwhile);
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      return [earlier, await new UsageReader(updater.state, asked).report()];
    });
    expect([first, second]).toEqual([expected, expected]);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    expect(await updater.read(() => new UsageReader(updater.state, asked).report())).toEqual(addUpPlainly(this.#requests, asked));
    this.#life.kill();
  }

  /** A start with far more missing entries than a report waits for. */
  async beFarBehind(requests: readonly RequestEnd[]): Promise<void> {
    this.#end(requests);
    const { updater } = this.#life;
    const asked: UsageReportQuery = { bounds: [0, 2 * NOW], by: ["key"] };
    const ask = (): Promise<unknown> => updater.read(() => new UsageReader(updater.state, asked).report());
    const answers: unknown[] = [];
    while (typeof answers.at(-1) !== "object") {
      answers.push(await ask().catch((error: ApiError) => `${error.code} ${error.message}`));
      await Bun.sleep(1);
    }
    const refusals = answers
      .slice(0, -1)
      .map((answer) => Number(/^overloaded .* added up: (\d+) % of the ledger/.exec(String(answer))?.[1]));
    expect(refusals[0]).toBe(0);
    expect(refusals.at(-1)).toBeGreaterThan(0);
    expect(refusals).toEqual(refusals.toSorted((one, other) => one - other));
    expect(answers.at(-1)).toEqual(addUpPlainly(this.#requests, asked));
    updater.close();
    // The next start has nothing to add up, and knows it at once.
    const next = new Life(this.#faulty, this.#pace);
    const again = await next.updater.read(() => new UsageReader(next.updater.state, asked).report());
    expect(again).toEqual(addUpPlainly(this.#requests, asked));
    next.kill();
  }

  async #step(each: Command): Promise<void> {
    switch (each.do) {
      case "end":
        return this.#end(each.requests);
      case "ask":
        return this.#ask(each.question);
      case "turn":
        for (let turn = 0; turn < each.times; turn++) await nextTurn();
        return;
      case "break":
        this.#faulty.faultBeside = each.fault;
        return;
      case "kill":
      case "close":
        if (each.do === "close") this.#life.updater.close();
        this.#life.kill();
        this.#pace = { ...this.#pace, namesPerDay: each.namesPerDay };
        this.#life = new Life(this.#faulty, this.#pace);
    }
  }

  /** Writes a group of entries in one transaction and passes it to the updater, as the ledger does. */
  #end(requests: readonly RequestEnd[]): void {
    const noted = requests.flatMap(({ stepMs, ...names }) => {
      this.#nowMs += stepMs;
      const ended = { ...names, atMs: this.#nowMs };
      this.#requests.push(ended);
      return this.#entriesOf(ended);
    });
    for (const entry of noted) this.#entries.insert(entry);
    this.#life.updater.note(noted);
  }

  #entriesOf({ accountId, keyId, model, upstream, atMs, usage, costNanos, unchargedNanos, attribution }: EndedRequest): Entry[] {
    const [holdId, id] = [++this.#lastId, ++this.#lastId];
    const head = { accountId, keyId, model, atMs, actor: keyId, reason: "why", requestId: `r${id}`, priceVersion: "v", attribution };
    const hold: Entry = { kind: "hold", id: holdId, ...head, amountNanos: costNanos };
    if (upstream === "") return [hold, { kind: "release", id, ...head, holdId }];
    const counts = { usage, provenance: "measured", upstream, upstreamModel: "m", attempts: 1 } as const;
    return [hold, { kind: "settle", id, ...head, holdId, amountNanos: costNanos, unchargedNanos, ...counts }];
  }

  async #ask({ bounds, areQuarters, ...rest }: Question): Promise<void> {
    const times = this.#requests.map(({ atMs }) => atMs);
    const [first, last] = [Math.min(NOW, ...times), Math.max(NOW, ...times) + QUARTER_MS];
    const moments = bounds.map((part) => Math.floor(first + (part / 1000) * (last - first)));
    const fitted = areQuarters ? moments.map((ms) => Math.floor(ms / QUARTER_MS) * QUARTER_MS) : moments;
    const asked = { bounds: [...new Set(fitted)].toSorted((one, other) => one - other), ...rest };
    if (asked.bounds.length < 2) return;
    const { updater } = this.#life;
    let report;
    try {
      report = await updater.read(() => new UsageReader(updater.state, asked).report());
    } catch (error) {
      // The error is expected if the updater must read much and can write nothing.
      if (this.#faulty.faultBeside === undefined) throw error;
      return;
    }
    expect(report).toEqual(addUpPlainly(this.#requests, asked, this.#limits()));
  }

  /** The limit of each day: the setting when its first request was added up, by this process or an earlier one. */
  #limits(): (day: number) => number {
    const rows = this.#faulty.inner.query<{ day: number; names: number }, []>("select day, names from attribution_days").all();
    const byDay = new Map(rows.map(({ day, names }) => [day, names]));
    return (day) => byDay.get(day)!;
  }
}

interface Question extends Omit<UsageReportQuery, "after" | "limit" | "isCostliestFirst"> {
  readonly areQuarters: boolean;
}
type Command = typeof command extends fc.Arbitrary<infer Of> ? Of : never;

test("in every history of requests, kills, other limits, disk failures and clock changes, a report equals the sum of the closed requests", async () => {
  const faulty = new FaultyFile(await openMemory());
  const histories = fc.array(command, { minLength: 5, maxLength: 60, size: "max" });
  const property = fc.asyncProperty(histories, pace, (commands, its) => new History(faulty, its).run(commands));
  await fc.assert(property, runs(20, 8000));
  faulty.inner.close();
}, 7_200_000);

test("rollups do not change while a report is read", async () => {
  const faulty = new FaultyFile(await openMemory());
  const [before, meanwhile] = [fc.sample(request, { numRuns: 40, seed: 1 }), fc.sample(request, { numRuns: 600, seed: 2 })];
  for (const usesPerWrite of [1, 100, 10_000]) {
    await new History(faulty, {
      entriesRead: 10,
      writeMs: 1000,
      usesPerWrite,
      seriesInRow: 3,
      attributedInRow: 3,
      seriesInMemory: 5,
      namesPerDay: 2,
      awaited: Infinity,
    }).readTwice(before, meanwhile);
  }
  faulty.inner.close();
});

test("rejects a report with its progress while many entries are missing from the rollups, which catch up in the background", async () => {
  const faulty = new FaultyFile(await openMemory());
  const requests = fc.sample(request, { numRuns: 100, seed: 3 });
  await new History(faulty, {
    entriesRead: 10,
    writeMs: 0,
    usesPerWrite: 20,
    seriesInRow: 3,
    attributedInRow: 3,
    seriesInMemory: 5,
    namesPerDay: 2,
    awaited: 20,
  }).beFarBehind(requests);
  faulty.inner.close();
});
