import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chunk,
  completion,
  configFor,
  events,
  startMockUpstream,
  usageChunk,
  type RecordedRequest,
} from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { canChangeAccounts } from "./can-change-accounts.ts";
import { Gate } from "./gate.ts";
import {
  accountNow,
  creditIn,
  dollarsOf,
  endsIn,
  ledgerOf,
  nanosOf,
  priceOf,
  setCredit,
  type AccountNow,
  type LedgerRow,
} from "./ledger-of.ts";
import { chatBody, postChat, type Reply } from "./post-chat.ts";

const REQUESTS = 200;
const AFFORDABLE = 10;
const MAX_TOKENS = 100;

const gate = new Gate();
/** The usage that the upstream reports. */
let spends = { prompt: 0, completion: 0 };

const upstream = startMockUpstream({ "up-held": answer, "up-quick": answer });
const yaml = configFor(upstream.baseUrl, ["held", "quick"]);
const gateway = await startGateway({ yaml });
const keys = await makeKeys(gateway);
const mayChangeAccounts = await canChangeAccounts(gateway);

afterAll(async () => {
  gate.open();
  await gateway.stop();
  await upstream.stop();
});

beforeEach(() => {
  gate.close();
  upstream.requests.length = 0;
});

async function makeKeys(from: RunningGateway): Promise<string[]> {
  const made = await Promise.all(["a", "b", "c"].map(() => from.makeKey()));
  return made.map(({ key }) => key);
}

async function answer({ body }: RecordedRequest): Promise<Response> {
  if (body["model"] === "up-held") await gate.pass();
  else await Bun.sleep(Math.random() * 20);
  const { prompt, completion: written } = spends;
  const usage = { prompt_tokens: prompt, completion_tokens: written, total_tokens: prompt + written };
  if (body["stream"] !== true) return Response.json(completion({}, { usage }));
  return events([chunk({ role: "assistant", content: "Hello" }), chunk({}, "stop"), usageChunk(usage)]);
}

/** Many requests, all sent before the first response, with all keys in turn. */
class Crowd {
  readonly refused: Reply[] = [];
  readonly answered: Reply[] = [];
  readonly samples: AccountNow[] = [];
  readonly #all: Promise<unknown>;
  readonly #gateway: RunningGateway;
  #isOver = false;

  constructor(at: RunningGateway, by: readonly string[], body: string) {
    this.#gateway = at;
    const sending = Array.from({ length: REQUESTS }, (_, index) => this.#send(by[index % by.length]!, body));
    this.#all = Promise.all([this.#sample(), Promise.all(sending).finally(() => (this.#isOver = true))]);
  }

  /** Waits until each of them has been rejected or has reached the upstream. */
  async decided(): Promise<void> {
    await eventually(
      () => this.refused.length + gate.waiting,
      (decided) => decided === REQUESTS,
    );
  }

  /** Waits for all responses, and reads the account again. */
  async over(): Promise<AccountNow> {
    await this.#all;
    const last = await accountNow(this.#gateway);
    this.samples.push(last);
    return last;
  }

  async #send(key: string, body: string): Promise<void> {
    const reply = await postChat(this.#gateway, key, body);
    (reply.status === 200 ? this.answered : this.refused).push(reply);
  }

  async #sample(): Promise<void> {
    while (!this.#isOver) this.samples.push(await accountNow(this.#gateway));
  }
}

/** A body, and its hold: one token for every byte, and its maximum output. */
function request(model: string, stream: boolean): { body: string; bytes: number; holdNanos: bigint } {
  const body = chatBody(model, { max_tokens: MAX_TOKENS, stream });
  const bytes = Buffer.byteLength(body);
  return { body, bytes, holdNanos: priceOf(bytes, MAX_TOKENS) };
}

function expectNeverBelowZero({ samples }: Crowd): void {
  expect(samples.length).toBeGreaterThan(1);
  expect(samples.filter(({ creditNanos, availableNanos }) => creditNanos < 0n || availableNanos < 0n)).toEqual([]);
}

function expectToBeInFlight(refused: readonly Reply[]): void {
  for (const { status, code, headers } of refused) {
    expect({ status, code }).toEqual({ status: 402, code: "credits_in_flight" });
    const retryAfter = headers.get("retry-after");
    expect(retryAfter).toMatch(/^\d+$/);
    expect(Number(retryAfter)).toBeWithin(1, 60);
  }
}

async function expectRefusal(key: string, body: string, code: string, at: RunningGateway = gateway): Promise<Reply> {
  const reply = await postChat(at, key, body);
  expect({ status: reply.status, code: reply.code }).toEqual({ status: 402, code });
  expect(reply.headers.get("retry-after")).toBeNull();
  return reply;
}

function settledBy(replies: readonly Reply[], at: RunningGateway = gateway): LedgerRow[] {
  const ends = endsIn(ledgerOf(at));
  return replies.map(({ requestId }) => ends.get(requestId)!);
}

for (const stream of [false, true]) {
  describe(stream ? "streams" : "JSON responses", () => {
    const held = request("held", stream);
    const quick = request("quick", stream);

    test("of 200 at once with credit for 10, by several keys of an account, exactly 10 are admitted", async () => {
      await setCredit(gateway, held.holdNanos * 10n);
      spends = { prompt: held.bytes, completion: MAX_TOKENS };
      const crowd = new Crowd(gateway, keys, held.body);
      await crowd.decided();
      expect(gate.waiting).toBe(AFFORDABLE);
      expectToBeInFlight(crowd.refused);
      const full = held.holdNanos * 10n;
      expect(await accountNow(gateway)).toEqual({ creditNanos: full, heldNanos: full, availableNanos: 0n });

      gate.open();
      expect(await crowd.over()).toEqual({ creditNanos: 0n, heldNanos: 0n, availableNanos: 0n });
      expectNeverBelowZero(crowd);
      expect(crowd.answered).toHaveLength(AFFORDABLE);
      expect(upstream.requests).toHaveLength(AFFORDABLE);
      expect(settledBy(crowd.answered).map((row) => row.amount_nanos)).toEqual(crowd.answered.map(() => held.holdNanos));
      const { text } = await expectRefusal(keys[0]!, held.body, "insufficient_credits");
      expect(text).toContain("$0.00 of credit left");
    });

    test("one nano-dollar less than enough for 10 is enough for 9", async () => {
      await setCredit(gateway, held.holdNanos * 10n - 1n);
      spends = { prompt: held.bytes, completion: MAX_TOKENS };
      const crowd = new Crowd(gateway, keys, held.body);
      await crowd.decided();
      expect(gate.waiting).toBe(AFFORDABLE - 1);
      gate.open();
      expect(await crowd.over()).toMatchObject({ creditNanos: held.holdNanos - 1n, heldNanos: 0n });
      const { text } = await expectRefusal(keys[0]!, held.body, "insufficient_credits");
      expect(text).toContain(`which would pay for max_tokens: ${MAX_TOKENS - 1}`);
    });

    test("of 200 that start and end, no more are admitted than the credit pays for", async () => {
      await setCredit(gateway, quick.holdNanos * 10n);
      spends = { prompt: quick.bytes, completion: MAX_TOKENS };
      const crowd = new Crowd(gateway, keys, quick.body);
      expect(await crowd.over()).toMatchObject({ creditNanos: 0n, heldNanos: 0n });
      expectNeverBelowZero(crowd);
      expect(crowd.answered).toHaveLength(AFFORDABLE);
      expect(upstream.requests).toHaveLength(AFFORDABLE);
      for (const { code } of crowd.refused) expect(code).toBeOneOf(["credits_in_flight", "insufficient_credits"]);
    });

    test("the rest of settled holds admits others, and the balance never falls below zero", async () => {
      await setCredit(gateway, quick.holdNanos * 10n);
      spends = { prompt: 10, completion: 40 };
      const crowd = new Crowd(gateway, keys, quick.body);
      const { creditNanos } = await crowd.over();
      expectNeverBelowZero(crowd);
      expect(crowd.answered.length).toBeGreaterThanOrEqual(AFFORDABLE);
      expect(creditNanos).toBe(quick.holdNanos * 10n - BigInt(crowd.answered.length) * priceOf(10, 40));
      expect(creditIn(ledgerOf(gateway))).toBe(creditNanos);
    });

    test("a spend cap of a key admits as many as credit would, and does not affect other keys of the account", async () => {
      spends = { prompt: held.bytes, completion: MAX_TOKENS };
      const { key } = await gateway.makeKey(["*"], { caps: { total: dollarsOf(held.holdNanos * 10n) } });
      await setCredit(gateway, held.holdNanos * 1000n);
      const crowd = new Crowd(gateway, [key], held.body);
      await crowd.decided();
      expect(gate.waiting).toBe(AFFORDABLE);
      expectToBeInFlight(crowd.refused);

      gate.open();
      expect(await crowd.over()).toMatchObject({ creditNanos: held.holdNanos * 990n, heldNanos: 0n });
      const { text } = await expectRefusal(key, held.body, "budget_exceeded");
      expect(text).toContain("the total spend cap of this key has $0.00 left");
      expect((await postChat(gateway, keys[0]!, held.body)).status).toBe(200);
    });

    // Not every build has an endpoint that changes accounts.
    test.skipIf(!mayChangeAccounts)("a daily spend cap of an account applies to all of its keys together", async () => {
      const capped = await startGateway({ yaml });
      try {
        const its = await makeKeys(capped);
        await capped.platform("PATCH", "/api/accounts/default", { caps: { day: dollarsOf(held.holdNanos * 10n) } });
        spends = { prompt: held.bytes, completion: MAX_TOKENS };
        const crowd = new Crowd(capped, its, held.body);
        await crowd.decided();
        expect(gate.waiting).toBe(AFFORDABLE);
        expectToBeInFlight(crowd.refused);
        gate.open();
        expect((await crowd.over()).heldNanos).toBe(0n);
        const { text } = await expectRefusal(its[0]!, held.body, "budget_exceeded", capped);
        expect(text).toMatch(/the daily spend cap of this account has \$0\.00 left.*It resets at \d{4}-\d\d-\d\dT00:00:00\.000Z/);
      } finally {
        gate.open();
        await capped.stop();
      }
    });

    describe("of an upstream that does not obey max_tokens", () => {
      const written = MAX_TOKENS * 10;
      const costNanos = priceOf(held.bytes, written);
      const excessNanos = costNanos - held.holdNanos;

      test("overdraw an account by one excess at most, however many are in flight, and block it until it has credit again", async () => {
        await setCredit(gateway, held.holdNanos * 10n);
        spends = { prompt: held.bytes, completion: written };
        const crowd = new Crowd(gateway, keys, held.body);
        await crowd.decided();
        expect(gate.waiting).toBe(AFFORDABLE);
        gate.open();
        expect(await crowd.over()).toEqual({ creditNanos: -excessNanos, heldNanos: 0n, availableNanos: -excessNanos });
        expect(crowd.samples.every(({ creditNanos }) => creditNanos >= -excessNanos)).toBe(true);

        const charges = settledBy(crowd.answered).toSorted((a, b) => Number(a.id - b.id));
        const [first, ...others] = charges.map((row) => ({ charged: row.amount_nanos, uncharged: row.uncharged_nanos }));
        expect(first).toEqual({ charged: costNanos, uncharged: 0n });
        expect(others).toEqual(Array.from({ length: 9 }, () => ({ charged: held.holdNanos, uncharged: excessNanos })));
        expect(charges.map((row) => row.completion_tokens)).toEqual(charges.map(() => BigInt(written)));

        const before = upstream.requests.length;
        const { text } = await expectRefusal(keys[1]!, held.body, "insufficient_credits");
        expect(text).toContain(`is $${dollarsOf(excessNanos).replace(/0{1,7}$/, "")} in debt`);
        expect(upstream.requests).toHaveLength(before);

        await setCredit(gateway, held.holdNanos - 1n);
        await expectRefusal(keys[1]!, held.body, "insufficient_credits");
        const grant = { amount: "0.000000001", reference: `lift ${stream}`, reason: "for a test" };
        await gateway.platform("POST", "/api/accounts/default/grants", grant);
        spends = { prompt: held.bytes, completion: MAX_TOKENS };
        expect((await postChat(gateway, keys[1]!, held.body)).status).toBe(200);
        expect(await accountNow(gateway)).toMatchObject({ creditNanos: 0n, heldNanos: 0n });
      });

      test("are charged in full as long as there is credit for them", async () => {
        gate.open();
        await setCredit(gateway, costNanos * 2n);
        spends = { prompt: held.bytes, completion: written };
        const reply = await postChat(gateway, keys[0]!, held.body);
        expect(settledBy([reply])[0]).toMatchObject({ amount_nanos: costNanos, uncharged_nanos: 0n });
        if (!stream) expect(nanosOf(reply.headers.get("x-tollgate-cost")!)).toBe(costNanos);
        expect(await accountNow(gateway)).toMatchObject({ creditNanos: costNanos });
      });
    });
  });
}
