/**
 * Clients that send a number of requests with a given concurrency, and print the number of correct responses and the duration. They have
 * one key, or use the keys of a file in turn.
 */
import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { QUESTION } from "../question.ts";

const [url, given, count, concurrency] = argv.slice(2) as [string, string, string, string];
const keys = given.startsWith("@") ? readFileSync(given.slice(1), "utf8").split("\n") : [given];
let turn = Math.floor(Math.random() * keys.length);

const body = JSON.stringify({
  model: "m",
  messages: QUESTION,
  max_tokens: 400,
});

let left = Number(count);
let right = 0;

async function call(): Promise<void> {
  while (left-- > 0) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys[turn++ % keys.length]}`, "content-type": "application/json" },
      body,
    });
    const answer = (await response.json()) as { usage?: { total_tokens?: number } };
    if (response.headers.get("x-tollgate-cost") === "0.0002202" && answer.usage?.total_tokens === 379) right++;
  }
}

const begun = performance.now();
await Promise.all(Array.from({ length: Number(concurrency) }, call));
process.stdout.write(`${JSON.stringify({ right, ms: performance.now() - begun })}\n`);
