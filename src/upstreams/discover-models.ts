import { plainModel, type Model } from "../models/catalog.ts";
import { MODEL_ID } from "../models/model-id.ts";
import { kindByName } from "../models/kind-by-name.ts";
import { nameSchema } from "../lib/schema/name-schema.ts";
import { presetOf } from "../models/presets.ts";
import { findViolation } from "../lib/schema/schema.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";
import type { Authorizer, AuthorizerLookup } from "./authorizer.ts";
import { readModels, requestModels } from "./request-models.ts";
import type { Dialect, Dialects, ListedModel } from "./dialect.ts";
import type { UpstreamReply } from "./egress/send.ts";
import { SentCredentials } from "./sent-credentials.ts";
import { publicNames } from "./public-names.ts";
import { operatorMessageOf } from "../requests/operator-message.ts";

/** The result of listing an upstream's models. */
export interface Discovery {
  readonly upstream: RemoteSettings;
  /** Whether the upstream responded like a model server, possibly with an empty list. */
  readonly hasAnswered: boolean;
  readonly models: readonly Model[];
  /** Why the list is empty. */
  readonly problem: string | undefined;
}

/** How long startup waits for the slowest upstream. It then continues without the upstreams that have not responded. */
const START_TIMEOUT_MS = 2_000;

/** The timeout in the background. */
const TIMEOUT_MS = 30_000;

const CALLABLE = new RegExp(MODEL_ID);

/** Lists the models of each upstream at startup, with the upstream's identity if it has one. */
export function discoverModels(
  candidates: readonly RemoteSettings[],
  dialects: Dialects,
  identities: AuthorizerLookup,
): Promise<Discovery[]> {
  return Promise.all(candidates.map((each) => discoverOne(each, dialects[each.dialect], identities.authorizerOf(each), START_TIMEOUT_MS)));
}

/** Lists the models of one upstream, in the background. */
export function discoverAt(upstream: RemoteSettings, dialects: Dialects, identities: AuthorizerLookup): Promise<Discovery> {
  return discoverOne(upstream, dialects[upstream.dialect], identities.authorizerOf(upstream), TIMEOUT_MS);
}

async function discoverOne(
  upstream: RemoteSettings,
  dialect: Dialect,
  authorizer: Authorizer | undefined,
  timeoutMs: number,
): Promise<Discovery> {
  if (upstream.preset && presetOf(upstream.preset).hasNoModelList) {
    return {
      upstream,
      hasAnswered: false,
      models: [],
      problem: "it has no model list; add the models that you use with tollgate models create",
    };
  }
  const sent = new SentCredentials(upstream.credentials[0]);
  try {
    const request = (page?: string): Promise<UpstreamReply> =>
      requestModels(upstream, dialect, { authorizer, sent }, timeoutMs, new AbortController().signal, page);
    const reply = await request();
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`it returned status ${reply.status}`);
    const models = servedModelsOf(await readModels(text, dialect, request), upstream.id, dialect);
    return { upstream, hasAnswered: true, models, problem: models.length === 0 ? "it lists no models" : undefined };
  } catch (error) {
    return { upstream, hasAnswered: false, models: [], problem: sent.redactFrom(operatorMessageOf(error)) };
  }
}

/** The models of all kinds that can be called through this dialect. */
function servedModelsOf(listed: readonly ListedModel[], upstreamId: string, { relays }: Dialect): Model[] {
  const names = publicNames(listed.map(({ id }) => id));
  const isServed = ({ id, kind }: Model): boolean => CALLABLE.test(id) && (kind === "chat" || relays?.embeddings !== undefined);
  return listed.flatMap((each, at) => toModel(names[at]!, each, upstreamId) ?? []).filter(isServed);
}

/** Undefined if the model is for something that Tollgate does not serve. */
function toModel(name: string, listed: ListedModel, upstreamId: string): Model | undefined {
  const { id, ownedBy, createdSeconds, contextWindow, maxOutputTokens } = listed;
  const kind = kindByName(name);
  return (
    kind && {
      ...plainModel(name, { upstream: upstreamId, upstreamModel: id }),
      kind,
      ownedBy: ownedBy !== undefined && !findViolation(nameSchema, ownedBy) ? ownedBy : upstreamId,
      createdSeconds: createdSeconds ?? 0,
      contextWindow,
      maxOutputTokens,
    }
  );
}
