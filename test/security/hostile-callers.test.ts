import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startAnthropicServer, CREDENTIAL as CLAUDE_CREDENTIAL, type AnthropicServer } from "../dialects/anthropic-server.ts";
import { text } from "../dialects/messages-answers.ts";
import { answerOf } from "../dialects/gemini-answers.ts";
import { startGeminiServer, CREDENTIAL as GOOGLE_CREDENTIAL, type GeminiServer } from "../dialects/gemini-server.ts";
import { chatBody, postChat, type Reply } from "../money/post-chat.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { Scrape } from "../metrics/scrape.ts";
import { eventually } from "../support/eventually.ts";

/** Tests clients with a valid key and malicious requests: a request must not harm its own reply or anyone else's. */

const UPSTREAMS = ["claude", "google"] as const;
const FORMS = UPSTREAMS.flatMap((upstream) => [false, true].map((stream) => [upstream, stream] as const));

let claude: AnthropicServer;
let google: GeminiServer;
let gateway: RunningGateway;
let key: string;
let keyOfAnother: string;

beforeAll(async () => {
  claude = startAnthropicServer({ "claude-sonnet-4-5": () => ({ content: [text("Hello world")] }) });
  google = startGeminiServer({ "gemini-2.5-flash": () => [answerOf([{ text: "Hello world" }], "STOP")] });
  gateway = await startGateway({ yaml: JSON.stringify(config()) });
  ({ key } = await gateway.makeKey());
  ({ key: keyOfAnother } = await gateway.makeKey());
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([claude.stop(), google.stop()]);
});

function config(): object {
  const routes = { claude: "claude-sonnet-4-5", google: "gemini-2.5-flash" };
  const price = { input_per_million: 1, output_per_million: 2 };
  const models = UPSTREAMS.flatMap((upstream) => {
    const model = { owned_by: "test", routes: [{ upstream, model: routes[upstream] }], price };
    return [
      { id: upstream, ...model },
      { id: `${upstream}-cached`, ...model, cache: { ttl_seconds: 600 } },
    ];
  });
  return {
    upstreams: [
      { id: "claude", dialect: "anthropic", base_url: claude.baseUrl, allow_private: true, credential: CLAUDE_CREDENTIAL },
      { id: "google", dialect: "gemini", base_url: google.baseUrl, allow_private: true, credential: GOOGLE_CREDENTIAL },
      { id: "echo", dialect: "echo" },
    ],
    models: [...models, { id: "echo", routes: [{ upstream: "echo", model: "echo" }], free: true }],
  };
}

function ask(model: string, more: object, by = key): Promise<Reply> {
  return postChat(gateway, by, chatBody(model, more));
}

/** With a response cache, the second response is the cached one. */
async function askTwice(model: string, more: object): Promise<Reply[]> {
  return [await ask(model, more), await ask(model, more)];
}

/** This many fields that no format knows. */
function unknownFields(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`unknown_${at}`, at]));
}

const HOSTILE_NAMES = ["größe", "字段", "😀", "a\nb", "x\r\nset-cookie: a=b", "\u0000", "\u007f", "\ud800", "", " ", ",", "__proto__"];

function namesIn({ headers }: Reply): string[] {
  return [...headers.keys()].toSorted();
}

function cacheIn({ headers }: Reply): string | null {
  return headers.get("x-tollgate-cache");
}

function bytesIn({ headers }: Reply): number {
  return [...headers].reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0);
}

async function expectNothingLeft(upstream: string): Promise<void> {
  const look = async (): Promise<readonly unknown[]> => {
    const { held } = await gateway.platform<{ held: string }>("GET", "/api/accounts/default");
    const health = await gateway.platform<{ in_flight: number; queued: number }>("GET", `/api/upstreams/${upstream}/health`);
    return [Number(held), health.in_flight, health.queued];
  };
  await eventually(look, (seen) => seen.join() === "0,0,0");
}

describe.each(FORMS)("at %s (stream: %p)", (upstream, stream) => {
  test.each(HOSTILE_NAMES)("a field named %j is handled like any unknown field", async (name) => {
    for (const model of [upstream, `${upstream}-cached`]) {
      const usual = await askTwice(model, { stream, unknown: name });
      const hostile = await askTwice(model, { stream, [name]: name });
      expect(hostile.map(({ status }) => status)).toEqual([200, 200]);
      expect(hostile.map(namesIn)).toEqual(usual.map(namesIn));
      expect(hostile.every(({ requestId }) => requestId.startsWith("req_"))).toBe(true);
      expect(hostile.every(({ text: words }) => words.includes("Hello"))).toBe(true);
      expect(hostile.map(cacheIn)).toEqual(model === upstream ? [null, null] : ["miss", "hit"]);
    }
    await expectNothingLeft(upstream);
  });

  test("three thousand fields do not cause long headers", async () => {
    const body = { stream, ...unknownFields(3000), ["long".repeat(5000)]: 1 };
    for (const model of [upstream, `${upstream}-cached`, `${upstream}-cached`]) {
      const reply = await ask(model, body);
      expect([reply.status, reply.requestId]).toEqual([200, expect.stringMatching(/^req_/)]);
      expect(bytesIn(reply)).toBeLessThan(8 * 1024);
    }
    await expectNothingLeft(upstream);
  });
});

/**
 * The CPU time in milliseconds that the gateway needs for this request: the minimum of several rounds, because background work runs in some
 * of them. Nothing else is served meanwhile. Unlike wall-clock time, it is the same on a busy machine.
 */
async function cpuMsFor(model: string, more: object): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < 3; round++) {
    const before = await gatewayCpuSeconds();
    const replies = await Promise.all([ask(model, more), ask("echo", {}, keyOfAnother)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    rounds.push(((await gatewayCpuSeconds()) - before) * 1000);
  }
  return Math.min(...rounds);
}

async function gatewayCpuSeconds(): Promise<number> {
  return (await Scrape.of(gateway)).values("process_cpu_seconds_total").get("")!;
}

/** Quadratic work would take some hundred times as long as linear work. */
const SAME_ORDER = 50;

describe.each(UPSTREAMS)("at %s other requests are served meanwhile", (upstream) => {
  test.each([
    ["thirty thousand fields", unknownFields(30_000)],
    ["a user of sixty thousand signs", { user: "@".repeat(60_000) }],
  ])(
    "with %s, in the same order of CPU time as with a large harmless request",
    async (_, hostile) => {
      const usual = await cpuMsFor(upstream, { metadata: unknownFields(30_000) });
      expect(await cpuMsFor(upstream, hostile)).toBeLessThan(SAME_ORDER * usual);
    },
    300_000,
  );
});

describe.each(FORMS)("at %s tool calls in the history (stream: %p)", (upstream, stream) => {
  test("with six million values in their arguments are rejected like a body with as many, before they are parsed", async () => {
    const usual = await cpuMsFor(upstream, { metadata: unknownFields(30_000) });
    const before = await gatewayCpuSeconds();
    const calls = Array.from({ length: 3 }, (_, at) => toolCall(`call_${at}`, `{"list":[${"[],".repeat(2_000_000)}1]}`));
    const reply = await ask(upstream, { stream, messages: history(calls) });
    expect([reply.status, JSON.parse(reply.text)]).toMatchObject([
      400,
      { error: { code: "invalid_value", param: "messages[1].tool_calls[0]" } },
    ]);
    expect(((await gatewayCpuSeconds()) - before) * 1000).toBeLessThan(SAME_ORDER * usual);
    await expectNothingLeft(upstream);
  }, 300_000);
});

function toolCall(id: string, json: string): object {
  return { id, type: "function", function: { name: "save", arguments: json } };
}

function history(calls: readonly object[]): object[] {
  return [
    { role: "user", content: "Save it." },
    { role: "assistant", tool_calls: calls },
    ...calls.map(resultOf),
    { role: "user", content: "Hello world" },
  ];
}

function resultOf(call: object): object {
  return { role: "tool", tool_call_id: (call as { id: string }).id, content: "saved" };
}
