import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMANDS } from "../../src/cli/commands.ts";
import type { Outcome } from "../support/gateway/run-tollgate.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { startFakePlatform, type FakePlatform } from "./fake-platform.ts";

const LAUNCHER = launcher();
const TOKEN = { TOLLGATE_ACCESS_TOKEN: "a-token-that-is-long-enough" };

/** The commands that succeed without a gateway and without operands. */
const NEED_NO_GATEWAY: ReadonlySet<string> = new Set(["config check", "preflight", "version"]);

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-client-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a shell line in which `tollgate` is this checkout's command, without standard input. */
async function shell(line: string, env: Record<string, string> = {}): Promise<Outcome> {
  const child = Bun.spawn(["sh", "-c", line.replaceAll("tollgate ", `${LAUNCHER} `)], {
    cwd: folder,
    env: { PATH: process.env["PATH"]!, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

async function against<T>(
  answer: (path: string) => Response,
  run: (standIn: FakePlatform, env: Record<string, string>) => Promise<T>,
): Promise<T> {
  const standIn = startFakePlatform(answer);
  try {
    return await run(standIn, { ...TOKEN, TOLLGATE_PLATFORM_URL: standIn.url });
  } finally {
    await standIn.stop();
  }
}

const keyNamed = (name: string): object => ({
  id: "4fQ8sLm2XyZ1",
  name,
  account: "a",
  models: ["*"],
  active: true,
  last_used_at: null,
  expires_at: null,
  spent: { month: "0.00" },
});

describe("the command line as a client", () => {
  test("names the rejected credential", async () => {
    await against(
      () => Response.json({ detail: "Sign in." }, { status: 401 }),
      async ({ url, received }, env) => {
        const data = join(folder, "elsewhere");
        mkdirSync(data);
        writeFileSync(join(data, "operator-token"), "the-one-in-the-file\n");
        const noAccess = { TOLLGATE_PLATFORM_URL: url, TOLLGATE_DATA: data };
        const operator = { TOLLGATE_OPERATOR_TOKEN: "the-operator-of-tests" };
        expect((await shell("tollgate whoami", { ...env, ...operator })).stderr).toBe(
          `tollgate: the gateway at ${url} rejected the access token from TOLLGATE_ACCESS_TOKEN\n`,
        );
        expect((await shell("tollgate whoami", { ...noAccess, ...operator })).stderr).toEndWith(
          "operator token from TOLLGATE_OPERATOR_TOKEN\n",
        );
        expect((await shell("tollgate whoami", noAccess)).stderr).toEndWith(`operator token from ${data}/operator-token\n`);
        const nowhere = await shell("tollgate whoami", { TOLLGATE_PLATFORM_URL: url });
        expect(nowhere.stderr).toEndWith(`. Create an access token at ${url} and set TOLLGATE_ACCESS_TOKEN to it.\n`);
        expect(received.map(({ authorization }) => authorization)).toEqual([
          `Bearer ${TOKEN.TOLLGATE_ACCESS_TOKEN}`,
          "Bearer the-operator-of-tests",
          "Bearer the-one-in-the-file",
        ]);
      },
    );
  });

  test("sends a token only over https or to this machine, never to a redirect target or through a proxy", async () => {
    const clear = await shell("tollgate whoami", { ...TOKEN, TOLLGATE_PLATFORM_URL: "http://tollgate.example" });
    expect([clear.code, clear.stderr]).toEqual([1, expect.stringContaining("TOLLGATE_PLATFORM_URL must be https://") as string]);
    const thief = startFakePlatform(() => Response.json({}));
    await against(
      () => Response.redirect(`${thief.url}/api/me`, 302),
      async ({ url }, env) => {
        const moved = await shell("tollgate whoami", { ...env, HTTP_PROXY: thief.url, http_proxy: thief.url });
        expect([moved.code, moved.stderr]).toEqual([1, `tollgate: the server at ${url} is not a Tollgate gateway\n`]);
      },
    );
    expect(thief.received).toEqual([]);
    await thief.stop();
  });

  test("reports that an account removed from the config file is not deleted", async () => {
    const removed = [
      { kind: "model", id: "n" },
      { kind: "account", id: "acme" },
    ];
    const changed = { added: [], changed: [], removed };
    const report = { file: "/etc/tollgate.yaml", upstreams: 2, models: 3, accounts: 1, changed, warnings: [] };
    const { stdout } = await against(
      () => Response.json(report),
      (_, env) => shell("tollgate config reload", env),
    );
    expect(stdout).toBe(
      "/etc/tollgate.yaml declares 2 upstreams, 3 models and 1 account.\n  removed model n\n  no longer in the file: account acme, which is not deleted\n",
    );
  });

  test("prints errors as JSON with a code, with the same exit code", async () => {
    const problem = { code: "unknown_key", status: 404, detail: "There is no key\u202e with this id.", param: null, request_id: "req_1" };
    const [words, json] = await against(
      () => Response.json(problem, { status: 404 }),
      async (_, env) => [await shell("tollgate keys show x", env), await shell("tollgate keys show x --json", env)] as const,
    );
    expect(words).toEqual({ code: 1, stdout: "", stderr: "tollgate: There is no key� with this id. See: npx tollgate keys list\n" });
    expect([json.code, json.stdout, JSON.parse(json.stderr) as unknown]).toEqual([1, "", problem]);
    expect(json.stderr).not.toContain("\u202e");
    mkdirSync(join(folder, "unreadable", "operator-token"), { recursive: true });
    const own: [string, Record<string, string>, number, string][] = [
      ["keys show --json", {}, 2, "called_wrongly"],
      ["keys shwo --json", {}, 2, "called_wrongly"],
      ["keys show x --json", {}, 1, "no_token"],
      ["keys show x --json", { TOLLGATE_DATA: "unreadable" }, 1, "no_token"],
      ["keys show x --json", { ...TOKEN, TOLLGATE_PLATFORM_PORT: "1" }, 1, "no_gateway"],
      ["config check nowhere.yaml --json", {}, 1, "invalid_config"],
    ];
    for (const [line, env, code, name] of own) {
      const outcome = await shell(`tollgate ${line}`, env);
      const told = JSON.parse(outcome.stderr) as { code: string; detail: string; param: null };
      expect([line, outcome.code, outcome.stdout, told]).toEqual([line, code, "", { code: name, detail: told.detail, param: null }]);
      expect(told.detail).not.toBe("");
    }
    const refused = await against(
      () => Response.json({ code: "not_signed_in", detail: "Sign in.", param: null }, { status: 401 }),
      (_, env) => shell("tollgate whoami --json", env),
    );
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: "not_signed_in", detail: expect.stringContaining("rejected the") as string });
  });

  test("reports a server that is not a gateway, and an error without a message", async () => {
    const answers: [() => Response, RegExp][] = [
      [() => new Response("<html>"), /is not a Tollgate gateway\n$/],
      [() => new Response("[1", { headers: { "content-type": "application/json" } }), /is not a Tollgate gateway\n$/],
      [() => Response.json("hello"), /is not a Tollgate gateway\n$/],
      [() => Response.json({}, { status: 500 }), /returned status 500\n$/],
    ];
    for (const [answer, words] of answers) {
      const outcome = await against(answer, (_, env) => shell("tollgate whoami", env));
      expect([outcome.code, outcome.stdout, outcome.stderr]).toEqual([1, "", expect.stringMatching(words) as string]);
    }
  });

  test("removes terminal control characters from all output", async () => {
    const name = "\u001b]0;owned\u0007\u009b31m\u202egnp";
    await against(
      (path) =>
        path === "/api/audit" ? Response.json({ detail: name }, { status: 400 }) : Response.json({ data: [keyNamed(name)], next: null }),
      async (_, env) => {
        const shown = [(await shell("tollgate keys list", env)).stdout, (await shell("tollgate audit", env)).stderr];
        const json = (await shell("tollgate keys list --json", env)).stdout;
        // oxlint-disable-next-line no-control-regex
        for (const text of [...shown, json]) expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
        expect(shown[0]).toContain("�]0;owned��31m�gnp");
        expect((JSON.parse(json) as { data: { name: string }[] }).data[0]!.name).toBe(name);
      },
    );
  });

  test("writes all output before it exits, and tolerates a closed pipe", async () => {
    const many = Array.from({ length: 5000 }, (_, at) => keyNamed(`key ${at}`));
    const discrepancies = Array.from({ length: 1000 }, (_, at) => ({
      where: `entry ${at}`,
      what: "x".repeat(5000),
      expected: "1",
      found: "2",
    }));
    const report = { checked: { entries: 1, accounts: 1, requests: 1 }, as_of_entry: 1, discrepancy_count: 1000, discrepancies };
    await against(
      (path) => Response.json(path === "/api/audit" ? report : { data: many, next: null }),
      async (_, env) => {
        expect(await shell("tollgate keys list | head -n 1", env)).toMatchObject({
          stderr: "",
          stdout: expect.stringMatching(/^ID +STATE/) as string,
        });
        expect((await shell("tollgate keys list | (sleep 0.3; tail -n 1)", env)).stdout).toContain("key 4999");
        const audit = await shell("(tollgate audit; echo $? >&2) | (sleep 0.3; tail -n 1)", env);
        expect([audit.stdout, audit.stderr]).toEqual(["  found     2\n", "tollgate: the ledger has 1,000 discrepancies\n1\n"]);
      },
    );
  });

  test("never prompts: each command ends without a terminal, with stdin closed", async () => {
    // The second command would install a service on this machine.
    const names = Object.keys(COMMANDS).filter((name) => name !== "start" && name !== "service install");
    const env = { ...TOKEN, TOLLGATE_PLATFORM_URL: "http://127.0.0.1:1", TOLLGATE_PORT: "1" };
    for (let at = 0; at < names.length; at += 8) {
      const outcomes = await Promise.all(
        names.slice(at, at + 8).map(async (name) => ({ name, ...(await shell(`tollgate ${name} <&-`, env)) })),
      );
      for (const { name, code, stderr } of outcomes) {
        expect([name, code === 0]).toEqual([name, NEED_NO_GATEWAY.has(name)]);
        if (code !== 0)
          expect([name, code, stderr]).toEqual([
            name,
            stderr.includes("\nTry: ") ? 2 : 1,
            expect.stringMatching(/^tollgate: .*\n(Try: npx tollgate .* --help\n)?$/) as string,
          ]);
      }
    }
  }, 300_000);
});
