import { expect, test } from "bun:test";
import { eventually } from "../../../../test/support/eventually.ts";
import { LinkedServices } from "../../../../test/support/linked-services.ts";
import { remoteAt } from "../../../models/declared-upstream.ts";
import type { CredentialHealth, ModelHealth, UpstreamHealth } from "../../../models/upstream-health.ts";
import type { RemoteSettings } from "../../../models/upstream-settings.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import { DeviationCounts } from "../health/deviation-counts.ts";
import { HealthReporter } from "./reported-health.ts";
import { MergedHealth } from "./merged-health.ts";

const UNUSED: UpstreamHealth = { inFlight: 0, queued: 0, models: [], credentials: [credential({})] };

function settingsWith(credentialText: string): RemoteSettings {
  return remoteAt("u", undefined, { baseUrl: "https://u.example/v1", allowPrivate: false }, [new Secret(credentialText)]);
}

function model(more: Partial<ModelHealth>): ModelHealth {
  const usual = {
    upstreamModel: "m",
    state: "healthy",
    probeDueInMs: 0,
    inFlight: 0,
    latencyMs: undefined,
    recent: { calls: 0, failures: 0 },
  };
  return { ...usual, ...more } as ModelHealth;
}

function credential(more: Partial<CredentialHealth>): CredentialHealth {
  return { last4: "1234", coolForMs: 0, reason: undefined, models: [], ...more };
}

/** The health of the upstream in one process. */
class Process {
  settings = settingsWith("credential-1234");
  health: UpstreamHealth = UNUSED;
  readonly deviations = new DeviationCounts();
  readonly healthOf = (): UpstreamHealth => this.health;
  reporter!: HealthReporter;
}

class Cluster {
  nowMs = 1000;
  readonly owner = new Process();
  merged = this.newOwner(this.owner);
  readonly links = new LinkedServices(this.merged);

  newOwner({ healthOf, deviations }: Process): MergedHealth {
    return new MergedHealth({ healthOf, deviations, nowMs: () => this.nowMs });
  }

  async start(id: string, health: UpstreamHealth = UNUSED): Promise<Process> {
    const process = new Process();
    process.health = health;
    const { healthOf, deviations } = process;
    const upstreams = (): RemoteSettings[] => [process.settings];
    process.reporter = await this.links.start(id, (owner) => new HealthReporter({ owner, upstreams, healthOf, deviations }));
    return process;
  }

  get health(): UpstreamHealth {
    return this.merged.health(this.owner.settings);
  }
}

test("calls are summed, the state is the worst and the cooldown the longest", async () => {
  const cluster = new Cluster();
  cluster.owner.health = { ...UNUSED, inFlight: 1, models: [model({ recent: { calls: 3, failures: 1 }, inFlight: 1, latencyMs: 7 })] };
  await cluster.start("one", {
    inFlight: 4,
    queued: 2,
    models: [
      model({ upstreamModel: "another" }),
      model({ state: "ejected", probeDueInMs: 900, inFlight: 4, recent: { calls: 20, failures: 10 } }),
    ],
    credentials: [
      credential({
        reason: "busy",
        coolForMs: 9000,
        models: [
          { upstreamModel: "m", coolForMs: 9000 },
          { upstreamModel: "n", coolForMs: 10 },
        ],
      }),
    ],
  });
  await cluster.start("two", {
    inFlight: 0,
    queued: 5,
    models: [model({ state: "probing" })],
    credentials: [credential({ reason: "credential", coolForMs: 3000, models: [{ upstreamModel: "n", coolForMs: 20 }] })],
  });
  expect(cluster.health).toEqual({
    inFlight: 5,
    queued: 7,
    models: [
      model({ upstreamModel: "another" }),
      model({ state: "ejected", probeDueInMs: 900, inFlight: 5, latencyMs: 7, recent: { calls: 23, failures: 11 } }),
    ],
    credentials: [
      credential({
        reason: "credential",
        coolForMs: 3000,
        models: [
          { upstreamModel: "m", coolForMs: 9000 },
          { upstreamModel: "n", coolForMs: 20 },
        ],
      }),
    ],
    ...NOTHING_SUSPICIOUS,
  });
});

const NOTHING_SUSPICIOUS = { implausibleUsages: 0, unpricedUsages: 0, unpricedFields: [] };

test("implausible and unpriced usage is summed, with the names of its fields", async () => {
  const cluster = new Cluster();
  cluster.owner.health = { ...UNUSED, implausibleUsages: 1, unpricedUsages: 1, unpricedFields: ["fast"] };
  await cluster.start("one", { ...UNUSED, inFlight: 1, implausibleUsages: 2, unpricedUsages: 3, unpricedFields: ["us", "fast"] });
  expect(cluster.health).toMatchObject({ implausibleUsages: 3, unpricedUsages: 4 });
  expect(cluster.health.unpricedFields?.toSorted()).toEqual(["fast", "us"]);
});

test("without gateway processes, the health is the owner's", () => {
  const cluster = new Cluster();
  cluster.owner.health = {
    ...UNUSED,
    inFlight: 2,
    models: [model({ latencyMs: 5 })],
    credentials: [credential({ reason: "busy", coolForMs: 5 })],
  };
  expect(cluster.health).toEqual({ ...cluster.owner.health, ...NOTHING_SUSPICIOUS });
});

test("the latency is from the latest response", async () => {
  const cluster = new Cluster();
  cluster.owner.health = { ...UNUSED, models: [model({ latencyMs: 10 })] };
  expect(cluster.health.models).toMatchObject([{ latencyMs: 10 }]);
  const one = await cluster.start("one");
  for (const latencyMs of [20, 30]) {
    cluster.nowMs += 1000;
    one.health = { ...UNUSED, models: [model({ latencyMs })] };
    one.reporter.report();
    await cluster.links.idle();
    expect(cluster.health.models).toMatchObject([{ latencyMs }]);
  }
  cluster.nowMs += 1000;
  cluster.owner.health = { ...UNUSED, models: [model({ latencyMs: 40 })] };
  expect(cluster.health.models).toMatchObject([{ latencyMs: 40 }]);
  one.health = { ...UNUSED, inFlight: 1, models: [model({ latencyMs: 30 })] };
  cluster.nowMs += 1000;
  one.reporter.report();
  await cluster.links.idle();
  expect(cluster.health).toMatchObject({ inFlight: 1, models: [{ latencyMs: 40 }] });
});

test("durations of a report run on", async () => {
  const cluster = new Cluster();
  await cluster.start("one", {
    ...UNUSED,
    models: [model({ state: "ejected", probeDueInMs: 900 })],
    credentials: [credential({ reason: "busy", coolForMs: 800, models: [{ upstreamModel: "m", coolForMs: 800 }] })],
  });
  cluster.nowMs += 500;
  expect(cluster.health).toMatchObject({
    models: [{ probeDueInMs: 400 }],
    credentials: [{ coolForMs: 300, reason: "busy", models: [{ coolForMs: 300 }] }],
  });
  cluster.nowMs += 500;
  expect(cluster.health).toMatchObject({ models: [{ probeDueInMs: 0 }], credentials: [{ coolForMs: 0, reason: undefined, models: [] }] });
});

test("a process reports what has changed, about once a second", async () => {
  const cluster = new Cluster();
  const one = await cluster.start("one");
  one.health = { ...UNUSED, inFlight: 3 };
  one.deviations.note("u", "m", "usage_missing");
  await eventually(
    () => [cluster.health.inFlight, cluster.merged.deviations().length],
    ([inFlight, deviations]) => inFlight === 3 && deviations === 1,
  );
  cluster.links.end("one");
});

test("nothing is sent where nothing has changed", () => {
  const sent: unknown[] = [];
  const { healthOf, deviations, settings } = new Process();
  const owner = { notify: (_: string, body: unknown): void => void sent.push(body) };
  const reporter = new HealthReporter({ owner, upstreams: () => [settings], healthOf, deviations });
  reporter.report();
  deviations.note("u", "m", "usage_missing");
  for (let count = 0; count < 3; count++) reporter.report();
  expect(sent).toEqual([
    { upstreams: [], deviations: null },
    { upstreams: [], deviations: [{ upstream: "u", model: "m", counts: { usage_missing: 1 } }] },
  ]);
});

test("other settings of an upstream are not counted", async () => {
  const cluster = new Cluster();
  await cluster.start("one", { ...UNUSED, inFlight: 3 });
  cluster.owner.settings = settingsWith("credential-new-1234");
  expect(cluster.health.inFlight).toBe(0);
});

test("calls in flight end with their process, and its deviations stay", async () => {
  const cluster = new Cluster();
  const one = await cluster.start("one", { ...UNUSED, inFlight: 3 });
  cluster.owner.deviations.note("u", "m", "usage_missing");
  for (const deviation of ["usage_missing", "id_changed"] as const) one.deviations.note("u", "m", deviation);
  one.deviations.note("a", "m", "id_changed");
  one.reporter.report();
  await cluster.links.idle();
  const expected = [
    { upstream: "a", model: "m", counts: { id_changed: 1 } },
    { upstream: "u", model: "m", counts: { usage_missing: 2, id_changed: 1 } },
  ];
  expect(cluster.merged.deviations()).toEqual(expected);
  cluster.links.disconnect("one");
  expect(cluster.health.inFlight).toBe(3);
  cluster.links.end("one");
  expect(cluster.health.inFlight).toBe(0);
  expect(cluster.merged.deviations()).toEqual(expected);
});

test("a new owner has the whole report of every process", async () => {
  const cluster = new Cluster();
  const one = await cluster.start("one", { ...UNUSED, inFlight: 3 });
  one.deviations.note("u", "m", "usage_missing");
  one.reporter.report();
  await cluster.links.idle();
  cluster.merged = cluster.newOwner(new Process());
  await cluster.links.replaceOwner(cluster.merged);
  expect(cluster.health.inFlight).toBe(3);
  expect(cluster.merged.deviations()).toEqual([{ upstream: "u", model: "m", counts: { usage_missing: 1 } }]);
});

test("the state of an identity covers all processes: the first expiry, any failure, the sum of failures", async () => {
  const cluster = new Cluster();
  const usual = { source: "a file", expiresAtMs: 9_000, failure: undefined, refreshFailures: 0, clockSkewMs: 5 };
  await cluster.start("a", { ...UNUSED, identity: { ...usual, refreshFailures: 1, clockSkewMs: -700 } });
  await cluster.start("b", { ...UNUSED, identity: { ...usual, expiresAtMs: 8_000, failure: "no", refreshFailures: 2 } });
  expect(cluster.health.identity).toEqual({ source: "a file", expiresAtMs: 8_000, failure: "no", refreshFailures: 3, clockSkewMs: -700 });
  // A process without credentials fails its requests, even if other processes have credentials.
  await cluster.start("c", { ...UNUSED, identity: { ...usual, source: undefined, expiresAtMs: undefined, failure: "none" } });
  expect(cluster.health.identity).toMatchObject({ source: "a file", expiresAtMs: undefined, failure: "none" });
});
