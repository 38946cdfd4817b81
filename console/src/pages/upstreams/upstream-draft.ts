import type { CreateUpstreamRequest, Provider, UpdateUpstreamRequest, Upstream } from "../../../../platform-client/types.ts";
import { editedHeaders, headersDraftOf, type HeaderDraft } from "../../parts/inputs/headers-draft.ts";
import { editedTimeouts, parseInteger, timeoutsDraftOf, type TimeoutsDraft } from "./handling/timeouts-draft.ts";
import type { UnknownParameters } from "./handling/unknown-parameters-field.tsx";
import { authorizationOf, identityDraftOf, toIdentity, type Authorization, type IdentityDraft } from "./identity-draft.ts";

/** An upstream in the create form. */
export interface UpstreamDraft {
  /** The ID of a provider, or empty for a custom server. */
  readonly provider: string;
  readonly dialect: "openai" | "responses" | "anthropic" | "gemini" | "bedrock";
  readonly id: string;
  readonly baseUrl: string;
  /** Empty for the preset's version. */
  readonly apiVersion: string;
  readonly authorization: Authorization;
  readonly credential: string;
  readonly identity: IdentityDraft;
  readonly allowsPrivate: boolean;
  readonly headers: readonly HeaderDraft[];
}

/** Whether requests name a version of the Azure API. */
export function hasApiVersion(preset: string | null | undefined): boolean {
  return preset === "azure" || preset === "azure-deployments";
}

/** Chooses a provider. ID and base URL follow, unless they were edited. */
export function withProvider(draft: UpstreamDraft, chosen: Provider | undefined, before: Provider | undefined): UpstreamDraft {
  return {
    ...draft,
    provider: chosen?.id ?? "",
    id: draft.id === "" || draft.id === before?.id ? (chosen?.id ?? "") : draft.id,
    baseUrl: draft.baseUrl === "" || draft.baseUrl === before?.base_url ? (chosen?.base_url ?? "") : draft.baseUrl,
    allowsPrivate: chosen ? !chosen.needs_credential : draft.allowsPrivate,
  };
}

/** Advice about `{region}` in the base URL of a provider. AWS and Google identities have a field for the region. */
export function hintOfPlaceholders(baseUrl: string, authorization: Authorization): string | undefined {
  const placeholders = [...new Set(baseUrl.match(/\{\w+\}/g))].join(" and ");
  if (placeholders === "") return undefined;
  return authorization === "aws" || authorization === "google"
    ? `Leave ${placeholders}: filled in from the fields below.`
    : `Replace ${placeholders} with your own.`;
}

export function toCreate(draft: UpstreamDraft, provider: Provider | undefined): CreateUpstreamRequest {
  const baseUrl = draft.baseUrl.trim();
  return {
    id: draft.id.trim(),
    ...(provider ? { preset: provider.id } : { dialect: draft.dialect }),
    ...(baseUrl !== provider?.base_url && { base_url: baseUrl }),
    ...(hasApiVersion(provider?.id) && draft.apiVersion.trim() !== "" && { api_version: draft.apiVersion.trim() }),
    ...(draft.allowsPrivate && { allow_private: true }),
    ...editedHeaders(draft.headers, []),
    ...toAuthorization(draft.authorization, draft),
  };
}

/** The credential, or the identity. */
function toAuthorization(
  authorization: Authorization,
  { credential, identity }: Pick<UpstreamDraft, "credential" | "identity">,
): Pick<CreateUpstreamRequest, "credential" | "aws" | "google" | "azure"> {
  if (authorization !== "credential") return toIdentity(authorization, identity);
  return credential === "" ? {} : { credential: credential.trim() };
}

export interface UpstreamEdit {
  readonly baseUrl: string;
  /** Empty for the preset's version. */
  readonly apiVersion: string;
  /** Undefined while the authorization is unchanged. */
  readonly authorization: Authorization | undefined;
  readonly identity: IdentityDraft;
  readonly credential: string;
  readonly allowsPrivate: boolean;
  readonly maxCalls: string;
  readonly maxQueued: string;
  readonly maxWait: string;
  readonly timeouts: TimeoutsDraft;
  readonly unknownParameters: UnknownParameters;
  readonly organization: string;
  readonly project: string;
  readonly headers: readonly HeaderDraft[];
}

export function editOf(upstream: Upstream): UpstreamEdit {
  const { base_url: baseUrl, allow_private: allowsPrivate, concurrency } = upstream;
  const { max_calls: maxCalls, max_queued: maxQueued, max_wait_ms: maxWait } = concurrency ?? {};
  return {
    baseUrl: baseUrl ?? "",
    apiVersion: upstream.api_version ?? "",
    authorization: undefined,
    credential: "",
    identity: identityDraftOf(upstream),
    allowsPrivate,
    maxCalls: String(maxCalls ?? ""),
    maxQueued: String(maxQueued ?? ""),
    maxWait: String(maxWait ?? ""),
    timeouts: timeoutsDraftOf(upstream.timeouts),
    unknownParameters: upstream.unknown_parameters ?? "",
    organization: upstream.organization ?? "",
    project: upstream.project ?? "",
    headers: headersDraftOf(upstream.headers),
  };
}

/** The authorization that the form requires. A new base URL needs the credential or the identity again. */
export function editedAuthorization(edit: UpstreamEdit, initial: Upstream): Authorization | undefined {
  const hasNewUrl = edit.baseUrl.trim() !== (initial.base_url ?? "");
  return edit.authorization ?? (hasNewUrl ? authorizationOf(initial) : undefined);
}

/** Only the fields that were edited, so that a concurrent change of other fields is not undone. */
export function toUpdate(edit: UpstreamEdit, initial: Upstream): UpdateUpstreamRequest {
  const before = editOf(initial);
  const authorization = editedAuthorization(edit, initial);
  const concurrency = {
    ...(edit.maxCalls !== before.maxCalls && { max_calls: parseInteger(edit.maxCalls) }),
    ...(edit.maxQueued !== before.maxQueued && { max_queued: parseInteger(edit.maxQueued) }),
    ...(edit.maxWait !== before.maxWait && { max_wait_ms: parseInteger(edit.maxWait) }),
  };
  const timeouts = editedTimeouts(edit.timeouts, before.timeouts);
  return {
    ...(edit.baseUrl.trim() !== before.baseUrl && { base_url: edit.baseUrl.trim() }),
    ...(edit.apiVersion.trim() !== before.apiVersion && { api_version: edit.apiVersion.trim() || null }),
    ...(edit.allowsPrivate !== before.allowsPrivate && { allow_private: edit.allowsPrivate }),
    ...(authorization && toAuthorization(authorization, edit)),
    ...(Object.keys(concurrency).length > 0 && { concurrency }),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
    ...(edit.unknownParameters !== before.unknownParameters && { unknown_parameters: edit.unknownParameters || null }),
    ...(edit.organization.trim() !== before.organization && { organization: edit.organization.trim() || null }),
    ...(edit.project.trim() !== before.project && { project: edit.project.trim() || null }),
    ...editedHeaders(edit.headers, initial.headers),
  };
}
