import { randomBase62 } from "../lib/text/base62.ts";

/** The kinds of alerts. Each is explained in docs/alerts.md. */
export const ALERT_KINDS = [
  "credit.low",
  "cap.near",
  "cap.reached",
  "upstream.ejected",
  "upstream.restored",
  "upstream.identity_failed",
  "upstream.identity_restored",
  "upstream.usage_implausible",
  "upstream.usage_unpriced",
  "model.retiring",
  "model.sold_below_cost",
  "key.unusual_spend",
] as const;

export type AlertKind = (typeof ALERT_KINDS)[number];

/** The kind of test messages for webhooks. Test messages are always sent, so this kind cannot be deselected. */
export const TEST_KIND = "webhook.test";

/** An alert. Its data contains ids and names of the operators' own resources, and no secret. */
export interface Alert {
  /** The id is the same for every attempt and every receiver, so that receivers can deduplicate. */
  readonly id: string;
  readonly kind: AlertKind | typeof TEST_KIND;
  readonly atMs: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** The id of the resolved alert, in the message that resolves it at a pager. */
  readonly resolves?: string | undefined;
}

export function makeAlert(kind: Alert["kind"], data: Alert["data"], atMs: number): Alert {
  return { id: `msg_${randomBase62(24)}`, kind, atMs, data };
}

/** The webhook payload, in the form that the Standard Webhooks specification recommends. */
export function bodyOfAlert({ kind, atMs, data, resolves }: Alert): string {
  return JSON.stringify({ type: kind, timestamp: new Date(atMs).toISOString(), data, resolves });
}
