import type { Attribution } from "../../src/money/attribution.ts";
import { drainMicrotasks } from "bun:jsc";
import { headroomsFor } from "../../src/gateway/admission/headroom.ts";
import { EmbeddedLedgerStore } from "../../src/stores/ledger/embedded-ledger-store.ts";
import type { KeyRecord } from "../../src/access/api-key.ts";
import { USAGE, hold as newHold, settlement } from "../support/money/ledger-samples.ts";
import { NO_CAPS } from "../../src/money/limits.ts";
import type { CapsOf } from "../../src/stores/ledger/leases/purse-state.ts";
import { UNIT, accounts, inUnits, keys, lineOf, users } from "./accounts-and-keys.ts";
import type { Command, History } from "./commands.ts";
import { compareFigures, compareUsers, compareRows, expectSame, shouldFit } from "./compare-ledgers.ts";
import type { FaultyFile } from "./faulty-file.ts";
import { watchPromise, type WatchedPromise } from "./watch-promise.ts";
import type { ManualTimers } from "./manual-timers.ts";
import { SerialLedger, type Line, type Ticket } from "./serial-ledger.ts";

/** Plays a history on the real ledger and on the model, and compares them after every step. */
/** The number of entries before the spend of end users is counted, so that counting starts in the middle of a history. */
const COUNTED_AFTER = 8;
/** The totals of end users are compared after this many steps, because the model adds up all lines for each value. */
const USERS_EVERY = 4;

/** Treats end users as if they had spend caps. */
const capsOf: CapsOf = ({ scope, id }) => {
  const account = scope === "account" ? accounts.find((each) => each.id === id) : undefined;
  return { ...NO_CAPS, ...(scope === "user" && { dayNanos: 0n }), ...(account && { creditLine: account.creditLine }) };
};

export class Play {
  /** The situations that occurred, to see which situations histories reach. */
  readonly reached = new Set<string>();
  readonly #file: FaultyFile;
  readonly #timers: ManualTimers;
  readonly #model = new SerialLedger();
  #promised: { readonly watched: Ticket; readonly should: Ticket }[] = [];
  #store!: EmbeddedLedgerStore;
  #now: number;
  #requests = 0;
  #compared = 0;
  #compares = 0;
  /** Whether the clock was set back. For end users, only the latest day and month are known. */
  #wasSetBack = false;

  constructor(file: FaultyFile, timers: ManualTimers, now: number) {
    // The previous history may have failed in the middle.
    timers.clear();
    file.empty();
    this.#file = file;
    this.#timers = timers;
    this.#now = now;
    this.#open();
  }

  /** Runs the history, and then a last restart without failures, after which nothing is held and everything must add up. */
  static run(file: FaultyFile, timers: ManualTimers, { startsAt, commands }: History): ReadonlySet<string> {
    const play = new Play(file, timers, startsAt);
    play.#credit("grant", 0, 1000, 9);
    for (const command of commands) {
      play.#step(command);
      if (command.do !== "pass") play.#compare();
    }
    play.#end();
    return play.reached;
  }

  #step(command: Command): void {
    switch (command.do) {
      case "hold":
        this.#hold(`r${++this.#requests}`, keys[command.key]!, inUnits(command.amount));
        return command.isWaitedFor ? this.#turn() : undefined;
      case "hold again":
        return this.#holdAgain(command.pick, inUnits(command.amount));
      case "settle":
        return this.#settle(command);
      case "release":
        return this.#release(command.pick);
      case "end twice":
        return this.#endTwice(command);
      case "credit":
        return this.#credit(command.kind, command.account, command.amount, command.reference);
      case "watch":
        this.#watch(command.pick, inUnits(command.cost));
        return command.isWritten ? this.#writeProgress(undefined) : undefined;
      case "write progress":
        return this.#writeProgress(command.fault);
      case "turn":
        return this.#turn();
      case "retry":
        return this.#retry();
      case "break":
        this.#file.faults.push(...command.faults);
        return void this.#model.faults.push(...command.faults);
      case "crash":
        return this.#crash();
      case "close":
        return this.#close(command.fault);
      case "pass":
        this.#now += command.ms;
        if (command.ms < 0) this.#noteSetBack();
        this.#wasSetBack ||= command.ms < 0;
    }
  }

  /** A turn of the event loop: the pending entries are written in one transaction. */
  #turn(): void {
    this.#timers.fireImmediates();
    this.#model.turn();
  }

  /** Admission, as in the gateway: the ledger is checked for headroom in the same turn. */
  #hold(requestId: string, key: KeyRecord, amountNanos: bigint): void {
    const account = accounts.find(({ id }) => id === key.accountId)!;
    const rooms = headroomsFor(key, account, this.#store, this.#now);
    const fits = rooms.every((room) => amountNanos <= room.leftNanos);
    expectSame(fits, shouldFit(this.#model, key, amountNanos, this.#now), "whether a hold fits");
    if (!fits) return this.#reach(amountNanos <= rooms[0]!.leftNanos ? "a hold refused by a spend cap" : "a hold refused by the balance");
    const isRepeated = this.#model.holdOf(requestId) !== undefined;
    const user = users[requestId.length % users.length]!;
    const line: Line = {
      kind: "hold",
      account: account.id,
      key: key.id,
      user: `account:${account.id}:${user}`,
      request: requestId,
      amount: amountNanos,
      at: this.#now,
      by: key.id,
    };
    const should = this.#model.hold(line);
    const attribution: Attribution = { user, counts: ["user@account"] };
    const names = { accountId: account.id, keyId: key.id, actor: key.id, atMs: this.#now, attribution };
    this.#promise(this.#store.hold(newHold(requestId, amountNanos, names)), should);
    if (isRepeated) this.#reach("a request id that had its hold");
    else if (should.state === "rejected") this.#reach("a hold refused while nothing can be written");
  }

  /**
   * Holds with a request ID that was used before. The earlier request has ended, is open, or was lost in a crash; if it was lost, the ID
   * counts as new.
   */
  #holdAgain(pick: number, amount: bigint): void {
    if (this.#requests === 0) return;
    const request = `r${1 + (pick % this.#requests)}`;
    if (!this.#model.holdOf(request) && this.#model.lines.length > 0) this.#reach("a request id whose hold was lost in a crash");
    this.#hold(request, keys[pick % keys.length]!, amount);
  }

  /** Selects a hold that was confirmed to its caller: no other hold would be ended. */
  #pickOpen(pick: number): Line | undefined {
    const open = this.#model.open().filter(({ request }) => this.#model.acknowledged.has(request!));
    return open[pick % (open.length || 1)];
  }

  #settle({ pick, percent, excess, cap }: Extract<Command, { do: "settle" }>): void {
    const hold = this.#pickOpen(pick);
    if (!hold) return;
    const cost = excess > 0 ? hold.amount + inUnits(excess) : (hold.amount * BigInt(percent)) / 100n;
    const capNanos = cap === null ? undefined : hold.amount + inUnits(cap);
    const should = this.#model.settle(hold.request!, cost, capNanos, this.#now);
    if (cost > hold.amount) this.#noteExcess(hold, capNanos !== undefined && cost > capNanos);
    if (this.#model.isFailing) this.#reach("a settlement while nothing can be written");
    this.#promise(this.#store.settle(hold.request!, settlement(cost, { capNanos, atMs: this.#now })), should);
  }

  #noteExcess(hold: Line, isAboveCap: boolean): void {
    if (isAboveCap) return this.#reach("an excess above the caller's own limit");
    const { uncharged } = this.#model.endOf(hold.request!)!;
    this.#reach(uncharged === 0n ? "an excess that was charged" : "an excess that an account in debt was spared");
  }

  #release(pick: number): void {
    const hold = this.#pickOpen(pick);
    if (!hold) return;
    this.#model.release(hold.request!, this.#now);
    this.#store.release(hold.request!, "upstream_error", this.#now);
  }

  /** Ends a request that has already ended, or that never existed. */
  #endTwice({ pick, how }: Extract<Command, { do: "end twice" }>): void {
    const ended = this.#model.lines.filter(({ kind }) => kind === "settle" || kind === "release");
    const request = ended[pick % (ended.length || 1)]?.request ?? "never";
    if (ended.length > 0) this.#reach("a second end");
    if (how === "settle") return void this.#promise(this.#store.settle(request, settlement(UNIT)), { state: "rejected" });
    let isRefused = false;
    try {
      this.#store.release(request, "again", this.#now);
    } catch {
      isRefused = true;
    }
    expectSame(isRefused, true, "whether a second release is refused");
  }

  #credit(kind: "grant" | "adjustment", at: number, amount: number, name: number): void {
    const account = accounts[at]!.id;
    const [reference, amountNanos] = [`ref-${name}`, inUnits(amount)];
    const isRetry = this.#model.isFailing;
    const line: Line = { kind, account, amount: amountNanos, at: this.#now, by: "operator", reference };
    const added = this.#store.addCredit({
      kind,
      accountId: account,
      amountNanos,
      atMs: this.#now,
      actor: "operator",
      reason: "why",
      reference,
    });
    const { state, id, isNew } = this.#model.addCredit(line);
    const real = this.#promise(added, { state });
    if (state === "rejected") return this.#reach("credit that could not be recorded");
    const { entry, isNew: isReallyNew } = real.value!;
    expectSame(entry.id, id, "the entry of a credit");
    expectSame(isReallyNew, isNew, "whether a credit is new");
    if (!isNew) this.#reach(isRetry ? "a reference repeated after a failure" : "a reference repeated");
  }

  #watch(pick: number, costNanos: bigint): void {
    const hold = this.#pickOpen(pick);
    if (!hold) return;
    this.#model.watched.set(hold.request!, costNanos);
    this.#store.watch(hold.request!, () => ({ costNanos, usage: USAGE, provenance: "partial", upstream: "u", upstreamModel: "u-m" }));
  }

  #writeProgress(fault: "fails" | "kept" | undefined): void {
    this.#beside(fault, () => this.#timers.fireIntervals());
    if (fault !== "fails") this.#model.progress = new Map(this.#model.watched);
  }

  #beside<Result>(fault: "fails" | "kept" | undefined, act: () => Result): Result {
    this.#file.faultBeside = fault;
    const result = act();
    this.#file.faultBeside = undefined;
    return result;
  }

  #retry(): void {
    const wasFailing = this.#model.isFailing;
    const isKept = this.#model.committed > this.#model.written;
    this.#timers.fireTimeouts();
    if (wasFailing && this.#model.attempt()) this.#reach(isKept ? "a retry of what was written already" : "a retry that worked");
  }

  #crash(): void {
    const { lines, committed, written } = this.#model;
    if (this.#model.open().some((hold) => lines.indexOf(hold) < committed)) this.#reach("a crash with open holds");
    if (lines.length > committed) this.#reach("a crash that lost what was not written");
    if (committed > written) this.#reach("a crash after a commit that failed and was durable");
    this.#restart();
  }

  /** A clean shutdown waits until it can write; if it cannot write, it is a crash like any other. */
  #close(fault: "fails" | "kept" | undefined): void {
    while (this.#model.isFailing) this.#retry();
    const watched = this.#beside(fault, () => watchPromise(this.#store.close(AbortSignal.abort())));
    const isClosed = this.#model.attempt();
    expectSame(watched.state, isClosed ? "fulfilled" : "rejected", "whether the ledger closed");
    this.#reach(isClosed ? "a clean shutdown" : "a clean shutdown that failed");
    this.#restart();
  }

  #restart(): void {
    this.#timers.clear();
    this.#model.crash();
    // Pending promises end with the process. `#compare` has checked the promises that had settled.
    this.#promised = [];
    this.#open();
  }

  /** Starts the ledger, repeatedly if necessary: it does not start if it cannot record the end of open holds. */
  #open(): void {
    for (;;) {
      let isOpen = true;
      try {
        this.#store = new EmbeddedLedgerStore(this.#file.asFile, { nowMs: () => this.#now, report: () => undefined, capsOf });
      } catch {
        isOpen = false;
      }
      drainMicrotasks();
      if (this.#model.open().some(({ request }) => this.#model.progress.has(request!))) this.#reach("a recovery from progress");
      expectSame(isOpen, this.#model.start(this.#now), "whether the ledger starts");
      if (isOpen) return;
      this.#reach("a start that failed");
      this.#timers.clear();
      this.#model.crash();
    }
  }

  #end(): void {
    this.#noteSpending();
    this.#file.faults.length = 0;
    this.#model.faults.length = 0;
    this.#crash();
    this.#compared = 0;
    this.#compare();
    expectSame(this.#model.open().length, 0, "holds left open");
    expectSame(this.#model.committed, this.#model.lines.length, "entries in the database");
  }

  #compare(): void {
    for (const { watched, should } of this.#promised) expectSame(watched.state, should.state, "the state of a promise");
    this.#promised = this.#promised.filter(({ should }) => should.state === "pending");
    compareFigures(this.#store, this.#model, this.#now);
    if (!this.#wasSetBack && this.#compares++ % USERS_EVERY === 0 && this.#countsUsers()) {
      compareUsers(this.#store, this.#model, this.#now);
      this.#reach("spending of end users");
    }
    compareRows(this.#file.asFile, this.#model, this.#compared);
    // Entries never change, so each is compared once. Only unconfirmed entries are compared again.
    this.#compared = this.#model.written;
    expectSame(this.#timers.timeouts, this.#model.isFailing ? 1 : 0, "retries that are due");
  }

  /** Whether the spend of end users is counted: from some entry on, unless the database cannot be written. */
  #countsUsers(): boolean {
    if (this.#model.lines.length < COUNTED_AFTER) return false;
    const counting = this.#store.ensureCounted(
      accounts.flatMap(({ id }) => users.map((user) => ({ scope: "user", id: `account:${id}:${user}` }))),
    );
    return !counting || watchPromise(counting).state === "fulfilled";
  }

  #noteSpending(): void {
    for (const { id } of accounts) {
      const { day, month, total } = this.#model.sums("account", id, this.#now);
      if (day < month) this.#reach("spending of this month before today");
      if (month < total) this.#reach("spending before this month");
      if (this.#model.credit(id) >= 0n) continue;
      if (lineOf(id) === 0n) this.#reach("an account in debt");
      else this.#reach(this.#model.credit(id) + lineOf(id) < 0n ? "an account beyond its credit line" : "an account on its credit line");
    }
  }

  #noteSetBack(): void {
    for (const { id } of accounts) {
      const { day, month, total } = this.#model.sums("account", id, this.#now);
      if (day > 0n) this.#reach("a clock set back to a day with charges");
      if (month < total) this.#reach("a clock set back to before charges");
    }
  }

  #promise<Value>(promise: Promise<Value>, should: Ticket): WatchedPromise<Value> {
    const watched = watchPromise(promise);
    this.#promised.push({ watched, should });
    return watched;
  }

  #reach(what: string): void {
    this.reached.add(what);
  }
}
