import { ADMIT_MS } from "../../src/stores/ledger/leases/admission-deadline.ts";
import { FencedError } from "../../src/stores/ledger/leases/instance.ts";
import type { ProcessChange } from "../../src/stores/ledger/leases/process-change.ts";
import { NO_CAPS } from "../../src/money/limits.ts";
import { type Purse, purseKey } from "../../src/money/purse.ts";
import { answer, hold as newHold, settlement, USAGE } from "../support/money/ledger-samples.ts";
import { UNIT } from "../ledger-model/accounts-and-keys.ts";
import { ModelAuthority } from "./authority.ts";
import type { Command } from "./commands.ts";
import { checkBatch, checkProcess, checkTruth } from "./invariants.ts";
import { Commitments } from "./commitments.ts";
import { KEYS, pursesOf, USER, type ModelKey, type ServedRequest } from "./keys-and-requests.ts";
import { lineOf, type ModelledAuthority } from "./modelled-authority.ts";
import { OwnerRequests } from "./owner-requests.ts";
import { ModelProcess } from "./process.ts";

const PROCESSES = 3;
/** Plays a history of several processes and one authority, and checks the invariants after every step. */
export class LeaseHistory {
  /** The situations that occurred, to see which situations histories reach. */
  readonly reached = new Set<string>();
  readonly authority: ModelledAuthority;
  readonly requests = new Map<string, ServedRequest>();
  readonly #commitments: Commitments;
  readonly #seenAtMs = new Map<string, number>();
  /** The journals of ended processes. They are kept for some minutes, in case the authority is restored. */
  readonly #closedJournals = new Map<string, readonly ProcessChange[]>();
  #processes: ModelProcess[] = [];
  /** The requests of the authority's own process, if it has one. */
  readonly #owner: OwnerRequests | undefined;
  #generation = 0;
  /** A restore loses the grants in the lost tail, which may then be granted again. */
  #wasRestored = false;

  constructor(authority: ModelledAuthority) {
    this.authority = authority;
    this.#commitments = new Commitments(authority, this.requests);
    this.#owner = authority instanceof ModelAuthority ? new OwnerRequests(authority) : undefined;
  }

  static async play(commands: readonly Command[], authority: ModelledAuthority = new ModelAuthority()): Promise<ReadonlySet<string>> {
    const history = new LeaseHistory(authority);
    await authority.credit("a", 150n * UNIT);
    await authority.credit("b", 90n * UNIT);
    for (let index = 0; index < PROCESSES; index++) history.#processes.push(await history.#start());
    for (const command of commands) {
      await history.#step(command);
      history.#check();
    }
    await history.#finish();
    return history.reached;
  }

  async #step(command: Command): Promise<void> {
    const process = "process" in command ? this.#processes[command.process]! : undefined;
    switch (command.do) {
      case "hold":
        return this.#admit(process!, KEYS[command.key]!, BigInt(command.amount) * UNIT, command.waits);
      case "settle":
        return this.#settle(process!, command.pick, BigInt(command.percent), command.isKeyed);
      case "release":
        return this.#release(process!, command.pick);
      case "report progress":
        return this.#reportProgress(process!, BigInt(command.percent));
      case "send":
        return this.#send(process!, command.most);
      case "deliver":
        return this.#deliver(process!, command.pick, command.isReplyLost);
      case "lose a message":
        if (process!.outbox.length > 0) process!.outbox.splice(command.pick % process!.outbox.length, 1);
        return;
      case "receive":
        return this.#receive(process!, command.pick);
      case "round trip":
        return this.#roundTrip(process!);
      case "return idle":
        if (!process!.isCrashed) for (const purse of process!.slices.idlePurses()) process!.slices.returnIdle(purse);
        return;
      case "recall":
        return this.#recall(KEYS[command.key]!);
      case "hold at the owner":
        if (this.#owner?.hold(KEYS[command.key]!, BigInt(command.amount) * UNIT)) this.reached.add("a hold at the owner");
        return;
      case "end at the owner":
        return this.#owner?.end(command.pick, BigInt(Math.min(100, command.percent)));
      case "credit":
        return this.#credit(["a", "b"][command.account]!, BigInt(command.amount) * UNIT);
      case "cap":
        return this.#changeCap(KEYS[command.key]!.id, BigInt(command.amount) * UNIT);
      case "credit line":
        return this.#changeLine(["a", "b"][command.account]!, BigInt(command.amount) * UNIT);
      case "crash":
        return this.#crash(process!);
      case "recover":
        return this.#recover(command.process);
      case "lose contact":
        return process!.disconnect();
      case "write off":
        return this.#writeOff(process!);
      case "restart the owner":
        return this.#restartOwner();
      case "restore":
        return this.#restore(command.back);
      case "pass":
        this.authority.nowMs += command.ms;
    }
  }

  async #credit(accountId: string, amountNanos: bigint): Promise<void> {
    await this.authority.credit(accountId, amountNanos);
    if (amountNanos >= 0n) return;
    this.#commitments.allow(accountId, -amountNanos);
    this.reached.add("a negative adjustment while credit is leased");
  }

  async #start(): Promise<ModelProcess> {
    const process = new ModelProcess(`p${++this.#generation}`);
    await this.#connect(process);
    return process;
  }

  async #connect(process: ModelProcess): Promise<void> {
    process.connected(await this.authority.join(process.instanceId), this.authority.nowMs);
    this.#seenAtMs.set(process.instanceId, this.authority.nowMs);
  }

  /**
   * Admission, as in the gateway: for a request that the slices do not cover, the process requests more from the authority, and assesses
   * the request again.
   */
  async #admit(process: ModelProcess, key: ModelKey, amountNanos: bigint, waits: boolean): Promise<void> {
    if (process.isCrashed) return;
    if (this.#hold(process, key, amountNanos) || !waits) return;
    await this.#roundTrip(process);
    if (this.#hold(process, key, amountNanos)) this.reached.add("a hold from a widened slice");
    else this.reached.add("a hold refused by the authority");
  }

  #hold(process: ModelProcess, key: ModelKey, amountNanos: bigint): boolean {
    if (!process.deadline.mayAdmit(this.authority.nowMs)) {
      this.reached.add("no admission after the deadline");
      return false;
    }
    const short = pursesOf(key).filter((purse) => process.slices.availableOf(purse) < amountNanos);
    for (const purse of short) process.slices.widen(purse, amountNanos);
    if (short.length > 0) return false;
    const requestId = `r${this.requests.size + 1}`;
    const { accountId, id: keyId, attribution } = key;
    process.slices.hold(newHold(requestId, amountNanos, { accountId, keyId, attribution, atMs: this.authority.nowMs }));
    this.requests.set(requestId, { process: process.instanceId, accountId, keyId, amountNanos, charge: undefined });
    return true;
  }

  #pickOpen(process: ModelProcess, pick: number): string | undefined {
    const open = [...process.slices.openRequests];
    return process.isCrashed ? undefined : open[pick % (open.length || 1)];
  }

  #settle(process: ModelProcess, pick: number, percent: bigint, isKeyed: boolean): void {
    const requestId = this.#pickOpen(process, pick);
    if (requestId === undefined) return;
    const { amountNanos } = process.slices.openHold(requestId)!;
    const asked = process.overdrawn.get(requestId);
    const costNanos = (amountNanos * (asked === undefined ? percent : BigInt(asked))) / 100n;
    if (asked === undefined && !process.slices.reserveExcess(requestId, costNanos)) {
      return void process.overdrawn.set(requestId, Number(percent));
    }
    const toReply = isKeyed ? answer(requestId) : undefined;
    const entry = process.slices.settle(requestId, settlement(costNanos, { atMs: this.authority.nowMs }), toReply);
    const request = this.requests.get(requestId)!;
    if (isKeyed) request.unseenCharge = entry.amountNanos;
    else request.charge = entry.amountNanos;
    if (isKeyed) process.unconfirmed.set(requestId, { seq: entry.id, amountNanos: entry.amountNanos });
    this.#commitments.noteExcess(entry.accountId, costNanos - amountNanos);
    if (entry.amountNanos > amountNanos)
      this.reached.add(asked === undefined ? "an excess within the slice" : "an excess that was overdrawn");
    if (entry.unchargedNanos > 0n) this.reached.add("an excess that the account was spared");
    if (!process.deadline.mayAdmit(this.authority.nowMs)) this.reached.add("a settlement while the authority is away");
  }

  #release(process: ModelProcess, pick: number): void {
    const requestId = this.#pickOpen(process, pick);
    if (requestId === undefined) return;
    process.slices.release(requestId, "failed", this.authority.nowMs);
    this.requests.get(requestId)!.charge = 0n;
  }

  #reportProgress(process: ModelProcess, percent: bigint): void {
    if (process.isCrashed || !process.isConnected) return;
    for (const requestId of process.slices.openRequests) {
      const costNanos = (process.slices.openHold(requestId)!.amountNanos * percent) / 100n;
      this.authority.progress.set(requestId, { costNanos, usage: USAGE, provenance: "measured", upstream: "u", upstreamModel: "m" });
    }
  }

  async #send(process: ModelProcess, most = Infinity): Promise<void> {
    if (process.isCrashed) return;
    if (!process.isConnected) await this.#connect(process);
    if (process.outbox.length > 0) this.reached.add("a batch sent again, with more in it");
    process.send(this.authority.nowMs, most);
  }

  async #deliver(process: ModelProcess, pick: number, isReplyLost: boolean): Promise<void> {
    if (process.outbox.length === 0) return;
    const [message] = process.outbox.splice(pick % process.outbox.length, 1);
    const { epoch, changes, sentAtMs } = message!;
    const before = this.#freeOfAll();
    const isFirstStatement = this.authority.isUnstated(process.instanceId);
    try {
      const { state, appliedSeq, purses } = await this.authority.apply(process.instanceId, epoch, changes);
      this.#seenAtMs.set(process.instanceId, this.authority.nowMs);
      if (!this.#wasRestored && state === "live") checkBatch(this.authority, before, changes, isFirstStatement);
      if (state === "written_off") this.reached.add("changes of a process that was written off");
      if (isReplyLost || process.isCrashed) this.reached.add("a lost reply");
      else process.inbox.push({ state, appliedSeq, purses, sentAtMs });
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
      this.reached.add("a call of an ended process or an earlier connection");
    }
  }

  async #roundTrip(process: ModelProcess): Promise<void> {
    await this.#send(process);
    while (process.outbox.length > 0) await this.#deliver(process, 0, false);
    while (process.inbox.length > 0 && !process.isCrashed) this.#receive(process, 0);
  }

  /** The client sees the end of a response with an idempotent reply after the authority has confirmed its settlement. */
  #receive(process: ModelProcess, pick: number): void {
    if (process.isCrashed || process.inbox.length === 0) return;
    process.receive(pick);
    for (const [requestId, { seq, amountNanos }] of process.unconfirmed) {
      if (seq > process.slices.appliedSeq) continue;
      this.requests.get(requestId)!.charge = amountNanos;
      process.unconfirmed.delete(requestId);
      this.reached.add("a settlement with an idempotent reply");
    }
  }

  async #recall(key: ModelKey): Promise<void> {
    for (const process of this.#processes) {
      if (process.isCrashed || !process.isConnected) continue;
      for (const purse of pursesOf(key)) process.slices.returnIdle(purse);
      await this.#roundTrip(process);
    }
  }

  #changeCap(keyId: string, cap: bigint): void {
    const purse = `key:${keyId}`;
    const caps = this.authority.caps[purse]!;
    this.authority.caps[purse] = caps.totalNanos === null ? { ...caps, dayNanos: cap } : { ...caps, totalNanos: cap };
    if (keyId === "b1") this.authority.caps[purseKey(USER)] = { ...NO_CAPS, dayNanos: cap };
  }

  /** After a credit line is lowered, the leased part of it may still be spent. */
  #changeLine(accountId: string, creditLine: bigint): void {
    const before = lineOf(this.authority, accountId);
    const purse = `account:${accountId}`;
    this.authority.caps[purse] = { ...this.authority.caps[purse]!, creditLine };
    if (creditLine >= before) return;
    this.#commitments.allow(accountId, before - creditLine);
    this.reached.add("a credit line that was lowered");
  }

  #crash(process: ModelProcess): void {
    if (process.isCrashed) return;
    process.isCrashed = true;
    process.inbox = [];
    if (process.unconfirmed.size > 0) this.reached.add("a crash with an unconfirmed idempotent reply");
    this.reached.add([...process.slices.openRequests].length > 0 ? "a crash with open holds" : "a crash");
  }

  /** The owner applies the journal of a crashed process, ends its holds, and starts another. */
  async #recover(index: number): Promise<void> {
    const process = this.#processes[index]!;
    if (!process.isCrashed) return;
    await this.#close(process.instanceId, process.journal);
    this.#processes[index] = await this.#start();
    this.reached.add("a crashed process recovered");
  }

  async #close(instanceId: string, journal: readonly ProcessChange[]): Promise<void> {
    const { epoch } = await this.authority.join(instanceId);
    await this.authority.apply(instanceId, epoch, journal);
    await this.authority.end(instanceId, "closed");
    this.#closedJournals.set(instanceId, journal);
  }

  /** A process is written off only when it can no longer admit requests. */
  async #writeOff(process: ModelProcess): Promise<void> {
    const seenAtMs = this.#seenAtMs.get(process.instanceId)!;
    const instance = this.authority.find(process.instanceId);
    if (!instance || instance.state === "written_off" || this.authority.nowMs - seenAtMs < ADMIT_MS) return;
    await this.authority.lose(process.instanceId);
    await this.authority.end(process.instanceId, "written_off");
    this.reached.add(process.isCrashed ? "a crashed process written off" : "a running process written off");
  }

  /** The owner's own requests end with it, and the next owner closes their holds. */
  async #restartOwner(): Promise<void> {
    await this.authority.restart();
    await this.#startOwner();
    this.reached.add("a new owner");
  }

  /** Operators' writes and the owner's own requests in the lost tail are gone. The journals have everything else. */
  async #restore(back: number): Promise<void> {
    await this.#commitments.noteRestore(() => this.authority.restore(back), this.#processes);
    this.#wasRestored = true;
    for (const [instanceId, journal] of this.#closedJournals) {
      if (this.authority.find(instanceId)?.state !== "closed") await this.#close(instanceId, journal);
    }
    await this.#startOwner();
    this.reached.add("a restored database");
  }

  /** A new owner first applies the journals of ended processes. It grants no leases until the other processes have reported theirs. */
  async #startOwner(): Promise<void> {
    this.#owner?.forget();
    const crashed = [...this.#processes.keys()].filter((index) => this.#processes[index]!.isCrashed);
    for (const process of this.#processes) {
      if (process.isCrashed) await this.#close(process.instanceId, process.journal);
      else process.disconnect();
    }
    await this.authority.start();
    if (this.#owner && this.authority.openHolds > 0) this.reached.add("a new owner that does not know whose the open holds are");
    for (const index of crashed) this.#processes[index] = await this.#start();
  }

  #freeOfAll(): Map<Purse, bigint> {
    const purses = KEYS.flatMap((key) => pursesOf(key));
    return new Map(purses.map((purse) => [purse, this.authority.freeOf(purse)!]));
  }

  #check(): void {
    for (const process of this.#processes) {
      if (!process.isCrashed) checkProcess(process, this.authority, this.#wasRestored);
    }
    if (this.#commitments.check()) this.reached.add("an account on its credit line");
  }

  /** Ends the history: all messages arrive, crashed processes are recovered, requests end, and idle leases are returned. */
  async #finish(): Promise<void> {
    for (let index = 0; index < PROCESSES; index++) await this.#recover(index);
    for (const process of this.#processes) await this.#roundTrip(process);
    for (const process of this.#processes) {
      while ([...process.slices.openRequests].length > 0) {
        this.#settle(process, 0, 100n, false);
        await this.#roundTrip(process);
      }
      for (const purse of process.slices.idlePurses()) process.slices.returnIdle(purse);
      await this.#roundTrip(process);
      await this.#close(process.instanceId, process.journal);
    }
    this.#owner?.endAll();
    checkTruth(this.authority, this.requests);
  }
}
