import type { ModelKind } from "../../models/catalog.ts";
import type { DoctorCheck, DoctorReport } from "../../models/doctor-report.ts";
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
import { checkBase64, checkEmbeddings, checkEmbeddingsError, checkEmbeddingsUsage, checkOrder } from "./embedding-checks.ts";
import { ExaminedModel } from "./examined-model.ts";
import { cancelledWith, type CancelSignal } from "../../lib/async/cancellation.ts";
import type { IdentityState } from "../../models/upstream-health.ts";
import type { Authorizer } from "../authorizer.ts";
import { obtainCredentials } from "../obtain-credentials.ts";
import { operatorMessageOf } from "../../requests/operator-message.ts";

interface Checks {
  /** The checks that show whether it responds at all. If all of them fail, the others are skipped. */
  readonly first: Readonly<Partial<Record<DoctorCheck["name"], Check>>>;
  readonly others: Readonly<Partial<Record<DoctorCheck["name"], Check>>>;
  readonly unresponsive: string;
}

/** The checks of each kind of models, in order. */
const CHECKS: Readonly<Record<ModelKind, Checks>> = {
  chat: {
    first: { json: checkJson, stream: checkStream },
    others: { tools: checkTools, json_schema: checkJsonSchema, usage: checkUsage, cancel: checkCancel, error: checkError },
    unresponsive: "it responds neither in JSON nor as a stream",
  },
  embedding: {
    first: { embeddings: checkEmbeddings },
    others: { order: checkOrder, base64: checkBase64, usage: checkEmbeddingsUsage, error: checkEmbeddingsError },
    unresponsive: "it returns no embeddings",
  },
};

/** The time limit for all checks together. */
const TIMEOUT_MS = 120_000;

/**
 * Checks live how a model at an upstream responds, as callers would see it. It makes a few small calls, one after another, for which the
 * upstream charges. Failures are part of the report: it never throws.
 */
export async function examine(upstream: Upstream, model: string, signal: CancelSignal, kind: ModelKind = "chat"): Promise<DoctorReport> {
  const examined = new ExaminedModel(upstream, model, cancelledWith(signal, AbortSignal.timeout(TIMEOUT_MS)));
  const checks: DoctorCheck[] = [];
  const { authorizer } = upstream;
  if (authorizer) checks.push(await run("identity", examined, () => checkIdentity(authorizer)));
  const hasNoCredentials = checks[0]?.outcome === "failed";
  const { first, others, unresponsive } = CHECKS[kind];
  const runOne = async (name: string, check: Check): Promise<void> => {
    const make = hasNoCredentials ? withoutCredentials : (): Promise<Finding> => findingOf(check, examined);
    checks.push(await run(name as DoctorCheck["name"], examined, make));
  };
  for (const [name, check] of Object.entries(first)) await runOne(name, check);
  const skip: Check = async () => ({ outcome: "skipped", detail: unresponsive });
  for (const [name, check] of Object.entries(others)) await runOne(name, examined.hasResponded ? check : skip);
  if (authorizer && !hasNoCredentials) {
    // Only real calls show whether the clock is right.
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

async function findingOf(check: Check, model: ExaminedModel): Promise<Finding> {
  if (model.signal.aborted) return { outcome: "skipped", detail: "the time limit was reached before it" };
  try {
    return await check(model);
  } catch (error) {
    if (model.signal.aborted) return { outcome: "failed", detail: "the time limit was reached" };
    const detail = operatorMessageOf(error);
    const permission = model.upstream.authorizer && missingPermission(detail);
    return { outcome: "failed", detail: permission === undefined ? detail : `its identity lacks ${permission}: ${detail}` };
  }
}

/** The clock difference that is reported. Clouds reject signatures that are older than five minutes, so this limit leaves a wide margin. */
const MAX_SKEW_MS = 60_000;

/** Obtains the credentials of an identity, and states where they come from, how long they are valid, and whether the clock is right. */
async function checkIdentity(authorizer: Authorizer): Promise<Finding> {
  const failure = await obtainCredentials(authorizer);
  if (failure !== undefined) return { outcome: "failed", detail: failure };
  return findingOn(authorizer.state);
}

/** Describes an identity that has credentials. */
function findingOn(state: IdentityState): Finding {
  const skewMs = Math.abs(state.clockSkewMs);
  if (skewMs < MAX_SKEW_MS) return { outcome: "passed", detail: describeCredentials(state) };
  const seconds = `${Math.round(skewMs / 1000)} s ${state.clockSkewMs > 0 ? "behind" : "ahead of"} the cloud's clock`;
  return {
    outcome: "warned",
    detail: `${describeCredentials(state)}; the clock of this machine is ${seconds}: it is corrected for, but set it`,
  };
}

function describeCredentials({ source, expiresAtMs }: IdentityState): string {
  const expiry = expiresAtMs === undefined ? "which do not expire" : `which expire at ${new Date(expiresAtMs).toISOString()}`;
  return `credentials from ${source ?? "an unnamed source"}, ${expiry}`;
}
