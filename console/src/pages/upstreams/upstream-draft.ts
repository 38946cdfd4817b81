import type { CreateUpstreamRequest, Provider, UpdateUpstreamRequest, Upstream } from "../../platform/interface.ts";

/** An upstream while it is typed. */
export interface UpstreamDraft {
  /** The id of a provider, or empty for another server. */
  readonly provider: string;
  readonly dialect: "openai" | "anthropic" | "gemini";
  readonly id: string;
  readonly address: string;
  readonly credential: string;
  readonly allowsPrivate: boolean;
}

/** Chooses a provider. The name and the address follow, unless they were typed already. */
export function withProvider(draft: UpstreamDraft, chosen: Provider | undefined, before: Provider | undefined): UpstreamDraft {
  return {
    ...draft,
    provider: chosen?.id ?? "",
    id: draft.id === "" || draft.id === before?.id ? (chosen?.id ?? "") : draft.id,
    address: draft.address === "" || draft.address === before?.base_url ? (chosen?.base_url ?? "") : draft.address,
    allowsPrivate: chosen ? !chosen.needs_credential : draft.allowsPrivate,
  };
}

export function toCreate(draft: UpstreamDraft, provider: Provider | undefined): CreateUpstreamRequest {
  const address = draft.address.trim();
  return {
    id: draft.id.trim(),
    ...(provider ? { preset: provider.id } : { dialect: draft.dialect }),
    ...(address !== provider?.base_url && { base_url: address }),
    ...(draft.allowsPrivate && { allow_private: true }),
    ...(draft.credential !== "" && { credential: draft.credential.trim() }),
  };
}

export interface UpstreamEdit {
  readonly address: string;
  readonly credential: string;
  readonly allowsPrivate: boolean;
  readonly maxCalls: string;
  readonly maxQueued: string;
}

export function editOf({ base_url: address, allow_private: allowsPrivate, concurrency }: Upstream): UpstreamEdit {
  const { max_calls: maxCalls, max_queued: maxQueued } = concurrency ?? {};
  return { address: address ?? "", credential: "", allowsPrivate, maxCalls: String(maxCalls ?? ""), maxQueued: String(maxQueued ?? "") };
}

/** What was changed since the edit was begun, and nothing else: a change of somebody else meanwhile is not undone. */
export function toUpdate(edit: UpstreamEdit, begun: Upstream): UpdateUpstreamRequest {
  const before = editOf(begun);
  const concurrency = {
    ...(edit.maxCalls !== before.maxCalls && { max_calls: wholeNumber(edit.maxCalls) }),
    ...(edit.maxQueued !== before.maxQueued && { max_queued: wholeNumber(edit.maxQueued) }),
  };
  return {
    ...(edit.address.trim() !== before.address && { base_url: edit.address.trim() }),
    ...(edit.allowsPrivate !== before.allowsPrivate && { allow_private: edit.allowsPrivate }),
    ...(edit.credential !== "" && { credential: edit.credential.trim() }),
    ...(Object.keys(concurrency).length > 0 && { concurrency }),
  };
}

/** What is no number is sent as it is: the platform says what is wrong with it. */
function wholeNumber(text: string): number {
  return /^\d+$/.test(text.trim()) ? Number(text) : (text as unknown as number);
}
