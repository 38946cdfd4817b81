import type { DoctorCheck, DoctorReport } from "../../models/doctor-report.ts";
import type { Upstream } from "../upstream.ts";
import {
  checkCancel,
  checkError,
  checkJson,
  checkJsonSchema,
  checkStream,
  checkTools,
  checkUsage,
  wordsOf,
  type Check,
  type Finding,
} from "./checks.ts";
import { Patient } from "./examined-model.ts";
import { cancelledWith, type CancelSignal } from "../../lib/async/cancellation.ts";

/** In this order: the first two show whether there is anything to go on with. */
const CHECKS: Readonly<Record<DoctorCheck["name"], Check>> = {
  json: checkJson,
  stream: checkStream,
  tools: checkTools,
  json_schema: checkJsonSchema,
  usage: checkUsage,
  cancel: checkCancel,
  error: checkError,
};

/** For all of it. */
const PATIENCE_MS = 120_000;

/**
 * Tries live how a model at an upstream answers, as callers would meet it. It makes seven small calls, one after the other, which
 * the upstream charges for. What goes wrong is part of the report: it never throws.
 */
export async function examine(upstream: Upstream, model: string, signal: CancelSignal): Promise<DoctorReport> {
  const patient = new Patient(upstream, model, cancelledWith(signal, AbortSignal.timeout(PATIENCE_MS)));
  const checks: DoctorCheck[] = [];
  for (const name of Object.keys(CHECKS) as DoctorCheck["name"][]) checks.push(await run(name, patient));
  return { upstream: upstream.settings.id, model, checks, deviations: [...patient.deviations], tokens: patient.tokens };
}

async function run(name: DoctorCheck["name"], patient: Patient): Promise<DoctorCheck> {
  const startedAtMs = performance.now();
  const { outcome, detail } = await findingOf(name, patient);
  return { name, outcome, durationMs: Math.round(performance.now() - startedAtMs), detail: patient.safe(detail) };
}

async function findingOf(name: DoctorCheck["name"], patient: Patient): Promise<Finding> {
  if (patient.signal.aborted) return { outcome: "skipped", detail: "there was no time left for it" };
  const isMute = name !== "json" && name !== "stream" && !patient.heardWhole && !patient.heardStreamed;
  if (isMute) return { outcome: "skipped", detail: "it answers neither as JSON nor as a stream" };
  try {
    return await CHECKS[name](patient);
  } catch (error) {
    return { outcome: "failed", detail: patient.signal.aborted ? "the time ran out" : wordsOf(error) };
  }
}
