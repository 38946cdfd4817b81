import { afterAll, beforeAll, expect, test } from "bun:test";
import { chatBody, postChat, type Reply } from "../money/post-chat.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** Rejected requests must cost their sender no money, and the gateway little CPU time. */

let gateway: RunningGateway;
let attacker: string;
let victim: string;

beforeAll(async () => {
  gateway = await startGateway();
  ({ key: attacker } = await gateway.makeKey(["*"]));
  ({ key: victim } = await gateway.makeKey(["*"]));
});
afterAll(() => gateway.stop());

const FIELDS = Object.fromEntries(Array.from({ length: 190_000 }, (_, at) => [`field_${at}`, 1]));
const HUGE = chatBody("echo", { ...FIELDS, temperature: 9 });

function attack(): Promise<Reply> {
  return postChat(gateway, attacker, HUGE);
}

test("a key whose rejected requests have used up their CPU time gets 429, and other keys are served", async () => {
  expect((await attack()).status).toBe(400);
  let tries = 1;
  for (let reply = await attack(); reply.status === 400 && tries < 100; tries++) reply = await attack();
  const { status, code, headers } = await attack();
  expect([status, code, tries < 60]).toEqual([429, "rate_limit_exceeded", true]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await postChat(gateway, attacker, chatBody("echo"))).status).toBe(429);
  expect((await postChat(gateway, victim, chatBody("echo"))).status).toBe(200);
}, 120_000);

test("small requests that are rejected, and large ones that are served, do not count", async () => {
  for (let at = 0; at < 200; at++) expect((await postChat(gateway, victim, chatBody("echo", { temperature: 9 }))).status).toBe(400);
  const prompt = "word ".repeat(200_000);
  for (let at = 0; at < 20; at++) {
    expect((await postChat(gateway, victim, chatBody("echo", { messages: [{ role: "user", content: prompt }] }))).status).toBe(200);
  }
}, 120_000);
