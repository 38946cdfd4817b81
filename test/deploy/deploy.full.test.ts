import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { gatewayProbes } from "../../src/gateway/app.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { loadConfig, loadProbeListener, SETTINGS, type Config } from "../../src/config.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";

const DEPLOY = join(ROOT, "deploy");
const CHART = join(DEPLOY, "helm/tollgate");
/** How long a graceful shutdown may take after the drain. */
const CLOSING_SECONDS = 15;

const folder = mkdtempSync(join(tmpdir(), "tollgate-deploy-"));
const emptyFile = join(folder, "tollgate.yaml");
writeFileSync(emptyFile, "");
afterAll(() => rmSync(folder, { recursive: true }));

const read = (path: string): string => readFileSync(join(DEPLOY, path), "utf8");
const probes = new Set(gatewayProbes({} as Gateway).map(({ path }) => path));

/** The configuration of a process with these variables. Values from other places, such as secrets, are made up. */
function configOf(variables: Readonly<Record<string, string>>): Promise<Config> {
  const made = Object.entries(variables).map(([name, value]) => [
    name,
    value.replaceAll(/\$\{(\w+)[^}]*\}/g, "$1-0123456789abcdef-0123456789"),
  ]);
  return loadConfig({ ...(Object.fromEntries(made) as Record<string, string>), [SETTINGS.config]: emptyFile });
}

test("every variable of deploy/ is a setting", () => {
  const files = readdirSync(DEPLOY, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && entry.name !== ".env");
  const named = files.flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8").match(/\bTOLLGATE_[A-Z_]+\b/g) ?? []);
  expect([...new Set(named)].filter((name) => !Object.values<string>(SETTINGS).includes(name))).toEqual([]);
  expect(named).toContain(SETTINGS.databaseUrl);
});

interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly stop_grace_period: string;
  readonly healthcheck: { readonly test: readonly string[] };
  readonly volumes: readonly string[];
}

describe("deploy/compose.yaml", () => {
  const { services } = parse(read("compose.yaml"), { merge: true }) as { services: Record<string, Service> };

  for (const [name, role, port] of [
    ["gateway-1", "gateway", 8700],
    ["gateway-2", "gateway", 8700],
    ["platform", "platform", 8701],
  ] as const) {
    test(`${name} is a valid ${role}, is probed where it listens, and has the time to drain`, async () => {
      const { environment, stop_grace_period: grace, healthcheck } = services[name]!;
      const config = await configOf(environment);
      expect(config.database?.role).toBe(role);
      expect((role === "gateway" ? config.gateway : config.platform).port).toBe(port);
      expect(healthcheck.test).toEqual(["CMD", "tollgate", "health"]);
      expect(loadProbeListener(environment).port).toBe(port);
      expect(grace).toBe(`${config.drainSeconds + CLOSING_SECONDS}s`);
    });
  }

  test("gives each process a data folder of its own", () => {
    const volumes = ["gateway-1", "gateway-2", "platform"].map((name) => services[name]!.volumes[0]!);
    expect(new Set(volumes).size).toBe(3);
    expect(read("Dockerfile")).toContain(`TOLLGATE_DATA=${volumes[0]!.split(":")[1]}/data`);
  });

  test("has a load balancer in front of all gateways, with limits that fit theirs", async () => {
    const config = await configOf(services["gateway-1"]!.environment);
    const nginx = read("nginx.conf");
    const gateways = Object.keys(services).filter((name) => name.startsWith("gateway"));
    expect([...nginx.matchAll(/^ +server (\S+:\d+)/gm)].map(([, server]) => server)).toEqual(
      gateways.map((name) => `${name}:${config.gateway.port}`),
    );
    expect(Number(/ keepalive_timeout (\d+)s/.exec(nginx)?.[1])).toBeLessThan(config.keepAliveSeconds);
    expect(Number(/client_max_body_size (\d+)m/.exec(nginx)?.[1]) * 1024 ** 2).toBe(config.maxBodyBytes);
  });

  const nginx = Bun.which("nginx") ?? (Bun.file("/usr/sbin/nginx").size > 0 ? "/usr/sbin/nginx" : null);
  test.skipIf(nginx === null)("nginx accepts its configuration", () => {
    const path = join(folder, "nginx.conf");
    const own = `pid ${join(folder, "nginx.pid")};\nerror_log stderr;\n`;
    writeFileSync(
      path,
      own +
        read("nginx.conf")
          .replaceAll(/gateway-\d:/g, "127.0.0.1:")
          .replace("http {", "http {\n  access_log off;"),
    );
    const { exitCode, stderr } = Bun.spawnSync([nginx!, "-t", "-c", path, "-p", folder]);
    expect([exitCode, stderr.toString()]).toEqual([0, expect.stringContaining("is successful")]);
  });
});

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly volumeClaimTemplates?: readonly object[];
    readonly template: { readonly metadata: { readonly labels: Readonly<Record<string, string>> }; readonly spec: PodSpec };
  };
}

interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly {
    readonly env: readonly { readonly name: string; readonly value?: string }[];
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
    readonly livenessProbe: Probe;
    readonly readinessProbe: Probe;
  }[];
  readonly volumes: readonly { readonly name: string; readonly emptyDir?: object }[];
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

const REQUIRED = ["--set", "existingSecret=secrets,platform.url=https://console.example.com,gateway.url=https://models.example.com"];

describe("deploy/helm/tollgate", () => {
  test("has values that the product has", async () => {
    interface Role {
      readonly durability: Config["durability"];
      readonly drainSeconds: number;
    }
    const { gateway, platform } = parse(read("helm/tollgate/values.yaml")) as Record<"gateway" | "platform", Role>;
    for (const { durability, drainSeconds } of [gateway, platform]) {
      const shared = [SETTINGS.databaseUrl, SETTINGS.secret, SETTINGS.hashSecret, SETTINGS.operatorToken];
      const secrets = Object.fromEntries(shared.map((name) => [name, secretFor(name)]));
      const config = await configOf({ ...secrets, [SETTINGS.durability]: durability });
      expect([config.durability, config.drainSeconds]).toEqual([durability, drainSeconds]);
    }
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
    expect(parse(read("helm/tollgate/Chart.yaml"))).toMatchObject({ appVersion: version });
  });

  test("probes paths that exist", () => {
    const paths = [...read("helm/tollgate/templates/_helpers.tpl").matchAll(/httpGet: \{ path: (\S+),/g)].map(([, path]) => path!);
    expect(paths).toEqual(["/healthz", "/healthz", "/readyz"]);
    expect(paths.filter((path) => !probes.has(path))).toEqual([]);
  });

  const helm = Bun.which("helm");
  const testWithHelm = test.skipIf(helm === null);

  function run(...args: readonly string[]): string {
    const { exitCode, stdout, stderr } = Bun.spawnSync([helm!, ...args]);
    if (exitCode !== 0) throw new Error(`${stdout.toString()}${stderr.toString()}`);
    return stdout.toString();
  }

  /** Renders the chart for the oldest Kubernetes version that it accepts. */
  function template(...more: readonly string[]): string {
    return run("template", "models", CHART, "--kube-version", "1.30.0", ...more);
  }

  function render(...more: readonly string[]): Resource[] {
    return parseAllDocuments(template(...REQUIRED, ...more))
      .map((document) => document.toJS() as Resource | null)
      .filter((resource) => resource !== null);
  }

  testWithHelm("where helm is installed: is accepted by helm, and rejected without the values that it needs", () => {
    expect(run("lint", "--strict", CHART, ...REQUIRED)).toContain("0 chart(s) failed");
    expect(() => template()).toThrow("existingSecret");
  });

  for (const [durability, kind] of [
    ["process", "StatefulSet"],
    ["power", "StatefulSet"],
    ["cluster", "Deployment"],
  ] as const) {
    testWithHelm(`where helm is installed: runs gateways of durability ${durability} as a ${kind}`, () => {
      const { spec } = find(render("--set", `gateway.durability=${durability}`), kind, "gateway");
      const hasVolume = kind === "StatefulSet";
      expect((spec.volumeClaimTemplates ?? []).length).toBe(hasVolume ? 1 : 0);
      expect(spec.template.spec.volumes.some(({ name }) => name === "data")).toBe(!hasVolume);
    });
  }

  for (const [role, kind, port] of [
    ["gateway", "StatefulSet", 8700],
    ["platform", "Deployment", 8701],
  ] as const) {
    testWithHelm(
      `where helm is installed: starts a valid ${role}, probes it where it listens, and gives it the time to drain`,
      async () => {
        const config = await renderedConfig(find(render(), kind, role).spec.template.spec);
        const { spec, metadata } = find(render(), kind, role).spec.template;
        const [container] = spec.containers;
        expect(config.database?.role).toBe(role);
        expect((role === "gateway" ? config.gateway : config.platform).port).toBe(port);
        for (const probe of [container!.livenessProbe, container!.readinessProbe]) {
          expect(container!.ports.find(({ name }) => name === probe.httpGet.port)?.containerPort).toBe(port);
        }
        const { seconds } = container!.lifecycle.preStop.sleep;
        expect(spec.terminationGracePeriodSeconds).toBe(seconds + config.drainSeconds + CLOSING_SECONDS);
        expect(metadata.labels).toMatchObject(find(render(), kind, role).spec.selector.matchLabels);
      },
    );
  }

  testWithHelm("where helm is installed: sleeps before a pod stops, unless that is turned off", () => {
    expect(lifecycleIn(render())).toEqual({ preStop: { sleep: { seconds: 10 } } });
    expect(lifecycleIn(render("--set", "gateway.preStopSeconds=0"))).toBeUndefined();
  });

  testWithHelm("where helm is installed: limits how many gateways are stopped at the same time", () => {
    const resources = render();
    const budget = find(resources, "PodDisruptionBudget", "gateway");
    expect(find(resources, "StatefulSet", "gateway").spec.template.metadata.labels).toMatchObject(budget.spec.selector.matchLabels);
  });
});

function lifecycleIn(resources: readonly Resource[]): object | undefined {
  return find(resources, "StatefulSet", "gateway").spec.template.spec.containers[0]!.lifecycle;
}

function secretFor(name: string): string {
  return name === SETTINGS.databaseUrl ? "postgres://tollgate@db/tollgate" : `\${${name}}`;
}

/** Secrets are made up. */
function renderedConfig({ containers }: PodSpec): Promise<Config> {
  const variables = containers[0]!.env.map(({ name, value }) => [name, value ?? secretFor(name)] as const);
  return configOf(Object.fromEntries(variables));
}

function find(resources: readonly Resource[], kind: string, role: string): Resource {
  return resources.find((each) => each.kind === kind && each.metadata.labels["app.kubernetes.io/component"] === role)!;
}
