import { expect, test } from "bun:test";
import { LinkedServices } from "../../../../test/support/linked-services.ts";
import { remoteAt } from "../../../models/declared-upstream.ts";
import type { RemoteSettings } from "../../../models/upstream-settings.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import type { RouteHealth } from "../health/route-health.ts";
import { UpstreamState, type HealthObserver, ConcurrencySlots } from "../health/upstream-state.ts";
import { HealthHints } from "./health-hints.ts";
import { HealthHintsOwner } from "./health-hints-owner.ts";

const EJECTED_MS = 5_000;
const FOLLOWED_MS = 5_250;

function settingsWith(credentials: readonly string[], id = "u"): RemoteSettings {
  const secrets = credentials.map((text) => new Secret(text));
  return remoteAt(id, undefined, { baseUrl: "https://u.example/v1", allowPrivate: false }, secrets);
}

function unasked(): Promise<never> {
  return Promise.reject(new Error("this one was not to be asked"));
}

/** The health of the upstream in a process. */
class Process {
  settings: RemoteSettings = settingsWith(["credential-one", "credential-two"]);
  hints!: HealthObserver;
  state: UpstreamState;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.state = this.#newState();
  }

  get route(): RouteHealth {
    return this.state.healthOf("m");
  }

  readonly findState = (id: string): UpstreamState | undefined => (id === this.settings.id ? this.state : undefined);

  change(settings: RemoteSettings): void {
    this.settings = settings;
    this.state = this.#newState();
  }

  #newState(): UpstreamState {
    return new UpstreamState({ settings: this.settings, complete: unasked, stream: unasked }, this.#nowMs, {
      slots: { of: (_, bounds) => new ConcurrencySlots(bounds) },
      observer: {
        circuitChanged: (...change) => this.hints.circuitChanged(...change),
        cooldownStarted: (...change) => this.hints.cooldownStarted(...change),
      },
    });
  }
}

/** An owner and its processes, with one clock. */
class Cluster {
  nowMs = 1000;
  readonly clock = (): number => this.nowMs;
  readonly owner = new Process(this.clock);
  readonly links = new LinkedServices(this.newOwner(this.owner));

  newOwner(owner: Process): HealthHintsOwner {
    const hints = new HealthHintsOwner({ findState: owner.findState, nowMs: this.clock });
    owner.hints = hints;
    return hints;
  }

  async start(id: string): Promise<Process> {
    const process = new Process(this.clock);
    process.hints = await this.links.start(id, (owner) => {
      const { findState } = process;
      return new HealthHints({ owner, findState, nowMs: this.clock });
    });
    return process;
  }
}

function fail(route: RouteHealth, times = 5): void {
  for (let count = 0; count < times; count++) route.failed(route.begin(), 1);
}

test("a route that one process ejects is ejected in all of them, and closed by the first success", async () => {
  const cluster = new Cluster();
  const [one, two] = [await cluster.start("one"), await cluster.start("two")];
  const everyone = [one, two, cluster.owner];
  fail(one.route);
  await cluster.links.idle();
  expect(everyone.map(({ route }) => [route.state, route.probeDueInMs])).toEqual([
    ["ejected", EJECTED_MS],
    ["ejected", FOLLOWED_MS],
    ["ejected", FOLLOWED_MS],
  ]);
  expect(two.state.healthOf("other").state).toBe("healthy");
  cluster.nowMs += EJECTED_MS;
  expect(everyone.map(({ route }) => route.state)).toEqual(["probing", "ejected", "ejected"]);
  const probe = one.route.begin();
  await cluster.links.idle();
  cluster.nowMs += FOLLOWED_MS - EJECTED_MS;
  expect(everyone.map(({ route }) => route.state)).toEqual(["ejected", "ejected", "ejected"]);
  one.route.responded(probe, 10);
  await cluster.links.idle();
  expect(everyone.map(({ route }) => route.state)).toEqual(["healthy", "healthy", "healthy"]);
});

test("the failed probe of one process ejects the route for twice as long in all of them", async () => {
  const cluster = new Cluster();
  const [one, two] = [await cluster.start("one"), await cluster.start("two")];
  fail(one.route);
  await cluster.links.idle();
  cluster.nowMs += FOLLOWED_MS;
  fail(two.route, 1);
  await cluster.links.idle();
  expect([one.route.probeDueInMs, two.route.probeDueInMs, cluster.owner.route.probeDueInMs]).toEqual([10_250, 10_000, 10_250]);
  cluster.nowMs += 10_250;
  fail(one.route, 1);
  expect(one.route.probeDueInMs).toBe(20_000);
});

test("a probe that never ends keeps other processes from probing for some seconds only", async () => {
  const cluster = new Cluster();
  const [one, two] = [await cluster.start("one"), await cluster.start("two")];
  fail(one.route);
  await cluster.links.idle();
  cluster.nowMs += FOLLOWED_MS;
  one.route.begin();
  await cluster.links.idle();
  expect(two.route.state).toBe("ejected");
  cluster.links.end("one");
  cluster.nowMs += 5_000;
  expect(two.route.state).toBe("probing");
});

test("a probe in flight decides, although another process has ejected the route again", async () => {
  const cluster = new Cluster();
  const [one, two] = [await cluster.start("one"), await cluster.start("two")];
  fail(one.route);
  await cluster.links.idle();
  cluster.nowMs += FOLLOWED_MS;
  const probe = one.route.begin();
  fail(two.route, 1);
  await cluster.links.idle();
  one.route.responded(probe, 10);
  await cluster.links.idle();
  expect([one.route.state, two.route.state]).toEqual(["healthy", "healthy"]);
});

test("a shorter ejection or cooldown of another process does not end a longer one", async () => {
  const cluster = new Cluster();
  const [one, two] = [await cluster.start("one"), await cluster.start("two")];
  fail(two.route);
  cluster.nowMs += EJECTED_MS;
  fail(two.route, 1);
  one.state.credentials[0]!.noteFault({ kind: "busy", retryAfterMs: 20_000 }, "m");
  two.state.credentials[0]!.noteFault({ kind: "busy", retryAfterMs: 1_000 }, "m");
  fail(one.route);
  await cluster.links.idle();
  expect(two.route.probeDueInMs).toBe(10_000);
  expect([one, two].map(({ state }) => state.credentials[0]!.cooldownMs("m"))).toEqual([20_000, 20_000]);
});

test("an ejection that another process has ended does not lengthen the next one", async () => {
  const cluster = new Cluster();
  const [one, two] = [await cluster.start("one"), await cluster.start("two")];
  fail(two.route);
  cluster.nowMs += EJECTED_MS;
  fail(two.route, 1);
  await cluster.links.idle();
  const call = one.route.begin();
  one.route.responded(call, 10);
  one.route.succeeded(call);
  fail(one.route);
  await cluster.links.idle();
  expect([one.route.probeDueInMs, two.route.probeDueInMs]).toEqual([EJECTED_MS, FOLLOWED_MS]);
});

test("a cooldown of one process's credential holds in all of them", async () => {
  const cluster = new Cluster();
  const [one, two] = [await cluster.start("one"), await cluster.start("two")];
  one.state.credentials[1]!.noteFault({ kind: "busy", retryAfterMs: 20_000 }, "m");
  cluster.owner.state.credentials[0]!.noteFault({ kind: "credential" }, "m");
  await cluster.links.idle();
  for (const { state } of [one, two, cluster.owner]) {
    const [first, second] = state.credentials;
    expect([first!.cooldownMs("m"), first!.cooldownMs("other")]).toEqual([60_000, 60_000]);
    expect([second!.cooldownMs("m"), second!.cooldownMs("other")]).toEqual([20_000, 0]);
  }
});

test("hints for other settings of the upstream are ignored", async () => {
  const cluster = new Cluster();
  const [one, two] = [await cluster.start("one"), await cluster.start("two")];
  two.change(settingsWith(["credential-two", "credential-one"]));
  one.state.credentials[0]!.noteFault({ kind: "credential" }, "m");
  fail(one.route);
  await cluster.links.idle();
  expect([two.route.state, two.state.credentials[0]!.cooldownMs("m")]).toEqual(["healthy", 0]);
});

test("no message has a credential in it", async () => {
  const sent: string[] = [];
  const process = new Process(() => 0);
  const owner = { notify: (_: string, body: unknown): void => void sent.push(JSON.stringify(body)) };
  const hints = new HealthHints({ owner, findState: process.findState, nowMs: () => 0 });
  process.hints = hints;
  fail(process.route);
  process.state.credentials[0]!.noteFault({ kind: "credential" }, "m");
  expect(sent).toHaveLength(2);
  expect(sent.join() + JSON.stringify(hints.statement())).not.toMatch(/credential-|-one/);
});

test("many calls that are rejected together tell of one cooldown", async () => {
  const sent: unknown[] = [];
  const cluster = new Cluster();
  const process = new Process(cluster.clock);
  const owner = { notify: (_: string, body: unknown): void => void sent.push(body) };
  process.hints = new HealthHints({ owner, findState: process.findState, nowMs: cluster.clock });
  for (let count = 0; count < 100; count++) {
    process.state.credentials[0]!.noteFault({ kind: "busy" }, "m");
    cluster.nowMs += 1;
  }
  expect(sent).toHaveLength(1);
});

test("a process that starts learns the ejections and cooldowns in force, also from a new owner", async () => {
  const cluster = new Cluster();
  const one = await cluster.start("one");
  fail(one.route);
  fail(one.state.healthOf("closed again"));
  one.state.credentials[1]!.noteFault({ kind: "busy", retryAfterMs: 20_000 }, "m");
  one.state.credentials[0]!.noteFault({ kind: "busy", retryAfterMs: 1_000 }, "m");
  await cluster.links.idle();
  cluster.nowMs += EJECTED_MS;
  const closed = one.state.healthOf("closed again");
  closed.responded(closed.begin(), 1);
  await cluster.links.idle();
  const checkStarted = ({ state, route }: Process): void => {
    expect([route.state, route.probeDueInMs, state.healthOf("closed again").state]).toEqual(["ejected", 250, "healthy"]);
    expect(state.credentials.map((each) => each.cooldownMs("m"))).toEqual([0, 15_000]);
  };
  checkStarted(await cluster.start("two"));
  const owner = new Process(cluster.clock);
  await cluster.links.replaceOwner(cluster.newOwner(owner));
  checkStarted(owner);
  checkStarted(await cluster.start("three"));
});

test("a route that a process has found healthy while the owner was away is not ejected by the statement of another", async () => {
  const cluster = new Cluster();
  const [one, two] = [await cluster.start("one"), await cluster.start("two")];
  fail(one.route);
  await cluster.links.idle();
  cluster.links.loseOwner();
  cluster.nowMs += FOLLOWED_MS;
  two.route.responded(two.route.begin(), 10);
  await cluster.links.replaceOwner(cluster.newOwner(new Process(cluster.clock)));
  await cluster.links.idle();
  expect(two.route.state).toBe("healthy");
});
