import { expect, test } from "bun:test";
import type { Exchange } from "../../http/endpoint.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import type { SettleEntry } from "../../money/ledger-entry.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { IdempotentReply } from "../../stores/ledger/ledger-store.ts";
import type { Gateway } from "../gateway.ts";
import type { IdempotencyLock } from "./idempotency-lock.ts";
import { replayOrServe } from "./idempotency.ts";

const CALLER = { id: "key-1", previous: null, expiresAtMs: null, revokedAtMs: null } as KeyRecord;

/** A gateway whose reads of stored replies, and whose requests, end one at a time. */
class SlowGateway {
  readonly #locks = new Map<string, IdempotencyLock>();
  #stored: IdempotentReply | undefined;
  readonly #reads: (() => void)[] = [];
  readonly #served: IdempotencyLock[] = [];
  readonly #replying: ((reply: Reply) => void)[] = [];

  get servedCount(): number {
    return this.#served.length;
  }

  /** Sends a request. Returns the id of the request whose response is replayed, or "served". */
  async send(requestId: string): Promise<string> {
    const request = { headers: new Headers({ "idempotency-key": "once" }), signal: new AbortController().signal };
    const exchange = { request, requestId, notes: {}, startedAtMs: 0 } as unknown as Exchange;
    const chat = { byteText: "{}" } as ChatRequest;
    const { headers } = await replayOrServe(CALLER, chat, exchange, this.#gateway, (...[, , , , lock]) => this.#serve(lock!));
    return headers["x-tollgate-replayed"] ?? "served";
  }

  /** Ends the reads that have started. They find the reply of the time when they started. */
  async endReads(): Promise<void> {
    for (const end of this.#reads.splice(0)) end();
    await Bun.sleep(0);
  }

  /** Ends the request in flight: stores its reply, and then releases its lock. */
  async endRequest(): Promise<void> {
    const lock = this.#served.at(-1)!;
    this.#stored = lock.toReply({}, () => "{}")({ amountNanos: 0n } as SettleEntry);
    lock.release();
    this.#replying.at(-1)!(new Reply("{}"));
    await Bun.sleep(0);
  }

  #serve(lock: IdempotencyLock): Promise<Reply> {
    this.#served.push(lock);
    return new Promise((resolve) => this.#replying.push(resolve));
  }

  get #gateway(): Gateway {
    const findReply = (): Promise<IdempotentReply | undefined> => {
      const found = this.#stored;
      return new Promise((resolve) => this.#reads.push(() => resolve(found)));
    };
    const keys = { find: () => CALLER };
    return { keys, ledger: { findReply }, idempotencyLocks: this.#locks, nowMs: () => 0 } as unknown as Gateway;
  }
}

test("duplicates whose reads overlap are served once", async () => {
  const gateway = new SlowGateway();
  const replies = Promise.all([gateway.send("r1"), gateway.send("r2"), gateway.send("r3")]);
  await gateway.endReads();
  expect(gateway.servedCount).toBe(1);
  await gateway.endRequest();
  await gateway.endReads();
  expect([await replies, gateway.servedCount]).toEqual([["served", "r1", "r1"], 1]);
});

test("a retry that reads while its first request ends receives the stored reply", async () => {
  const gateway = new SlowGateway();
  const first = gateway.send("r1");
  await gateway.endReads();
  const retry = gateway.send("r2");
  await gateway.endRequest();
  expect(await first).toBe("served");
  await gateway.endReads();
  await gateway.endReads();
  expect(gateway.servedCount).toBe(1);
  expect(await retry).toBe("r1");
});
