import { randomBase62 } from "../lib/text/base62.ts";

/** What operators can be told of. Each is explained in docs/alerts.md. */
export const ALERT_KINDS = [
  "credit.low",
  "cap.near",
  "cap.reached",
  "upstream.ejected",
  "upstream.restored",
  "model.retiring",
  "key.unusual_spend",
] as const;

export type AlertKind = (typeof ALERT_KINDS)[number];

/** Of the button that tries a webhook. Nobody can do without it, so it is nothing to choose. */
export const TEST_KIND = "webhook.test";

/** Something that has come up. What is told has ids and names of the operators' own things in it, and no secret. */
export interface Alert {
  /** The same at every try and for every receiver, who can tell by it what came twice. */
  readonly id: string;
  readonly kind: AlertKind | typeof TEST_KIND;
  readonly atMs: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export function makeAlert(kind: Alert["kind"], data: Alert["data"], atMs: number): Alert {
  return { id: `msg_${randomBase62(24)}`, kind, atMs, data };
}

/** What is sent, in the form that the Standard Webhooks specification recommends. */
export function bodyOfAlert({ kind, atMs, data }: Alert): string {
  return JSON.stringify({ type: kind, timestamp: new Date(atMs).toISOString(), data });
}
