import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTollgate, type CommandOptions, type Outcome } from "../support/gateway/run-tollgate.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { ROOT, startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { configFor, GOOD_CHUNKS, manualStream, rawEvents, startMockUpstream } from "../support/upstreams/mock-upstream.ts";

let gateway: RunningGateway;
let empty: string;

beforeAll(async () => {
  gateway = await startGateway();
  empty = mkdtempSync(join(tmpdir(), "tollgate-cli-"));
});

afterAll(async () => {
  await gateway.stop();
  rmSync(empty, { recursive: true });
});

/** Runs the command line next to the gateway of this file, or in an empty folder. */
function tollgate(args: readonly string[], options: CommandOptions = {}): Promise<Outcome> {
  return runTollgate(gateway, args, { ...options, env: { HOME: empty, ...options.env } });
}

function models(key: string): Promise<Response> {
  return fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } });
}

describe("tollgate keys", () => {
  test("create prints a valid key, list shows it, revoke revokes it", async () => {
    const created = await tollgate(["keys", "create", "--name", "my app", "--models", "echo, gpt-*", "--expires", "30d"]);
    expect(created.code).toBe(0);
    const key = /^sk-service-[0-9A-Za-z]{50}$/m.exec(created.stdout)![0];
    const id = key.slice(11, 23);
    expect((await models(key)).status).toBe(200);
    expect((await tollgate(["keys", "list"])).stdout).toMatch(
      new RegExp(`^${id}  active +\\d{4}-\\d{2}-\\d{2}  \\d{4}-\\d{2}-\\d{2}  +default +0\\.00 +echo,gpt-\\*  my app$`, "m"),
    );
    expect((await tollgate(["keys", "revoke", id])).stdout).toBe(`Revoked ${id} (my app).\n`);
    expect((await models(key)).status).toBe(401);
    expect((await tollgate(["keys", "list"])).stdout).toMatch(new RegExp(`^${id}  revoked`, "m"));
  });

  test("prints JSON with --json", async () => {
    const created = JSON.parse((await tollgate(["keys", "create", "--name", "j", "--models", "*", "--json"])).stdout) as {
      id: string;
      key: string;
    };
    expect(created.key).toStartWith("sk-service-");
    const { data } = JSON.parse((await tollgate(["keys", "list", "--json"])).stdout) as { data: { id: string; expires_at: null }[] };
    expect(data.find((key) => key.id === created.id)).toMatchObject({ active: true, expires_at: null, models: ["*"] });
    expect(JSON.parse((await tollgate(["keys", "revoke", created.id, "--json"])).stdout)).toMatchObject({ id: created.id, active: false });
    expect(JSON.parse((await tollgate(["models", "list", "--json"])).stdout)).toMatchObject({ data: [{ id: "echo", state: "available" }] });
  });
});

test("npx tollgate works in the clone", async () => {
  const { stdout, code } = await tollgate(["models", "list"], {
    cwd: ROOT,
    npx: true,
    env: { TOLLGATE_DATA: join(gateway.folder, "data"), npm_config_cache: join(empty, "npm") },
  });
  expect([code, stdout]).toEqual([
    0,
    "ID    STATE      PRICE    OWNER     UPSTREAM/MODEL\necho  available  $1 / $2  tollgate  echo/echo\n",
  ]);
}, 300_000);

describe("an invalid command line", () => {
  const cases: [string[], number, RegExp][] = [
    [["key", "create"], 2, /unknown command "key create": did you mean keys create\?\nTry: /],
    [["keys", "lst", "--all"], 2, /did you mean keys list\?\n/],
    [["dance"], 2, /unknown command "dance"\n/],
    [["spend"], 2, /unknown command "spend": did you mean usage\?\n/],
    [["verify", "--json"], 2, /did you mean audit\?/],
    [["keys", "delete", "4fQ8sLm2XyZ1"], 2, /did you mean keys revoke\?\n/],
    [["alerts", "ack"], 2, /did you mean alerts acknowledge\?\n/],
    [["retire", "old-chat"], 2, /did you mean models retire\?\n/],
    [["keys", "update", "a", "--spend-cap", "5"], 2, /unknown option --spend-cap: did you mean --monthly-cap\?/],
    [["usage", "--from", "7d"], 2, /unknown option --from: did you mean --since\?/],
    [["usage", "--since", "last week"], 2, /^tollgate: --since must be a duration such as 15m, 2h or 7d, or a date/],
    [
      ["keys", "rotate", `sk-service-${"a".repeat(50)}`],
      2,
      /^tollgate: ID must be the ID of the key, not the key itself: the 12 characters/,
    ],
    [["usage", "--key", `sk-service-${"a".repeat(50)}`], 2, /^tollgate: --key must be the ID of the key, not the key itself/],
    [["import", "config.yaml"], 2, /unknown command "import config\.yaml"; the commands are import litellm, import keys\n/],
    [["keys", "create", "--rpm", "5"], 2, /^tollgate: unknown option --rpm: did you mean --requests-per-minute\?\nTry:/],
    [["accounts", "update", "a", "--tpm=5"], 2, /^tollgate: unknown option --tpm: did you mean --tokens-per-minute\?\nTry:/],
    [["keys", "rotate", "a", "--grace", "1h"], 2, /unknown option --grace: did you mean --grace-period\?/],
    [["logs", "-x"], 2, /^tollgate: unknown option -x\nTry:/],
    [["usage", "--limti", "5"], 2, /unknown option --limti: did you mean --limit\?/],
    [
      ["models", "deprecate", "a", "--shutdown-date", "soon", "--replacement", "b"],
      2,
      /--shutdown-date must be a number of days such as 30d, or/,
    ],
    [
      ["keys"],
      2,
      /unknown command "keys"; the commands are keys create, keys list, keys show, keys update, keys rotate, keys clone, keys pause, keys resume, keys revoke, keys revoke-leaked, keys archive, keys restore, keys remove\n/,
    ],
    [["keys", "create"], 2, /give the key a name/],
    [["keys", "create", "--name", "a"], 2, /name the models/],
    [["keys", "create", "--name", "a", "--models", "*", "--colour", "red"], 2, /^tollgate: unknown option --colour\nTry:/],
    [
      ["keys", "create", "--name", "a", "--models", "*", "--expires", "soon"],
      2,
      /--expires must be a duration such as 12h or 30d, or a date/,
    ],
    [["keys", "create", "--name", "a", "--models", "a*b"], 1, /--models must be a model id, a beginning such as gpt-\*, or \*/],
    [["keys", "create", "--name", "a", "--models", "*", "--expires", "99999999999d"], 2, /--expires must be at most a hundred years away/],
    [["keys", "create", "--name", "a\u001b[31m", "--models", "*"], 1, /--name must be text without control characters/],
    [["keys", "revoke"], 2, /expected one ID\nTry: npx tollgate keys revoke --help/],
    [["keys", "revoke", "nope"], 1, /There is no key with the id "nope"\. See: npx tollgate keys list\n/],
    [["models", "list", "extra"], 2, /this command takes no arguments/],
    [["upstreams", "create", "a", "--allow-private"], 2, /^tollgate: --allow-private needs a value: --allow-private yes\|no\nTry:/],
    [["models", "update", "a", "--free", "--preview"], 2, /^tollgate: --free needs a value: --free yes\|no\nTry:/],
    [["logs", "--follow=yes"], 2, /^tollgate: --follow takes no value\nTry:/],
    [["logs", "--since", "1h", "--until", "2h"], 1, /^tollgate: --since must be before --until\.\n$/],
    [["logs", "--code", "rate_limit"], 1, /^tollgate: --code must be one of invalid_json, .*, not "rate_limit"\.\n$/],
    [["usage", "--since", "2027-02-01", "--until", "2027-01-31"], 1, /^tollgate: --since must be before --until\.\n$/],
  ];
  for (const [args, code, message] of cases) {
    test(`${args.join(" ")} exits with ${code} and says why, on stderr`, async () => {
      const outcome = await tollgate(args);
      expect([outcome.code, outcome.stdout]).toEqual([code, ""]);
      expect(outcome.stderr).toMatch(message);
    });
  }

  test("no gateway, no token and a wrong token have distinct errors", async () => {
    const dead = { TOLLGATE_PLATFORM_PORT: "1" };
    expect(await tollgate(["models", "list"], { env: dead })).toMatchObject({
      code: 1,
      stderr:
        "tollgate: no gateway is reachable at http://127.0.0.1:1 (ECONNREFUSED). Start it with npx tollgate start, or set TOLLGATE_PLATFORM_URL or TOLLGATE_PLATFORM_PORT to its address.\n",
    });
    const stranger = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("<html>") });
    const elsewhere = await tollgate(["models", "list"], { env: { TOLLGATE_PLATFORM_PORT: String(stranger.port) } });
    expect(elsewhere.stderr).toBe(`tollgate: the server at http://127.0.0.1:${stranger.port} is not a Tollgate gateway\n`);
    await stranger.stop(true);
    expect((await tollgate(["models", "list"], { cwd: empty })).stderr).toContain("there is no operator token in");
    expect((await tollgate(["models", "list"], { env: { TOLLGATE_OPERATOR_TOKEN: "wrong-but-long-enough" } })).stderr).toContain(
      "rejected the operator token from TOLLGATE_OPERATOR_TOKEN",
    );
  });

  test("logs without matches repeat the filter", async () => {
    const { stdout } = await tollgate(["logs", "--model", "echoo", "--errors", "--limit", "5"]);
    expect(stdout).toBe("No requests match --model echoo --errors.\n");
  });

  test("help is on stdout", async () => {
    expect((await tollgate(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const args of [[], ["--help"], ["help"], ["keys", "create", "--help"]]) {
      const outcome = await tollgate(args);
      expect([outcome.code, outcome.stderr]).toEqual([0, ""]);
      expect(outcome.stdout).toStartWith("Usage: tollgate");
    }
  });
});

describe("tollgate start", () => {
  test("rejects an invalid config file before it listens", async () => {
    const folder = mkdtempSync(join(empty, "bad-"));
    writeFileSync(join(folder, "tollgate.yaml"), "upstreams: []\nmodels:\n  - id: a\n");
    const outcome = await tollgate(["start"], { cwd: folder });
    expect(outcome).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `tollgate: ${join(folder, "tollgate.yaml")}:3:5: models[0].routes is required\n`,
    });
  });

  test("reports a port that is in use", async () => {
    const outcome = await tollgate(["start"], {
      cwd: mkdtempSync(join(empty, "taken-")),
      env: { TOLLGATE_PORT: new URL(gateway.baseUrl).port, TOLLGATE_PLATFORM_PORT: "0" },
    });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain("TOLLGATE_PORT and TOLLGATE_PLATFORM_PORT choose other ports");
  });

  test("creates and prints a key on the first start", async () => {
    expect(gateway.firstKey).toStartWith("sk-service-");
    const reply = await models(gateway.firstKey!);
    expect(await reply.json()).toMatchObject({ data: [{ id: "echo" }] });
  });

  test("locks its data folder, and after a kill keeps its keys and prints none again", async () => {
    const folder = mkdtempSync(join(empty, "shared-"));
    const first = await startGateway({ env: { TOLLGATE_DATA: folder, TOLLGATE_OPERATOR_TOKEN: "operator-token-of-test" } });
    const second = await tollgate(["start"], {
      cwd: empty,
      env: { TOLLGATE_DATA: folder, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0" },
    });
    expect([second.code, second.stderr]).toEqual([
      1,
      `tollgate: another Tollgate process is using the data in ${folder}. TOLLGATE_DATA chooses another folder.\n`,
    ]);
    process.kill(first.pid, "SIGKILL");
    await first.stop();
    const third = await startGateway({ env: { TOLLGATE_DATA: folder, TOLLGATE_OPERATOR_TOKEN: "operator-token-of-test" } });
    expect(third.firstKey).toBeNull();
    expect((await fetch(`${third.baseUrl}/models`, { headers: { authorization: `Bearer ${first.firstKey}` } })).status).toBe(200);
    await third.stop();
  });

  test("continues when the reader of its log closes the pipe", async () => {
    const child = Bun.spawn(["sh", "-c", `${launcher()} start --json | head -n 1`], {
      cwd: mkdtempSync(join(empty, "deaf-")),
      env: { PATH: process.env["PATH"]!, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0" },
      stdout: "pipe",
      detached: true,
    });
    const { base_url: baseUrl } = JSON.parse(new TextDecoder().decode((await child.stdout.getReader().read()).value)) as {
      base_url: string;
    };
    for (let round = 0; round < 3; round++) {
      expect((await fetch(`${baseUrl}/models`)).status).toBe(401);
      await Bun.sleep(100);
    }
    process.kill(-child.pid);
    await child.exited;
  });

  test("by npm stops on SIGTERM to npm", async () => {
    const child = Bun.spawn(["npm", "start", "--", "--json"], {
      cwd: ROOT,
      env: {
        PATH: process.env["PATH"]!,
        HOME: empty,
        TOLLGATE_PORT: "0",
        TOLLGATE_PLATFORM_PORT: "0",
        TOLLGATE_DATA: join(empty, "by-npm"),
        npm_config_update_notifier: "false",
      },
      stdout: "pipe",
    });
    let output = "";
    const utf8 = new TextDecoder();
    for await (const bytes of child.stdout) if (/^\{"base_url".*\}$/m.test((output += utf8.decode(bytes)))) break;
    const { base_url: baseUrl } = JSON.parse(/^\{"base_url".*\}$/m.exec(output)![0]) as { base_url: string };
    child.kill("SIGTERM");
    await child.exited;
    const isDown = async (): Promise<boolean> => (await fetch(`${baseUrl}/models`).catch(() => undefined)) === undefined;
    await eventually(isDown, Boolean);
  });

  test("that fails stores no key", async () => {
    const folder = mkdtempSync(join(empty, "failed-"));
    const taken = { TOLLGATE_DATA: folder, TOLLGATE_PORT: new URL(gateway.baseUrl).port, TOLLGATE_PLATFORM_PORT: "0" };
    expect((await tollgate(["start"], { cwd: empty, env: taken })).code).toBe(1);
    const second = await startGateway({ env: { TOLLGATE_DATA: folder, TOLLGATE_OPERATOR_TOKEN: "operator-token-of-test" } });
    expect(second.firstKey).toStartWith("sk-service-");
    await second.stop();
    rmSync(join(folder, "hash-secret"));
    const third = await tollgate(["start"], {
      cwd: empty,
      env: { TOLLGATE_DATA: folder, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0" },
    });
    expect([third.code, third.stderr]).toEqual([
      1,
      expect.stringContaining("hash-secret is missing, and without it none of the 1 keys is valid"),
    ]);
  });

  test("creates no key if a config file declares the models", async () => {
    const declared = await startGateway({
      yaml: "upstreams: [{ id: e, dialect: echo }]\nmodels: [{ id: m, routes: [{ upstream: e, model: x }], free: true }]\n",
    });
    expect(declared.firstKey).toBeNull();
    await declared.stop();
  });

  test("on SIGTERM finishes in-flight requests, and accepts no more", async () => {
    const { stream, write, end } = manualStream();
    const upstream = startMockUpstream({ "up-held": () => rawEvents(stream) });
    const draining = await startGateway({ yaml: configFor(upstream.baseUrl, ["held"]) });
    const { key } = await draining.makeKey();
    const [first, ...rest] = [...GOOD_CHUNKS, "[DONE]"].map((event) => `data: ${event}\n\n`);
    write(first!);
    const reply = await fetch(`${draining.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "held", stream: true, messages: [{ role: "user", content: "one two three" }] }),
    });
    process.kill(draining.pid, "SIGTERM");
    await waitFor(() => draining.output().includes("Finishing 1 request"));
    const refused = await fetch(`${draining.baseUrl}/models`, { keepalive: false }).catch(() => "refused");
    expect(refused).toBe("refused");
    write(rest.join(""));
    end();
    expect(await reply.text()).toEndWith("data: [DONE]\n\n");
    await draining.stop();
    await upstream.stop();
  });
});
