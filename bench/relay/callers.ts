/** Clients that send JSON or streaming requests, or JSON requests with an end user and tags, with a given concurrency, and print the number of correct responses. */
import { argv } from "node:process";
import { QUESTION } from "../question.ts";

const USERS = 1000;

const [baseUrl, key, kind, count, concurrency, words] = argv.slice(2) as [string, string, string, string, string, string];

const request = {
  model: "m",
  messages: QUESTION,
  max_tokens: 400,
  ...(kind === "stream" && { stream: true, stream_options: { include_usage: true } }),
};
const headers = {
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
  ...(kind === "attributed" && { "x-tollgate-tags": "team=search,env=prod" }),
};
/** The end users of attributed requests take turns. */
const bodies =
  kind === "attributed"
    ? Array.from({ length: USERS }, (_, at) => JSON.stringify({ ...request, user: `user-${at}` }))
    : [JSON.stringify(request)];

let left = Number(count);
let right = 0;

function isExpectedResponse(text: string): boolean {
  if (kind !== "stream") return (JSON.parse(text) as { usage: { completion_tokens: number } }).usage.completion_tokens === Number(words);
  return text.endsWith("data: [DONE]\n\n") && text.includes(` word${Number(words) - 1}"`) && text.includes(`"completion_tokens":${words}`);
}

async function call(): Promise<void> {
  while (left-- > 0) {
    const response = await fetch(`${baseUrl}/chat/completions`, { method: "POST", headers, body: bodies[left % bodies.length]! });
    if (isExpectedResponse(await response.text())) right++;
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, call));
process.stdout.write(`${JSON.stringify({ right })}\n`);
