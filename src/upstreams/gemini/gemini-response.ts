import { ApiError } from "../../requests/api-error.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { unparsableResponse, parseAnswer } from "../refusal.ts";
import { errorIn, geminiErrorInside } from "./gemini-refusal.ts";

/** The fields of a response, or of one event of a stream. Any of them may be missing. */
interface ParsedResponse {
  readonly id: string | undefined;
  readonly parts: readonly unknown[];
  readonly finishReason: string | undefined;
  /** Why the prompt was blocked. */
  readonly blockReason: string | undefined;
  readonly usageMetadata: unknown;
}

/** Reads a `GenerateContentResponse`; throws if it is an error. Requests never ask for more than one candidate. */
export function readResponse(text: string): ParsedResponse {
  const answer = parseAnswer(text, JSON.parse);
  const error = errorIn(answer);
  if (error) throw geminiErrorInside(error);
  if (!isObject(answer)) throw unparsableResponse("not an object");
  const { responseId, candidates, promptFeedback, usageMetadata } = answer;
  const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
  const content = isObject(candidate) ? candidate["content"] : undefined;
  const parts = isObject(content) ? content["parts"] : undefined;
  return {
    id: stringIn({ responseId }, "responseId"),
    parts: Array.isArray(parts) ? (parts as unknown[]) : [],
    finishReason: stringIn(candidate, "finishReason"),
    blockReason: stringIn(promptFeedback, "blockReason"),
    usageMetadata,
  };
}

/** The error for a blocked prompt: a 400, because no output has been sent yet. */
export function promptBlocked(blockReason: string): ApiError {
  return new ApiError("content_policy_violation", `The upstream refused the prompt: ${blockReason}.`);
}

function stringIn(value: unknown, name: string): string | undefined {
  const word = isObject(value) ? value[name] : undefined;
  return typeof word === "string" && word !== "" ? word : undefined;
}
