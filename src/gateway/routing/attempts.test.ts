import { describe, expect, test } from "bun:test";
import { Candidates, eject } from "../../../test/routes/candidates.ts";
import { callOf, chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import type { Completion, UpstreamCall } from "../../upstreams/upstream.ts";
import { reasonOf } from "../../requests/cancellation-reason.ts";
import { CallerGone } from "../../lib/async/caller-gone.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { UpstreamFault } from "../../models/upstream-fault.ts";
import { CallerDeadline, DeadlineExceeded } from "./caller-deadline.ts";
import { RouteChoice, type Candidate } from "./route-choice.ts";
import { RetryBudget } from "./retry-budget.ts";
import { Attempts, type ActiveAttempt } from "./attempts.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";
import { overloaded } from "./slots/slots.ts";

const RESPONSE: Completion = { body: "{}", usage: undefined, uncountedBytes: 0 };

const FAULTS = ["unreachable", "proxy", "busy", "credential", "failed", "slow", "broken"] as const;

function failure(kind: UpstreamFault["kind"], retryAfterMs?: number): ApiError {
  return new ApiError("upstream_error", `it is ${kind}`, { fault: { kind, retryAfterMs } });
}

/** What an upstream does, call by call; the last behaviour repeats. */
type Behaviour = Completion | Error | "hang";

/** The attempts of one request at upstreams with these behaviours. */
class Trial {
  readonly make = new Candidates();
  readonly caller = new AbortController();
  readonly budget = new RetryBudget(() => 0);
  readonly called: string[] = [];
  readonly candidates: Candidate[];
  readonly attempts: Attempts;
  readonly upstreams: (string | undefined)[] = [];
  active: ActiveAttempt | undefined;

  constructor(behaviours: Readonly<Record<string, readonly Behaviour[]>>, options: { timeoutMs?: number; credentials?: number } = {}) {
    const { timeoutMs, credentials = 1 } = options;
    this.candidates = Object.entries(behaviours).map(([id, list], at) => {
      const remaining = [...list];
      const complete = (call: UpstreamCall): Promise<Completion> => {
        this.called.push(id);
        return act(remaining.length > 1 ? remaining.shift()! : remaining[0]!, call.signal);
      };
      return this.make.make(id, { priority: at + 1, credentials, complete });
    });
    const deadline = new CallerDeadline(this.caller.signal, timeoutMs, performance.now());
    this.attempts = new Attempts({
      budget: this.budget,
      deadline,
      mayFallBack: false,
      takeLimits: () => undefined,
      endRouteTicket: () => undefined,
      callTo: ({ credential }) => callOf(chatOf({}), { signal: deadline.signal, credential: credential.secret }),
      onAttempt: (target) => this.upstreams.push(target?.route.upstream),
      onResponse: (active) => (this.active = active),
      random: () => 0,
    });
  }

  run(): Promise<Completion> {
    return this.attempts.run(new RouteChoice(this.candidates, undefined), (upstream, call) => upstream.complete(call));
  }

  /** The upstream that responded, or the message of the error. */
  async outcome(): Promise<string> {
    try {
      await this.run();
      this.active!.ended(false);
      return this.active!.attempt.upstream;
    } catch (error) {
      return error instanceof ApiError ? error.message : String(error);
    }
  }

  spend(): void {
    let spent = 0;
    while (this.budget.take()) expect(++spent).toBeLessThan(1000);
  }

  /** Expects that no call is in flight and no slot is taken. */
  expectNothingOpen(): void {
    for (const { health, state } of this.candidates) expect([health.inFlight, state.slots.taken, state.slots.queued]).toEqual([0, 0, 0]);
  }
}

function usedUpElsewhere(): Promise<never> {
  return Promise.reject(overloaded("0 calls are queued", { kind: "not_sent" }));
}

async function act(behaviour: Behaviour, signal: CancelSignal): Promise<Completion> {
  if (behaviour instanceof Error) throw behaviour;
  if (behaviour !== "hang") return behaviour;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  throw reasonOf(signal);
}

describe.each(FAULTS)("an attempt that fails with %s", (kind) => {
  test("fails over to another upstream, and is recorded", async () => {
    const trial = new Trial({ a: [failure(kind)], b: [RESPONSE] });
    expect(await trial.outcome()).toBe("b");
    expect(trial.attempts.attempts.map(({ upstream, outcome }) => [upstream, outcome])).toEqual([
      ["a", kind],
      ["b", "answered"],
    ]);
    expect(trial.attempts.failed).toMatchObject([{ upstream: "a", upstreamModel: "m", fault: kind, detail: `it is ${kind}` }]);
    expect(trial.upstreams).toEqual(["a", undefined, "b"]);
    trial.expectNothingOpen();
  });

  test("is the last one where the retry budget is used up", async () => {
    const trial = new Trial({ a: [failure(kind)], b: [RESPONSE] });
    trial.spend();
    expect(await trial.outcome()).toBe(`it is ${kind}`);
    expect(trial.called).toEqual(["a"]);
    trial.expectNothingOpen();
  });

  const isAboutCredential = kind === "busy" || kind === "credential";

  test(`is ${isAboutCredential ? "" : "not "}retried with another credential`, async () => {
    const trial = new Trial({ a: [failure(kind), RESPONSE] }, { credentials: 2 });
    const [one, other] = trial.candidates[0]!.state.credentials;
    const outcome = await trial.outcome();
    if (isAboutCredential) {
      expect(outcome).toBe("a");
      expect([one!.cooldownMs("m") > 0, other!.cooldownMs("m") > 0].filter(Boolean)).toEqual([true]);
    } else {
      expect([one!.cooldownMs("m"), other!.cooldownMs("m")]).toEqual([0, 0]);
    }
  });

  // A failure of the egress proxy says nothing about the route.
  const isOfRoute = !isAboutCredential && kind !== "proxy";
  test(`${isOfRoute ? "counts" : "does not count"} as a failure of its route`, async () => {
    const trial = new Trial({ a: [failure(kind)], b: [RESPONSE] });
    await trial.outcome();
    expect(trial.candidates[0]!.health.recent).toEqual(isOfRoute ? { calls: 1, failures: 1 } : { calls: 0, failures: 0 });
    expect(trial.candidates[1]!.health.recent).toEqual({ calls: 1, failures: 0 });
  });

  const isRetryable = kind === "unreachable" || kind === "proxy" || kind === "failed";

  test(`is ${isRetryable ? "" : "not "}retried once at the only upstream`, async () => {
    const trial = new Trial({ a: [failure(kind)] });
    expect(await trial.outcome()).toBe(`it is ${kind}`);
    expect(trial.called.length).toBe(isRetryable ? 2 : 1);
    trial.expectNothingOpen();
  });
});

describe("attempts", () => {
  test("end when the client disconnects, without a failure of the upstream", async () => {
    const trial = new Trial({ a: ["hang"], b: [RESPONSE] });
    const running = trial.run().catch((error: unknown) => error);
    trial.caller.abort();
    expect(await running).toBeInstanceOf(CallerGone);
    expect(trial.candidates[0]!.health.recent.calls).toBe(0);
    expect(trial.called).toEqual(["a"]);
    trial.expectNothingOpen();
  });

  test("are four at most", async () => {
    const failed = [failure("failed")];
    const trial = new Trial({ a: failed, b: failed, c: failed, d: failed, e: [RESPONSE] });
    expect(await trial.outcome()).toBe("it is failed");
    expect(trial.called).toEqual(["a", "b", "c", "d"]);
  });

  test("are retried at the same upstream after a short Retry-After", async () => {
    const soon = new Trial({ a: [failure("busy", 10), RESPONSE] });
    expect(await soon.outcome()).toBe("a");
    const late = new Trial({ a: [failure("busy", 2001), RESPONSE] });
    expect(await late.outcome()).toBe("it is busy");
    const failed = new Trial({ a: [failure("failed", 30_000), RESPONSE] });
    expect(await failed.outcome()).toBe("it is failed");
  });

  test("are not retried at the same upstream where that would fail again, or the work may have been done", async () => {
    const final = new ApiError("upstream_error", "no such model", { fault: { kind: "failed", isFinal: true } });
    const alone = new Trial({ a: [final, RESPONSE] });
    expect(await alone.outcome()).toBe("no such model");
    expect(alone.called).toEqual(["a"]);
    const elsewhere = new Trial({ a: [final], b: [RESPONSE] });
    expect(await elsewhere.outcome()).toBe("b");
    expect(elsewhere.candidates[0]!.health.recent).toEqual({ calls: 1, failures: 1 });
  });

  test.each([
    ["busy", ["m", "small"]],
    ["credential", ["m"]],
  ] as const)("are made with the same credential for another model of the upstream, or not, where it is %s", async (kind, models) => {
    const make = new Candidates();
    const called: string[] = [];
    const large = make.make("a", { complete: () => Promise.reject(failure(kind)) });
    const attempts = new Attempts({
      mayFallBack: false,
      budget: new RetryBudget(() => 0),
      deadline: new CallerDeadline(new AbortController().signal, undefined, performance.now()),
      takeLimits: () => undefined,
      endRouteTicket: () => undefined,
      callTo: ({ route }) => {
        called.push(route.upstreamModel);
        return callOf(chatOf({}));
      },
      onAttempt: () => undefined,
      onResponse: () => undefined,
    });
    await attempts
      .run(new RouteChoice([large, make.another(large, "small", { priority: 2 })], undefined), (upstream, call) => upstream.complete(call))
      .catch(() => undefined);
    expect(called).toEqual([...models]);
  });

  test.each([
    ["credential", "unsupported"],
    ["unsupported", "credential"],
  ] as const)("end with a failure that may pass by itself, and not with one that will not (%s, %s)", async (one, other) => {
    const trial = new Trial({ a: [failure(one)], b: [failure("broken")], c: [failure(other)] });
    expect(await trial.outcome()).toBe("it is broken");
    const lasting = new Trial({ a: [failure(one)], b: [failure(other)] });
    expect(await lasting.outcome()).toBe(`it is ${other}`);
  });

  test("are not retried where the request is at fault", async () => {
    const trial = new Trial({ a: [new ApiError("invalid_value", "wrong")], b: [RESPONSE] });
    expect(await trial.outcome()).toBe("wrong");
    expect(trial.attempts.failed).toEqual([]);
    expect(trial.candidates[0]!.health.recent).toEqual({ calls: 0, failures: 0 });
    trial.expectNothingOpen();
  });

  test("end with the client's timeout, without a failure of the upstream", async () => {
    const trial = new Trial({ a: ["hang"], b: [RESPONSE] }, { timeoutMs: 500 });
    const thrown = await trial.run().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(DeadlineExceeded);
    expect(trial.called).toEqual(["a"]);
    expect(trial.upstreams).toEqual(["a"]);
    expect(trial.candidates[0]!.health.recent).toEqual({ calls: 0, failures: 0 });
    trial.expectNothingOpen();
  });

  test("do not wait for a retry beyond the client's timeout", async () => {
    const trial = new Trial({ a: [failure("busy", 1500), RESPONSE] }, { timeoutMs: 1000 });
    expect(await trial.outcome()).toBe("it is busy");
    expect(trial.called).toEqual(["a"]);
  });

  test("call no upstream where the client has disconnected already", async () => {
    const trial = new Trial({ a: [RESPONSE] });
    trial.caller.abort();
    expect(await trial.outcome()).toContain("CallerGone");
    expect(trial.called).toEqual([]);
    expect(trial.attempts.attempts).toEqual([]);
    trial.expectNothingOpen();
  });

  test("stop where the client disconnects between two of them", async () => {
    const trial = new Trial({ a: [failure("failed", 1000), RESPONSE] });
    const running = trial.outcome();
    await Bun.sleep(5);
    trial.caller.abort();
    expect(await running).toContain("CallerGone");
    expect(trial.called).toEqual(["a"]);
    expect(trial.upstreams.at(-1)).toBeUndefined();
  });

  test("hold a slot until the response has ended, and count a failure mid-stream against the upstream", async () => {
    const trial = new Trial({ a: [RESPONSE] });
    const { health, state } = trial.candidates[0]!;
    await trial.run();
    expect([health.inFlight, state.slots.taken]).toEqual([1, 1]);
    trial.active!.ended(true);
    trial.active!.ended(false);
    trial.expectNothingOpen();
    expect(health.recent).toEqual({ calls: 1, failures: 1 });
  });

  test("go to another route where the slots of the first turn out to be used up by other processes", async () => {
    const trial = new Trial({ a: [RESPONSE], b: [RESPONSE] });
    const { state } = trial.candidates[0]!;
    Object.assign(state, { slots: { taken: 0, queued: 0, isFull: false, take: usedUpElsewhere } });
    trial.spend();
    expect(await trial.outcome()).toBe("b");
    expect(trial.attempts.attempts.map(({ upstream }) => upstream)).toEqual(["b"]);
    trial.expectNothingOpen();
  });

  test("probe a half-open route with one request, however many are queued for it", async () => {
    const trial = new Trial({ a: [failure("failed")], b: ["hang"], c: [RESPONSE] });
    const [a, b, c] = trial.candidates as [Candidate, Candidate, Candidate];
    eject(b);
    trial.make.nowMs += 5000;
    const others = [1, 2, 3].map(() => {
      const attempts = new Attempts({
        mayFallBack: false,
        budget: trial.budget,
        deadline: new CallerDeadline(trial.caller.signal, undefined, performance.now()),
        takeLimits: () => undefined,
        endRouteTicket: () => undefined,
        callTo: () => callOf(chatOf({}), { signal: trial.caller.signal }),
        onAttempt: () => undefined,
        onResponse: () => undefined,
      });
      return attempts.run(new RouteChoice([a, b, c], undefined), (upstream, call) => upstream.complete(call)).catch(() => undefined);
    });
    await Bun.sleep(5);
    expect(trial.called.filter((id) => id === "b").length).toBe(1);
    trial.caller.abort();
    await Promise.all(others);
  });

  test("measure a long response by its time to first token", async () => {
    const usage = { promptTokens: 1, completionTokens: 970, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
    const slowly = async (): Promise<Completion> => {
      await Bun.sleep(100);
      return { ...RESPONSE, usage };
    };
    const make = new Candidates();
    const candidate = make.make("a", { complete: slowly });
    const attempts = new Attempts({
      mayFallBack: false,
      budget: new RetryBudget(() => 0),
      deadline: new CallerDeadline(new AbortController().signal, undefined, performance.now()),
      takeLimits: () => undefined,
      endRouteTicket: () => undefined,
      callTo: () => callOf(chatOf({})),
      onAttempt: () => undefined,
      onResponse: () => undefined,
    });
    const startedAt = performance.now();
    await attempts.run(new RouteChoice([candidate], undefined), (upstream, call) => upstream.complete(call));
    expect(candidate.health.latencyMs).toBeLessThan((performance.now() - startedAt) / 2);
  });
});

describe("a request that an API format cannot express", () => {
  const notSent = new ApiError("unsupported_parameter", "it has no words for it", { fault: { kind: "not_sent" } });

  test("goes to an upstream of another format, and does not count as an attempt: it affects neither health nor retry budget", async () => {
    const trial = new Trial({ first: [notSent], second: [RESPONSE] });
    trial.spend();
    expect(await trial.outcome()).toBe("second");
    expect([trial.attempts.attempts.length, trial.attempts.failed]).toEqual([1, []]);
    expect(trial.candidates[0]!.health.recent).toEqual({ calls: 0, failures: 0 });
    trial.expectNothingOpen();
  });

  test("is the client's error where no format can", async () => {
    const trial = new Trial({ first: [notSent], second: [notSent] });
    expect(await trial.outcome()).toBe("it has no words for it");
    expect([trial.called, trial.attempts.attempts.length]).toEqual([["first", "second"], 0]);
    trial.expectNothingOpen();
  });
});

describe("a request that the upstream's model does not support", () => {
  const unsupported = new ApiError("invalid_value", "image input is not supported", { fault: { kind: "unsupported" } });

  test("goes to another route, and affects neither health nor retry budget", async () => {
    const trial = new Trial({ first: [unsupported], second: [RESPONSE] });
    trial.spend();
    expect(await trial.outcome()).toBe("second");
    expect(trial.attempts.attempts.map(({ outcome }) => outcome)).toEqual(["unsupported", "answered"]);
    expect(trial.attempts.failed).toMatchObject([{ upstream: "first", fault: "unsupported" }]);
    expect(trial.candidates[0]!.health.recent).toEqual({ calls: 0, failures: 0 });
    trial.expectNothingOpen();
  });

  test("is the client's error where no route can serve it, and no route is called twice", async () => {
    const trial = new Trial({ first: [unsupported], second: [unsupported] });
    expect(await trial.outcome()).toBe("image input is not supported");
    expect(trial.called).toEqual(["first", "second"]);
    trial.expectNothingOpen();
  });
});
