import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failureOf } from "../clients/failure-of.ts";
import { ledgerOf } from "../money/ledger-of.ts";
import { eventually } from "../support/eventually.ts";
import { ROOT, startGateway } from "../support/gateway/start-gateway.ts";
import { CLAUDE_CODE, CODEX, packages, runAgent, type Agent } from "./agents.ts";
import { API_NAMES, COST, modelFor, PlannedModel, type PlannedTurn } from "./planned-model.ts";

/**
 * The real Claude Code and the real Codex do a task through the gateway, with upstreams of every format. `npm run test:agents` tests their
 * latest versions, the full suite the pinned ones.
 */

const planned = new PlannedModel();
const gateway = await startGateway({ env: planned.variables, yaml: planned.start() });
let home: string;
let project: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tollgate-agent-"));
  project = join(home, "project");
  mkdirSync(project);
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

afterAll(async () => {
  await gateway.stop();
  await planned.stop();
});

interface TestedAgent extends Agent {
  readonly statusOfSpentCredit: number;
  readonly saysOfSpentCredit: RegExp;
  /** Two calls at once, an edit of what they wrote, and a look at the result. */
  readonly plan: () => readonly PlannedTurn[];
}

const AGENTS: readonly TestedAgent[] = [
  {
    ...CLAUDE_CODE,
    statusOfSpentCredit: 402,
    saysOfSpentCredit: /of credit left/,
    plan: () => [
      {
        says: "I write it.",
        calls: [
          { tool: "Write", input: { file_path: join(project, "hello.txt"), content: "Hello moon\n" } },
          { tool: "Bash", input: { command: "echo ran > ran.txt", description: "Writes a file" } },
        ],
      },
      {
        says: "I mend it.",
        calls: [{ tool: "Edit", input: { file_path: join(project, "hello.txt"), old_string: "moon", new_string: "world" } }],
      },
      { says: "I look.", calls: [{ tool: "Read", input: { file_path: join(project, "hello.txt") } }] },
    ],
  },
  {
    ...CODEX,
    statusOfSpentCredit: 429,
    saysOfSpentCredit: /Quota exceeded\. Check your plan and billing details\./,
    plan: () => [
      {
        says: "I write it.",
        calls: [
          { tool: "exec_command", input: { cmd: "echo 'Hello moon' > hello.txt" } },
          { tool: "exec_command", input: { cmd: "echo ran > ran.txt" } },
        ],
      },
      { says: "I mend it.", calls: [{ tool: "exec_command", input: { cmd: "sed -i s/moon/world/ hello.txt" } }] },
      { says: "I look.", calls: [{ tool: "exec_command", input: { cmd: "cat hello.txt" } }] },
    ],
  },
];

const PROMPT = "Write hello.txt and ran.txt, then mend hello.txt.";

/** Runs an agent in the project of the test. */
function run(agent: Agent, model: string, key: string): Promise<string> {
  return runAgent(agent, { home, project }, { baseUrl: gateway.baseUrl, model, key, prompt: PROMPT });
}

/** The charges of a key. */
function chargedTo(keyId: string): bigint[] {
  const settled = ledgerOf(gateway).filter((row) => row.key_id === keyId && row.kind === "settle");
  return settled.map((row) => row.amount_nanos);
}

test("docs/agents.md has the versions and upstreams that are tested", () => {
  const docs = readFileSync(join(ROOT, "docs/agents.md"), "utf8");
  const manifest = readFileSync(join(ROOT, "test/agents/packages/package.json"), "utf8");
  for (const { name, manifestName } of AGENTS) {
    const [, version] = new RegExp(`"${manifestName}": "([\\d.]+)"`).exec(manifest)!;
    const cells = docs
      .split("\n")
      .find((line) => line.startsWith(`| ${name} ${version} |`))!
      .split(" | ");
    expect(cells.slice(1).map((cell) => cell.replace(/ \|$/, ""))).toEqual(API_NAMES.map(() => "yes"));
  }
});

describe.skipIf(!packages)("agents", () => {
  for (const agent of AGENTS) {
    for (const api of API_NAMES) {
      test(`${agent.name} does a task with a model behind ${api}, and the ledger equals the upstream's bill`, async () => {
        const { id, key } = await gateway.makeKey([modelFor(api)]);
        planned.plan = agent.plan();
        const before = planned.answers[api];
        const output = await run(agent, modelFor(api), key);
        expect(output).toContain("All done.");
        expect(readFileSync(join(project, "hello.txt"), "utf8")).toBe("Hello world\n");
        expect(existsSync(join(project, "ran.txt"))).toBeTrue();
        const answers = planned.answers[api] - before;
        expect(answers).toBeGreaterThanOrEqual(agent.plan().length + 1);
        expect(chargedTo(id)).toEqual(Array.from({ length: answers }, () => COST[api]));
      });
    }

    test(`${agent.name} stops at once, with a readable message, when the credit is spent`, async () => {
      await gateway.platform("POST", "/api/accounts", { id: `poor-${agent.path.slice(4)}`, name: "poor" });
      const broke = { name: "poor", account: `poor-${agent.path.slice(4)}`, models: ["*"] };
      const { id, key } = await gateway.platform<{ id: string; key: string }>("POST", "/api/keys", broke);
      planned.plan = agent.plan();
      const failure = await failureOf(run(agent, modelFor("chat"), key));
      expect(String(failure)).toMatch(agent.saysOfSpentCredit);
      const requests = await eventually(
        () => gateway.logLines().filter((line) => line["path"] === agent.path && line["key"] === id),
        (lines) => lines.length > 0,
      );
      expect(requests.map(({ status, code }) => [status, code])).toEqual([[agent.statusOfSpentCredit, "insufficient_credits"]]);
    });
  }
});
