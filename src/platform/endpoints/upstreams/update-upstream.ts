import type { Infer } from "../../../lib/schema/infer.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operators } from "../../../access/access.ts";
import {
  describeUpstream,
  describeWithNewCredentials,
  credentialSchema,
  declaredAddress,
  fromUpstream,
  toUpstream,
  type DeclaredUpstream,
} from "../../../models/declared-upstream.ts";
import { changeHeaders, modelWithHeadersTo } from "../../../models/headers/route-headers.ts";
import { namesOfHeaders } from "../../../models/headers/secret-headers.ts";
import { withoutNulls } from "../../../lib/schema/without-nulls.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { presetAt } from "../../../models/presets.ts";
import { credentialsOf, identityOf, type UpstreamSettings } from "../../../models/upstream-settings.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { refuseField } from "../fields/refuse-field.ts";
import { findOwnUpstream } from "./find-upstream.ts";
import { refuseIdentity } from "./refuse-identity.ts";
import { upstreamFields } from "./upstream-fields.ts";
import { upstreamSchema, viewUpstream } from "./upstream-view.ts";

const { id: _id, dialect: _dialect, ...changeable } = upstreamFields;

const requestSchema = {
  title: "UpdateUpstreamRequest",
  type: "object",
  additionalProperties: false,
  properties: {
    ...changeable,
    preset: { ...changeable.preset, description: "The preset. The base URL stays." },
    credential: { ...credentialSchema, description: "The credential. Required with a new `base_url` when one is set." },
  },
} as const satisfies Schema;

type UpstreamChanges = Infer<typeof requestSchema>;

/** PATCH /api/upstreams/:id: updates the given fields, and null clears. Takes effect with the next request. */
export function updateUpstream(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/upstreams/:id",
    access: operators("upstreams:write"),
    operationId: "updateUpstream",
    summary: "Update an upstream. Only the given fields change. A new base URL requires the credential or the identity again.",
    body: requestSchema,
    reply: { status: 200, description: "The updated upstream.", json: upstreamSchema },
    async run({ body, param, change }) {
      const id = param("id");
      const { record } = await platform.catalog.updateUpstream(id, () => {
        const upstream = findOwnUpstream(id, platform);
        refuseHarvest(upstream, body);
        refuseHarvestOfHeaders(upstream, body, platform);
        const changed = changeUpstream(upstream, body);
        refuseIdentity(changed);
        const after = hasSecrets(body) ? describeWithNewCredentials(changed) : describeUpstream(changed);
        const what = { before: describeUpstream(upstream), after };
        return { record: changed, change: change("upstream.update", { kind: "upstream", id }, what) };
      });
      return viewUpstream(record, platform);
    },
  });
}

function changeUpstream(upstream: UpstreamSettings, changes: UpstreamChanges): UpstreamSettings {
  const {
    aws: _aws,
    google: _google,
    azure: _azure,
    ...declared
  } = changes.base_url === undefined ? fromUpstream(upstream) : withoutFoundPreset(upstream);
  const timeouts = changes.timeouts && { timeouts: { ...declared.timeouts, ...changes.timeouts } };
  const concurrency = changes.concurrency && { concurrency: { ...declared.concurrency, ...changes.concurrency } };
  const headers = { headers: changeHeaders(upstream.headers, changes.headers) ?? null };
  const place = derivedPlace(upstream, changes);
  const changed = toUpstream(withoutNulls({ ...declared, ...place, ...changes, ...timeouts, ...concurrency, ...headers }), refuseField);
  if (changed.dialect === "echo" || hasSecrets(changes)) return changed;
  return { ...changed, credentials: credentialsOf(upstream), identity: identityOf(upstream) };
}

/** A base URL that follows from the region of an identity, or from its project and location, changes with them. */
function derivedPlace(upstream: UpstreamSettings, { aws, google }: UpstreamChanges): { base_url?: string } {
  const { base_url: before, ...declared } = fromUpstream(upstream);
  if (before !== declaredAddress(declared)) return {};
  const derived = declaredAddress({ ...declared, ...(aws && { aws }), ...(google && { google }) });
  return derived === undefined ? {} : { base_url: derived };
}

/** Whether the changes replace the credentials or the identity, as a whole. */
function hasSecrets({ credential, credentials, aws, google, azure }: UpstreamChanges): boolean {
  return (credential ?? credentials ?? aws ?? google ?? azure) !== undefined;
}

/** A preset that was derived from the base URL changes with it; a chosen preset stays. */
function withoutFoundPreset(upstream: UpstreamSettings): DeclaredUpstream {
  const { preset, ...declared } = fromUpstream(upstream);
  const isChosen = preset && upstream.dialect !== "echo" && preset !== presetAt(upstream.baseUrl, upstream.dialect);
  return isChosen ? { ...declared, preset } : declared;
}

/** Someone who redirects an upstream to a server of their own must not receive what authorizes it, which another operator has set. */
function refuseHarvest(upstream: UpstreamSettings, changes: UpstreamChanges): void {
  if (upstream.dialect === "echo" || hasSecrets(changes)) return;
  const { base_url: baseUrl } = changes;
  if (baseUrl === undefined || baseUrl === upstream.baseUrl) return;
  const param = upstream.identity?.kind ?? (upstream.credentials.length > 0 ? "credential" : undefined);
  if (param === undefined) return;
  const message = `${param} is required with another base_url: it is not sent to a URL that it was not entered for. Alternatively remove it first.`;
  throw new ApiError("missing_required_parameter", message, { param });
}

/** The same for headers of the upstream, each of which is required, and for headers of routes to it. */
function refuseHarvestOfHeaders(upstream: UpstreamSettings, { base_url: baseUrl, headers }: UpstreamChanges, { catalog }: Platform): void {
  if (upstream.dialect === "echo" || baseUrl === undefined || baseUrl === upstream.baseUrl) return;
  const given = new Set(Object.keys(headers ?? {}).map((name) => name.toLowerCase()));
  const kept = headers === null ? undefined : namesOfHeaders(upstream.headers).find((name) => !given.has(name));
  if (kept !== undefined) {
    const message = `headers.${kept} is required with another base_url: it is not sent to a URL that it was not entered for. Alternatively remove it.`;
    throw new ApiError("missing_required_parameter", message, { param: `headers.${kept}` });
  }
  const model = modelWithHeadersTo(upstream.id, catalog.snapshot());
  if (!model) return;
  const message = `base_url cannot be changed while a route of the model ${model.id} to this upstream has headers: they were not entered for that URL. Remove them first.`;
  throw new ApiError("invalid_value", message, { param: "base_url" });
}
