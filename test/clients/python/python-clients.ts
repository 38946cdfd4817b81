/**
 * Python clients with the settings of docs/clients.md, in separate processes.
 *
 *     npm run test:python              all clients
 *     npm run test:python -- -t DSPy   the clients whose name contains this
 *
 * No suite includes it, because it installs a gigabyte.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startModelServer, type ModelServer } from "../../../scripts/try-model/model-server.ts";
import { preparePython } from "../../../scripts/try-model/python-environment.ts";
import { ledgerOf, priceOf } from "../../money/ledger-of.ts";
import { startGateway, type RunningGateway } from "../../support/gateway/start-gateway.ts";
import { TEST_PRICE } from "../../support/upstreams/mock-upstream.ts";
import { accessFor, chargesOf, startClientGateway, type ClientGateway } from "../client-gateway.ts";
import { MODEL, settingsOf, type Access } from "../documented-settings.ts";
import { CHARGE } from "../planned-upstream.ts";
import { runClient } from "../run-client.ts";
import { startBridge } from "./litellm-bridge.ts";
import { installGroup, orSkipped, type Group } from "./python-groups.ts";
import { PYTHON_LIBRARIES, type PythonLibrary } from "./python-libraries.ts";

const bins: Readonly<Record<Group, string | undefined>> = {
  openai: installGroup("openai"),
  litellm: installGroup("litellm"),
  aider: installGroup("aider"),
};
const hasClients = Object.values(bins).some((bin) => bin !== undefined);
const modelPython = hasClients ? orSkipped("the real model", preparePython) : undefined;

let folder: string;

beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "tollgate-python-"))));

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The complete environment of a client. */
function environment(group: Group): Record<string, string> {
  const modules = [folder, join(import.meta.dir, "loopback"), join(import.meta.dir, "programs")];
  return {
    PATH: `${bins[group]!}:${process.env["PATH"]!}`,
    HOME: folder,
    PYTHONPATH: modules.join(":"),
    // Not next to the sources, which are in the repository.
    PYTHONPYCACHEPREFIX: join(bins[group]!, "../pycache"),
    HAYSTACK_TELEMETRY_ENABLED: "False",
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
    LLM_USER_PATH: join(folder, "llm"),
  };
}

function run(group: Group, command: readonly string[]): Promise<string> {
  return runClient(command, folder, environment(group));
}

/** Runs a task of a library's program, with the documented settings as a module next to it. */
async function runTask({ name, group, program }: PythonLibrary, task: string, access: Access): Promise<unknown> {
  writeFileSync(join(folder, "settings.py"), settingsOf(name, "python", access));
  return JSON.parse(await run(group, ["python", join(import.meta.dir, "programs", `${program}.py`), task]));
}

/** Runs Aider in an empty folder. */
function runAider(access: Access): Promise<string> {
  const script = `${settingsOf("Aider", "sh", access).trimEnd()} "$@"`;
  const options = ["--no-git", "--yes-always", "--no-check-update", "--analytics-disable", "--no-show-model-warnings"];
  return run("aider", ["sh", "-c", script, "sh", ...options, "--message", "Write hello.txt."]);
}

/** Runs LLM with these arguments, after its settings have been written. */
async function runLlm(access: Access, more: readonly string[]): Promise<string> {
  mkdirSync(join(folder, "llm"), { recursive: true });
  writeFileSync(join(folder, "llm", "extra-openai-models.yaml"), settingsOf("LLM", "yaml", access));
  await run("openai", ["sh", "-c", settingsOf("LLM", "sh", access)]);
  return (await run("openai", ["llm", "-m", MODEL, ...more, "Hello!"])).trim();
}

describe.skipIf(!hasClients)("with the double of an upstream", () => {
  let tested: ClientGateway;
  let access: Access & { readonly keyId: string };

  beforeAll(async () => void (tested = await startClientGateway()));
  beforeEach(async () => void (access = await accessFor(tested.gateway)));
  afterAll(() => tested.stop());

  /** Every request of the client must be charged with the usage of its reply. */
  function expectCharged(requests: number): void {
    expect(chargesOf(tested.gateway, access.keyId)).toEqual(Array.from({ length: requests }, () => CHARGE));
  }

  for (const library of PYTHON_LIBRARIES) {
    test.skipIf(!bins[library.group]).each(library.tasks)(`${library.name}: $name`, async ({ name, plans, result }) => {
      const requestsBefore = tested.upstream.requests.length;
      tested.planned.plan(...plans);
      expect(await runTask(library, name, access)).toEqual(result);
      if (name === "tools") expect(tested.upstream.last().text).toContain("rain in Oslo");
      expectCharged(tested.upstream.requests.length - requestsBefore);
    });
  }

  test.skipIf(!bins.aider)("Aider: writes a file", async () => {
    tested.planned.plan({ text: "hello.txt\n```\nwritten by Aider\n```\n" });
    await runAider(access);
    expect(readFileSync(join(folder, "hello.txt"), "utf8")).toBe("written by Aider\n");
    expectCharged(1);
  });

  test.skipIf(!bins.openai)("LLM: chat", async () => {
    expect(await runLlm(access, [])).toBe("Hello world");
    expect(tested.upstream.last().body).toMatchObject({ stream: true });
    expectCharged(1);
  });

  test.skipIf(!bins.openai)("LLM: tools", async () => {
    tested.planned.plan({ tool: "weather", arguments: { city: "Oslo" } });
    expect(await runLlm(access, ["--functions", "def weather(city: str): return f'rain in {city}'"])).toBe("Hello world");
    expect(tested.upstream.last().text).toContain("rain in Oslo");
    expectCharged(2);
  });

  test.skipIf(!bins.openai)("LLM: structured", async () => {
    tested.planned.plan({ text: '{"city":"Oslo","sky":"rain"}' });
    expect(JSON.parse(await runLlm(access, ["--schema", "city, sky"]))).toEqual({ city: "Oslo", sky: "rain" });
    expect(tested.upstream.last().body).toMatchObject({ response_format: { type: "json_schema" } });
    expectCharged(1);
  });

  test.skipIf(!bins.litellm)("LiteLLM proxy: translates the Messages API and the Responses API", async () => {
    writeFileSync(join(folder, "bridge.yaml"), settingsOf("Bridge with LiteLLM", "yaml", access));
    const bridge = await startBridge(folder, environment("litellm"));
    try {
      const messages = { model: MODEL, max_tokens: 50, messages: [{ role: "user", content: "Hello!" }] };
      expect(await bridge.post("/v1/messages", messages)).toMatchObject({ content: [{ type: "text", text: "Hello world" }] });
      expect(await bridge.post("/v1/responses", { model: MODEL, input: "Hello!" })).toMatchObject({
        output: expect.arrayContaining([expect.objectContaining({ type: "message" })]),
      });
    } finally {
      await bridge.stop();
    }
    expectCharged(2);
  });
});

describe.skipIf(!modelPython)("with a real model", () => {
  let server: ModelServer;
  let gateway: RunningGateway;
  let access: Access & { readonly keyId: string };

  beforeAll(async () => {
    // Aider's prompt has 600 tokens.
    server = await startModelServer(modelPython!, 0, 2048);
    gateway = await startGateway({ yaml: configOf(server.baseUrl) });
  });
  beforeEach(async () => void (access = await accessFor(gateway)));
  afterAll(async () => {
    await gateway?.stop();
    await server?.kill();
  });

  /** Every charge must be for the tokens that the server counted. */
  function expectMeasured(): void {
    const settled = ledgerOf(gateway).filter((row) => row.key_id === access.keyId && row.kind === "settle");
    expect(settled).not.toEqual([]);
    for (const {
      provenance,
      amount_nanos: amount,
      prompt_tokens: prompt,
      completion_tokens: completion,
      cached_tokens: cached,
    } of settled) {
      expect(provenance).toBe("measured");
      expect(amount).toBe(priceOf(Number(prompt), Number(completion), Number(cached)));
    }
  }

  for (const library of PYTHON_LIBRARIES.filter(({ tasks }) => tasks.some(({ name }) => name === "chat"))) {
    test.skipIf(!bins[library.group])(`${library.name}: chat`, async () => {
      const pieces = (await runTask(library, "chat", access)) as string[];
      expect(pieces.join("")).toMatch(/\w/);
      expectMeasured();
    });
  }

  test.skipIf(!bins.litellm)("Instructor: structured", async () => {
    const instructor = PYTHON_LIBRARIES.find(({ name }) => name === "Instructor")!;
    expect(await runTask(instructor, "structured", access)).toEqual({ city: expect.any(String), sky: expect.any(String) });
    expectMeasured();
  });

  test.skipIf(!bins.aider)("Aider: chat", async () => {
    await runAider(access);
    expectMeasured();
  });

  test.skipIf(!bins.openai)("LLM: chat", async () => {
    expect(await runLlm(access, [])).toMatch(/\w/);
    expectMeasured();
  });
});

function configOf(baseUrl: string): string {
  return `upstreams:
  - { id: local, preset: llama-cpp, base_url: "${baseUrl}", allow_private: true }
models:
  - { id: ${MODEL}, routes: [{ upstream: local, model: smollm2 }], price: ${TEST_PRICE}, max_output_tokens: 256 }
`;
}
