import OpenAI from "openai";
import { nanosOf, priceOf } from "../../test/money/ledger-of.ts";
import type { Expectations } from "./expectations.ts";
import type { Trial } from "./trial.ts";

/** A reply of the gateway as it was received. */
export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly requestId: string;
}

/** The part of the gateway's errors that the checks read. */
export interface ErrorBody {
  readonly error?: { readonly message?: string; readonly code?: string; readonly param?: string | null };
}

/** The part of the ledger's record of a request that the checks read. */
export interface Receipt {
  readonly state: string;
  readonly charged: string;
  readonly provenance: string;
  readonly usage: Usage;
  readonly lines: readonly { readonly kind: string; readonly tokens: number }[];
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number };
}

export function clientOf({ gateway, key }: Trial, fetch?: typeof globalThis.fetch): OpenAI {
  return new OpenAI({ baseURL: gateway.baseUrl, apiKey: key, ...(fetch && { fetch }) });
}

/** Posts a chat completion. A body that is text is sent unchanged. */
export async function post(trial: Trial, body: object | string, headers: Record<string, string> = {}): Promise<RawReply> {
  const response = await fetch(`${trial.gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${trial.key}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const { status } = response;
  return { status, headers: response.headers, text: await response.text(), requestId: response.headers.get("x-request-id") ?? "" };
}

export function user(content: string): { role: "user"; content: string }[] {
  return [{ role: "user", content }];
}

export function receiptOf({ gateway }: Trial, requestId: string): Promise<Receipt> {
  return gateway.platform<Receipt>("GET", `/api/receipts/${requestId}`);
}

/** The charge must be equal to the price of these tokens, to the last digit. The server counts the tokens. */
export function expectMeasured(expect: Expectations, receipt: Receipt, usage: Usage): void {
  const { prompt_tokens: prompt, completion_tokens: completion, prompt_tokens_details: details } = usage;
  const { prompt_tokens: chargedPrompt, completion_tokens: chargedCompletion } = receipt.usage;
  expect.equal("state", receipt.state, "settled");
  expect.equal("provenance", receipt.provenance, "measured");
  expect.equal("tokens charged, in and out", [chargedPrompt, chargedCompletion], [prompt, completion]);
  const cost = priceOf(prompt, completion, details?.cached_tokens);
  expect.equal("nano-dollars charged", String(nanosOf(receipt.charged)), String(cost));
}

/** The data of each server-sent event. */
export function eventsIn(text: string): string[] {
  return text
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => event.slice("data: ".length));
}
