import type { CreateWebhookRequest, Webhook } from "../../../../platform-client/types.ts";
import { ALERT_KINDS, type AlertKind } from "./format-alert.ts";

/** The state of the webhook form. */
export interface WebhookDraft {
  readonly name: string;
  readonly url: string;
  readonly isPrivate: boolean;
  readonly isAll: boolean;
  /** The selected types, kept while "All alerts" is selected, in case the user switches back. */
  readonly kinds: readonly AlertKind[];
}

export const NEW_WEBHOOK: WebhookDraft = { name: "", url: "", isPrivate: false, isAll: true, kinds: [] };

export function draftOf({ name, url, allow_private, alerts }: Webhook): WebhookDraft {
  return { name, url, isPrivate: allow_private, isAll: alerts === null, kinds: alerts ?? [] };
}

/** The request body of the API. */
export function toRequest({ name, url, isPrivate, isAll, kinds }: WebhookDraft): CreateWebhookRequest {
  return { name, url: url.trim(), allow_private: isPrivate, alerts: isAll ? null : ALERT_KINDS.filter((kind) => kinds.includes(kind)) };
}
