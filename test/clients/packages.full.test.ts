import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { accessFor, chargesOf, startClientGateway } from "./client-gateway.ts";
import { settingsOf, type Access } from "./documented-settings.ts";
import { installPackages } from "./packages/install-packages.ts";
import { CHARGE, type Plan } from "./planned-upstream.ts";
import { runClient } from "./run-client.ts";

/** Tests clients from npm in separate processes, with the settings of docs/clients.md. Each has its own key, home and working folder. */

const packages = installPackages();
const tested = await startClientGateway();
const { gateway, upstream, planned } = tested;
let access: Access & { readonly keyId: string };
let home: string;
let project: string;

beforeEach(async () => {
  access = await accessFor(gateway);
  home = mkdtempSync(join(tmpdir(), "tollgate-client-"));
  project = join(home, "project");
  mkdirSync(project);
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

afterAll(() => tested.stop());

/** The second layer after packages/loopback-only.cjs. Nothing listens on this port, and only calls to this machine bypass the proxy. */
const PROXY = "http://127.0.0.1:9";
const PROXIES = { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, http_proxy: PROXY, https_proxy: PROXY, NO_PROXY: "127.0.0.1,localhost" };

/** The complete environment of a client. Its Node.js is the pinned one: promptfoo rejects older versions. */
function environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const bin = ["node_modules/.bin", "node_modules/opencode-linux-x64-baseline/bin"].map((folder) => join(packages!, folder));
  const loopbackOnly = join(import.meta.dir, "packages/loopback-only.cjs");
  return { PATH: [...bin, process.env["PATH"]!].join(":"), HOME: home, NODE_OPTIONS: `--require ${loopbackOnly}`, ...PROXIES, ...more };
}

function run(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  return runClient(command, project, environment(env));
}

/** Runs a documented block of shell commands, with additional arguments for the last command. */
function runDocumented(heading: string, more: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const script = `set -e\n${settingsOf(heading, "sh", access).trimEnd()} "$@"`;
  return run(["sh", "-c", script, "sh", ...more], env);
}

function writeIn(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Every request of the client must be charged with the usage of its reply. */
function expectCharged(requests: number): void {
  expect(chargesOf(gateway, access.keyId)).toEqual(Array.from({ length: requests }, () => CHARGE));
}

function lastMessages(): unknown {
  return upstream.last().body["messages"];
}

const PROMPT = "Write hello.txt.";

interface CodingAgent {
  readonly name: string;
  /** A call of the client's tool, with its names of the path and the text. */
  readonly call: (path: string, text: string) => Plan;
  readonly requests: number;
  run(): Promise<string>;
}

const CODING_AGENTS: readonly CodingAgent[] = [
  {
    name: "Qwen Code",
    call: (path, text) => ({ tool: "write_file", arguments: { file_path: path, content: text } }),
    requests: 2,
    run() {
      const quiet = { privacy: { usageStatisticsEnabled: false }, general: { enableAutoUpdate: false } };
      writeIn(home, ".qwen/settings.json", JSON.stringify(quiet));
      return runDocumented("Qwen Code", ["--approval-mode", "yolo", "-p", PROMPT], { QWEN_CODE_NO_RELAUNCH: "1" });
    },
  },
  {
    name: "Continue CLI",
    call: (path, text) => ({ tool: "Write", arguments: { filepath: path, content: text } }),
    requests: 2,
    run() {
      writeIn(home, ".continue/config.yaml", settingsOf("Continue CLI", "yaml", access));
      return run(["cn", "--auto", "-p", PROMPT], { CONTINUE_CLI_ENABLE_TELEMETRY: "0", CONTINUE_METRICS_ENABLED: "0" });
    },
  },
  {
    name: "opencode",
    call: (path, text) => ({ tool: "write", arguments: { filePath: path, content: text } }),
    // One of these requests is for the title of the session.
    requests: 3,
    run() {
      writeIn(project, "opencode.json", settingsOf("opencode", "json", access));
      const off = ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE"].map((name) => [
        `OPENCODE_DISABLE_${name}`,
        "1",
      ]);
      // It installs a package for plugins in the background, and continues if that fails.
      return run(["opencode", "run", PROMPT], { ...Object.fromEntries(off), npm_config_registry: "http://127.0.0.1:9/" });
    },
  },
  {
    name: "Cline CLI",
    call: (path, text) => ({ tool: "editor", arguments: { path, new_text: text } }),
    requests: 2,
    async run() {
      writeIn(home, ".cline/data/settings/global-settings.json", JSON.stringify({ telemetryOptOut: true, autoUpdateEnabled: false }));
      // Without a background process on a fixed port, and without remote feature flags.
      const env = { CLINE_SESSION_BACKEND_MODE: "local", IS_TEST: "true" };
      await runDocumented("Cline CLI", [], env);
      return run(["cline", PROMPT], env);
    },
  },
];

const WEATHER = { tool: "weather", arguments: { city: "Oslo" } };

/** Runs a program of this project next to the documented settings, in a folder where it finds its packages. */
async function runProgram(name: string, heading: string): Promise<unknown> {
  const folder = mkdtempSync(join(packages!, "run-"));
  try {
    copyFileSync(join(import.meta.dir, "packages/programs", `${name}.mjs`), join(folder, "program.mjs"));
    writeIn(folder, "settings.mjs", settingsOf(heading, "js", access));
    return JSON.parse(await run(["node", join(folder, "program.mjs")]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.skipIf(!packages)("clients from npm", () => {
  for (const agent of CODING_AGENTS) {
    test(`${agent.name} writes a file by a tool call and prints the answer`, async () => {
      const file = join(project, "hello.txt");
      planned.plan(agent.call(file, "written by a tool"));
      expect(await agent.run()).toContain("Hello world");
      expect(readFileSync(file, "utf8").trim()).toBe("written by a tool");
      expect(upstream.last().body).toMatchObject({ stream: true });
      expect(JSON.stringify(lastMessages())).toContain('"role":"tool"');
      expectCharged(agent.requests);
    });
  }

  test.each([
    { program: "openai-agents", heading: "OpenAI Agents SDK, JavaScript", result: { tokens: [10, 4] } },
    { program: "llamaindex", heading: "LlamaIndex, JavaScript", result: {} },
    { program: "mastra", heading: "Mastra", result: {} },
  ])("$heading: an agent calls its tool, and its answer is streamed", async ({ program, heading, result }) => {
    planned.plan(WEATHER);
    expect(await runProgram(program, heading)).toMatchObject({ pieces: ["Hello", " world"], ...result });
    expect(upstream.last().body).toMatchObject({ stream: true });
    expect(lastMessages()).toContainEqual(expect.objectContaining({ role: "tool", content: expect.stringContaining("rain in Oslo") }));
    expectCharged(2);
  });

  test("promptfoo evaluates an answer and a tool call", async () => {
    const settings = settingsOf("promptfoo", "yaml", access);
    const tool = { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } };
    const checks = [
      { vars: { name: "Ada" }, assert: [{ type: "equals", value: "Hello world" }] },
      {
        vars: { name: "Oslo" },
        options: { tools: [{ type: "function", function: tool }] },
        assert: [{ type: "javascript", value: "output[0].function.name === 'weather'" }],
      },
    ];
    writeIn(project, "promptfooconfig.yaml", `${settings}prompts: ["Hello, {{name}}!"]\ntests: ${JSON.stringify(checks)}\n`);
    planned.plan(WEATHER);
    const off = { PROMPTFOO_DISABLE_TELEMETRY: "1", PROMPTFOO_DISABLE_UPDATE: "1", PROMPTFOO_DISABLE_REMOTE_GENERATION: "1" };
    expect(await run(["promptfoo", "eval", "--no-cache", "--no-share", "--max-concurrency", "1"], off)).toContain("2 passed (100%)");
    expectCharged(2);
  });
});
