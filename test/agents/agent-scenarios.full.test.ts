import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failureOf } from "../clients/failure-of.ts";
import { dollarsOf, ledgerOf, openIn, type LedgerRow } from "../money/ledger-of.ts";
import { eventually } from "../support/eventually.ts";
import { CANCELS, ROOT, startGateway } from "../support/gateway/start-gateway.ts";
import { CLAUDE_CODE, CODEX, packages, runAgent, type Agent, type AgentRun } from "./agents.ts";
import { API_NAMES, declared, modelFor, PlannedModel, type Api, type PlannedCall, type PlannedTurn } from "./planned-model.ts";

/** What Claude Code and Codex do besides the basic task, through the gateway: images, thinking, sub-agents, compaction, cancels, failures. */

const planned = new PlannedModel();
/** The API that takes over from each API. */
const FAILOVERS: Readonly<Record<Api, Api>> = {
  anthropic: "chat",
  bedrock: "anthropic",
  vertex: "chat",
  responses: "anthropic",
  chat: "gemini",
  gemini: "bedrock",
};
const gateway = await startGateway({
  env: { ...CANCELS, ...planned.variables },
  yaml: planned.start(API_NAMES.map((api) => declared(`${api}-or-other`, [api, FAILOVERS[api]]))),
});
let home: string;
let project: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tollgate-agent-"));
  project = join(home, "project");
  mkdirSync(project);
  planned.reset();
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

afterAll(async () => {
  await gateway.stop();
  await planned.stop();
});

/** What is tested with models behind which APIs. docs/agents.md has it as a table. */
const FEATURES = {
  "thinking over several turns": [API_NAMES, API_NAMES],
  images: [API_NAMES, API_NAMES],
  "sub-agents": [["anthropic", "chat"], API_NAMES],
  "compaction of a long conversation": [
    ["anthropic", "chat"],
    ["anthropic", "responses"],
  ],
  "cancelling within an answer": [
    ["anthropic", "chat"],
    ["anthropic", "responses"],
  ],
  "credit that runs out within a task": [["anthropic"], ["responses"]],
  "an upstream that dies within an answer": [
    ["anthropic", "chat"],
    ["responses", "gemini"],
  ],
  "failover within a conversation": [API_NAMES, API_NAMES],
} as const satisfies Record<string, readonly [claudeCode: readonly Api[], codex: readonly Api[]]>;

interface Case {
  readonly agent: Agent;
  readonly name: string;
  readonly api: Api;
}

function casesOf(feature: keyof typeof FEATURES): Case[] {
  const [ofClaudeCode, ofCodex] = FEATURES[feature] as readonly (readonly Api[])[];
  const cases = (agent: Agent, apis: readonly Api[]): Case[] => apis.map((api) => ({ agent, name: agent.name, api }));
  return [...cases(CLAUDE_CODE, ofClaudeCode!), ...cases(CODEX, ofCodex!)];
}

/** A call of the agent's tool for shell commands. */
function shell(agent: Agent, command: string): PlannedCall {
  return agent === CODEX
    ? { tool: "exec_command", input: { cmd: command } }
    : { tool: "Bash", input: { command, description: "Runs a command" } };
}

/** Three turns with a thought before each, and a file that the last one has written. */
function threeTurns(agent: Agent): PlannedTurn[] {
  return ["one", "two", "three"].map((word) => ({
    thinks: `Thought ${word}.`,
    says: `Now ${word}.`,
    calls: [shell(agent, `echo ${word} > ${word}.txt`)],
  }));
}

interface Finished {
  readonly output: string;
  readonly rows: readonly LedgerRow[];
}

/** Runs an agent to its end with a new key, and returns its charges. */
async function finish(agent: Agent, run: Pick<AgentRun, "model" | "prompt"> & Partial<AgentRun>, models = ["*"]): Promise<Finished> {
  const { id, key } = await gateway.makeKey(models);
  const output = await runAgent(agent, { home, project }, { baseUrl: gateway.baseUrl, key, ...run });
  return { output, rows: chargesOf(id) };
}

function chargesOf(keyId: string): LedgerRow[] {
  return ledgerOf(gateway).filter((row) => row.key_id === keyId && row.kind === "settle");
}

function amounts(rows: readonly LedgerRow[]): bigint[] {
  return rows.map((row) => row.amount_nanos);
}

/** Agents that run at the same time end in any order. */
function sorted(charges: readonly bigint[]): bigint[] {
  return charges.toSorted((one, other) => Number(one - other));
}

function expectDone(output: string): void {
  expect(planned.rejections).toEqual([]);
  expect(output).toContain("All done.");
}

interface Tap {
  readonly baseUrl: string;
  /** Fulfilled when a reply has contained the words. */
  readonly seen: Promise<void>;
  stop(): Promise<void>;
}

/** Stands between an agent and the gateway, and looks for words in the replies. */
function startTap(words: string): Tap {
  const { promise: seen, resolve } = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const reply = await fetch(new Request(new URL(pathname + search, gateway.baseUrl).href, request));
      let text = "";
      const watch = new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          controller.enqueue(bytes);
          if ((text += Buffer.from(bytes).toString()).includes(words)) resolve();
        },
      });
      return new Response(reply.body?.pipeThrough(watch) ?? null, reply);
    },
  });
  return { baseUrl: `http://127.0.0.1:${server.port}/v1`, seen, stop: () => server.stop(true) };
}

/** A red square. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg==";

function delegationOfClaudeCode(task: string): PlannedTurn[] {
  const agent = { description: "Writes a file", subagent_type: "general-purpose", model: "haiku", run_in_background: false };
  return [{ says: "I delegate.", calls: [{ tool: "Agent", input: { ...agent, prompt: task } }] }];
}

function delegationOfCodex(task: string): PlannedTurn[] {
  const namespace = "multi_agent_v1";
  const targets = (conversation: string): unknown[] => [/agent_id\W+([\w-]{36})/.exec(conversation)?.[1]];
  return [
    { says: "I delegate.", calls: [{ tool: "spawn_agent", namespace, input: { message: task } }] },
    { says: "I wait.", calls: [{ tool: "wait_agent", namespace, input: (conversation) => ({ targets: targets(conversation) }) }] },
  ];
}

const HIGH_EFFORT = { model_reasoning_effort: '"high"' };

/** The bodies that the upstreams have received, as text. */
function bodies(): string[] {
  return planned.requests.map(({ body }) => JSON.stringify(body));
}

test("docs/agents.md has the features that are tested", () => {
  const docs = readFileSync(join(ROOT, "docs/agents.md"), "utf8");
  const rows = Object.entries(FEATURES).flatMap(([feature, [ofClaudeCode, ofCodex]]) => [
    rowOf(feature, CLAUDE_CODE, ofClaudeCode),
    rowOf(feature, CODEX, ofCodex),
  ]);
  expect(docs).toContain(
    `| feature | agent | Anthropic | Bedrock | Vertex AI | OpenAI Responses | chat completions | Gemini |\n|---|---|---|---|---|---|---|---|\n${rows.join("\n")}\n`,
  );
});

function rowOf(feature: string, agent: Agent, tested: readonly Api[]): string {
  const cells = API_NAMES.map((api) => (tested.includes(api) ? "yes" : ""));
  return `| ${[feature, agent.name, ...cells].join(" | ")} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |");
}

describe.skipIf(!packages)("scenarios of agents", () => {
  test.each(casesOf("thinking over several turns"))("$name thinks over several turns with a model behind $api", async ({ agent, api }) => {
    planned.plan = threeTurns(agent);
    const settings = agent === CODEX ? HIGH_EFFORT : {};
    const { output, rows } = await finish(agent, { model: modelFor(api), prompt: "Write three files.", settings });
    expectDone(output);
    expect(existsSync(join(project, "three.txt"))).toBeTrue();
    expect(amounts(rows)).toEqual(planned.bill);
    // Only the API that has signed a thought may receive it, and it receives each one.
    const isRelayed = agent === CODEX ? api === "responses" : ["anthropic", "bedrock", "vertex"].includes(api);
    const last = bodies().at(-1)!;
    expect([...planned.thoughts.keys()].map((signature) => last.includes(signature))).toEqual(
      Array.from({ length: isRelayed ? 3 : planned.thoughts.size }, () => isRelayed),
    );
    expect(last).not.toContain("Thought one.");
  });

  test.each(casesOf("images"))("$name looks at an image with a model behind $api", async ({ agent, api }) => {
    const path = join(project, "red.png");
    writeFileSync(path, Buffer.from(PNG, "base64"));
    const call = agent === CODEX ? { tool: "view_image", input: { path } } : { tool: "Read", input: { file_path: path } };
    planned.plan = [{ says: "I look.", calls: [call] }];
    const options = agent === CODEX ? ["-i", path] : [];
    const { output, rows } = await finish(agent, { model: modelFor(api), prompt: "Which colour is red.png?", options });
    expectDone(output);
    expect(amounts(rows)).toEqual(planned.bill);
    // Codex sends the image with the prompt, too.
    expect(bodies().map((body) => body.split(PNG).length - 1)).toEqual(agent === CODEX ? [1, 2] : [0, 1]);
  });

  test.each(casesOf("sub-agents"))("$name has a sub-agent with a model behind $api", async ({ agent, api }) => {
    const task = "Write sub.txt for me.";
    planned.plan = agent === CODEX ? delegationOfCodex(task) : delegationOfClaudeCode(task);
    planned.plansAfter = { [task]: [{ says: "I write.", calls: [shell(agent, "echo sub > sub.txt")] }] };
    // The sub-agent of Claude Code has a model of its own.
    const other = api === "anthropic" ? "chat" : "anthropic";
    const settings = agent === CODEX ? {} : { ANTHROPIC_DEFAULT_HAIKU_MODEL: modelFor(other) };
    const { output, rows } = await finish(agent, { model: modelFor(api), prompt: "Delegate.", settings });
    expectDone(output);
    expect(existsSync(join(project, "sub.txt"))).toBeTrue();
    expect(sorted(amounts(rows))).toEqual(sorted(planned.bill));
    if (agent === CLAUDE_CODE) expect(planned.requests.map((request) => request.api)).toEqual([api, other, other, api]);
  });

  test.each(casesOf("compaction of a long conversation"))(
    "$name compacts a conversation with a model behind $api",
    async ({ agent, api }) => {
      const settings = agent === CODEX ? { model_auto_compact_token_limit: "50000" } : { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" };
      const print = shell(agent, "head -c 29000 /dev/zero | tr '\\0' x");
      planned.plan = [
        { says: "I print.", calls: [print, print] },
        {
          thinks: "That is long.",
          says: "I write.",
          calls: [shell(agent, "echo before > before.txt")],
          reads: agent === CODEX ? 55_000 : 85_000,
        },
      ];
      planned.summary = "One of two files is written.";
      // Claude Code keeps the last turn beside the summary.
      const goOn = { says: "I go on.", calls: [shell(agent, "echo after > after.txt")] };
      planned.plansAfter = { [planned.summary]: [goOn, goOn] };
      const { output, rows } = await finish(agent, { model: modelFor(api), prompt: "Write two files.", settings });
      expectDone(output);
      expect(existsSync(join(project, "after.txt"))).toBeTrue();
      expect(bodies().at(-1)).not.toContain("xxx");
      expect(rows.length).toBe(6);
      expect(amounts(rows)).toEqual(planned.bill);
    },
  );

  test.each(casesOf("cancelling within an answer"))("$name is cancelled while a model behind $api answers", async ({ agent, api }) => {
    planned.plan = [
      { says: "One.", calls: [shell(agent, "echo one > one.txt")] },
      { says: "Two, and more words that never come.", calls: [] },
    ];
    planned.breaks[api] = [undefined, "silent"];
    const { id, key } = await gateway.makeKey();
    const tap = startTap("Two, and");
    const { command, env } = agent.commandFor(
      { home, project },
      { baseUrl: tap.baseUrl, model: modelFor(api), key, prompt: "Write files." },
    );
    const child = Bun.spawn([...command], { cwd: project, env, stdin: "ignore", stdout: "ignore", stderr: "ignore" });
    await tap.seen;
    child.kill("SIGINT");
    await child.exited;
    const rows = await eventually(
      () => chargesOf(id),
      (charges) => charges.length === 2,
    );
    await tap.stop();
    expect(planned.cancelled).toBe(1);
    expect(planned.requests.length).toBe(2);
    expect(rows[0]!.amount_nanos).toBe(planned.bill[0]!);
    const { reason, provenance, completion_tokens: output } = rows[1]!;
    expect([reason, provenance]).toEqual(["the client disconnected", "estimated"]);
    expect(Number(output)).toBeWithin(1, 20);
    expect(openIn(ledgerOf(gateway))).toEqual([]);
  });

  test.each(casesOf("credit that runs out within a task"))("$name stops when the credit runs out within a task", async ({ agent, api }) => {
    const print = shell(agent, "head -c 29000 /dev/zero | tr '\\0' x");
    planned.plan = [{ says: "I print.", calls: [print, print] }];
    const run = { baseUrl: gateway.baseUrl, model: modelFor(api), prompt: "Print." };
    const rich = await gateway.makeKey();
    await runAgent(agent, { home, project }, { ...run, key: rich.key });
    const [first, second] = ledgerOf(gateway).filter(({ key_id: id, kind }) => id === rich.id && kind === "hold");
    const account = `runs-out-at-${api}`;
    await gateway.platform("POST", "/api/accounts", { id: account, name: account });
    const amount = dollarsOf((first!.amount_nanos + second!.amount_nanos) / 2n);
    await gateway.platform("POST", `/api/accounts/${account}/adjustments`, { amount, reference: account, reason: "for a test" });
    const poor = await gateway.platform<{ id: string; key: string }>("POST", "/api/keys", { name: account, account, models: ["*"] });
    const says = agent === CODEX ? /Quota exceeded\. Check your plan and billing details\./ : /of credit left/;
    const answers = planned.bill.length;
    const failure = await failureOf(runAgent(agent, { home, project }, { ...run, key: poor.key }));
    expect(String(failure)).toMatch(says);
    expect(planned.bill.length).toBe(answers + 1);
    expect(amounts(chargesOf(poor.id))).toEqual(planned.bill.slice(answers));
    const statuses = await eventually(
      () => gateway.logLines().flatMap(({ key, status }) => (key === poor.id ? [status] : [])),
      (seen) => seen.length > 1,
    );
    expect(statuses).toEqual([200, agent === CODEX ? 429 : 402]);
  });

  test.each(casesOf("an upstream that dies within an answer"))(
    "$name repeats a request when a model behind $api dies within its answer",
    async ({ agent, api }) => {
      planned.plan = threeTurns(agent);
      planned.breaks[api] = [undefined, "late"];
      const { output, rows } = await finish(agent, { model: modelFor(api), prompt: "Write three files." });
      expectDone(output);
      // The text that had arrived is charged as well.
      const [cut, ...others] = rows.filter(({ provenance }) => provenance !== "measured");
      expect(others).toEqual([]);
      expect(cut!.reason).toContain("upstream");
      expect(amounts(rows.filter((row) => row !== cut))).toEqual(planned.bill);
    },
  );

  test.each(casesOf("failover within a conversation"))("$name goes on when a model behind $api fails over", async ({ agent, api }) => {
    planned.plan = threeTurns(agent);
    planned.breaks[api] = [undefined, "early"];
    const settings = agent === CODEX ? HIGH_EFFORT : {};
    const { output, rows } = await finish(agent, { model: `${api}-or-other`, prompt: "Write three files.", settings });
    expectDone(output);
    expect(planned.requests.map((request) => request.api)).toEqual([api, api, FAILOVERS[api], api, api]);
    expect(amounts(rows)).toEqual(planned.bill);
  });
});
