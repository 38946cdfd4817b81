import type { Webhook } from "../../../../platform-client/types.ts";

export type AlertKind = NonNullable<Webhook["alerts"]>[number];

interface AlertDescription {
  readonly title: string;
  readonly about: string;
}

/** The alert types; docs/alerts.md describes them in full. */
export const ALERT_DESCRIPTIONS: Readonly<Record<AlertKind, AlertDescription>> = {
  "credit.low": { title: "Low credit", about: "An account's balance fell below its low-credit threshold, or all credit is spent." },
  "cap.near": { title: "Spend cap at 80%", about: "An account or a key has spent 80% of a spend cap." },
  "cap.reached": { title: "Spend cap reached", about: "A spend cap is used up, or has rejected a request." },
  "upstream.ejected": {
    title: "Upstream ejected",
    about: "The circuit breaker opened: a route kept failing and receives no requests until it recovers.",
  },
  "upstream.restored": { title: "Upstream recovered", about: "An ejected route has responded again." },
  "upstream.identity_failed": {
    title: "Identity failed",
    about:
      "The credentials of an upstream's identity at a cloud cannot be obtained, or expire within five minutes and cannot be refreshed.",
  },
  "upstream.identity_restored": { title: "Identity recovered", about: "The credentials of an identity were obtained again." },
  "upstream.usage_implausible": {
    title: "Implausible usage",
    about: "An upstream reports token counts that its requests and responses cannot have. An estimate or the bound is charged instead.",
  },
  "upstream.usage_unpriced": {
    title: "Usage without a price",
    about: "An upstream reports usage that the gateway does not know, or that the model's price does not have. It is not charged.",
  },
  "model.retiring": {
    title: "Model retirement",
    about: "A deprecated model that keys still use shuts down in 30, 7 or 1 days, or today.",
  },
  "model.sold_below_cost": {
    title: "Sold below cost",
    about: "The price of a model, by default or in a price list, is below what a provider charges for it.",
  },
  "key.unusual_spend": {
    title: "Unusual spend",
    about: "A key spent more than ten times its usual hourly amount, and at least $1, within an hour.",
  },
};

export const ALERT_KINDS = Object.keys(ALERT_DESCRIPTIONS) as readonly AlertKind[];

/** The title of an alert type. An unknown type of a newer platform keeps its API name. */
export function alertTitle(kind: string): string {
  if (kind === "webhook.test") return "Test";
  return Object.hasOwn(ALERT_DESCRIPTIONS, kind) ? ALERT_DESCRIPTIONS[kind as AlertKind].title : kind;
}

/** The alert types of a webhook, for a table cell. */
export function formatAlertKinds(alerts: Webhook["alerts"]): string {
  if (alerts === null) return "All";
  return alerts.length === 1 ? alertTitle(alerts[0]!) : `${alerts.length} types`;
}
