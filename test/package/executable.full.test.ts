import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { page } from "../console/built-files.ts";
import { eventually } from "../support/eventually.ts";
import { executable } from "../support/gateway/launcher.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

let folder: string;
let program: string;

/** An environment with an empty folder, and no other program on the path. */
const ALONE = { PATH: "/nonexistent" };

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-executable-"));
  program = executable();
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

function tollgate(args: readonly string[], env: Record<string, string> = {}): string[] {
  const { exitCode, stdout, stderr } = Bun.spawnSync([program, ...args], { cwd: folder, env: { ...ALONE, ...env } });
  return [String(exitCode), stdout.toString(), stderr.toString()];
}

async function ask(gateway: RunningGateway, key: string | null, content: string): Promise<Response> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "echo", messages: [{ role: "user", content }] }),
  });
  expect(await response.text()).toContain(`You said: ${content}`);
  return response;
}

test("prints its version, and help that names it without npx", () => {
  expect(tollgate(["--version"])).toEqual(["0", `${version}\n`, ""]);
  expect(tollgate(["version"])[1]).toMatch(new RegExp(`^Tollgate +${RegExp.escape(version)}$`, "m"));
  const helps = [["help"], ["start", "--help"], ["keys", "revoke-leaked", "--help"]].map((args) => tollgate(args)[1]!);
  expect(helps.join("")).toContain("\n  tollgate start --processes auto\n");
  expect(helps.join("")).not.toContain("npx tollgate start");
  expect(tollgate(["keys"])[2]).toEndWith("\nTry: tollgate --help\n");
}, 300_000);

test("its stack traces name the sources", () => {
  const preload = join(folder, "broken.ts");
  writeFileSync(preload, 'process.stdout.write = () => { throw new Error("no ink left"); };');
  const [, , stderr] = tollgate(["version"], { BUN_OPTIONS: `--preload=${preload}` });
  expect(stderr).toStartWith("tollgate: Error: no ink left\n");
  expect(stderr).toContain("(src/cli/output.ts:");
}, 300_000);

test("the command that it prints gets a response", async () => {
  const env = { ...ALONE, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0" };
  const child = Bun.spawn([program, "start"], { cwd: folder, env, stdout: "pipe", stderr: "inherit" });
  try {
    let greeting = "";
    for await (const chunk of child.stdout) {
      greeting += new TextDecoder().decode(chunk);
      if (greeting.includes('Add "stream"')) break;
    }
    const command = /^curl [^]*?}'$/m.exec(greeting)![0];
    expect(Bun.spawnSync(["sh", "-c", command]).stdout.toString()).toContain("You said: Hello!");
  } finally {
    child.kill("SIGTERM");
  }
  expect(await child.exited).toBe(0);
}, 300_000);

describe("a gateway of the executable", () => {
  let gateway: RunningGateway;

  beforeAll(async () => {
    const hook = join(folder, "hook.mjs");
    writeFileSync(hook, 'export default ({ request, reply }) => ({ request: request.replaceAll("Alice", "[hidden]"), reply });');
    const env = { ...ALONE, TOLLGATE_REDACT: hook, BUN_JSC_dumpOptions: "1" };
    gateway = await startGateway({ launcher: program, env });
  }, 300_000);
  afterAll(() => gateway.stop());

  test("has the console and the documents inside", async () => {
    expect(await (await fetch(`${gateway.platformUrl}/keys`)).text()).toBe(page.replaceAll("%BASE%", ""));
    for (const [, asset] of page.matchAll(/%BASE%(\/assets\/[^"]+)/g)) {
      expect((await fetch(`${gateway.platformUrl}${asset}`)).status).toBe(200);
    }
    for (const path of ["/docs/gateway.json", "/docs/platform.json", "/docs/changelog.md"]) {
      expect((await fetch(`${gateway.platformUrl}${path}`)).status).toBe(200);
    }
  });

  test("has the default prices inside", async () => {
    const upstream = { id: "openai", preset: "openai", credential: "sk-test" };
    await gateway.platform("POST", "/api/upstreams", upstream);
    const model = { id: "known", routes: [{ upstream: "openai", model: "gpt-4o-mini" }] };
    expect(await gateway.platform<object>("POST", "/api/models", model)).toMatchObject({ price: expect.anything() as object });
  });

  test("lets the heap grow to twice the live size", () => {
    expect(gateway.output()).toContain("heapGrowthMaxIncrease=1 ");
  });

  test("is healthy for its own health check", () => {
    expect(tollgate(["health"], { TOLLGATE_PORT: new URL(gateway.baseUrl).port })[0]).toBe("0");
  });

  test("runs the redaction hook in its thread", async () => {
    await gateway.platform("PATCH", "/api/accounts/default", { log_bodies: true });
    const response = await ask(gateway, gateway.firstKey, "I am Alice");
    const path = `/api/requests/${response.headers.get("x-request-id")}/bodies`;
    const { request } = await eventually(
      () => gateway.platform<{ request?: string }>("GET", path).catch(() => ({ request: undefined })),
      (found) => found.request !== undefined,
    );
    expect(JSON.stringify(request)).toContain("I am [hidden]");
  });

  test("checkpoints the WAL in its thread", async () => {
    const database = join(gateway.folder, "data/tollgate.db");
    const before = statSync(database).mtimeMs;
    const grant = (): Promise<object> =>
      gateway.platform("POST", "/api/accounts/default/grants", { amount: "1", reference: crypto.randomUUID(), reason: "test" });
    for (let count = 0; count < 600; count++) await grant();
    await eventually(
      () => statSync(database).mtimeMs,
      (now) => now > before,
    );
  });
});

test("starts gateway processes from the same file", async () => {
  const empty = join(folder, "processes");
  mkdirSync(empty);
  const gateway = await startGateway({ launcher: program, folder: empty, env: { ...ALONE, TOLLGATE_PROCESSES: "2" } });
  try {
    await ask(gateway, gateway.firstKey, "Hello!");
    const { data } = await gateway.platform<{ data: { role: string }[] }>("GET", "/api/instances");
    expect(data.map(({ role }) => role).toSorted()).toEqual(["gateway", "gateway", "owner"]);
  } finally {
    await gateway.end();
  }
}, 300_000);
