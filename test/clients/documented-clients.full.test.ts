import type { ChatOpenAI } from "@langchain/openai";
import { streamText, type LanguageModel } from "ai";
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type OpenAI from "openai";
import { ROOT } from "../support/gateway/start-gateway.ts";
import { accessFor, chargesOf, startClientGateway } from "./client-gateway.ts";
import { documentedVersions, MODEL, settingsOf } from "./documented-settings.ts";
import { CHARGE } from "./planned-upstream.ts";

/**
 * Tests that the settings of docs/clients.md work for the packages that this project depends on, and that its tables have the tested
 * versions.
 */

const tested = await startClientGateway();
const { gateway } = tested;
const cache = join(ROOT, "node_modules", ".cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "documented-"));

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await tested.stop();
});

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const LIBRARIES: readonly { readonly heading: string; read(settings: object): Promise<string[]> }[] = [
  {
    heading: "OpenAI SDK, JavaScript",
    async read(settings) {
      const { client } = settings as { client: OpenAI };
      const stream = await client.chat.completions.create({ model: MODEL, messages: [{ role: "user", content: "Hello!" }], stream: true });
      return Array.fromAsync(stream, (chunk) => chunk.choices[0]?.delta.content ?? "");
    },
  },
  {
    heading: "Vercel AI SDK",
    async read(settings) {
      const { model } = settings as { model: LanguageModel };
      return Array.fromAsync(streamText({ model, prompt: "Hello!" }).textStream);
    },
  },
  {
    heading: "LangChain, JavaScript",
    async read(settings) {
      const { model } = settings as { model: ChatOpenAI };
      return Array.fromAsync(await model.stream("Hello!"), (chunk) => chunk.text);
    },
  },
];

for (const library of LIBRARIES) {
  test(`${library.heading}: a streamed response with the documented settings`, async () => {
    const access = await accessFor(gateway);
    const file = join(folder, `${crypto.randomUUID()}.mjs`);
    writeFileSync(file, settingsOf(library.heading, "js", access));
    const pieces = await library.read((await import(file)) as object);
    expect(pieces.filter((piece) => piece !== "")).toEqual(["Hello", " world"]);
    expect(chargesOf(gateway, access.keyId)).toEqual([CHARGE]);
  });
}

const NPM_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "OpenAI SDK, JavaScript": ["openai", "openai-6"],
  "Vercel AI SDK": ["ai"],
  "LangChain, JavaScript": ["@langchain/openai"],
  "LlamaIndex, JavaScript": ["@llamaindex/openai"],
  Mastra: ["@mastra/core"],
  "OpenAI Agents SDK, JavaScript": ["@openai/agents"],
  promptfoo: ["promptfoo"],
  "Qwen Code": ["@qwen-code/qwen-code"],
  opencode: ["opencode-linux-x64-baseline"],
  "Cline CLI": ["@cline/cli-linux-x64"],
  "Continue CLI": ["@continuedev/cli"],
};

const PYTHON_PACKAGES: Readonly<Record<string, string>> = {
  "OpenAI SDK, Python": "openai",
  "LangChain, Python": "langchain-openai",
  "LiteLLM SDK": "litellm",
  "Pydantic AI": "pydantic-ai-slim",
  Instructor: "instructor",
  "LlamaIndex, Python": "llama-index-llms-openai-like",
  "OpenAI Agents SDK, Python": "openai-agents",
  Haystack: "haystack-ai",
  DSPy: "dspy",
  smolagents: "smolagents",
  Aider: "aider-chat",
  LLM: "llm",
};

test("docs/clients.md has the versions that tests run, of every client and no other", () => {
  const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: Record<string, string> };
  const { dependencies } = JSON.parse(read("test/clients/packages/package.json")) as { dependencies: Record<string, string> };
  const npm = Object.entries(NPM_PACKAGES).map(([client, names]) => {
    const versions = names.map((name) => (devDependencies[name] ?? dependencies[name])?.replace(/^npm:.*@/, ""));
    return [client, versions.join(", ")];
  });
  const python = Object.entries(PYTHON_PACKAGES).map(([client, name]) => [client, pinnedVersion(name)]);
  expect(Object.fromEntries(documentedVersions())).toEqual(Object.fromEntries([...npm, ...python]));
});

test("docs/clients.md has a command that installs the tested version of each client from npm", () => {
  const rows = [...read("docs/clients.md").matchAll(/^\| \[([^\]]+)\].* \| `npm install ([^`]+)` \|/gm)];
  expect(rows.map(([, client]) => client!).toSorted()).toEqual(Object.keys(NPM_PACKAGES).toSorted());
  const versions = documentedVersions();
  for (const [, client, packages] of rows) expect(packages).toContain(`@${versions.get(client!)!.split(",")[0]}`);
});

/** The first file that pins a package belongs to the group that tests it. */
function pinnedVersion(name: string): string | undefined {
  const files = ["openai", "litellm", "aider"].map((group) => read(`test/clients/python/requirements/${group}.txt`));
  const lines = files.flatMap((file) => [...file.matchAll(new RegExp(`^${name}==([^ \\n]+)(?: ; (.*))?$`, "gm"))]);
  return lines.find(([, , marker]) => !marker?.includes("< '3.11'"))?.[1];
}
