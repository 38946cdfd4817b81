import { describe, expect, test } from "bun:test";
import { Candidates, leaveOut } from "../../../test/routes/candidates.ts";
import { callOf, chatOf } from "../../../test/upstream-call.ts";
import type { Completion, UpstreamCall } from "../../upstreams/upstream.ts";
import { CallerGone, reasonOf } from "../../requests/caller-gone.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import type { UpstreamFault } from "../../models/upstream-fault.ts";
import { CallerDeadline, DeadlineExceeded } from "./caller-deadline.ts";
import { RouteChoice } from "./route-choice.ts";
import { RetryBudget } from "./retry-budget.ts";
import type { Candidate } from "./route-candidates.ts";
import { Attempts, type ActiveAttempt } from "./attempts.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";

const ANSWER: Completion = { body: "{}", usage: undefined, uncountedBytes: 0 };

const FAULTS = ["unreachable", "busy", "credential", "failed", "slow", "broken"] as const;

function failure(kind: UpstreamFault["kind"], retryAfterMs?: number): GatewayError {
  return new GatewayError("upstream_error", `it is ${kind}`, { fault: { kind, retryAfterMs } });
}

/** What an upstream does, call by call; the last of it for ever. */
type Doing = Completion | Error | "hang";

/** The tries of one request, where each upstream does what is said of it. */
class Trial {
  readonly make = new Candidates();
  readonly caller = new AbortController();
  readonly budget = new RetryBudget(() => 0);
  readonly asked: string[] = [];
  readonly candidates: Candidate[];
  readonly tries: Attempts;
  readonly places: (string | undefined)[] = [];
  active: ActiveAttempt | undefined;

  constructor(doings: Readonly<Record<string, readonly Doing[]>>, options: { patienceMs?: number; credentials?: number } = {}) {
    const { patienceMs, credentials = 1 } = options;
    this.candidates = Object.entries(doings).map(([id, list], at) => {
      const left = [...list];
      const complete = (call: UpstreamCall): Promise<Completion> => {
        this.asked.push(id);
        return act(left.length > 1 ? left.shift()! : left[0]!, call.signal);
      };
      return this.make.make(id, { priority: at + 1, credentials, complete });
    });
    const deadline = new CallerDeadline(this.caller.signal, patienceMs, performance.now());
    this.tries = new Attempts({
      choice: new RouteChoice(this.candidates, undefined),
      budget: this.budget,
      deadline,
      callTo: ({ credential }) => callOf(chatOf({}), { signal: deadline.signal, credential: credential.secret }),
      onAttempt: (target) => this.places.push(target?.route.upstream),
      onResponse: (active) => (this.active = active),
      random: () => 0,
    });
  }

  run(): Promise<Completion> {
    return this.tries.run((upstream, call) => upstream.complete(call));
  }

  /** Where it was answered, or what was thrown. */
  async outcome(): Promise<string> {
    try {
      await this.run();
      this.active!.ended(false);
      return this.active!.target.route.upstream;
    } catch (error) {
      return error instanceof GatewayError ? error.message : String(error);
    }
  }

  spend(): void {
    while (this.budget.take()) {
      // Until nothing is left.
    }
  }

  /** Nothing is left behind, whatever came of it. */
  expectNothingOpen(): void {
    for (const { health, state } of this.candidates) expect([health.inFlight, state.slots.taken, state.slots.queued]).toEqual([0, 0, 0]);
  }
}

async function act(doing: Doing, signal: CancelSignal): Promise<Completion> {
  if (doing instanceof Error) throw doing;
  if (doing !== "hang") return doing;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  throw reasonOf(signal);
}

describe.each(FAULTS)("a try that ends with %s", (kind) => {
  test("is followed by one elsewhere, and recorded", async () => {
    const trial = new Trial({ a: [failure(kind)], b: [ANSWER] });
    expect(await trial.outcome()).toBe("b");
    expect(trial.tries.attempts.map(({ upstream, outcome }) => [upstream, outcome])).toEqual([
      ["a", kind],
      ["b", "answered"],
    ]);
    expect(trial.tries.failed).toMatchObject([{ upstream: "a", upstreamModel: "m", fault: kind, detail: `it is ${kind}` }]);
    expect(trial.places).toEqual(["a", undefined, "b"]);
    trial.expectNothingOpen();
  });

  test("is the last one where the budget is spent", async () => {
    const trial = new Trial({ a: [failure(kind)], b: [ANSWER] });
    trial.spend();
    expect(await trial.outcome()).toBe(`it is ${kind}`);
    expect(trial.asked).toEqual(["a"]);
    trial.expectNothingOpen();
  });

  const isAboutCredential = kind === "busy" || kind === "credential";

  test(`is ${isAboutCredential ? "" : "not "}followed by one with another credential`, async () => {
    const trial = new Trial({ a: [failure(kind), ANSWER] }, { credentials: 2 });
    const [one, other] = trial.candidates[0]!.state.credentials;
    const outcome = await trial.outcome();
    if (isAboutCredential) {
      expect(outcome).toBe("a");
      expect([one!.cooldownMs("m") > 0, other!.cooldownMs("m") > 0].filter(Boolean)).toEqual([true]);
    } else {
      expect([one!.cooldownMs("m"), other!.cooldownMs("m")]).toEqual([0, 0]);
    }
  });

  test(`counts ${isAboutCredential ? "for nothing" : "as a failure"} in the health of its route`, async () => {
    const trial = new Trial({ a: [failure(kind)], b: [ANSWER] });
    await trial.outcome();
    expect(trial.candidates[0]!.health.recent).toEqual(isAboutCredential ? { calls: 0, failures: 0 } : { calls: 1, failures: 1 });
    expect(trial.candidates[1]!.health.recent).toEqual({ calls: 1, failures: 0 });
  });

  const isWorthAskingAgain = kind === "unreachable" || kind === "failed";

  test(`is ${isWorthAskingAgain ? "" : "not "}tried once more at the only place there is`, async () => {
    const trial = new Trial({ a: [failure(kind)] });
    expect(await trial.outcome()).toBe(`it is ${kind}`);
    expect(trial.asked.length).toBe(isWorthAskingAgain ? 2 : 1);
    trial.expectNothingOpen();
  });
});

describe("tries", () => {
  test("end where the caller leaves, and nobody is blamed", async () => {
    const trial = new Trial({ a: ["hang"], b: [ANSWER] });
    const running = trial.run().catch((error: unknown) => error);
    trial.caller.abort();
    expect(await running).toBeInstanceOf(CallerGone);
    expect(trial.candidates[0]!.health.recent.calls).toBe(0);
    expect(trial.asked).toEqual(["a"]);
    trial.expectNothingOpen();
  });

  test("are four at most", async () => {
    const failed = [failure("failed")];
    const trial = new Trial({ a: failed, b: failed, c: failed, d: failed, e: [ANSWER] });
    expect(await trial.outcome()).toBe("it is failed");
    expect(trial.asked).toEqual(["a", "b", "c", "d"]);
  });

  test("are made again at the same place where it says when, and that is soon", async () => {
    const soon = new Trial({ a: [failure("busy", 10), ANSWER] });
    expect(await soon.outcome()).toBe("a");
    const late = new Trial({ a: [failure("busy", 2001), ANSWER] });
    expect(await late.outcome()).toBe("it is busy");
    const failed = new Trial({ a: [failure("failed", 30_000), ANSWER] });
    expect(await failed.outcome()).toBe("it is failed");
  });

  test("are not made again at the same place where that would fail again, or the work may have been done", async () => {
    const final = new GatewayError("upstream_error", "no such model", { fault: { kind: "failed", isFinal: true } });
    const alone = new Trial({ a: [final, ANSWER] });
    expect(await alone.outcome()).toBe("no such model");
    expect(alone.asked).toEqual(["a"]);
    const elsewhere = new Trial({ a: [final], b: [ANSWER] });
    expect(await elsewhere.outcome()).toBe("b");
    expect(elsewhere.candidates[0]!.health.recent).toEqual({ calls: 1, failures: 1 });
  });

  test.each([
    ["busy", ["m", "small"]],
    ["credential", ["m"]],
  ] as const)("are made with the same credential for another model of the upstream, or not, where it is %s", async (kind, models) => {
    const make = new Candidates();
    const asked: string[] = [];
    const large = make.make("a", { complete: () => Promise.reject(failure(kind)) });
    const tries = new Attempts({
      choice: new RouteChoice([large, make.another(large, "small", { priority: 2 })], undefined),
      budget: new RetryBudget(() => 0),
      deadline: new CallerDeadline(new AbortController().signal, undefined, performance.now()),
      callTo: ({ route }) => {
        asked.push(route.upstreamModel);
        return callOf(chatOf({}));
      },
      onAttempt: () => undefined,
      onResponse: () => undefined,
    });
    await tries.run((upstream, call) => upstream.complete(call)).catch(() => undefined);
    expect(asked).toEqual([...models]);
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

  test("are not made again for what the request is to blame for", async () => {
    const trial = new Trial({ a: [new GatewayError("invalid_value", "wrong")], b: [ANSWER] });
    expect(await trial.outcome()).toBe("wrong");
    expect(trial.tries.failed).toEqual([]);
    expect(trial.candidates[0]!.health.recent).toEqual({ calls: 0, failures: 0 });
    trial.expectNothingOpen();
  });

  test("end with the caller's patience, which the upstream is not blamed for", async () => {
    const trial = new Trial({ a: ["hang"], b: [ANSWER] }, { patienceMs: 500 });
    const thrown = await trial.run().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(DeadlineExceeded);
    expect(trial.asked).toEqual(["a"]);
    expect(trial.places).toEqual(["a"]);
    expect(trial.candidates[0]!.health.recent).toEqual({ calls: 0, failures: 0 });
    trial.expectNothingOpen();
  });

  test("do not wait for the same upstream beyond the caller's patience", async () => {
    const trial = new Trial({ a: [failure("busy", 1500), ANSWER] }, { patienceMs: 1000 });
    expect(await trial.outcome()).toBe("it is busy");
    expect(trial.asked).toEqual(["a"]);
  });

  test("call nobody where the caller has left already", async () => {
    const trial = new Trial({ a: [ANSWER] });
    trial.caller.abort();
    expect(await trial.outcome()).toContain("CallerGone");
    expect(trial.asked).toEqual([]);
    expect(trial.tries.attempts).toEqual([]);
    trial.expectNothingOpen();
  });

  test("stop where the caller leaves between two of them", async () => {
    const trial = new Trial({ a: [failure("failed", 1000), ANSWER] });
    const running = trial.outcome();
    await Bun.sleep(5);
    trial.caller.abort();
    expect(await running).toContain("CallerGone");
    expect(trial.asked).toEqual(["a"]);
    expect(trial.places.at(-1)).toBeUndefined();
  });

  test("keep a slot until the answer has ended, and blame the upstream where it broke off", async () => {
    const trial = new Trial({ a: [ANSWER] });
    const { health, state } = trial.candidates[0]!;
    await trial.run();
    expect([health.inFlight, state.slots.taken]).toEqual([1, 1]);
    trial.active!.ended(true);
    trial.active!.ended(false);
    trial.expectNothingOpen();
    expect(health.recent).toEqual({ calls: 1, failures: 1 });
  });

  test("probe a route that is due with one request, however many are on their way to it", async () => {
    const trial = new Trial({ a: [failure("failed")], b: ["hang"], c: [ANSWER] });
    const [a, b, c] = trial.candidates as [Candidate, Candidate, Candidate];
    leaveOut(b);
    trial.make.nowMs += 5000;
    const others = [1, 2, 3].map(() => {
      const tries = new Attempts({
        choice: new RouteChoice([a, b, c], undefined),
        budget: trial.budget,
        deadline: new CallerDeadline(trial.caller.signal, undefined, performance.now()),
        callTo: () => callOf(chatOf({}), { signal: trial.caller.signal }),
        onAttempt: () => undefined,
        onResponse: () => undefined,
      });
      return tries.run((upstream, call) => upstream.complete(call)).catch(() => undefined);
    });
    await Bun.sleep(5);
    expect(trial.asked.filter((id) => id === "b").length).toBe(1);
    trial.caller.abort();
    await Promise.all(others);
  });

  test("measure a long answer by how soon it began", async () => {
    const usage = { promptTokens: 1, completionTokens: 970, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
    const slowly = async (): Promise<Completion> => {
      await Bun.sleep(100);
      return { ...ANSWER, usage };
    };
    const make = new Candidates();
    const candidate = make.make("a", { complete: slowly });
    const tries = new Attempts({
      choice: new RouteChoice([candidate], undefined),
      budget: new RetryBudget(() => 0),
      deadline: new CallerDeadline(new AbortController().signal, undefined, performance.now()),
      callTo: () => callOf(chatOf({})),
      onAttempt: () => undefined,
      onResponse: () => undefined,
    });
    const startedAt = performance.now();
    await tries.run((upstream, call) => upstream.complete(call));
    expect(candidate.health.latencyMs).toBeLessThan((performance.now() - startedAt) / 2);
  });
});

describe("what a format has no words for", () => {
  const unsaid = new GatewayError("unsupported_parameter", "it has no words for it", { fault: { kind: "unsaid" } });

  test("is said in another's, and was no try: it counts for nothing and takes nothing from the budget", async () => {
    const trial = new Trial({ first: [unsaid], second: [ANSWER] });
    trial.spend();
    expect(await trial.outcome()).toBe("second");
    expect([trial.tries.attempts.length, trial.tries.failed]).toEqual([1, []]);
    expect(trial.candidates[0]!.health.recent).toEqual({ calls: 0, failures: 0 });
    trial.expectNothingOpen();
  });

  test("is the caller's to mend where nobody has", async () => {
    const trial = new Trial({ first: [unsaid], second: [unsaid] });
    expect(await trial.outcome()).toBe("it has no words for it");
    expect([trial.asked, trial.tries.attempts.length]).toEqual([["first", "second"], 0]);
    trial.expectNothingOpen();
  });
});

describe("what an upstream's model cannot take", () => {
  const unsupported = new GatewayError("invalid_value", "image input is not supported", { fault: { kind: "unsupported" } });

  test("is asked of another route; it counts for nothing in the upstream's health, and takes nothing from the budget", async () => {
    const trial = new Trial({ first: [unsupported], second: [ANSWER] });
    trial.spend();
    expect(await trial.outcome()).toBe("second");
    expect(trial.tries.attempts.map(({ outcome }) => outcome)).toEqual(["unsupported", "answered"]);
    expect(trial.tries.failed).toMatchObject([{ upstream: "first", fault: "unsupported" }]);
    expect(trial.candidates[0]!.health.recent).toEqual({ calls: 0, failures: 0 });
    trial.expectNothingOpen();
  });

  test("is the caller's to mend where nobody can, and nobody is asked twice", async () => {
    const trial = new Trial({ first: [unsupported], second: [unsupported] });
    expect(await trial.outcome()).toBe("image input is not supported");
    expect(trial.asked).toEqual(["first", "second"]);
    trial.expectNothingOpen();
  });
});
