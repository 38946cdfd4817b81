import { lineOf } from "./accounts-and-keys.ts";
import type { Fault } from "./faulty-file.ts";

/** An entry of the model. Its ID is its position in the list, counted from 1. */
export interface Line {
  readonly kind: "grant" | "adjustment" | "hold" | "settle" | "release";
  readonly account: string;
  readonly amount: bigint;
  readonly at: number;
  readonly by: string;
  readonly reference?: string;
  readonly request?: string;
  readonly key?: string;
  /** The end user, in the form `account:b:u0`. */
  readonly user?: string;
  readonly holdId?: number;
  readonly uncharged?: bigint;
}

/** The state that a promise of the ledger should have by now. */
export interface Ticket {
  state: "pending" | "fulfilled" | "rejected";
}

interface Waiting {
  readonly ticket: Ticket;
  /** The hold that is given up if the next attempt fails. Without a hold, the line waits indefinitely. */
  readonly hold?: Line;
}

export interface Sums {
  readonly held: bigint;
  readonly day: bigint;
  readonly month: bigint;
  readonly total: bigint;
}

/**
 * The specification of a ledger, as slow and simple as possible: a list of lines, and every value is a sum over the whole list. It shares
 * no code with the ledger. `committed` lines are in the database; the first `written` of them are known to be there.
 */
export class SerialLedger {
  readonly lines: Line[] = [];
  committed = 0;
  written = 0;
  /** The faults of the next attempts at a transaction. */
  readonly faults: Fault[] = [];
  isFailing = false;
  /** Holds that were confirmed to their callers. */
  acknowledged = new Set<string>();
  /** Progress of the requests in flight, in memory and on disk. */
  readonly watched = new Map<string, bigint>();
  progress = new Map<string, bigint>();
  readonly #dates = new Map<number, string>();
  #isScheduled = false;
  #waiting: Waiting[] = [];

  credit(account: string): bigint {
    let sum = 0n;
    for (const line of this.lines) {
      if (line.account !== account) continue;
      if (line.kind === "grant" || line.kind === "adjustment") sum += line.amount;
      if (line.kind === "settle") sum -= line.amount;
    }
    return sum;
  }

  sums(scope: "account" | "key" | "user", id: string, now: number): Sums {
    let [held, day, month, total] = [0n, 0n, 0n, 0n];
    const today = this.#dateOf(now);
    for (const line of this.lines) {
      if (line[scope] !== id) continue;
      if (line.kind === "hold" && !this.endOf(line.request!)) held += line.amount;
      if (line.kind !== "settle") continue;
      const then = this.#dateOf(line.at);
      total += line.amount;
      if (then.slice(0, 7) === today.slice(0, 7)) month += line.amount;
      if (then.slice(0, 10) === today.slice(0, 10)) day += line.amount;
    }
    return { held, day, month, total };
  }

  holdOf(request: string): Line | undefined {
    return this.lines.find((line) => line.kind === "hold" && line.request === request);
  }

  endOf(request: string): Line | undefined {
    return this.lines.find((line) => (line.kind === "settle" || line.kind === "release") && line.request === request);
  }

  open(): Line[] {
    return this.lines.filter((line) => line.kind === "hold" && !this.endOf(line.request!));
  }

  hold(line: Line): Ticket {
    if (this.isFailing || this.holdOf(line.request!)) return { state: "rejected" };
    this.#add(line);
    return this.#wait(line);
  }

  settle(request: string, cost: bigint, cap: bigint | undefined, at: number): Ticket {
    const hold = this.holdOf(request);
    if (!hold || this.endOf(request)) return { state: "rejected" };
    this.#charge(hold, cost, cap, at, hold.by);
    return this.#wait();
  }

  release(request: string, at: number): void {
    this.#end(this.holdOf(request)!, { kind: "release", amount: 0n, at });
  }

  /** Returns the state of the promise, and the line that it resolves with. */
  addCredit(line: Line): { state: Ticket["state"]; id?: number; isNew?: boolean } {
    if (!this.attempt()) return { state: "rejected" };
    const earlier = this.lines.findIndex((each) => each.account === line.account && each.reference === line.reference);
    if (earlier >= 0) return { state: "fulfilled", id: earlier + 1, isNew: false };
    this.#add(line);
    return this.attempt() ? { state: "fulfilled", id: this.lines.length, isNew: true } : { state: "rejected" };
  }

  /** The end of a turn of the event loop. */
  turn(): void {
    const isDue = this.#isScheduled;
    this.#isScheduled = false;
    if (isDue) this.attempt();
  }

  /** Attempts to write all waiting lines. */
  attempt(): boolean {
    if (this.written === this.lines.length) return true;
    const fault = this.faults.shift();
    const waiting = this.#waiting;
    this.isFailing = fault !== undefined;
    if (fault === undefined || fault === "kept") this.committed = this.lines.length;
    if (fault === undefined) {
      this.written = this.lines.length;
      this.#waiting = [];
      for (const { ticket, hold } of waiting) {
        ticket.state = "fulfilled";
        if (hold) this.acknowledged.add(hold.request!);
      }
      return true;
    }
    this.#waiting = waiting.filter(({ hold }) => !hold);
    for (const { ticket, hold } of waiting) {
      if (!hold) continue;
      ticket.state = "rejected";
      this.release(hold.request!, hold.at);
    }
    return false;
  }

  /** The process has ended. Lines that it had not written are lost. */
  crash(): void {
    this.lines.length = this.committed;
    this.written = this.committed;
    this.isFailing = false;
    this.#isScheduled = false;
    this.#waiting = [];
    this.watched.clear();
    this.acknowledged = new Set([...this.acknowledged].filter((request) => this.holdOf(request)));
  }

  /** A new process ends each open hold once. Returns false if it could not record this: the process then does not start. */
  start(now: number): boolean {
    for (const hold of this.open()) {
      const known = this.progress.get(hold.request!);
      if (known === undefined) this.#end(hold, { kind: "release", amount: 0n, at: now, by: "recovery" });
      else this.#charge(hold, known, hold.amount, now, "recovery");
    }
    return this.attempt();
  }

  /**
   * A cost above the hold is charged only if the account, including its reserved amounts, is not in debt beyond its credit line, and only
   * up to the cap.
   */
  #charge(hold: Line, cost: bigint, cap: bigint | undefined, at: number, by: string): void {
    const available = this.credit(hold.account) + lineOf(hold.account) - this.sums("account", hold.account, at).held;
    const most = available < 0n ? hold.amount : (cap ?? cost);
    const amount = cost > hold.amount && cost > most ? most : cost;
    this.#end(hold, { kind: "settle", amount, at, by, uncharged: cost - amount });
  }

  #end(hold: Line, end: Pick<Line, "kind" | "amount" | "at"> & Partial<Line>): void {
    this.watched.delete(hold.request!);
    const { account, key, user, request, by } = hold;
    this.#add({ account, key: key!, user: user!, request: request!, by, holdId: this.lines.indexOf(hold) + 1, ...end });
  }

  #add(line: Line): void {
    this.lines.push(line);
    this.#isScheduled ||= !this.isFailing;
  }

  #dateOf(time: number): string {
    let date = this.#dates.get(time);
    if (date === undefined) this.#dates.set(time, (date = new Date(time).toISOString()));
    return date;
  }

  #wait(hold?: Line): Ticket {
    const ticket: Ticket = { state: "pending" };
    this.#waiting.push(hold ? { ticket, hold } : { ticket });
    return ticket;
  }
}
