import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runInTerminal } from "../commands/in-terminal.ts";
import { commandRunner, type CommandRunner } from "../commands/command-runner.ts";
import { answers, FlakyUpstream, rejectsWith } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, routesTo } from "./routed-gateway.ts";

const CREDENTIALS = ["sk-of-a-test-aaaa", "sk-of-a-test-bbbb"];
const sound = new FlakyUpstream("sound");
const failing = new FlakyUpstream("failing", rejectsWith(500));
const busy = new FlakyUpstream("busy", (asked) =>
  asked.credential === CREDENTIALS[0] ? rejectsWith(429, { "retry-after": "500" })(asked) : answers(asked),
);
const idle = new FlakyUpstream("idle");
const spent = new FlakyUpstream("spent", rejectsWith(429, { "retry-after": "500" }));
const all = [sound, failing, busy, idle, spent];
let routed: RoutedGateway;
let tollgate: CommandRunner;

beforeAll(async () => {
  const places = all.map(({ id, port }) => (id === "busy" ? { id, port, credentials: CREDENTIALS } : { id, port }));
  routed = await RoutedGateway.start(
    routesConfig(places, [
      { id: "m", routes: routesTo([failing, sound], true) },
      { id: "n", routes: routesTo([busy]) },
      { id: "o", routes: routesTo([idle]) },
      { id: "p", routes: routesTo([spent]) },
    ]),
  );
  tollgate = commandRunner(routed.gateway);
  for (let at = 0; at < 6; at++) await routed.ask("m");
  await routed.askTimes("n", 20);
  await routed.ask("p");
});
afterAll(async () => {
  await routed.stop();
  await Promise.all(all.map((upstream) => upstream.stop()));
});

interface Health {
  readonly in_flight: number;
  readonly models: readonly { readonly state: string; readonly probe_in_ms: number; readonly latency_ms: number | null }[];
  readonly credentials: readonly { readonly last4: string; readonly cooldown_ms: number; readonly reason: string | null }[];
}

function healthOf(id: string): Promise<Health> {
  return routed.gateway.platform("GET", `/api/upstreams/${id}/health`);
}

describe("the health of an upstream", () => {
  test("shows an ejected route and the remaining time", async () => {
    const { models, ...health } = await healthOf("failing");
    expect(health).toMatchObject({ upstream: "failing", in_flight: 0, queued: 0 });
    expect(models).toMatchObject([{ model: "m", in_flight: 0, latency_ms: null, recent_calls: 5, recent_failures: 5 }]);
    // On a slow machine the ejection may be over.
    expect(["ejected", "probing"]).toContain(models[0]!.state);
    expect(models[0]!.probe_in_ms).toBeWithin(0, 5001);
  });

  test("shows a healthy route and its latency", async () => {
    const { models } = await healthOf("sound");
    expect(models).toMatchObject([{ model: "m", state: "healthy", probe_in_ms: 0, recent_calls: 6, recent_failures: 0 }]);
    expect(models[0]!.latency_ms).toBeNumber();
  });

  test("shows the cooldown of a credential, and never the credential", async () => {
    const { credentials } = await healthOf("busy");
    expect(credentials).toMatchObject([
      { last4: "aaaa", reason: "busy", models: [{ model: "m", cooldown_ms: expect.any(Number) as number }] },
      { last4: "bbbb", cooldown_ms: 0, reason: null, models: [] },
    ]);
    expect(credentials[0]!.cooldown_ms).toBeWithin(1, 500_001);
    expect(JSON.stringify(credentials)).not.toContain(CREDENTIALS[0]!);
  });

  test("is empty for an upstream without calls, and 404 for an unknown one", async () => {
    expect(await healthOf("idle")).toMatchObject({ in_flight: 0, queued: 0, models: [] });
    const nobody = routed.gateway.platform("GET", "/api/upstreams/nobody/health").catch(String);
    expect(await nobody).toContain("unknown_upstream");
  });
});

describe("tollgate", () => {
  test("upstreams health shows one upstream", async () => {
    expect(await tollgate.text("upstreams health failing")).toMatch(
      /^Upstream {4}failing\nIn flight {3}0 calls, 0 queued\nCredential {2}…ling: healthy\n\nUPSTREAM MODEL +STATE +IN FLIGHT +FIRST BYTE +FAILED\nm +(ejected, probe in [1-5] s|probe due) +0 +- +5 of 5\n$/,
    );
    expect(await tollgate.text("upstreams health busy")).toMatch(
      /Credential {2}…aaaa: rate-limited, cooldown remaining \d+ s for m\n {12}…bbbb: healthy\n[^]*\nm +healthy +0 +[\d,]+ ms +0 of 20\n$/,
    );
    expect(await tollgate.text("upstreams health idle")).toEndWith("No calls since startup, or since its settings changed.\n");
  });

  test("upstreams health lists all upstreams, with credential cooldowns", async () => {
    const [heading, ...rows] = (await tollgate.text("upstreams health")).trimEnd().split("\n");
    expect(heading).toMatch(/^UPSTREAM +UPSTREAM MODEL +STATE +IN FLIGHT +FIRST BYTE +FAILED$/);
    expect(rows.map((row) => row.split(/ {2,}/).slice(0, 3))).toEqual([
      ["busy", "m", "healthy"],
      ["failing", "m", expect.stringMatching(/^ejected|^probe due/) as string],
      ["idle", "-", "no calls yet"],
      ["sound", "m", "healthy"],
      ["spent", "m", expect.stringMatching(/^no credential for [45]\d\d s$/) as string],
    ]);
    const { screen } = await runInTerminal(routed.gateway, ["upstreams", "health"], 72);
    expect(screen.split("\n").filter((line) => Bun.stringWidth(line) > 72)).toEqual([]);
    const { data } = await tollgate.json<{ data: readonly { upstream: string }[] }>("upstreams health");
    expect(data.map(({ upstream }) => upstream)).toEqual(["busy", "failing", "idle", "sound", "spent"]);
  });

  test("receipt lists the failed attempts", async () => {
    sound.does = rejectsWith(502);
    const { requestId, status } = await routed.ask("m");
    sound.does = answers;
    expect(status).toBe(502);
    const shown = await tollgate.text(`receipt ${requestId}`);
    expect(shown).toMatch(/^Failed attempt +sound as m: failed after \d+ ms \(upstream status 502: status 502 of a test\)$/m);
    expect(shown).toMatch(/^Ended +.* UTC: upstream_error$/m);
  });
});
