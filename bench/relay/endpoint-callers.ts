/** Clients that send the same conversation to one endpoint, with a given concurrency, and print the number of correct responses. */
import { argv } from "node:process";
import { QUESTION } from "../question.ts";

const [baseUrl, key, path, model, kind, count, concurrency, words] = argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];

/** A session of a coding agent: 100 turns of 4 KB, such as files that it has read. */
const TURNS = 100;
const FILE = "export function priceOf(tokens: number, rate: number): number { return tokens * rate; } // line\n".repeat(42);

const conversation =
  kind === "large"
    ? Array.from({ length: TURNS }, (_, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: `${at}: ${FILE}` })).concat([
        { role: "user", content: "Go on." },
      ])
    : QUESTION.filter(({ role }) => role !== "system");

const isStream = kind === "stream";
const BODIES: Readonly<Record<string, object>> = {
  "/chat/completions": { messages: conversation, max_tokens: 400, ...(isStream && { stream_options: { include_usage: true } }) },
  "/messages": { messages: conversation, max_tokens: 400 },
  "/responses": { input: conversation, max_output_tokens: 400 },
};
const body = JSON.stringify({ model, ...BODIES[path], ...(isStream && { stream: true }) });
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };

let left = Number(count);
let right = 0;

function isExpected(text: string): boolean {
  const counts = new RegExp(`"(?:completion|output)_tokens":${words}[,}]`);
  const end = isStream ? / word(\d+)/g : undefined;
  return counts.test(text) && (!end || text.includes(` word${Number(words) - 1}`));
}

async function call(): Promise<void> {
  while (left-- > 0) {
    const response = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body });
    if (isExpected(await response.text())) right++;
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, call));
process.stdout.write(`${JSON.stringify({ right })}\n`);
