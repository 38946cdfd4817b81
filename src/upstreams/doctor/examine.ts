import type { DoctorCheck, DoctorReport } from "../../models/doctor-report.ts";
import { operatorMessageOf } from "../operator-message.ts";
import type { Upstream } from "../upstream.ts";
import {
  checkCancel,
  checkError,
  checkJson,
  checkJsonSchema,
  checkStream,
  checkTools,
  checkUsage,
  type Check,
  type Finding,
} from "./checks.ts";
import { ExaminedModel } from "./examined-model.ts";
import { cancelledWith, type CancelSignal } from "../../lib/async/cancellation.ts";

/** In this order: without a response to the first two, the others are skipped. */
const CHECKS: Readonly<Record<DoctorCheck["name"], Check>> = {
  json: checkJson,
  stream: checkStream,
  tools: checkTools,
  json_schema: checkJsonSchema,
  usage: checkUsage,
  cancel: checkCancel,
  error: checkError,
};

/** For all checks together. */
const TIMEOUT_MS = 120_000;

/**
 * Checks live how a model at an upstream responds, as callers would see it. It makes seven small calls, one after the other, which the
 * upstream charges for. Failures are part of the report: it never throws.
 */
export async function examine(upstream: Upstream, model: string, signal: CancelSignal): Promise<DoctorReport> {
  const examined = new ExaminedModel(upstream, model, cancelledWith(signal, AbortSignal.timeout(TIMEOUT_MS)));
  const checks: DoctorCheck[] = [];
  for (const name of Object.keys(CHECKS) as DoctorCheck["name"][]) checks.push(await run(name, examined));
  return { upstream: upstream.settings.id, model, checks, deviations: [...examined.deviations], tokens: examined.tokens };
}

async function run(name: DoctorCheck["name"], model: ExaminedModel): Promise<DoctorCheck> {
  const startedAtMs = performance.now();
  const { outcome, detail } = await findingOf(name, model);
  return { name, outcome, durationMs: Math.round(performance.now() - startedAtMs), detail: model.redact(detail) };
}

async function findingOf(name: DoctorCheck["name"], model: ExaminedModel): Promise<Finding> {
  if (model.signal.aborted) return { outcome: "skipped", detail: "the time limit was reached before it" };
  const isUnresponsive = name !== "json" && name !== "stream" && !model.jsonResponse && !model.streamedResponse;
  if (isUnresponsive) return { outcome: "skipped", detail: "it responds neither in JSON nor as a stream" };
  try {
    return await CHECKS[name](model);
  } catch (error) {
    return { outcome: "failed", detail: model.signal.aborted ? "the time limit was reached" : operatorMessageOf(error) };
  }
}
