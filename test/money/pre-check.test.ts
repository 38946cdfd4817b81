import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { RawUpload } from "../hostile/raw-upload.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { chatBody, postChat } from "./post-chat.ts";

/** Tests that the pre-check rejects exactly the requests that would be rejected with any body. */

let upstream: MockUpstream;
let gateway: RunningGateway;
let answer: () => void = () => undefined;
const uploads: RawUpload[] = [];

beforeAll(async () => {
  upstream = startMockUpstream({
    "up-paid": () => Response.json(completion()),
    "up-slow": () => new Promise((resolve) => (answer = () => resolve(Response.json(completion())))),
    "up-cached": () => Response.json(completion()),
  });
  const free = "  - { id: free, routes: [{ upstream: mock, model: up-paid }], free: true }\n";
  const cached = `  - { id: cached, routes: [{ upstream: mock, model: up-cached }], price: { input_per_million: 1, output_per_million: 2 }, cache: { ttl_seconds: 600, price_percent: 0 } }\n`;
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["paid", "slow"]) + free + cached });
});
afterEach(() => uploads.splice(0).forEach((upload) => upload.close()));
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

interface KeyOptions {
  readonly credit?: string;
  readonly models?: readonly string[];
  readonly limits?: object;
  readonly caps?: object;
}

let accounts = 0;

/** A key of a new account. */
async function makeKey({ credit, ...more }: KeyOptions): Promise<string> {
  const account = `account-${accounts++}`;
  await gateway.platform("POST", "/api/accounts", { id: account, name: account });
  const grant = { amount: credit, reference: account, reason: "for tests" };
  if (credit !== undefined) await gateway.platform("POST", `/api/accounts/${account}/grants`, grant);
  return (await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "test", account, models: ["paid", "slow"], ...more })).key;
}

/** Sends the headers of a request with this body, but not the body. */
function announce(key: string, body: string, headers: Record<string, string> = {}): RawUpload {
  const upload = new RawUpload(gateway.baseUrl, { key, length: Buffer.byteLength(body), headers });
  uploads.push(upload);
  return upload;
}

/** The status, and the code of a rejection. */
async function answered(upload: RawUpload): Promise<string> {
  await eventually(
    () => upload.status,
    (status) => status !== 0,
  );
  return upload.status < 400 ? `${upload.status}` : `${upload.status} ${upload.code}`;
}

/** Sends the body after "100 Continue", and returns the reply. */
async function answeredAfterBody(key: string, body: string, headers: Record<string, string> = {}): Promise<string> {
  const upload = announce(key, body, { expect: "100-continue", ...headers });
  expect(await answered(upload)).toBe("100");
  upload.received = "";
  upload.send(body);
  return answered(upload);
}

test("rejects a key without credit for any model it may call", async () => {
  const upload = announce(await makeKey({}), chatBody("paid"), { expect: "100-continue" });
  expect(await answered(upload)).toBe("402 insufficient_credits");
  expect(upload.message).toMatch(
    /^The account account-\d+ has \$0\.00 of credit left, which does not pay for a request to any model that this key may call\.$/,
  );
});

test("accepts a long body that little credit may pay for, because it may be one image", async () => {
  const key = await makeKey({ credit: "0.001" });
  expect(await answered(announce(key, " ".repeat(100_000), { expect: "100-continue" }))).toBe("100");
  expect(await answeredAfterBody(key, chatBody("paid", { max_tokens: 1 }))).toBe("200");
});

test("rejects a key whose spend cap is reached, with its reset", async () => {
  const upload = announce(await makeKey({ credit: "10", caps: { day: "0" } }), chatBody("paid"));
  expect(await answered(upload)).toBe("402 budget_exceeded");
  expect(upload.message).toMatch(
    /^The daily spend cap of this key has \$0\.00 left, which does not pay for .* may call\. It resets at \d{4}-\d\d-\d\dT00:00:00.000Z\.$/,
  );
});

test("accepts a key without credit that may call a free model, or a model with free cached responses", async () => {
  expect(await answeredAfterBody(await makeKey({ models: ["*"] }), chatBody("free"))).toBe("200");
  expect(await answeredAfterBody(await makeKey({ models: ["cached"] }), chatBody("cached"))).toBe("402 insufficient_credits");
  expect(await answeredAfterBody(await makeKey({ models: ["*"] }), chatBody("paid"))).toBe("402 insufficient_credits");
});

test("a dry run needs no credit", async () => {
  expect(await answeredAfterBody(await makeKey({}), chatBody("paid"), { "x-dry-run": "1" })).toBe("200");
});

test("x-dry-run: 0 changes nothing", async () => {
  for (const value of ["0", "false"]) {
    expect(await answered(announce(await makeKey({}), chatBody("paid"), { "x-dry-run": value }))).toBe("402 insufficient_credits");
  }
  expect(await answered(announce(await makeKey({}), chatBody("paid"), { "x-dry-run": "maybe" }))).toBe("400 invalid_value");
});

test("rejects a request above a rate limit, unless it is a replay or a dry run", async () => {
  const key = await makeKey({ credit: "10", limits: { requests_per_minute: 1 } });
  const body = chatBody("paid");
  const first = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": "known" },
    body,
  });
  expect(first.status).toBe(200);
  const rejected = announce(key, body);
  expect(await answered(rejected)).toBe("429 rate_limit_exceeded");
  expect(rejected.message).toMatch(/^This key has reached its limit of 1 request per minute\. Please try again in \d+s\.$/);
  expect(rejected.received).toMatch(/\r\nretry-after: \d+\r\n/);
  expect(rejected.received).toMatch(/\r\nx-ratelimit-remaining-requests: 0\r\n/);
  expect(await answered(announce(key, body, { "idempotency-key": "unknown" }))).toBe("429 rate_limit_exceeded");
  expect(await answeredAfterBody(key, body, { "idempotency-key": "known" })).toBe("200");
  expect(await answeredAfterBody(key, body, { "x-dry-run": "1" })).toBe("200");
});

test("rejects a request where no tokens per minute remain", async () => {
  const key = await makeKey({ credit: "10", limits: { tokens_per_minute: 1 } });
  expect((await postChat(gateway, key, chatBody("paid"))).status).toBe(200);
  const rejected = announce(key, chatBody("paid"));
  expect(await answered(rejected)).toBe("429 rate_limit_exceeded");
  expect(rejected.message).toMatch(/^This key has reached its limit of 1 token per minute\./);
});

test("rejects a request above the concurrency limit, until another has ended", async () => {
  const key = await makeKey({ credit: "10", limits: { concurrent_requests: 1 } });
  const slow = postChat(gateway, key, chatBody("slow"));
  await eventually(
    () => upstream.requests.filter(({ body }) => body["model"] === "up-slow").length,
    (calls) => calls === 1,
  );
  expect(await answered(announce(key, chatBody("paid")))).toBe("429 rate_limit_exceeded");
  answer();
  expect((await slow).status).toBe(200);
  expect(await answeredAfterBody(key, chatBody("paid"))).toBe("200");
});

test("rejects a request whose credit is held by another in flight, with Retry-After", async () => {
  const body = chatBody("slow", { max_tokens: 100 });
  // At the prices of the test: one dollar per million bytes of the prompt, two per million output tokens.
  const key = await makeKey({ credit: ((body.length + 200) / 1_000_000).toFixed(6) });
  const calls = upstream.requests.length;
  const slow = postChat(gateway, key, body);
  await eventually(
    () => upstream.requests.length,
    (now) => now === calls + 1,
  );
  const upload = announce(key, chatBody("paid"));
  expect([await answered(upload), upload.message]).toEqual(["402 credits_in_flight", expect.stringContaining("is held for requests")]);
  answer();
  expect((await slow).status).toBe(200);
});

test("rejects an invalid Idempotency-Key", async () => {
  const upload = announce(await makeKey({}), chatBody("paid"), { "idempotency-key": "a b" });
  expect(await answered(upload)).toBe("400 invalid_value");
});
