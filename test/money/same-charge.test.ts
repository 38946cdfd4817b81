import { afterAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { ENDPOINTS, type ModelEndpoint } from "../support/endpoints.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { runs } from "../support/long.ts";
import { BilledProvider, PLACES } from "./billed-provider.ts";
import { accountNow, creditIn, endsIn, ledgerOf, nanosOf, setCredit } from "./ledger-of.ts";

/** Money is the same at every endpoint, and on every way to a provider. */

const MAX_TOKENS = 100;

/** A conversation, in the words of each API. */
interface Conversation {
  readonly instructions: string | undefined;
  readonly turns: readonly Turn[];
  readonly prompt: string;
}

interface Turn {
  readonly prompt: string;
  readonly says: string;
  readonly calls: readonly { readonly id: string; readonly city: string; readonly result: string }[];
}

const TOOL = {
  name: "weather",
  description: "Looks up the weather.",
  schema: { type: "object", properties: { city: { type: "string" } } },
};

function bodyOf({ name }: ModelEndpoint, model: string, stream: boolean, { instructions, turns, prompt }: Conversation): object {
  const hasTools = turns.some(({ calls }) => calls.length > 0);
  const said = (role: string, content: unknown): object => ({ role, content });
  if (name === "chat") {
    const toCall = ({ id, city }: Turn["calls"][0]): object => ({
      id,
      type: "function",
      function: { name: TOOL.name, arguments: JSON.stringify({ city }) },
    });
    const messages = turns.flatMap(({ prompt: asked, says, calls }) => [
      said("user", asked),
      { role: "assistant", content: says, ...(calls.length > 0 && { tool_calls: calls.map(toCall) }) },
      ...calls.map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: result })),
      ...(calls.length > 0 ? [said("assistant", "So it is.")] : []),
    ]);
    const system = instructions === undefined ? [] : [said("system", instructions)];
    const { schema: parameters, ...tool } = TOOL;
    const tools = hasTools ? { tools: [{ type: "function", function: { ...tool, parameters } }] } : {};
    return { model, max_tokens: MAX_TOKENS, stream, messages: [...system, ...messages, said("user", prompt)], ...tools };
  }
  if (name === "messages") {
    const messages = turns.flatMap(({ prompt: asked, says, calls }) => [
      said("user", asked),
      said("assistant", [
        { type: "text", text: says },
        ...calls.map(({ id, city }) => ({ type: "tool_use", id, name: TOOL.name, input: { city } })),
      ]),
      ...(calls.length > 0
        ? [
            said(
              "user",
              calls.map(({ id, result }) => ({ type: "tool_result", tool_use_id: id, content: result })),
            ),
            said("assistant", "So it is."),
          ]
        : []),
    ]);
    const { schema: input_schema, ...tool } = TOOL;
    const tools = hasTools ? { tools: [{ ...tool, input_schema }] } : {};
    return { model, max_tokens: MAX_TOKENS, stream, system: instructions, messages: [...messages, said("user", prompt)], ...tools };
  }
  const input = turns.flatMap(({ prompt: asked, says, calls }) => [
    said("user", asked),
    said("assistant", says),
    ...calls.map(({ id, city }) => ({ type: "function_call", call_id: id, name: TOOL.name, arguments: JSON.stringify({ city }) })),
    ...calls.map(({ id, result }) => ({ type: "function_call_output", call_id: id, output: result })),
    ...(calls.length > 0 ? [said("assistant", "So it is.")] : []),
  ]);
  const { schema: parameters, ...tool } = TOOL;
  const tools = hasTools ? { tools: [{ type: "function", ...tool, parameters, strict: false }] } : {};
  return { model, max_output_tokens: MAX_TOKENS, stream, instructions, input: [...input, said("user", prompt)], ...tools };
}

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).map((drawn) => `Say ${drawn}!`);
const conversation: fc.Arbitrary<Conversation> = fc.record({
  instructions: fc.option(words, { nil: undefined }),
  turns: fc.array(
    fc.record({ prompt: words, says: words, calls: fc.array(fc.record({ id: fc.uuid(), city: words, result: words }), { maxLength: 2 }) }),
    { maxLength: 3 },
  ),
  prompt: words,
});

/** The prices of a token in nano-dollars. */
interface TokenPrices {
  readonly fresh: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

const tokenPrice = fc.integer({ min: 1, max: 100_000 });
const [...PRICES] = fc.sample(fc.record({ fresh: tokenPrice, cacheRead: tokenPrice, cacheWrite: tokenPrice, output: tokenPrice }), {
  numRuns: 4,
  seed: 1,
}) as TokenPrices[];

const perMillion = (nanos: number): string => (nanos / 1000).toFixed(3);
const toYaml = ({ fresh, cacheRead, cacheWrite, output }: TokenPrices): string =>
  `{ input_per_million: ${perMillion(fresh)}, cached_input_per_million: ${perMillion(cacheRead)}, cache_write_per_million: ${perMillion(cacheWrite)}, output_per_million: ${perMillion(output)} }`;

const provider = new BilledProvider();
const gateway = await startGateway({ yaml: provider.yamlWith(PRICES.map(toYaml)) });
const { key } = await gateway.makeKey();
await setCredit(gateway, 10n ** 15n);

afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});

interface Received {
  readonly status: number;
  readonly requestId: string;
  readonly text: string;
  readonly cost: string | null;
}

async function post({ path }: ModelEndpoint, body: string): Promise<Received> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(`${gateway.baseUrl}${path}`, { method: "POST", headers, body });
  const requestId = reply.headers.get("x-request-id")!;
  return { status: reply.status, requestId, text: await reply.text(), cost: reply.headers.get("x-tollgate-cost") };
}

test("any conversation is charged as the provider bills it, within its hold, at every endpoint, relayed or translated", async () => {
  const due = new Map<
    string,
    { readonly amount: bigint; readonly counts: readonly bigint[]; readonly bytes: number; readonly prices: TokenPrices }
  >();
  const charged = fc.asyncProperty(
    conversation,
    fc.record({
      fresh: fc.integer({ min: 1, max: 20 }),
      cacheRead: fc.nat(20),
      cacheWrite: fc.nat(20),
      output: fc.integer({ min: 4, max: MAX_TOKENS }),
      reasoning: fc.nat(4),
    }),
    fc.nat(PRICES.length - 1),
    fc.boolean(),
    async (talk, bill, at, stream) => {
      const prices = PRICES[at]!;
      provider.bill = bill;
      for (const { id } of PLACES) {
        // Gemini does not bill writing to its cache, and Converse does not count reasoning apart.
        const { fresh, cacheRead, cacheWrite, output } =
          id === "gemini" ? { ...bill, fresh: bill.fresh + bill.cacheWrite, cacheWrite: 0 } : bill;
        const reasoning = id === "bedrock" ? 0 : bill.reasoning;
        const amount = BigInt(
          fresh * prices.fresh + cacheRead * prices.cacheRead + cacheWrite * prices.cacheWrite + output * prices.output,
        );
        const counts = [fresh + cacheRead + cacheWrite, cacheRead, output, reasoning].map(BigInt);
        for (const endpoint of ENDPOINTS) {
          const body = JSON.stringify(bodyOf(endpoint, `${id}-${at}`, stream, talk));
          const { status, requestId, text, cost } = await post(endpoint, body);
          expect({ id, path: endpoint.path, status, text: status === 200 ? "" : text }).toEqual({
            id,
            path: endpoint.path,
            status: 200,
            text: "",
          });
          if (stream) expect(endpoint.readStream(text)).toEqual({ isWhole: true, text: "It is 5 dollars.", error: undefined });
          else
            expect([endpoint.readText(JSON.parse(text) as Record<string, unknown>), nanosOf(cost!)]).toEqual(["It is 5 dollars.", amount]);
          due.set(requestId, { amount, counts, bytes: Buffer.byteLength(body), prices });
        }
      }
    },
  );
  await fc.assert(charged, runs(12));
  const rows = ledgerOf(gateway);
  const ends = endsIn(rows);
  const holds = new Map(rows.filter(({ kind }) => kind === "hold").map((row) => [row.request_id, row.amount_nanos]));
  for (const [id, { amount, counts, bytes, prices }] of due) {
    const { kind, amount_nanos, uncharged_nanos, provenance, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens } =
      ends.get(id)!;
    expect([kind, provenance, amount_nanos, uncharged_nanos]).toEqual(["settle", "measured", amount, 0n]);
    expect([prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens]).toEqual(counts as bigint[]);
    // A token for each byte, at the highest rate, and the whole output; a translation may add to the prompt.
    const { fresh, cacheRead, cacheWrite, output } = prices;
    expect(Number(holds.get(id)!)).toBeGreaterThanOrEqual(bytes * Math.max(fresh, cacheRead, cacheWrite) + MAX_TOKENS * output);
  }
  expect(await accountNow(gateway)).toMatchObject({ creditNanos: creditIn(rows), heldNanos: 0n });
});
