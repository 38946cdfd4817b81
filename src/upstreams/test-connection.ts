import type { ConnectionTest } from "../models/connection-test.ts";
import type { Secret } from "../lib/secret/secret.ts";
import type { RemoteSettings, UpstreamSettings } from "../models/upstream-settings.ts";
import { askForModels } from "./request-models.ts";
import type { Dialect, Dialects } from "./dialect.ts";
import { explainFailure } from "./egress/explain-failure.ts";
import { publicNames } from "./egress/public-names.ts";
import { readRefusal, safeWords } from "./refusal.ts";
import type { CancelSignal } from "../lib/async/cancellation.ts";

/** An operator is waiting for it. */
const PATIENCE_MS = 10_000;

/** More than any provider has, and few enough to look through. */
const MOST_NAMES = 2000;
const LONGEST_NAME = 200;

/** Asks an upstream for its models, to see whether address and credential are right. */
export async function testConnection(settings: UpstreamSettings, dialects: Dialects, signal: CancelSignal): Promise<ConnectionTest> {
  if (settings.dialect === "echo") return { ok: true, status: null, durationMs: 0, models: null, names: [], ids: [], problem: null };
  const startedAtMs = performance.now();
  const outcome = await ask(settings, dialects[settings.dialect], signal);
  return { ok: outcome.problem === null, ...outcome, durationMs: Math.round(performance.now() - startedAtMs) };
}

type Outcome = Pick<ConnectionTest, "status" | "models" | "names" | "ids" | "problem">;

async function ask(settings: RemoteSettings, dialect: Dialect, signal: CancelSignal): Promise<Outcome> {
  const [credential] = settings.credentials;
  try {
    const reply = await askForModels(settings, dialect, PATIENCE_MS, signal);
    const { status } = reply;
    if (status === 200) return { status, ...readModels(await reply.text(), dialect, credential) };
    return { status, models: null, names: [], ids: [], problem: safeWords(explain(status, await reply.beginning()), credential) };
  } catch (error) {
    return { status: null, models: null, names: [], ids: [], problem: safeWords(explainFailure(error), credential) };
  }
}

function readModels(text: string, dialect: Dialect, credential: Secret | undefined): Omit<Outcome, "status"> {
  try {
    const listed = dialect.modelsIn(text).map(({ id }) => id);
    // One that is too long, or has our credential in it, is no name that anybody would route to.
    const sound = listed.filter((name) => name.length <= LONGEST_NAME && (credential?.redactFrom(name) ?? name) === name);
    const names = sound.slice(0, MOST_NAMES);
    return { models: listed.length, names, ids: publicNames(names), problem: null };
  } catch {
    return {
      models: null,
      names: [],
      ids: [],
      problem: "It answered, but not with a list of models. Is the address the one that ends before /models?",
    };
  }
}

function explain(status: number, body: string): string {
  const words = `Its words: ${readRefusal(body).message}`;
  if (status === 401 || status === 403) return `It refused the credential, with status ${status}. ${words}`;
  if (status === 404) return `It has no list of models at this address: status 404. ${words}`;
  return `It answered with status ${status}. ${words}`;
}
