import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";
import { installGroup } from "./python/python-groups.ts";
import { runClient } from "./run-client.ts";
import { PDF, PNG, startSdkGateway, TOOL_SCHEMA } from "./sdk-model.ts";
import { runAnthropic, runOpenAI, type SdkAccess } from "./sdk-programs.ts";

/**
 * The official SDKs of Anthropic and OpenAI, in JavaScript and in Python, with a model whose upstream speaks the same format and with one
 * that does not. Both languages have the same results, and the ledger equals the upstream's bill.
 */

const python = installGroup("formats");
const tested = await startSdkGateway();
const { gateway } = tested;
const home = mkdtempSync(join(tmpdir(), "tollgate-sdk-"));
await gateway.platform("POST", "/api/accounts", { id: "poor", name: "poor" });
const { key: poorKey, id: poorId } = await gateway.platform<{ key: string; id: string }>("POST", "/api/keys", {
  name: "poor",
  account: "poor",
  models: ["*"],
});

afterAll(async () => {
  await tested.stop();
  rmSync(home, { recursive: true, force: true });
});

async function runPython(program: string, model: string, { baseUrl, key, limitedKey }: SdkAccess): Promise<Record<string, unknown>> {
  const here = join(import.meta.dir, "python");
  const env = {
    PATH: `${python!}:${process.env["PATH"]!}`,
    HOME: home,
    PYTHONPATH: join(here, "loopback"),
    PYTHONPYCACHEPREFIX: join(python!, "../pycache"),
    ANTHROPIC_BASE_URL: baseUrl.replace(/\/v1$/, ""),
    ANTHROPIC_API_KEY: key,
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_KEY: key,
    TEST_PNG: PNG,
    TEST_PDF: PDF,
    TEST_TOOL_SCHEMA: JSON.stringify(TOOL_SCHEMA),
    TEST_POOR_KEY: poorKey,
    TEST_LIMITED_KEY: limitedKey,
  };
  const output = await runClient(["python", join(here, "programs", `${program}.py`), model], home, env);
  return JSON.parse(output) as Record<string, unknown>;
}

const MODELS = ["claude", "claude-refusing", "gpt", "gpt-refusing", "llama"];
const OSLO = { city: "Oslo", sky: "rain" };
const TOOLS = { thoughts: ["They want the weather."], calls: [["weather", { city: "Oslo" }]], text: "It rains in Oslo." };

/** `usage`: uncached, cached and written input tokens, and the output. */
function messagesResults(model: string, usage: readonly number[], count: unknown): Record<string, unknown> {
  const said = { text: "Hello world", stop: "end_turn", usage };
  return {
    complete: { ...said, model },
    stream: said,
    tools: TOOLS,
    media: "Hello world",
    structured: OSLO,
    models: MODELS,
    count,
    errors: {
      key: ["AuthenticationError", 401, "authentication_error"],
      model: ["NotFoundError", 404, "not_found_error"],
      value: ["BadRequestError", 400, "invalid_request_error"],
      upstream: ["BadRequestError", 400, "invalid_request_error"],
      credit: ["PaymentRequiredError", 402, "billing_error"],
      rate: ["RateLimitError", 429, "rate_limit_error"],
    },
  };
}

/** `usage`: input, cached input, output and all tokens. */
function responsesResults(model: string, usage: readonly number[], thoughts: readonly string[]): Record<string, unknown> {
  const said = { text: "Hello world", status: "completed", usage };
  return {
    complete: { ...said, model },
    stream: said,
    tools: { ...TOOLS, thoughts },
    media: "Hello world",
    structured: OSLO,
    models: MODELS,
    errors: {
      key: ["AuthenticationError", 401, "invalid_api_key"],
      model: ["PermissionDeniedError", 403, "model_not_allowed"],
      value: ["BadRequestError", 400, "invalid_value"],
      upstream: ["BadRequestError", 400, "invalid_prompt"],
      credit: ["RateLimitError", 429, "insufficient_credits"],
      rate: ["RateLimitError", 429, "rate_limit_exceeded"],
    },
  };
}

const ANTHROPIC = [
  { model: "claude", results: messagesResults("claude", [10, 3, 2, 7], 42) },
  { model: "llama", results: messagesResults("llama", [4, 1, 0, 2], "not_found_error") },
];
const OPENAI = [
  { model: "gpt", results: responsesResults("gpt", [15, 3, 7, 22], TOOLS.thoughts) },
  { model: "llama", results: responsesResults("llama", [5, 1, 2, 7], TOOLS.thoughts) },
  { model: "claude", results: responsesResults("claude", [15, 3, 7, 22], []) },
];

let rejectedForCredit = 0;

/** Runs all features with new keys, and compares the charges with the upstream's bill. */
async function expectResults(run: (access: SdkAccess) => Promise<unknown>, expected: unknown): Promise<void> {
  const { id, key } = await gateway.makeKey();
  const limited = await gateway.makeKey(["*"], { limits: { requests_per_minute: 1 } });
  tested.bill.length = tested.bodies.length = 0;
  expect(await run({ baseUrl: gateway.baseUrl, key, poorKey, limitedKey: limited.key })).toEqual(expected);
  expect(tested.bodies.filter((body) => body.includes(PNG) && body.includes(PDF)).length).toBe(1);
  // No SDK repeats a request for which there is no credit.
  rejectedForCredit++;
  const rejected = await eventually(
    () => gateway.logLines().filter((line) => line["key"] === poorId).length,
    (lines) => lines >= rejectedForCredit,
  );
  expect(rejected).toBe(rejectedForCredit);
  const charges = [...tested.chargesOf(id), ...tested.chargesOf(limited.id)];
  expect(charges.toSorted((one, other) => Number(one - other))).toEqual(tested.bill.toSorted((one, other) => Number(one - other)));
}

test("docs/agents.md has the versions of the SDKs that are tested", () => {
  const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
  const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: Record<string, string> };
  const [, pythonAnthropic] = /^anthropic==(.+)$/m.exec(read("test/clients/python/requirements/formats.txt"))!;
  const [, pythonOpenAI] = /^openai==(.+)$/m.exec(read("test/clients/python/requirements/formats.txt"))!;
  const docs = read("docs/agents.md");
  expect(docs).toContain(
    `\`@anthropic-ai/sdk\` ${devDependencies["@anthropic-ai/sdk"]} and \`openai\` ${devDependencies["openai"]} for JavaScript`,
  );
  expect(docs).toContain(`\`anthropic\` ${pythonAnthropic} and \`openai\` ${pythonOpenAI} for Python`);
});

test.each(ANTHROPIC)("@anthropic-ai/sdk with the model $model", ({ model, results }) =>
  expectResults((access) => runAnthropic(model, access), results),
);

test.each(OPENAI)("openai in JavaScript with the model $model", ({ model, results }) =>
  expectResults((access) => runOpenAI(model, access), results),
);

describe.skipIf(!python)("in Python", () => {
  test.each(ANTHROPIC)("anthropic with the model $model", ({ model, results }) =>
    expectResults((access) => runPython("anthropic_client", model, access), results),
  );

  test.each(OPENAI)("openai with the model $model", ({ model, results }) =>
    expectResults((access) => runPython("openai_responses_client", model, access), results),
  );
});
