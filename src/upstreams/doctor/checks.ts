import { setTimeout as sleep } from "node:timers/promises";
import { CallerGone } from "../../requests/caller-gone.ts";
import type { DoctorCheck, Outcome } from "../../models/doctor-report.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { findViolation, isObject, type Schema } from "../../lib/schema/schema.ts";
import { next } from "../../lib/async/source.ts";
import type { ChunkStream } from "../upstream.ts";
import type { Heard } from "./read-response.ts";
import type { Patient } from "./examined-model.ts";
import { FOR_SCHEMA, FOR_TOOL, LONG, NO_MODEL, PLAIN, TOOL } from "./test-requests.ts";
import { cancelledWith } from "../../lib/async/cancellation.ts";

/** What a check comes to. One that throws has failed. */
export type Finding = Pick<DoctorCheck, "outcome" | "detail">;

export type Check = (patient: Patient) => Promise<Finding>;

/** How long a call may go on after it was broken off. */
const LEAVE_MS = 2_000;

export async function checkJson(patient: Patient): Promise<Finding> {
  const heard = await patient.ask(PLAIN);
  patient.heardWhole = heard;
  return found(heard, `answered, with finish_reason ${heard.finishReason}`);
}

export async function checkStream(patient: Patient): Promise<Finding> {
  const heard = await patient.askForStream(PLAIN);
  patient.heardStreamed = heard;
  return found(heard, `answered in ${heard.pieces} chunks, with finish_reason ${heard.finishReason}`);
}

function found({ text, flaw, finishReason }: Heard, detail: string): Finding {
  if (flaw !== undefined) return { outcome: "failed", detail: flaw };
  if (text === "") return { outcome: "warned", detail: `an answer without text, with finish_reason ${finishReason}` };
  return { outcome: "passed", detail };
}

/** One forced call of a small function, both ways. */
export async function checkTools(patient: Patient): Promise<Finding> {
  if (patient.leavesOut(FOR_TOOL, "tools")) return { outcome: "skipped", detail: "tools are not sent to this upstream" };
  const whole = await orRefused(async () => judgeToolCall(await patient.ask(FOR_TOOL)));
  const streamed = await orRefused(async () => judgeToolCall(await patient.askForStream(FOR_TOOL)));
  if (whole.detail === streamed.detail) return { outcome: worse(whole, streamed), detail: `${whole.detail}, whole and streamed` };
  return { outcome: worse(whole, streamed), detail: `whole: ${whole.detail}; streamed: ${streamed.detail}` };
}

function judgeToolCall({ toolCalls, finishReason, flaw }: Heard): Finding {
  const [call] = toolCalls;
  if (flaw !== undefined) return { outcome: "failed", detail: flaw };
  if (!call) return { outcome: "warned", detail: "answered without calling the tool" };
  if (call.name !== TOOL) return { outcome: "failed", detail: `called ${JSON.stringify(call.name)} where ${TOOL} was asked for` };
  if (isObject(parsed(call.arguments))) return { outcome: "passed", detail: `called ${TOOL}` };
  return { outcome: finishReason === "length" ? "warned" : "failed", detail: "called the tool with arguments that are not JSON" };
}

export async function checkJsonSchema(patient: Patient): Promise<Finding> {
  if (patient.leavesOut(FOR_SCHEMA, "response_format")) {
    return { outcome: "skipped", detail: "response_format is not sent to this upstream" };
  }
  return orRefused(async () => {
    const { text, flaw } = await patient.ask(FOR_SCHEMA);
    if (flaw !== undefined) return { outcome: "failed", detail: flaw };
    if (findViolation(SUM, parsed(text)) === undefined) return { outcome: "passed", detail: "kept to the schema" };
    return { outcome: "warned", detail: "answered outside of the schema" };
  });
}

const SUM: Schema = { type: "object", required: ["sum"], properties: { sum: { type: "integer" } } };

/** Looks at the answers that were given: without counts, money is reckoned by an estimate. */
export async function checkUsage({ heardWhole, heardStreamed, deviations }: Patient): Promise<Finding> {
  const detail = `${inTokens(heardWhole)} as JSON, ${inTokens(heardStreamed)} streamed`;
  const isEstimated = [heardWhole, heardStreamed].some((heard) => heard && !heard.usage);
  if (isEstimated) return { outcome: "failed", detail: `${detail}, so calls are charged by an estimate` };
  if (!heardWhole || !heardStreamed) return { outcome: "failed", detail };
  if (deviations.has("usage_malformed")) return { outcome: "warned", detail: `${detail}, but the total was not the sum` };
  return { outcome: "passed", detail };
}

function inTokens(heard: Heard | undefined): string {
  if (!heard) return "no answer";
  return heard.usage ? `${heard.usage.promptTokens} + ${heard.usage.completionTokens} tokens` : "no token counts";
}

export async function checkCancel(patient: Patient): Promise<Finding> {
  const leaving = new AbortController();
  const stream = await patient.open(LONG, cancelledWith(patient.signal, leaving.signal));
  await next(stream);
  leaving.abort();
  const end = await Promise.race([endOf(stream), sleep(LEAVE_MS, "late" as const, { ref: false })]);
  stream.cancel();
  if (end === "late") return { outcome: "failed", detail: `the stream went on for ${LEAVE_MS} ms after it was broken off` };
  if (end === "whole") return { outcome: "skipped", detail: "the answer was over before it could be broken off" };
  return { outcome: "passed", detail: "a stream that was broken off ended at once" };
}

async function endOf(stream: ChunkStream): Promise<"whole" | "left"> {
  try {
    while (await next(stream)) {
      // What had come before the signal.
    }
    return "whole";
  } catch (error) {
    if (error instanceof CallerGone) return "left";
    throw error;
  }
}

/** A server must say so where it has no such model. Those that serve only one often answer to any name. */
export async function checkError(patient: Patient): Promise<Finding> {
  try {
    await patient.ask(PLAIN, NO_MODEL);
    return { outcome: "warned", detail: "answered to the name of a model that does not exist: a slip in a route would go unseen" };
  } catch (error) {
    if (isRefusal(error)) return { outcome: "passed", detail: `refused a model that does not exist: ${wordsOf(error)}` };
    throw error;
  }
}

/** A model that cannot do something, and says so, is not broken. */
async function orRefused(ask: () => Promise<Finding>): Promise<Finding> {
  try {
    return await ask();
  } catch (error) {
    if (isRefusal(error)) return { outcome: "warned", detail: `refused: ${wordsOf(error)}` };
    throw error;
  }
}

/** Whether the request was refused, and not failed at. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  if (error.fault === undefined || error.fault.kind === "unsupported") return true;
  return error.fault.kind === "failed" && error.detail?.startsWith("upstream status 4") === true;
}

/** Operators are told what callers are not. */
export function wordsOf(error: unknown): string {
  if (error instanceof GatewayError) return error.detail ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function worse(one: Finding, other: Finding): Outcome {
  const order: readonly Outcome[] = ["failed", "warned", "skipped", "passed"];
  return order.find((outcome) => outcome === one.outcome || outcome === other.outcome)!;
}
