import { afterEach, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { ask } from "../streams/ask.ts";

const YAML = "upstreams: [{ id: echo, dialect: echo }]\nmodels: [{ id: e, routes: [{ upstream: echo, model: echo }], free: true }]\n";
const OTHER = "another-hash-secret-than-the-first-one";

let gateway: RunningGateway;
afterEach(() => gateway.stop());

const inFolder = (name: string): string => join(gateway.folder, "data", name);

/** Stops the gateway and starts another in its folder. Returns the status of a request with a key. */
async function restart(key: string, env: Record<string, string>): Promise<number> {
  const { folder } = gateway;
  await gateway.end();
  gateway = await startGateway({ folder, env });
  return (await ask(gateway, key, "e", false)).status;
}

/** The message of a failed start. */
async function failure(env: Record<string, string>): Promise<string> {
  await gateway.end();
  return startGateway({ folder: gateway.folder, env }).then(
    () => "it has started",
    (error: Error) => error.message,
  );
}

test("the hash secret moves from the file to TOLLGATE_HASH_SECRET, and no start with another one makes every key invalid", async () => {
  gateway = await startGateway({ yaml: YAML });
  const { key } = await gateway.makeKey();
  const secret = readFileSync(inFolder("hash-secret"), "utf8").trim();

  const differing = await failure({ TOLLGATE_HASH_SECRET: OTHER });
  expect(differing).toContain("TOLLGATE_HASH_SECRET is not the secret that the stored keys are hashed with");
  expect(await restart(key, { TOLLGATE_HASH_SECRET: secret })).toBe(200);
  rmSync(inFolder("hash-secret"));
  expect(await restart(key, { TOLLGATE_HASH_SECRET: secret })).toBe(200);
  expect(existsSync(inFolder("hash-secret"))).toBe(false);

  const unset = await failure({});
  expect(unset).toContain("TOLLGATE_HASH_SECRET is not set, and without it none of the 1 keys is valid");
  const changed = await failure({ TOLLGATE_HASH_SECRET: OTHER });
  expect(changed).toContain("Set TOLLGATE_HASH_SECRET to the secret that was used before");
  for (const message of [differing, unset, changed]) for (const each of [secret, OTHER]) expect(message).not.toContain(each);
  expect(await restart(key, { TOLLGATE_HASH_SECRET: secret })).toBe(200);
});

test("a first start with TOLLGATE_HASH_SECRET stores no secret", async () => {
  gateway = await startGateway({ yaml: YAML, env: { TOLLGATE_HASH_SECRET: OTHER } });
  const { key } = await gateway.makeKey();
  expect((await ask(gateway, key, "e", false)).status).toBe(200);
  expect([existsSync(inFolder("hash-secret")), readFileSync(inFolder("hash-secret-check"), "utf8").includes(OTHER)]).toEqual([
    false,
    false,
  ]);
});
