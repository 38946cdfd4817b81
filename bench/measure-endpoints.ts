/**
 * Compares the CPU time of one gateway per request at its endpoints: chat completions relayed, and the Messages and Responses APIs, each
 * relayed and translated to chat completions. All alternate in random order: `npm run measure:endpoints`.
 */
import { startGateway } from "../test/support/gateway/start-gateway.ts";
import { processCpuUs } from "./machine/cpu-clock.ts";
import { shuffled } from "./protocol/shuffled.ts";
import { median, spreadOf } from "./protocol/statistics.ts";
import { run } from "./rounds.ts";

const ROUNDS = 60;
const WARM_UP_ROUNDS = 5;
const CONCURRENCY = 16;
const WORDS = 300;
/** `large`: a body of 400 KB, which is what coding agents send. */
const KINDS = { json: 1000, large: 60, stream: 60 } as const;

const WAYS = {
  "chat completions, relayed": { path: "/chat/completions", model: "chat" },
  "Messages, relayed": { path: "/messages", model: "anthropic" },
  "Messages, translated": { path: "/messages", model: "chat" },
  "Responses, relayed": { path: "/responses", model: "responses" },
  "Responses, translated": { path: "/responses", model: "chat" },
} as const;
type Way = keyof typeof WAYS;
const [BASE, ...OTHERS] = Object.keys(WAYS) as [Way, ...Way[]];

const upstream = await run<{ url: string }>("relay/upstream.ts", String(WORDS));
const place = `base_url: ${upstream.said.url}, allow_private: true, credential: bench`;
const model = (id: string): string =>
  `  - { id: ${id}, routes: [{ upstream: ${id}, model: m }], price: { input_per_million: 0.15, output_per_million: 0.60 } }`;
const gateway = await startGateway({
  yaml: `endpoints: [messages, responses]
upstreams:
  - { id: chat, dialect: openai, ${place} }
  - { id: anthropic, dialect: anthropic, ${place} }
  - { id: responses, dialect: responses, ${place} }
models:
${["chat", "anthropic", "responses"].map(model).join("\n")}
`,
});
const { key } = await gateway.makeKey();

/** CPU microseconds per request. A measurement counts only if every response was correct. */
async function measure(way: Way, kind: keyof typeof KINDS): Promise<number> {
  const before = processCpuUs(gateway.pid)!;
  const requests = KINDS[kind];
  const args = [gateway.baseUrl, key, WAYS[way].path, WAYS[way].model, kind, requests, CONCURRENCY, WORDS].map(String);
  const callers = await run<{ right: number }>("relay/endpoint-callers.ts", ...args);
  await callers.stop();
  if (callers.said.right !== requests) throw new Error(`${way}, ${kind}: ${requests - callers.said.right} answers were wrong`);
  return (processCpuUs(gateway.pid)! - before) / requests;
}

for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
  const values = new Map<Way, number[]>([BASE, ...OTHERS].map((way) => [way, []]));
  for (let round = 0; round < WARM_UP_ROUNDS; round++) for (const way of values.keys()) await measure(way, kind);
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of shuffled([...values.keys()])) values.get(way)!.push(await measure(way, kind));
  }
  const base = values.get(BASE)!;
  process.stdout.write(`${kind}: ${BASE}: ${median(base).toFixed(1)} µs of CPU per request\n`);
  for (const way of OTHERS) {
    const own = values.get(way)!;
    const { median: ratio, ciLow, ciHigh } = spreadOf(own.map((value, at) => value / base[at]!));
    const interval = `${ciLow.toFixed(3)} to ${ciHigh.toFixed(3)}`;
    process.stdout.write(`${kind}: ${way}: ${median(own).toFixed(1)} µs, ratio ${ratio.toFixed(3)} (95 %: ${interval})\n`);
  }
}
await gateway.stop();
await upstream.stop();
