import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { PlainLimits, type PlainRequest } from "../../../test/support/money/plain-limits.ts";
import { isTicket, SharedLimits, tryTake } from "../../../test/support/money/shared-limits.ts";
import { yieldToEventLoop } from "../ledger/commit/yield-to-event-loop.ts";
import { scope } from "./limit-store.contract.ts";
import type { LimitScope, LimitTicket } from "./limit-store.ts";

const MINUTE_MS = 60_000;
const PROCESSES = 3;

/** The limits of a model, and the minimum number of requests in a slice. */
interface Size {
  readonly name: string;
  readonly requestsPerSlice: number;
  readonly requests: number;
  readonly tokens: number;
  readonly concurrent: number;
}

const ASKING: Size = { name: "without slices", requestsPerSlice: 8, requests: 4, tokens: 90, concurrent: 3 };
const SLICED: Size = { name: "with slices", requestsPerSlice: 1, requests: 20, tokens: 400, concurrent: 14 };

/** `change` temporarily raises the limits by this amount. */
const scopesOf = ({ requests, tokens, concurrent }: Size, key: number, change = 0): readonly LimitScope[] => [
  scope("key", `k${key}`, { requests_per_minute: requests - 1 + key + change, tokens_per_minute: Math.floor((tokens * 2) / 3) }),
  scope("account", "a", { requests_per_minute: requests, tokens_per_minute: tokens + change, concurrent_requests: concurrent }),
];

type Step =
  | { readonly passMs: number }
  | { readonly takeBy: number; readonly key: number; readonly tokens: number }
  | { readonly end: number; readonly actual: number }
  | { readonly undo: number }
  | { readonly disconnect: number }
  | { readonly reconnect: number }
  | { readonly kill: number }
  | { readonly restart: "owner" }
  | { readonly change: number };

const process = fc.nat(PROCESSES - 1);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ passMs: fc.oneof(fc.nat(20_000), fc.constantFrom(MINUTE_MS - 1, 1)) }) },
  { weight: 9, arbitrary: fc.record({ takeBy: process, key: fc.nat(1), tokens: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 4, arbitrary: fc.record({ end: fc.nat(9), actual: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ undo: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ disconnect: process }) },
  { weight: 1, arbitrary: fc.record({ reconnect: process }) },
  { weight: 1, arbitrary: fc.record({ kill: process }) },
  { weight: 1, arbitrary: fc.record({ restart: fc.constant("owner" as const) }) },
  { weight: 1, arbitrary: fc.record({ change: fc.nat(3) }) },
);

/** An admitted request of a process. */
interface ServedRequest {
  readonly processId: string;
  readonly ticket: LimitTicket;
  readonly counted: PlainRequest;
}

/** Gateway processes that are disconnected, killed and started again, and their owner. */
class Cluster {
  readonly shared: SharedLimits;
  /** By position, because a restarted process has a new id. */
  readonly ids: string[] = [];
  readonly connected = new Set<string>();
  readonly ended = new Set<string>();
  #started = 0;

  constructor({ requestsPerSlice }: Size) {
    this.shared = new SharedLimits(requestsPerSlice);
  }

  async start(at: number): Promise<void> {
    const id = `p${++this.#started}`;
    this.ids[at] = id;
    await this.shared.start(id);
    this.connected.add(id);
  }

  disconnect(at: number): void {
    this.connected.delete(this.ids[at]!);
    this.shared.link.disconnect(this.ids[at]!);
  }

  async reconnect(at: number): Promise<void> {
    if (this.connected.has(this.ids[at]!)) return;
    this.connected.add(this.ids[at]!);
    await this.shared.link.reconnect(this.ids[at]!);
  }

  /** A process that could not reach the owner may have ended too. */
  async kill(at: number): Promise<void> {
    this.connected.delete(this.ids[at]!);
    this.ended.add(this.ids[at]!);
    this.shared.end(this.ids[at]!);
    await this.start(at);
  }

  async restartOwner(): Promise<void> {
    await this.shared.restartOwner();
    for (const id of this.ids) this.connected.add(id);
  }

  static async start(size: Size): Promise<Cluster> {
    const cluster = new Cluster(size);
    for (let at = 0; at < PROCESSES; at++) await cluster.start(at);
    return cluster;
  }
}

/**
 * The expected result while no message is lost: limits computed from a plain list of all requests. Requests that a disconnected process
 * ends become known later.
 */
class Model {
  readonly #plain = new PlainLimits();
  readonly #counted: { readonly processId: string; readonly request: PlainRequest }[] = [];
  #untold: { readonly processId: string; readonly apply: () => void }[] = [];

  /** Returns `away` if the slots of disconnected processes may be free. */
  refusalOf(scopes: readonly LimitScope[], tokens: number, nowMs: number, connected: ReadonlySet<string>): string | undefined {
    const refusing = scopes.find((each) => this.#plain.refusalOf([each], tokens, nowMs) !== undefined);
    if (!refusing) return undefined;
    const refusal = this.#plain.refusalOf([refusing], tokens, nowMs);
    if (refusal !== "concurrent") return refusal;
    const inDoubt = this.#counted.filter(({ processId, request }) => request.isRunning && !connected.has(processId));
    for (const { request } of inDoubt) request.isRunning = false;
    const isCertain = this.#plain.refusalOf([refusing], tokens, nowMs) === refusal;
    for (const { request } of inDoubt) request.isRunning = true;
    return isCertain ? refusal : "away";
  }

  add(processId: string, scopes: readonly LimitScope[], tokens: number, nowMs: number): PlainRequest {
    const request = this.#plain.add(scopes, tokens, nowMs);
    this.#counted.push({ processId, request });
    return request;
  }

  end({ processId, counted }: ServedRequest, actual: Partial<PlainRequest>, isTold: boolean): void {
    const apply = (): void => void Object.assign(counted, actual, { isRunning: false });
    if (isTold) apply();
    else this.#untold.push({ processId, apply });
  }

  told(processId: string): void {
    for (const each of this.#untold) if (each.processId === processId) each.apply();
    this.killed(processId, false);
  }

  /** Its requests are no longer in flight, and count with their estimates. */
  killed(processId: string, isEnded = true): void {
    this.#untold = this.#untold.filter((each) => each.processId !== processId);
    if (isEnded) for (const each of this.#counted) if (each.processId === processId) each.request.isRunning = false;
  }

  /** A new owner does not know the requests of processes that have ended. */
  forget(ended: ReadonlySet<string>): void {
    for (const { processId, request } of this.#counted) if (ended.has(processId)) Object.assign(request, { requests: 0, tokens: 0 });
  }
}

/** LimitSlices of a process that is lost count in full, so the counts of slices are exact only while no connection ends. */
function loses(step: Step): boolean {
  return "disconnect" in step || "reconnect" in step || "kill" in step;
}

for (const size of [ASKING, SLICED]) {
  test(`${size.name}, processes and owners that end at any time count exactly as one process would`, async () => {
    const seen = new Map<string, number>();
    const note = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1);
    const exact = fc.asyncProperty(fc.array(anyStep, { maxLength: 100, size: "max" }), async (steps) => {
      const cluster = await Cluster.start(size);
      const { shared, ids } = cluster;
      const model = new Model();
      let served: ServedRequest[] = [];
      let change = 0;
      for (const step of steps) {
        if (size === SLICED && loses(step)) continue;
        await shared.link.idle();
        if ("passMs" in step) shared.nowMs += step.passMs;
        else if ("change" in step) ({ change } = step);
        else if ("takeBy" in step) {
          const id = ids[step.takeBy]!;
          const scopes = scopesOf(size, step.key, change);
          const expected = cluster.connected.has(id)
            ? (model.refusalOf(scopes, step.tokens, shared.nowMs, cluster.connected) ?? "ticket")
            : "away";
          const { calls } = shared;
          const taken = await tryTake(shared.stores.get(id)!, scopes, step.tokens);
          expect(taken === undefined ? "away" : isTicket(taken) ? "ticket" : taken.what).toBe(expected);
          note(expected);
          if (isTicket(taken) && shared.calls === calls) note("from slices");
          if (isTicket(taken)) served.push({ processId: id, ticket: taken, counted: model.add(id, scopes, step.tokens, shared.nowMs) });
        } else if ("end" in step || "undo" in step) {
          const [ending] = served.splice(("end" in step ? step.end : step.undo) % (served.length || 1), 1);
          if (!ending) continue;
          const isTold = cluster.connected.has(ending.processId);
          if ("end" in step) ending.ticket.end(step.actual);
          else ending.ticket.undo();
          model.end(ending, "end" in step ? { tokens: step.actual } : { tokens: 0, requests: 0 }, isTold);
        } else if ("disconnect" in step) cluster.disconnect(step.disconnect);
        else if ("reconnect" in step) {
          await cluster.reconnect(step.reconnect);
          model.told(ids[step.reconnect]!);
        } else if ("kill" in step) {
          model.killed(ids[step.kill]!);
          served = served.filter(({ processId }) => processId !== ids[step.kill]);
          await cluster.kill(step.kill);
        } else {
          await cluster.restartOwner();
          for (const id of ids) model.told(id);
          model.forget(cluster.ended);
        }
      }
    });
    await fc.assert(exact, runs(600));
    const kinds = ["ticket", "requests", "tokens", "concurrent", size === SLICED ? "from slices" : "away"];
    expect(kinds.filter((what) => (seen.get(what) ?? 0) < 50)).toEqual([]);
  });
}

/** A request admitted by any process. */
interface AdmittedRequest {
  readonly processId: string;
  readonly atMs: number;
  readonly ticket: LimitTicket;
  tokens: number;
  isOpen: boolean;
  isUndone: boolean;
}

for (const size of [ASKING, SLICED]) {
  test(`${size.name}, connections that end with messages on their way never lead to more than the limit, and leave nothing counted`, async () => {
    const safe = fc.asyncProperty(fc.array(fc.tuple(anyStep, fc.nat(4)), { maxLength: 100, size: "max" }), async (steps) => {
      const cluster = await Cluster.start(size);
      const { shared, ids } = cluster;
      let admitted: AdmittedRequest[] = [];
      let change = 0;
      const taking = new Set<Promise<void>>();
      const settled = async (): Promise<void> => {
        await shared.link.idle();
        await Promise.all(taking);
      };
      const take = async (processId: string, tokens: number): Promise<void> => {
        const ticket = await tryTake(shared.stores.get(processId)!, scopesOf(size, 0, change).slice(1), tokens);
        // An ended process serves nothing.
        if (!isTicket(ticket) || cluster.ended.has(processId)) return;
        admitted.push({ processId, atMs: shared.nowMs, ticket, tokens, isOpen: true, isUndone: false });
        expect(admitted.filter(({ isOpen }) => isOpen).length).toBeLessThanOrEqual(size.concurrent);
        const counted = admitted.filter(({ atMs, isUndone }) => !isUndone && atMs > shared.nowMs - MINUTE_MS);
        expect(counted.length).toBeLessThanOrEqual(size.requests);
        expect(counted.reduce((sum, each) => sum + each.tokens, 0)).toBeLessThanOrEqual(size.tokens + change);
      };
      for (const [step, turns] of steps) {
        if ("passMs" in step || "change" in step) {
          await settled();
          if ("change" in step) ({ change } = step);
          else shared.nowMs += step.passMs;
        } else if ("takeBy" in step) {
          const waiting = take(ids[step.takeBy]!, step.tokens).finally(() => taking.delete(waiting));
          taking.add(waiting);
        } else if ("end" in step || "undo" in step) {
          const open = admitted.filter(({ isOpen }) => isOpen);
          const ending = open[("end" in step ? step.end : step.undo) % (open.length || 1)];
          if (!ending) continue;
          ending.isOpen = false;
          ending.isUndone = "undo" in step;
          if ("end" in step) ending.ticket.end((ending.tokens = Math.min(ending.tokens, step.actual)));
          else ending.ticket.undo();
        } else if ("disconnect" in step) cluster.disconnect(step.disconnect);
        else if ("reconnect" in step) await cluster.reconnect(step.reconnect);
        else if ("kill" in step) {
          for (const each of admitted) if (each.processId === ids[step.kill]) each.isOpen = false;
          await cluster.kill(step.kill);
        } else {
          await cluster.restartOwner();
          admitted = admitted.filter(({ processId }) => !cluster.ended.has(processId));
        }
        for (let turn = 0; turn < turns; turn++) await yieldToEventLoop();
      }
      for (const at of ids.keys()) await cluster.reconnect(at);
      await settled();
      for (const { ticket, isOpen } of admitted) if (isOpen) ticket.end(1);
      await shared.link.idle();
      shared.nowMs += MINUTE_MS;
      const all = Array.from({ length: size.concurrent + PROCESSES }, (_, at) => shared.stores.get(ids[at % PROCESSES]!)!);
      const results = await Promise.all(all.map((store) => tryTake(store, scopesOf(size, 0).slice(1))));
      expect(results.filter(isTicket)).toHaveLength(size.concurrent);
    });
    await fc.assert(safe, runs(150, 8000));
  });
}
