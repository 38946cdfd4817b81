import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { replace, requestReload } from "../support/gateway/reload-gateway.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** A file with a model `m` in this state, and a model `n` as its replacement. */
const config = (stateOfM: string): string => `upstreams:
  - { id: echo, dialect: echo }
models:
  - id: m
    routes: [{ upstream: echo, model: echo }]
    free: true
${stateOfM}
  - { id: n, routes: [{ upstream: echo, model: echo }], free: true }
`;
const AVAILABLE = "    state: available";
const DEPRECATED = '    state: deprecated\n    shutdown_date: "2127-01-31"\n    replacement: n';
const POSTPONED = DEPRECATED.replace("2127-01-31", "2127-06-30");
const RETIRED = "    state: retired\n    replacement: n";
const WITHOUT_M = config(AVAILABLE).replace(/ {2}- id: m[^]*available\n/, "");

let gateway: RunningGateway;
beforeAll(async () => void (gateway = await startGateway({ yaml: config(AVAILABLE) })));
afterAll(() => gateway.stop());

/** The error of a reload of this file; undefined if the gateway accepts it. */
async function refusalOf(yaml: string): Promise<string | undefined> {
  replace(gateway, yaml);
  try {
    await requestReload(gateway);
    return undefined;
  } catch (error) {
    return (JSON.parse((error as Error).message) as { detail: string }).detail;
  }
}

const place = (): string => `${gateway.folder}/tollgate.yaml:7:5: models[0].state`;

/** Stops the gateway and starts it again with this file. Returns its output if it does not start. */
async function restart(yaml: string): Promise<string> {
  await gateway.end();
  try {
    gateway = await startGateway({ folder: gateway.folder, yaml });
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("the state of a model in the file", () => {
  test("cannot change from available to retired without a deprecation", async () => {
    const refusal = "cannot go from available to retired: it has to be deprecated first";
    expect(await refusalOf(config(RETIRED))).toBe(`${place()} ${refusal}.`);
    expect(await restart(config(RETIRED))).toContain(`ended with 1: {"code":"invalid_config","detail":"${place()} ${refusal}`);
    expect(await restart(config(AVAILABLE))).toBe("");
  });

  test("can be deprecated, and get another shutdown date, but not become available again", async () => {
    expect(await refusalOf(config(DEPRECATED))).toBeUndefined();
    expect(await refusalOf(config(POSTPONED))).toBeUndefined();
    expect(await refusalOf(config(AVAILABLE))).toBe(`${place()} cannot go back from deprecated to available.`);
    expect(await restart(config(AVAILABLE))).toContain(`${place()} cannot go back from deprecated to available`);
    expect(await restart(config(POSTPONED))).toBe("");
  });

  test("is kept when the model is removed from the file and added again", async () => {
    expect(await refusalOf(WITHOUT_M)).toBeUndefined();
    expect(await refusalOf(config(AVAILABLE))).toBe(`${place()} cannot go back from deprecated to available.`);
    expect(await refusalOf(config(DEPRECATED))).toBeUndefined();
  });

  test("is in the audit log when a start applies another file, and not when the file is the same", async () => {
    const before = await actionsOfTheFile();
    expect(before.at(-1)).toBe("config.load");
    expect(await restart(config(DEPRECATED))).toBe("");
    expect(await actionsOfTheFile()).toEqual(before);
    expect(await restart(config(POSTPONED))).toBe("");
    expect(await actionsOfTheFile()).toEqual(["config.load", ...before]);
  });

  test("stays retired", async () => {
    expect(await refusalOf(config(RETIRED))).toBeUndefined();
    expect(await refusalOf(config(AVAILABLE))).toBe(`${place()} cannot go back from retired to available.`);
    expect(await refusalOf(config(DEPRECATED))).toBe(`${place()} cannot go back from retired to deprecated.`);
    expect(await restart(config(DEPRECATED))).toContain(`${place()} cannot go back from retired to deprecated`);
    expect(await restart(config(RETIRED))).toBe("");
  });
});

async function actionsOfTheFile(): Promise<string[]> {
  const { data } = await gateway.platform<{ data: { action: string; actor: string }[] }>("GET", "/api/audit-log?kind=config");
  return data.filter(({ actor }) => actor === "config-file").map(({ action }) => action);
}
