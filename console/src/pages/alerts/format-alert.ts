import type { Webhook } from "../../platform/interface.ts";

export type AlertKind = NonNullable<Webhook["alerts"]>[number];

interface Words {
  readonly title: string;
  readonly about: string;
}

/** What each kind of alert tells, as docs/alerts.md has it in full. */
export const ALERT_DESCRIPTIONS: Readonly<Record<AlertKind, Words>> = {
  "credit.low": { title: "Credit is low", about: "An account fell below its low credit, or all of its credit is spent." },
  "cap.near": { title: "A cap is near", about: "An account or a key has spent four fifths of a cap." },
  "cap.reached": { title: "A cap is reached", about: "All of a cap is spent, or it has refused a request." },
  "upstream.ejected": {
    title: "An upstream is left out",
    about: "A model at an upstream failed so often that no request goes there for now.",
  },
  "upstream.restored": { title: "An upstream is back", about: "One that was left out has answered again." },
  "model.retiring": {
    title: "A model will be retired",
    about: "A deprecated model that keys still use has 30, 7 or 1 days left, or its day has come.",
  },
  "key.unusual_spend": {
    title: "A key spends unusually much",
    about: "In one hour, more than ten times its usual hour, and at least a dollar.",
  },
};

export const ALERT_KINDS = Object.keys(ALERT_DESCRIPTIONS) as readonly AlertKind[];

/** A kind in words. One that this console does not know yet is called what the platform calls it. */
export function alertTitle(kind: string): string {
  if (kind === "webhook.test") return "A test";
  return Object.hasOwn(ALERT_DESCRIPTIONS, kind) ? ALERT_DESCRIPTIONS[kind as AlertKind].title : kind;
}

/** What a webhook is sent, in a word or two. */
export function formatAlertKinds(alerts: Webhook["alerts"]): string {
  if (alerts === null) return "All";
  return alerts.length === 1 ? alertTitle(alerts[0]!) : `${alerts.length} kinds`;
}
