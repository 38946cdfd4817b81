import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScriptedProvider } from "../oidc/scripted-provider.ts";
import { tokenOf } from "../people/visitor.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { startCollector, type Collector } from "../traces/collector.ts";
import { PLACES } from "./canary-places.ts";
import {
  configWith,
  FROM_ENVIRONMENT,
  playCommands,
  playCredentials,
  playEverything,
  playKeys,
  playPeople,
  playReloads,
  type Scene,
} from "./canary-scenario.ts";
import { playWebhooks } from "./canary-webhooks.ts";
import { startEchoingUpstream, type EchoingUpstream } from "./echoing-upstream.ts";
import { RecordedPlatform } from "./recorded-platform.ts";
import { LeakDetector } from "./leak-detector.ts";

const detector = new LeakDetector();
let upstream: EchoingUpstream;
let provider: ScriptedProvider;
let collector: Collector;
let folder: string;
let good: string;
let environment: Record<string, string>;

beforeAll(async () => {
  upstream = startEchoingUpstream();
  provider = await ScriptedProvider.start();
  collector = startCollector();
  folder = mkdtempSync(join(tmpdir(), "tollgate-canaries-"));
  good = configWith(upstream, detector.invent("credential in the file"));
  writeFileSync(join(folder, "tollgate.yaml"), good);
  chmodSync(join(folder, "tollgate.yaml"), 0o600);
  environment = {
    [FROM_ENVIRONMENT]: detector.invent("credential from the environment"),
    TOLLGATE_SECRET: detector.invent("TOLLGATE_SECRET"),
    TOLLGATE_OIDC_ISSUER: provider.issuer,
    TOLLGATE_OIDC_CLIENT_ID: "tollgate",
    TOLLGATE_OIDC_CLIENT_SECRET: detector.invent("OpenID client secret"),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-token=${detector.invent("the collector's token")}`,
    OTEL_BSP_SCHEDULE_DELAY: "50",
    TOLLGATE_TRACE_CONTENT: "on",
    TOLLGATE_LOG_LEVEL: "debug",
  };
});

afterAll(async () => {
  await upstream.stop();
  await provider.stop();
  await collector.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a gateway in the folder, and returns the means to observe it. */
async function begin(env: Record<string, string> = {}): Promise<Scene> {
  const gateway = await startGateway({ folder, env: { ...environment, ...env } });
  detector.keep("operator token", gateway.operatorToken);
  detector.keep("hash secret", secretFiles()["hash-secret"]!);
  return { gateway, platform: new RecordedPlatform(gateway, detector), detector, upstream, provider };
}

/** The files that consist of a secret, by name of the secret. */
function secretFiles(): Record<string, string> {
  return Object.fromEntries(
    ["operator-token", "hash-secret"].map((name) => [name, readFileSync(join(folder, "data", name), "utf8").trim()]),
  );
}

async function look(scene: Scene): Promise<void> {
  for (const place of PLACES) await place({ ...scene, secretFiles: secretFiles() });
}

/** The greeting is the only line that may show an invitation link. */
function listen(gateway: RunningGateway): void {
  for (const line of gateway.output().split("\n")) {
    const shows = line.startsWith('{"base_url"') && gateway.signInUrl !== null ? [tokenOf(gateway.signInUrl)] : [];
    detector.record("what is printed", line, shows);
  }
}

test("every secret is in the one reply that shows it, and nowhere else", async () => {
  const first = await begin();
  await playPeople(first);
  await playKeys(first);
  await playCredentials(first);
  await playWebhooks(first);
  await playReloads(first, good, environment);
  await playEverything(first);
  await playCommands(first);
  await look(first);
  process.kill(first.gateway.pid, "SIGKILL");
  await first.gateway.end();
  listen(first.gateway);
  detector.read("the data folder after a crash", join(folder, "data"), secretFiles());

  const second = await begin({ TOLLGATE_OPERATOR_TOKEN: detector.invent("operator token of the environment") });
  await playEverything(second);
  await look(second);
  await second.gateway.end();
  listen(second.gateway);
  detector.read("the data folder after a stop", join(folder, "data"), secretFiles());

  for (const { bytes } of collector.exports) detector.record("the export to the trace collector", Buffer.from(bytes).toString("utf8"));
  expect(collector.spans().length).toBeGreaterThan(10);
  expect(detector.leaks()).toEqual([]);
  expect(detector.secretCount).toBeGreaterThan(25);
  expect(detector.placeCount).toBeGreaterThan(350);
});

test("the search finds a planted secret", () => {
  const other = new LeakDetector();
  other.keep("password", "canary password 123");
  other.record("a reply", "before canary%20password%20123 after");
  other.record("the reply that shows it", "canary password 123", ["canary password 123"]);
  expect(other.leaks()).toEqual([expect.stringContaining("password in a reply") as string]);
});
