import { afterEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { completion, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const FIRST = "the-first-secret-of-this-installation";
const SECOND = "the-second-secret-of-this-installation";
const CREDENTIAL = "sk-upstream-credential-canary";
const CREDENTIALS = [CREDENTIAL, "sk-upstream-credential-second", "sk-upstream-credential-third"];
const AS_SHOWN = { credentials: [{ last4: "nary" }, { last4: "cond" }, { last4: "hird" }] };

let gateway: RunningGateway | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

const YAML = "upstreams: [{ id: echo, dialect: echo }]\nmodels: [{ id: e, routes: [{ upstream: echo, model: echo }], free: true }]\n";

/** Stops the gateway and starts another in its folder, with other secrets. */
async function restart(env: Record<string, string>): Promise<void> {
  const { folder } = gateway!;
  await gateway!.end();
  gateway = await startGateway({ folder, env });
}

/** Starts a gateway that must fail to start, and returns its output. */
async function failToStart(folder: string, env: Record<string, string>): Promise<{ code: number; words: string }> {
  const child = Bun.spawn([launcher(), "start"], {
    cwd: folder,
    env: { PATH: process.env["PATH"]!, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0", ...env },
    stdout: "pipe",
    stderr: "pipe",
    timeout: WAIT_LIMIT_MS,
  });
  const words = (await Promise.all([child.stdout.text(), child.stderr.text()])).join("");
  return { code: await child.exited, words };
}

test("a changed secret is rejected at startup with the name of its setting; with the previous secret set too, all values are encrypted again", async () => {
  const mock = startMockUpstream({ any: () => Response.json(completion()) });
  gateway = await startGateway({ yaml: YAML, env: { TOLLGATE_SECRET: FIRST } });
  const { key } = await gateway.makeKey();
  const upstream = { id: "u", dialect: "openai", base_url: mock.baseUrl, allow_private: true, credentials: CREDENTIALS };
  await gateway.platform("POST", "/api/upstreams", upstream);
  await gateway.platform("POST", "/api/models", { id: "m", routes: [{ upstream: "u", model: "any" }], free: true });
  const credentialSent = async (): Promise<string | undefined> => {
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    expect((await fetch(`${gateway!.baseUrl}/chat/completions`, { method: "POST", headers, body })).status).toBe(200);
    return mock.last().headers.get("authorization")?.replace("Bearer ", "");
  };

  await gateway.end();
  for (const env of [{ TOLLGATE_SECRET: SECOND }, {}]) {
    const { code, words } = await failToStart(gateway.folder, env);
    expect(code).toBe(1);
    expect(words).toMatch(/upstream u was encrypted with another secret.*TOLLGATE_SECRET.*TOLLGATE_OLD_SECRET/);
    for (const secret of [FIRST, SECOND, ...CREDENTIALS]) expect(words).not.toContain(secret);
  }

  for (const env of [{ TOLLGATE_SECRET: SECOND, TOLLGATE_OLD_SECRET: FIRST }, { TOLLGATE_SECRET: SECOND }]) {
    await restart(env);
    expect(await gateway.platform<object>("GET", "/api/upstreams/u")).toMatchObject(AS_SHOWN);
    expect(CREDENTIALS).toContain((await credentialSent())!);
  }
  await gateway.end();
  expect((await failToStart(gateway.folder, { TOLLGATE_SECRET: FIRST })).code).toBe(1);
  await mock.stop();
});

test("without a setting, the secret is in the data folder and is lost with it", async () => {
  gateway = await startGateway({ yaml: YAML });
  await gateway.platform("POST", "/api/upstreams", {
    id: "u",
    dialect: "openai",
    base_url: "https://a.example/v1",
    credential: CREDENTIAL,
  });
  await restart({});
  expect(await gateway.platform<object>("GET", "/api/upstreams/u")).toMatchObject({ credentials: [{ last4: "nary" }] });
  await gateway.end();
  rmSync(join(gateway.folder, "data", "secret"));
  expect((await failToStart(gateway.folder, {})).words).toContain("encrypted with another secret");
});
