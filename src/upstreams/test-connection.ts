import type { ConnectionTest } from "../models/connection-test.ts";
import { presetOf } from "../models/presets.ts";
import type { RemoteSettings, UpstreamSettings } from "../models/upstream-settings.ts";
import type { AuthorizerLookup } from "./authorizer.ts";
import { missingListPermission, missingPermission } from "./missing-permission.ts";
import { obtainCredentials } from "./obtain-credentials.ts";
import { readModels, requestModels, sendShort, type RequestAuthorization } from "./request-models.ts";
import type { CountRequest, Dialect, Dialects, ListedModel } from "./dialect.ts";
import type { UpstreamReply } from "./egress/send.ts";
import { explainFailure } from "./egress/explain-failure.ts";
import { publicNames } from "./public-names.ts";
import { readErrorBody, safeMessage } from "./refusal.ts";
import { SentCredentials, type Redactor } from "./sent-credentials.ts";
import type { CancelSignal } from "../lib/async/cancellation.ts";

/** An operator waits for the result. */
const TIMEOUT_MS = 10_000;

/** The most model names: more than any provider lists, and few enough to display. */
const MAX_NAMES = 2000;
const MAX_NAME_CHARS = 200;

/**
 * Obtains the credentials of an upstream's identity, if it has one, and lists its models, to check its base URL and credential. A server
 * without a list is tested by a token count with `model`, which must be a model that it serves.
 */
export async function testConnection(
  settings: UpstreamSettings,
  dialects: Dialects,
  identities: AuthorizerLookup,
  signal: CancelSignal,
  model?: string,
): Promise<ConnectionTest> {
  if (settings.dialect === "echo") {
    return {
      ok: true,
      checked: "nothing: it is a part of the gateway",
      durationMs: 0,
      ...NOTHING_LISTED,
      problem: null,
      identity: undefined,
    };
  }
  const startedAtMs = performance.now();
  const authorizer = identities.authorizerOf(settings);
  const failure = authorizer && (await obtainCredentials(authorizer));
  const outcome =
    failure === undefined
      ? await callUpstream(
          settings,
          dialects[settings.dialect],
          { authorizer, sent: new SentCredentials(settings.credentials[0]) },
          signal,
          model,
        )
      : { ...NOTHING_LISTED, checked: "its credentials", problem: `Its identity has no credentials: ${failure}` };
  const durationMs = Math.round(performance.now() - startedAtMs);
  return { ok: outcome.problem === null, ...outcome, durationMs, identity: authorizer?.state };
}

const NOTHING_LISTED = { status: null, models: null, names: [], ids: [] } as const;

type Outcome = Pick<ConnectionTest, "checked" | "status" | "models" | "names" | "ids" | "problem">;

async function callUpstream(
  settings: RemoteSettings,
  dialect: Dialect,
  by: RequestAuthorization,
  signal: CancelSignal,
  model: string | undefined,
): Promise<Outcome> {
  const { testedBy } = (settings.preset && presetOf(settings.preset)) ?? {};
  if (testedBy === "token_count" && dialect.countRequest && model !== undefined) {
    const checked = `a count of tokens by ${model}, which needs the permission of a call`;
    return { checked, ...(await countTokens(settings, dialect.countRequest, by, signal, model)) };
  }
  if (testedBy !== undefined && by.authorizer) {
    const reason = testedBy === "credentials" ? "" : ", and no model has a route to it";
    return { ...NOTHING_LISTED, checked: `its credentials alone: it has no list of models${reason}`, problem: null };
  }
  const listed = { checked: "its list of models", ...(await listModels(settings, dialect, by, signal)) };
  // A role that permits only calls is least privilege, and not a mistake.
  const permission = by.authorizer && listed.problem !== null ? missingListPermission(listed.problem) : undefined;
  return permission === undefined
    ? listed
    : {
        ...NOTHING_LISTED,
        checked: `its credentials alone: it cannot list models without ${permission}; calls may still work`,
        status: listed.status,
        problem: null,
      };
}

type CallOutcome = Omit<Outcome, "checked">;

async function countTokens(
  settings: RemoteSettings,
  request: CountRequest,
  by: RequestAuthorization,
  signal: CancelSignal,
  model: string,
): Promise<CallOutcome> {
  try {
    const reply = await sendShort(settings, request(settings.credentials[0], model), by, TIMEOUT_MS, signal);
    const { status } = reply;
    const body = await reply.beginning();
    if (status === 200) return { ...NOTHING_LISTED, status, problem: null };
    const problem =
      status === 404
        ? `It does not know ${model} at this base URL: status 404. Its message: ${readErrorBody(body).message}`
        : explain(status, body, by.authorizer ? "identity" : "credential");
    return { ...NOTHING_LISTED, status, problem: safeMessage(problem, by.sent) };
  } catch (error) {
    return { ...NOTHING_LISTED, problem: safeMessage(explainFailure(error), by.sent) };
  }
}

async function listModels(
  settings: RemoteSettings,
  dialect: Dialect,
  by: RequestAuthorization,
  signal: CancelSignal,
): Promise<CallOutcome> {
  try {
    const request = (page?: string): Promise<UpstreamReply> => requestModels(settings, dialect, by, TIMEOUT_MS, signal, page);
    const reply = await request();
    const { status } = reply;
    if (status === 200) {
      const text = await reply.text();
      return { status, ...(isModelList(text, dialect) ? describe(await readModels(text, dialect, request), by.sent) : NO_LIST) };
    }
    const problem = explain(status, await reply.beginning(), by.authorizer ? "identity" : "credential");
    return { ...NOTHING_LISTED, status, problem: safeMessage(problem, by.sent) };
  } catch (error) {
    return { ...NOTHING_LISTED, problem: safeMessage(explainFailure(error), by.sent) };
  }
}

const NO_LIST: Omit<CallOutcome, "status"> = {
  models: null,
  names: [],
  ids: [],
  problem: "It responded, but not with a list of models. Does the base URL end before /models?",
};

function isModelList(text: string, dialect: Dialect): boolean {
  try {
    dialect.modelsIn(text);
    return true;
  } catch {
    return false;
  }
}

function describe(listed: readonly ListedModel[], sent: Redactor): Omit<CallOutcome, "status"> {
  // A name that is too long, or contains the credential, is not a usable model name.
  const isSound = (name: string): boolean => name.length <= MAX_NAME_CHARS && sent.redactFrom(name) === name;
  const names = listed
    .map(({ id }) => id)
    .filter(isSound)
    .slice(0, MAX_NAMES);
  return { models: listed.length, names, ids: publicNames(names), problem: null };
}

function explain(status: number, body: string, by: "identity" | "credential"): string {
  const { message } = readErrorBody(body);
  const reason = `Its message: ${message}`;
  const permission = by === "identity" ? missingPermission(message) : undefined;
  if (permission !== undefined) return `The identity lacks ${permission}: status ${status}. ${reason}`;
  if (status === 401 || status === 403) return `It rejected the ${by} with status ${status}. ${reason}`;
  if (status === 404) return `It has no list of models at this base URL: status 404. ${reason}`;
  return `It returned status ${status}. ${reason}`;
}
