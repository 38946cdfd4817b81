import type { DoctorCheck, DoctorReport } from "../../models/doctor-report.ts";
import { operatorMessageOf } from "../operator-message.ts";
import { missingPermission } from "../missing-permission.ts";
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
import { checkIdentity, findingOn } from "./check-identity.ts";
import { ExaminedModel } from "./examined-model.ts";
import { cancelledWith, type CancelSignal } from "../../lib/async/cancellation.ts";

/** In this order: without a response to the first two, the others are skipped. */
const CHECKS: Readonly<Record<Exclude<DoctorCheck["name"], "identity">, Check>> = {
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
  const { authorizer } = upstream;
  if (authorizer) checks.push(await run("identity", examined, () => checkIdentity(authorizer)));
  const hasNoCredentials = checks[0]?.outcome === "failed";
  for (const name of Object.keys(CHECKS) as (keyof typeof CHECKS)[]) {
    checks.push(await run(name, examined, hasNoCredentials ? withoutCredentials : () => findingOf(name, examined)));
  }
  if (authorizer && !hasNoCredentials) {
    // Only calls show whether the clock is right.
    const { outcome, detail } = findingOn(authorizer.state);
    checks[0] = { ...checks[0]!, outcome, detail: examined.redact(detail) };
  }
  return { upstream: upstream.settings.id, model, checks, deviations: [...examined.deviations], tokens: examined.tokens };
}

async function withoutCredentials(): Promise<Finding> {
  return { outcome: "skipped", detail: "its identity has no credentials" };
}

async function run(name: DoctorCheck["name"], model: ExaminedModel, check: () => Promise<Finding>): Promise<DoctorCheck> {
  const startedAtMs = performance.now();
  const { outcome, detail } = await check();
  return { name, outcome, durationMs: Math.round(performance.now() - startedAtMs), detail: model.redact(detail) };
}

async function findingOf(name: keyof typeof CHECKS, model: ExaminedModel): Promise<Finding> {
  if (model.signal.aborted) return { outcome: "skipped", detail: "the time limit was reached before it" };
  const isUnresponsive = name !== "json" && name !== "stream" && !model.jsonResponse && !model.streamedResponse;
  if (isUnresponsive) return { outcome: "skipped", detail: "it responds neither in JSON nor as a stream" };
  try {
    return await CHECKS[name](model);
  } catch (error) {
    if (model.signal.aborted) return { outcome: "failed", detail: "the time limit was reached" };
    const detail = operatorMessageOf(error);
    const permission = model.upstream.authorizer && missingPermission(detail);
    return { outcome: "failed", detail: permission === undefined ? detail : `its identity lacks ${permission}: ${detail}` };
  }
}
