import { GatewayError } from "../../requests/gateway-error.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { notUnderstood } from "../refusal.ts";
import { errorIn, geminiErrorInside } from "./gemini-refusal.ts";

/** What an answer, or an event of one, says. Any of it may be missing. */
export interface Answer {
  readonly id: string | undefined;
  readonly parts: readonly unknown[];
  readonly finishReason: string | undefined;
  /** Why the prompt was not answered. */
  readonly blockReason: string | undefined;
  readonly usageMetadata: unknown;
}

/** Reads a `GenerateContentResponse`. Throws for an error in its place. Only one candidate is ever asked for. */
export function readAnswer(text: string): Answer {
  const answer = parse(text);
  const error = errorIn(answer);
  if (error) throw geminiErrorInside(error);
  if (!isObject(answer)) throw notUnderstood("not an object");
  const { responseId, candidates, promptFeedback, usageMetadata } = answer;
  const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
  const content = isObject(candidate) ? candidate["content"] : undefined;
  const parts = isObject(content) ? content["parts"] : undefined;
  return {
    id: wordIn({ responseId }, "responseId"),
    parts: Array.isArray(parts) ? (parts as unknown[]) : [],
    finishReason: wordIn(candidate, "finishReason"),
    blockReason: wordIn(promptFeedback, "blockReason"),
    usageMetadata,
  };
}

/** The caller's refusal where nothing was said because of the prompt. While there is a status left to say it with, it is a 400. */
export function promptBlocked(blockReason: string): GatewayError {
  return new GatewayError("content_policy_violation", `The upstream refused the prompt: ${blockReason}.`);
}

/** An id for an answer that has none. */
export function newAnswerId(): string {
  return `chatcmpl-${crypto.randomUUID()}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notUnderstood(`an answer of ${text.length} characters that is not JSON`);
  }
}

function wordIn(value: unknown, name: string): string | undefined {
  const word = isObject(value) ? value[name] : undefined;
  return typeof word === "string" && word !== "" ? word : undefined;
}
