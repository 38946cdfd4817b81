import { JsonBudget } from "../../lib/json/json-budget.ts";
import { JSON_LIMITS } from "../../lib/json/json-text.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { CallerGone } from "../../lib/async/caller-gone.ts";
import type { DoctorCheck, Outcome } from "../../models/doctor-report.ts";
import { ApiError } from "../../requests/api-error.ts";
import { findViolation, isObject, type Schema } from "../../lib/schema/schema.ts";
import { next } from "../../lib/async/source.ts";
import type { ChunkStream } from "../upstream.ts";
import type { ReadResponse } from "./read-response.ts";
import type { ExaminedModel, TestRequest } from "./examined-model.ts";
import { cancelledWith } from "../../lib/async/cancellation.ts";
import { operatorMessageOf } from "../../requests/operator-message.ts";

/** The result of a check. A check that throws has failed. */
export type Finding = Pick<DoctorCheck, "outcome" | "detail">;

export type Check = (model: ExaminedModel) => Promise<Finding>;

/** How long a stream may continue after its cancellation. */
const CANCEL_MS = 2_000;

export async function checkJson(model: ExaminedModel): Promise<Finding> {
  const response = await model.complete(PLAIN);
  model.jsonResponse = response;
  return evaluateText(response, `responded with finish_reason ${response.finishReason}`);
}

export async function checkStream(model: ExaminedModel): Promise<Finding> {
  const response = await model.stream(PLAIN);
  model.streamedResponse = response;
  return evaluateText(response, `responded in ${response.pieces} chunks, with finish_reason ${response.finishReason}`);
}

function evaluateText({ text, flaw, finishReason }: ReadResponse, detail: string): Finding {
  if (flaw !== undefined) return { outcome: "failed", detail: flaw };
  if (text === "") return { outcome: "warned", detail: `a response without text, with finish_reason ${finishReason}` };
  return { outcome: "passed", detail };
}

/** One forced call of a small function, in JSON and as a stream. */
export async function checkTools(model: ExaminedModel): Promise<Finding> {
  if (model.drops(FOR_TOOL, "tools")) return { outcome: "skipped", detail: "tools are not sent to this upstream" };
  const json = await orRejected(async () => evaluateToolCall(await model.complete(FOR_TOOL)));
  const streamed = await orRejected(async () => evaluateToolCall(await model.stream(FOR_TOOL)));
  if (json.detail === streamed.detail) return { outcome: worse(json, streamed), detail: `${json.detail}, as JSON and streamed` };
  return { outcome: worse(json, streamed), detail: `JSON: ${json.detail}; streamed: ${streamed.detail}` };
}

function evaluateToolCall({ toolCalls, finishReason, flaw }: ReadResponse): Finding {
  const [call] = toolCalls;
  if (flaw !== undefined) return { outcome: "failed", detail: flaw };
  if (!call) return { outcome: "warned", detail: "responded without calling the tool" };
  if (call.name !== TOOL) return { outcome: "failed", detail: `called ${JSON.stringify(call.name)} instead of ${TOOL}` };
  if (isObject(parsed(call.arguments))) return { outcome: "passed", detail: `called ${TOOL}` };
  return { outcome: finishReason === "length" ? "warned" : "failed", detail: "called the tool with arguments that are not JSON" };
}

export async function checkJsonSchema(model: ExaminedModel): Promise<Finding> {
  if (model.drops(FOR_SCHEMA, "response_format")) {
    return { outcome: "skipped", detail: "response_format is not sent to this upstream" };
  }
  return orRejected(async () => {
    const { text, flaw } = await model.complete(FOR_SCHEMA);
    if (flaw !== undefined) return { outcome: "failed", detail: flaw };
    if (findViolation(SUM, parsed(text)) === undefined) return { outcome: "passed", detail: "matched the schema" };
    return { outcome: "warned", detail: "did not match the schema" };
  });
}

const SUM = { type: "object", required: ["sum"], properties: { sum: { type: "integer" } } } as const satisfies Schema;

/** Checks the token counts of the earlier responses: without them, charges are estimated. */
export async function checkUsage({ jsonResponse, streamedResponse, deviations }: ExaminedModel): Promise<Finding> {
  const detail = `${formatTokens(jsonResponse)} as JSON, ${formatTokens(streamedResponse)} streamed`;
  const isEstimated = [jsonResponse, streamedResponse].some((response) => response && !response.usage);
  if (isEstimated) return { outcome: "failed", detail: `${detail}, so charges are estimated` };
  if (!jsonResponse || !streamedResponse) return { outcome: "failed", detail };
  if (deviations.has("usage_malformed")) return { outcome: "warned", detail: `${detail}, but the total was not the sum` };
  return { outcome: "passed", detail };
}

function formatTokens(response: ReadResponse | undefined): string {
  if (!response) return "no response";
  return response.usage ? `${response.usage.promptTokens} + ${response.usage.completionTokens} tokens` : "no token counts";
}

export async function checkCancel(model: ExaminedModel): Promise<Finding> {
  const cancelling = new AbortController();
  const stream = await model.open(LONG, cancelledWith(model.signal, cancelling.signal));
  await next(stream);
  cancelling.abort();
  const end = await Promise.race([endOf(stream), sleep(CANCEL_MS, "late" as const, { ref: false })]);
  stream.cancel();
  if (end === "late") return { outcome: "failed", detail: `the stream continued for ${CANCEL_MS} ms after its cancellation` };
  if (end === "complete") return { outcome: "skipped", detail: "the response was complete before it could be cancelled" };
  return { outcome: "passed", detail: "a cancelled stream ended at once" };
}

async function endOf(stream: ChunkStream): Promise<"complete" | "cancelled"> {
  try {
    while (await next(stream)) {
      // Chunks that arrived before the cancellation.
    }
    return "complete";
  } catch (error) {
    if (error instanceof CallerGone) return "cancelled";
    throw error;
  }
}

export function checkError(model: ExaminedModel): Promise<Finding> {
  return mustReject(() => model.complete(PLAIN, NO_MODEL));
}

/** A server must return an error for an unknown model. Servers with a single model often accept any name. */
export async function mustReject(callUnknownModel: () => Promise<unknown>): Promise<Finding> {
  try {
    await callUnknownModel();
    return { outcome: "warned", detail: "accepted the name of a model that does not exist: a typo in a route would go unnoticed" };
  } catch (error) {
    if (isRejection(error)) return { outcome: "passed", detail: `rejected a model that does not exist: ${operatorMessageOf(error)}` };
    throw error;
  }
}

/** A model that rejects an unsupported feature is not broken. */
async function orRejected(check: () => Promise<Finding>): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    if (isRejection(error)) return { outcome: "warned", detail: `rejected: ${operatorMessageOf(error)}` };
    throw error;
  }
}

/** Whether the upstream rejected the request, as opposed to failing. */
function isRejection(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.fault === undefined || error.fault.kind === "unsupported") return true;
  return error.fault.kind === "failed" && error.detail?.startsWith("upstream status 4") === true;
}

function parsed(text: string): unknown {
  try {
    return new JsonBudget(JSON_LIMITS).take(text) === undefined ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function worse(one: Finding, other: Finding): Outcome {
  const order: readonly Outcome[] = ["failed", "warned", "skipped", "passed"];
  return order.find((outcome) => outcome === one.outcome || outcome === other.outcome)!;
}

/** The doctor's test requests, each as small as its check allows. */

const user = (content: string): Record<string, unknown> => ({ role: "user", content });

const PLAIN: TestRequest = { messages: [user("Count from 1 to 5, in digits, and say nothing else.")] };

/** Long enough to be cancelled midway. */
const LONG: TestRequest = { messages: [user("Count from 1 to 200, in digits, one line each, and say nothing else.")] };

const TOOL = "get_weather";

const FOR_TOOL: TestRequest = {
  messages: [user("What is the weather in Oslo? Use the tool.")],
  tools: [
    {
      type: "function",
      function: {
        name: TOOL,
        description: "Returns the weather in a city.",
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
      },
    },
  ],
  tool_choice: { type: "function", function: { name: TOOL } },
};

const FOR_SCHEMA: TestRequest = {
  messages: [user("What is 2 + 3?")],
  response_format: {
    type: "json_schema",
    json_schema: {
      name: "sum",
      strict: true,
      schema: { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"], additionalProperties: false },
    },
  },
};

/** A model that no server serves. */
export const NO_MODEL = "tollgate-doctor-no-such-model";
