import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { completion, startMockUpstream, USAGE } from "../support/upstreams/mock-upstream.ts";
import type { Outcome } from "../support/gateway/run-tollgate.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { ROOT, startGateway } from "../support/gateway/start-gateway.ts";

const FIXTURES = join(ROOT, "test/litellm/fixtures");

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-import-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command in a folder without a gateway, in an empty environment. */
async function importLiteLLM(...args: string[]): Promise<Outcome> {
  const child = Bun.spawn([launcher(), "import", "litellm", ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"]! },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

describe("tollgate import litellm", () => {
  test("prints the converted file, and lists unsupported settings on stderr", async () => {
    const { code, stdout, stderr } = await importLiteLLM(join(FIXTURES, "small.yaml"));
    expect(code).toBe(0);
    expect(stdout).toContain("  - id: fast-chat\n    routes:\n      - { upstream: openai, model: gpt-4o-mini }\n");
    const [heading, blank, ...lines] = stderr.trimEnd().split("\n");
    expect([heading, blank]).toEqual(["Settings that were not converted, or were converted with changes:", ""]);
    expect(lines.filter((_, at) => at % 2 === 0)).toEqual([
      "small.yaml:7:7 model_list[0].litellm_params.rpm",
      "small.yaml:10:7 model_list[1].litellm_params.model",
      "small.yaml:14:3 litellm_settings.drop_params",
      "small.yaml:15:3 litellm_settings.request_timeout",
      "small.yaml:18:3 general_settings.master_key",
    ]);
    for (let at = 0; at < lines.length; at += 2) {
      expect(stdout).toContain(`\n# ${lines[at]!.slice("small.yaml:".length)}: ${lines[at + 1]!.trim()}\n`);
    }
  });

  test("prints JSON with --json", async () => {
    const { code, stdout, stderr } = await importLiteLLM(join(FIXTURES, "secrets.yaml"), "--json");
    const answer = JSON.parse(stdout) as { config: string; unsupported: object[]; upstreams: number; models: number; variables: string[] };
    expect([code, stderr, answer.upstreams, answer.models]).toEqual([0, "", 8, 9]);
    expect(answer.variables).toContain("GROQ_API_KEY");
    expect(Object.keys(answer.unsupported[0]!)).toEqual(["place", "field", "why"]);
    expect(stdout).not.toMatch(/canary-[a-z-]+-0{9}/);
  });

  test("writes a file, and never overwrites an existing one", async () => {
    const first = await importLiteLLM(join(FIXTURES, "secrets.yaml"), "--out", "new.yaml");
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Wrote 9 models at 8 upstreams to new\.yaml\.\nSkipped 3 deployments .*\nSet .*OPENAI_API_KEY, .*, then validate it: npx tollgate config check new\.yaml\n$/,
      ) as string,
    ]);
    const written = readFileSync(join(folder, "new.yaml"), "utf8");
    expect(written).toContain("id: main-mini");
    expect(written).toContain("# set it to the value at secrets.yaml:");
    expect(written).not.toContain(FIXTURES);
    expect(written + first.stderr).not.toMatch(/canary-[a-z-]+-0{9}/);
    const second = await importLiteLLM(join(FIXTURES, "small.yaml"), "--out", "new.yaml");
    expect([second.code, second.stdout, second.stderr]).toEqual([1, "", "tollgate: new.yaml already exists: nothing was written\n"]);
    expect(readFileSync(join(folder, "new.yaml"), "utf8")).toBe(written);
  });

  test("says how many deployments were skipped", async () => {
    const params = { model: "gpt-4o", api_key: "os.environ/K" };
    const list = [
      { model_name: "a", litellm_params: params },
      { model_name: "b", litellm_params: { model: "openai/*" } },
    ];
    const { stdout } = await importLiteLLM(write("partly.yaml", JSON.stringify({ model_list: list })), "--out", "partly-new.yaml");
    expect(stdout).toStartWith(
      "Wrote 1 model at 1 upstream to partly-new.yaml.\nSkipped 1 deployment of the model_list: the list above has the reasons.\n",
    );
  });

  test("fails with the reason if no model can be converted", async () => {
    const { code, stdout, stderr } = await importLiteLLM(join(FIXTURES, "nothing.yaml"), "--out", "none.yaml");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("model_list[0]\n    a wildcard needs a provider");
    expect(stderr).toEndWith("nothing.yaml has no model that can be converted\n");
    expect(await Bun.file(join(folder, "none.yaml")).exists()).toBe(false);
    const inJson = await importLiteLLM(join(FIXTURES, "nothing.yaml"), "--json", "--out", "none.yaml");
    expect([inJson.code, JSON.parse(inJson.stdout)]).toMatchObject([
      1,
      { models: 0, unsupported: expect.arrayContaining([expect.objectContaining({ field: "model_list[0]" })]) as object[] },
    ]);
    expect(JSON.parse(inJson.stderr)).toMatchObject({ code: "failed" });
    expect(await Bun.file(join(folder, "none.yaml")).exists()).toBe(false);
  });

  const cases: [string, () => string[], number, RegExp][] = [
    [
      "broken YAML",
      () => [write("broken.yaml", 'model_list:\n  - model_name: "sk-canary\n')],
      1,
      /^tollgate: broken\.yaml:3:1: not YAML, here or before: missing char\n$/,
    ],
    ["an empty file", () => [write("empty.yaml", "")], 1, /^tollgate: empty\.yaml:1:1: not a LiteLLM config/],
    ["a file that is not there", () => ["gone.yaml"], 1, /^tollgate: gone\.yaml does not exist\n$/],
    ["a folder", () => ["."], 1, /^tollgate: \. is a folder\n$/],
    [
      "a folder that is not there to write into",
      () => [join(FIXTURES, "small.yaml"), "--out", "gone/new.yaml"],
      1,
      /cannot be written: ENOENT\n$/,
    ],
    ["no file", () => [], 2, /expected one FILE/],
    ["two files", () => ["a", "b"], 2, /expected one FILE/],
    ["an option that is none", () => ["a", "--force"], 2, /--force/],
  ];
  for (const [name, args, expected, words] of cases) {
    test(`${name}: ${expected}`, async () => {
      const { code, stdout, stderr } = await importLiteLLM(...args());
      expect([code, stdout]).toEqual([expected, ""]);
      expect(stderr).toMatch(words);
    });
  }
});

test("an imported file starts, and serves a completion under the old name", async () => {
  const upstream = startMockUpstream({ "org/served": () => Response.json(completion()) });
  const secret = "sk-upstream-canary-000000000099";
  const litellm = `model_list:
  - model_name: team/chat
    litellm_params:
      model: openai/org/served
      api_base: ${upstream.baseUrl}
      api_key: ${secret}
      input_cost_per_token: 0.000001
      output_cost_per_token: 0.000002
router_settings:
  model_group_alias: { old-name: team/chat }
`;
  const home = mkdtempSync(join(tmpdir(), "tollgate-imported-"));
  const { code, stderr } = await importLiteLLM(write("served.yaml", litellm), "--out", join(home, "tollgate.yaml"));
  const variable = /set (\w+) to it/.exec(stderr)![1]!;
  expect(code).toBe(0);
  const gateway = await startGateway({ folder: home, env: { [variable]: secret } });
  try {
    const { key } = await gateway.makeKey();
    for (const model of ["team/chat", "old-name"]) {
      const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] }),
      });
      expect([response.status, await response.json()]).toMatchObject([200, { model, choices: [{ message: { content: "Hello world" } }] }]);
      // $1 per million for five input tokens, $2 per million for two output tokens.
      expect(response.headers.get("x-tollgate-cost")).toBe("0.000009");
    }
    expect(USAGE).toMatchObject({ prompt_tokens: 5, completion_tokens: 2 });
    expect(upstream.requests.map(({ body, headers }) => [body["model"], headers.get("authorization")])).toEqual([
      ["org/served", `Bearer ${secret}`],
      ["org/served", `Bearer ${secret}`],
    ]);
  } finally {
    await gateway.stop();
    await upstream.stop();
  }
}, 300_000);
