import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config.ts";
import { makeApiKey } from "../../src/access/api-key.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { ask } from "../streams/ask.ts";

/** Two models whose IDs differ only in case, one without a price, and a credential from the environment. */
const CONFIG = `upstreams:
  - { id: echo, dialect: echo }
  - { id: provider, dialect: openai, base_url: "https://llm.example/v1", credential: "\${LLM_KEY}" }
models:
  - { id: chat, routes: [{ upstream: echo, model: echo }], free: true }
  - { id: Chat, routes: [{ upstream: echo, model: echo }], free: true }
  - { id: unpriced, routes: [{ upstream: provider, model: x }] }
`;

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "tollgate-safe-"))));
afterAll(() => rmSync(folder, { recursive: true }));

describe("common setups are accepted", () => {
  test("a world-writable volume, group-readable secrets, a ConfigMap, and the Service variables of Kubernetes", async () => {
    const place = mkdtempSync(join(folder, "pod-"));
    mkdirSync(join(place, "data"));
    writeFileSync(join(place, "data", "operator-token"), "operator-token-of-test\n");
    writeFileSync(join(place, "tollgate.yaml"), CONFIG);
    for (const [path, mode] of [
      [folder, 0o755],
      [place, 0o777],
      [join(place, "data"), 0o777],
      [join(place, "data", "operator-token"), 0o660],
      [join(place, "tollgate.yaml"), 0o644],
    ] as const) {
      chmodSync(path, mode);
    }
    const gateway = await startGateway({
      folder: place,
      env: {
        LLM_KEY: "sk-canary",
        TOLLGATE_SERVICE_HOST: "10.0.0.1",
        TOLLGATE_SERVICE_PORT_GATEWAY: "8700",
        TOLLGATE_PORT_8700_TCP: "tcp://10.0.0.1:8700",
        TOLLGATE_PORT_8700_TCP_ADDR: "10.0.0.1",
        TOLLGATE_ADMIN_PORT: "tcp://10.0.0.2:8701",
        TOLLGATE_SECRET: "",
      },
    });
    const { key } = await gateway.makeKey();
    const statuses = await Promise.all(["chat", "Chat", "cHAT", "unpriced"].map(async (id) => (await ask(gateway, key, id, false)).status));
    expect(statuses).toEqual([200, 200, 403, 403]);
    await gateway.stop();
  });

  test("the port variable of a Kubernetes Service named tollgate is ignored", async () => {
    const { gateway, platform } = await loadConfig({ TOLLGATE_PORT: "tcp://10.0.0.1:8700", TOLLGATE_PLATFORM_PORT: "9000" });
    expect([gateway.port, platform.port]).toEqual([8700, 9000]);
  });

  test("the same port on two addresses", async () => {
    const env = { TOLLGATE_HOST: "10.0.0.1", TOLLGATE_PORT: "8700", TOLLGATE_PLATFORM_HOST: "127.0.0.1", TOLLGATE_PLATFORM_PORT: "8700" };
    expect((await loadConfig(env)).platform).toEqual({ hostname: "127.0.0.1", port: 8700 });
    expect((await loadConfig({ TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0" })).gateway.port).toBe(0);
  });

  test("a credential in a file, or in a folder, that only its owner can read", async () => {
    const yaml = CONFIG.replace("${LLM_KEY}", "sk-canary");
    for (const [mode, folderMode] of [
      [0o600, 0o755],
      [0o640, 0o755],
      [0o644, 0o700],
    ] as const) {
      const place = mkdtempSync(join(folder, "home-"));
      const file = join(place, "tollgate.yaml");
      writeFileSync(file, yaml);
      chmodSync(file, mode);
      chmodSync(place, folderMode);
      expect((await loadConfig({ TOLLGATE_CONFIG: file })).declared.upstreams).toHaveLength(2);
    }
  });
});

describe("a credential that is an API key of this gateway", () => {
  test("is rejected with its line, at startup and at a reload; a key of another gateway is accepted", async () => {
    const gateway = await startGateway({ yaml: CONFIG, env: { LLM_KEY: "sk-other" } });
    const { key } = await gateway.makeKey();
    writeFileSync(join(gateway.folder, "tollgate.yaml"), CONFIG.replace("${LLM_KEY}", key));
    const refusal = `${gateway.folder}/tollgate.yaml:3:74: upstreams[1].credential is a key of Tollgate's own`;
    const problem = await gateway.platform("POST", "/api/config/reload").catch((error: Error) => error.message);
    expect(problem).toContain(refusal);
    await gateway.end();
    const start = { folder: gateway.folder, yaml: CONFIG };
    const failure = await startGateway({ ...start, env: { LLM_KEY: key } }).catch((error: Error) => error.message);
    expect(failure).toContain(`ended with 1: {"code":"invalid_config","detail":"${refusal}`);
    expect(failure).not.toContain(key);
    const chained = await startGateway({ ...start, env: { LLM_KEY: makeApiKey().key.reveal() } });
    await chained.stop();
  });
});
