import OpenAI from "openai";
import { expect } from "bun:test";
import { accountNow, setCredit } from "../money/ledger-of.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import type { Json } from "./embeddings-api.ts";

const CREDIT = 10n ** 9n;

export interface EmbeddingsReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json & { error: Json; data: Json[]; usage: Json };
}

/** A client of a gateway whose prices are a dollar per million tokens. */
export class EmbeddingsClient {
  readonly openai: OpenAI;
  readonly #gateway: RunningGateway;
  readonly #key: string;

  constructor(gateway: RunningGateway, key: string) {
    this.#gateway = gateway;
    this.#key = key;
    this.openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey: key, maxRetries: 0 });
  }

  async post(body: Json): Promise<EmbeddingsReply> {
    const reply = await fetch(`${this.#gateway.baseUrl}/embeddings`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: reply.status, headers: reply.headers, body: (await reply.json()) as EmbeddingsReply["body"] };
  }

  async refill(): Promise<void> {
    await setCredit(this.#gateway, CREDIT);
  }

  /** What the account has paid since its last refill. */
  async paidTokens(): Promise<number> {
    const { creditNanos, heldNanos } = await accountNow(this.#gateway);
    expect(heldNanos).toBe(0n);
    return Number(CREDIT - creditNanos) / 1000;
  }
}
