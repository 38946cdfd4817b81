import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { FakeClock } from "../../../test/clouds/fake-clock.ts";
import { runs } from "../../../test/support/long.ts";
import { ApiError } from "../../requests/api-error.ts";
import { IdentityFailure, type CredentialSource, type ExpiringCredentials, type ObtainedCredentials } from "./credential-source.ts";
import { RefreshedCredentials } from "./refreshed-credentials.ts";

const MINUTE = 60_000;

interface Numbered extends ExpiringCredentials {
  readonly number: number;
}

/** Returns numbered credentials after a while, or fails. */
class FakeSource implements CredentialSource<Numbered> {
  readonly #clock: FakeClock;
  readonly #lifetimeMs: number | undefined;
  readonly #latencyMs: number;
  isDown = false;
  calls = 0;
  concurrent = 0;
  mostConcurrent = 0;

  constructor(clock: FakeClock, lifetimeMs: number | undefined, latencyMs = 0) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#latencyMs = latencyMs;
  }

  async obtain(): Promise<ObtainedCredentials<Numbered>> {
    const number = ++this.calls;
    this.mostConcurrent = Math.max(this.mostConcurrent, ++this.concurrent);
    if (this.#latencyMs > 0) await new Promise<void>((done) => this.#clock.later(done, this.#latencyMs));
    this.concurrent--;
    if (this.isDown) throw new IdentityFailure("unreachable", "the source is down");
    const expiresAtMs = this.#lifetimeMs === undefined ? undefined : this.#clock.nowMs() + this.#lifetimeMs;
    return { credentials: { number, expiresAtMs }, source: "a test" };
  }
}

/** What a request at this moment would get: credentials immediately, credentials later, or none. */
function ask(credentials: RefreshedCredentials<Numbered>): { now?: Numbered; later?: Promise<Numbered>; failure?: unknown } {
  try {
    const current = credentials.current();
    if (!(current instanceof Promise)) return { now: current };
    current.catch(() => {});
    return { later: current };
  } catch (failure) {
    return { failure };
  }
}

async function opened(source: FakeSource, clock: FakeClock): Promise<RefreshedCredentials<Numbered>> {
  const credentials = new RefreshedCredentials(source, clock);
  const first = credentials.current();
  await clock.advance(MINUTE / 2);
  await first;
  return credentials;
}

test("requests wait for the first credentials together, and for no others", async () => {
  const clock = new FakeClock();
  const source = new FakeSource(clock, 60 * MINUTE, 100);
  const credentials = new RefreshedCredentials(source, clock);
  const waiting = Array.from({ length: 50 }, async () => credentials.current());
  await clock.advance(100);
  expect((await Promise.all(waiting)).map(({ number }) => number)).toEqual(Array.from({ length: 50 }, () => 1));
  expect(source.calls).toBe(1);
  await clock.advance(24 * 60 * MINUTE);
  expect(ask(credentials).now?.number).toBeGreaterThan(20);
});

test.each([
  [0, 49.2],
  [0.5, 48],
  [1, 46.8],
])("gateways that start together do not refresh together (random %p: after %p minutes)", async (random, minutes) => {
  const clock = new FakeClock(0, () => random);
  const source = new FakeSource(clock, 60 * MINUTE);
  const credentials = new RefreshedCredentials(source, clock);
  await credentials.current();
  await clock.advance(minutes * MINUTE - 1);
  expect(source.calls).toBe(1);
  await clock.advance(2);
  expect(source.calls).toBe(2);
  expect(ask(credentials).now?.number).toBe(2);
});

test("through any sequence of expiries a request gets valid credentials at once, from one refresh at a time", async () => {
  const refreshes = fc.record({
    lifetimeMs: fc.integer({ min: 2_000, max: 12 * 60 * MINUTE }),
    latency: fc.double({ min: 0, max: 0.4, noNaN: true }),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    steps: fc.array(fc.double({ min: 0.001, max: 0.7, noNaN: true }), { minLength: 5, maxLength: 30 }),
  });
  await fc.assert(
    fc.asyncProperty(refreshes, async ({ lifetimeMs, latency, random, steps }) => {
      const clock = new FakeClock(0, () => random);
      const source = new FakeSource(clock, lifetimeMs, Math.min(latency * lifetimeMs, 10_000));
      const credentials = await opened(source, clock);
      // The first credentials may have expired since then.
      await clock.advance(lifetimeMs);
      for (const step of steps) {
        await clock.advance(step * lifetimeMs);
        expect(ask(credentials).now?.expiresAtMs).toBeGreaterThan(clock.nowMs());
      }
      expect(source.mostConcurrent).toBe(1);
    }),
    runs(100),
  );
});

test("gateways that start together do not refresh together", async () => {
  const refreshed = [0, 0.999].map(async (random) => {
    const clock = new FakeClock(0, () => random);
    const credentials = new RefreshedCredentials(new FakeSource(clock, 60 * MINUTE), clock);
    await credentials.current();
    // Due after 48 minutes, give or take 1.2.
    await clock.advance(48 * MINUTE);
    return ask(credentials).now?.number;
  });
  expect(await Promise.all(refreshed)).toEqual([1, 2]);
});

test("an outage passes unnoticed where it is shorter than the time that was left", async () => {
  const outages = fc.record({
    lifetimeMs: fc.integer({ min: 15 * MINUTE, max: 12 * 60 * MINUTE }),
    startsAfter: fc.double({ min: 0, max: 3, noNaN: true }),
    // Refreshed at least 4.5 minutes early, and tried again at least every 66 seconds.
    outageMs: fc.integer({ min: 0, max: 200_000 }),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(outages, async ({ lifetimeMs, startsAfter, outageMs, random }) => {
      const clock = new FakeClock(0, () => random);
      const source = new FakeSource(clock, lifetimeMs);
      const credentials = await opened(source, clock);
      await clock.advance(startsAfter * lifetimeMs);
      source.isDown = true;
      for (let passedMs = 0; passedMs < outageMs; passedMs += 20_000) {
        await clock.advance(20_000);
        expect(ask(credentials).now).toBeDefined();
      }
      source.isDown = false;
      for (let passed = 0; passed < 20; passed++) {
        await clock.advance(lifetimeMs / 10);
        expect(ask(credentials).now?.expiresAtMs).toBeGreaterThan(clock.nowMs());
      }
      expect(credentials.state.failure).toBeUndefined();
    }),
    runs(100),
  );
});

test("credentials are served until they expire, and then requests fail as for an upstream that is away", async () => {
  const clock = new FakeClock();
  const source = new FakeSource(clock, 60 * MINUTE);
  const credentials = await opened(source, clock);
  source.isDown = true;
  await clock.advance(59 * MINUTE);
  expect(ask(credentials).now?.number).toBe(1);
  expect(credentials.state).toMatchObject({ source: "a test", expiresAtMs: clock.nowMs() + MINUTE / 2, failure: "the source is down" });

  await clock.advance(MINUTE);
  const [refused] = await Promise.allSettled([Promise.resolve().then(() => credentials.current())]);
  expect(refused.status === "rejected" && refused.reason).toEqual(
    expect.objectContaining({
      code: "no_upstream_available",
      detail: "no credentials: the source is down",
      fault: { kind: "unreachable" },
    }),
  );

  // Waiting requests share one attempt to obtain credentials.
  await clock.advance(MINUTE);
  const { calls } = source;
  for (let times = 0; times < 100; times++) await clock.advance(ask(credentials).later ? 1 : 0);
  expect(source.calls - calls).toBeLessThanOrEqual(1);

  source.isDown = false;
  await clock.advance(2 * MINUTE);
  expect((await ask(credentials).later)?.expiresAtMs).toBeGreaterThan(clock.nowMs());
  expect(credentials.state.failure).toBeUndefined();
});

test("credentials that have expired on arrival are a failure, and not asked for again at once", async () => {
  const clock = new FakeClock();
  const source = new FakeSource(clock, 0);
  const credentials = new RefreshedCredentials(source, clock);
  const [refused] = await Promise.allSettled([credentials.current()]);
  expect(refused.status === "rejected" && refused.reason).toBeInstanceOf(ApiError);
  expect(credentials.state.failure).toBe("the credentials of a test had expired when they arrived");
  expect(ask(credentials).failure).toBeInstanceOf(ApiError);
  await clock.advance(60 * MINUTE);
  expect(source.calls).toBe(1);
});

test("a timer is never longer than a day, and credentials that do not expire have none", async () => {
  const clock = new FakeClock();
  const source = new FakeSource(clock, 100 * 24 * 60 * MINUTE);
  const long = await opened(source, clock);
  await clock.advance(24 * 60 * MINUTE);
  expect(ask(long).now?.number).toBe(2);

  const lasting = new FakeClock();
  const credentials = await opened(new FakeSource(lasting, undefined), lasting);
  expect(lasting.pending).toBe(0);
  await lasting.advance(1000 * 24 * 60 * MINUTE);
  expect(ask(credentials).now?.number).toBe(1);
});

test("rejected credentials are replaced, at most once a minute", async () => {
  const clock = new FakeClock();
  const source = new FakeSource(clock, 60 * MINUTE);
  const credentials = await opened(source, clock);
  const first = ask(credentials).now!;
  expect(await credentials.replace(first)).toBe(false);
  await clock.advance(MINUTE);
  expect(await Promise.all([credentials.replace(first), credentials.replace(first)])).toEqual([true, true]);
  expect(await credentials.replace(first)).toBe(true);
  expect(source.calls).toBe(2);
  expect(await credentials.replace(ask(credentials).now!)).toBe(false);
});

test("while the source is down, rejected credentials do not make requests ask it one by one", async () => {
  const clock = new FakeClock();
  const source = new FakeSource(clock, 60 * MINUTE);
  const credentials = await opened(source, clock);
  const first = ask(credentials).now!;
  await clock.advance(2 * MINUTE);
  source.isDown = true;
  for (let times = 0; times < 100; times++) expect(await credentials.replace(first)).toBe(false);
  expect(source.calls).toBe(2);
  source.isDown = false;
  await clock.advance(2 * MINUTE);
  expect(await credentials.replace(first)).toBe(true);
});

test("a check tries again at once after a failure, once for all that wait, and keeps credentials that are valid", async () => {
  const clock = new FakeClock();
  const source = new FakeSource(clock, 60 * MINUTE);
  const credentials = new RefreshedCredentials(source, clock);
  source.isDown = true;
  const check = async (): Promise<boolean> => (await Promise.allSettled([credentials.check()]))[0].status === "fulfilled";
  expect(await check()).toBe(false);
  expect(ask(credentials).failure).toBeInstanceOf(ApiError);
  source.isDown = false;
  expect(await Promise.all([check(), check()])).toEqual([true, true]);
  expect([source.calls, ask(credentials).now?.number, credentials.state.failure]).toEqual([2, 2, undefined]);

  expect([await check(), source.calls]).toEqual([true, 2]);
  source.isDown = true;
  await clock.advance(50 * MINUTE);
  expect([await check(), ask(credentials).now?.number, credentials.state.failure]).toEqual([true, 2, "the source is down"]);
});

test("replacements do not make later refreshes more frequent", async () => {
  const clock = new FakeClock();
  const source = new FakeSource(clock, 60 * MINUTE);
  const credentials = await opened(source, clock);
  for (let times = 0; times < 10; times++) {
    await clock.advance(2 * MINUTE);
    expect(await credentials.replace(ask(credentials).now!)).toBe(true);
  }
  const { calls } = source;
  await clock.advance(10 * 60 * MINUTE);
  expect(source.calls - calls).toBe(12);
});
