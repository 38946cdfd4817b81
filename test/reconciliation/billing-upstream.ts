import {
  chunk,
  completion,
  events,
  rawEvents,
  startMockUpstream,
  usageChunk,
  type MockUpstream,
  type RecordedRequest,
} from "../support/upstreams/mock-upstream.ts";
import { writeBill, type UsageRecord, type Format } from "./write-bill.ts";

/** The provider's name for the model on its bills. */
const BILLED_AS = "gpt-4o-mini-2024-07-18";
/** The price of gpt-4o-mini, in pico-dollars per token. */
const RATES = { input: 150_000n, cached: 75_000n, output: 600_000n };

/** A provider that records its usage independently, and bills by these records. */
export interface BillingUpstream extends MockUpstream {
  readonly yaml: string;
  bill(format: Format): string;
}

/** Responds to every request. A story continues until the client disconnects, and a riddle is never answered. */
export function startBillingUpstream(): BillingUpstream {
  const books: UsageRecord[] = [];
  const mock = startMockUpstream({
    "gpt-4o-mini": (request) => {
      switch (lastWord(request)) {
        case "story":
          return tellStory(request, () => enter(books, 1000, 0, 4000));
        case "riddle":
          enter(books, 500, 0, 200);
          return new Promise(() => undefined);
        default:
          return answer(request, enter(books, 1000 + books.length, 100, 50 + books.length));
      }
    },
  });
  const route = "routes: [{ upstream: mock, model: gpt-4o-mini }], free: true";
  const at = `dialect: openai, base_url: "${mock.baseUrl}", allow_private: true, credential: c`;
  const yaml = `upstreams: [{ id: mock, ${at} }, { id: rack, ${at} }]
models:
  - { id: chat, ${route} }
  - { id: hasty, ${route}, timeouts: { total_ms: 2000 } }
`;
  return { ...mock, yaml, bill: (format) => writeBill(format, books) };
}

function lastWord({ body }: RecordedRequest): string {
  const [{ content }] = body["messages"] as [{ content: string }];
  return content.split(" ").at(-1)!;
}

function enter(books: UsageRecord[], prompt: number, cached: number, output: number): object {
  const input = prompt - cached;
  const costPicos = BigInt(input) * RATES.input + BigInt(cached) * RATES.cached + BigInt(output) * RATES.output;
  const day = new Date().toISOString().slice(0, 10);
  books.push({ day, model: BILLED_AS, requests: 1, input, cached, cacheWrite: 0, output, costPicos });
  const details = { prompt_tokens_details: { cached_tokens: cached } };
  return { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output, ...details };
}

function answer({ body }: RecordedRequest, usage: object): Response {
  if (body["stream"] !== true) return Response.json(completion({}, { usage }));
  return events([chunk({ content: "Hello" }), chunk({}, "stop"), usageChunk(usage)]);
}

/** The model generates and bills everything before the first token is sent. */
function tellStory({ signal }: RecordedRequest, book: () => void): Response {
  book();
  const first = `data: ${chunk({ role: "assistant", content: "Once upon a time" })}\n\n`;
  return rawEvents(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(first));
        signal.addEventListener("abort", () => controller.close());
      },
    }),
  );
}
