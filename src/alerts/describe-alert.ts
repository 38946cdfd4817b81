import type { Alert } from "./alert.ts";

/** How urgent an alert is, as one of PagerDuty's severities. */
type Severity = "critical" | "error" | "warning" | "info";

/** An alert as text for people. It is plain text, which each channel escapes. */
export interface AlertText {
  /** For example `Low credit: Acme Inc.`. */
  readonly title: string;
  /** One sentence. */
  readonly summary: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly severity: Severity;
}

type Data = Alert["data"];

/** A title, a sentence and a severity for each kind. */
const TEXTS: Readonly<Record<Alert["kind"], { severity: Severity; title: (data: Data) => string; summary: (data: Data) => string }>> = {
  "credit.low": {
    severity: "warning",
    title: ({ account }) => `Low credit: ${nameOf(account)}`,
    summary: ({ account, credit, low_credit: limit }) =>
      `The account ${nameOf(account)} has $${text(credit)} left. ${limit === "0.00" ? "Requests are rejected." : `Its low-credit threshold is $${text(limit)}.`}`,
  },
  "cap.near": {
    severity: "warning",
    title: (data) => `Spend cap near: ${cappedIn(data)}`,
    summary: (data) => `${ofScope(data)} has spent $${text(data["spent"])} of its ${periodOf(data)} cap of $${text(data["cap"])}.`,
  },
  "cap.reached": {
    severity: "error",
    title: (data) => `Spend cap reached: ${cappedIn(data)}`,
    summary: (data) =>
      `${ofScope(data)} has reached its ${periodOf(data)} cap of $${text(data["cap"])}, with $${text(data["spent"])} spent. Requests are rejected.`,
  },
  "upstream.ejected": {
    severity: "critical",
    title: (data) => `Upstream ejected: ${routeOf(data)}`,
    summary: (data) =>
      `${text(data["recent_failures"])} of ${text(data["recent_calls"])} recent calls of ${routeOf(data)} failed. Its circuit breaker is open.`,
  },
  "upstream.restored": {
    severity: "info",
    title: (data) => `Upstream restored: ${routeOf(data)}`,
    summary: (data) => `${routeOf(data)} responds again.`,
  },
  "upstream.identity_failed": {
    severity: "critical",
    title: ({ upstream }) => `Identity failed: ${text(upstream)}`,
    summary: ({ upstream, failure }) => `The credentials of the upstream ${text(upstream)} cannot be obtained: ${text(failure)}.`,
  },
  "upstream.identity_restored": {
    severity: "info",
    title: ({ upstream }) => `Identity restored: ${text(upstream)}`,
    summary: ({ upstream }) => `The credentials of the upstream ${text(upstream)} were obtained again.`,
  },
  "upstream.usage_implausible": {
    severity: "error",
    title: ({ upstream }) => `Implausible usage: ${text(upstream)}`,
    summary: ({ upstream, count }) =>
      `The upstream ${text(upstream)} reports token counts that its requests and responses cannot have. They are not charged. Responses since startup: ${text(count)}.`,
  },
  "upstream.usage_unpriced": {
    severity: "error",
    title: ({ upstream }) => `Usage without a price: ${text(upstream)}`,
    summary: ({ upstream, fields, count }) =>
      `The upstream ${text(upstream)} reports usage that is not charged, because no price has it: ${text(fields)}. Responses since startup: ${text(count)}.`,
  },
  "model.retiring": {
    severity: "warning",
    title: ({ model }) => `Model retiring: ${text(model)}`,
    summary: ({ model, shutdown_date: date, keys_in_last_7_days: keys }) =>
      `The model ${text(model)} shuts down on ${text(date)}, and is still used. Keys in the last 7 days: ${text(keys)}.`,
  },
  "model.sold_below_cost": {
    severity: "warning",
    title: ({ model }) => `Sold below cost: ${text(model)}`,
    summary: ({ model, count }) =>
      `The model ${text(model)} is sold below what an upstream charges. Prices and routes concerned: ${text(count)}.`,
  },
  "key.unusual_spend": {
    severity: "error",
    title: ({ key }) => `Unusual spend: ${nameOf(key)}`,
    summary: ({ key, spent, usual_hour: usual }) =>
      `The key ${nameOf(key)} has spent $${text(spent)} in an hour. Its usual hour is $${text(usual)}.`,
  },
  "webhook.test": {
    severity: "info",
    title: () => "Test message",
    summary: ({ webhook }) => `Alerts of Tollgate arrive here, by ${nameOf(webhook)}.`,
  },
};

export function describeAlert({ kind, data }: Pick<Alert, "kind" | "data">): AlertText {
  const { severity, title, summary } = TEXTS[kind];
  return { severity, title: oneLine(title(data)), summary: oneLine(summary(data)), facts: factsIn(data) };
}

/** The fields of an alert: `Account: Acme Inc. (acme)`. Lists of objects are omitted, because they are too long for a chat. */
function factsIn(data: Data): [name: string, value: string][] {
  return Object.entries(data).flatMap(([field, value]): [string, string][] => {
    const shown = Array.isArray(value) ? value.filter((each) => typeof each !== "object").join(", ") : formatFact(value);
    return shown === "" ? [] : [[wordsOf(field), oneLine(shown)]];
  });
}

function formatFact(value: unknown): string {
  const { id } = fieldsOf(value);
  return id === undefined ? text(value) : `${nameOf(value)} (${text(id)})`;
}

/** `low_credit` is `Low credit`. */
function wordsOf(field: string): string {
  const words = field.replaceAll("_", " ");
  return words[0]!.toUpperCase() + words.slice(1);
}

function nameOf(resource: unknown): string {
  const { name, id } = fieldsOf(resource);
  return text(name ?? id);
}

function cappedIn(data: Data): string {
  return nameOf(data[text(data["scope"])]);
}

function ofScope(data: Data): string {
  return `The ${text(data["scope"])} ${cappedIn(data)}`;
}

function periodOf({ period }: Data): string {
  return { day: "daily", month: "monthly" }[text(period)] ?? text(period);
}

function routeOf({ upstream, upstream_model: model }: Data): string {
  return `${text(model)} at ${text(upstream)}`;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Replaces line breaks. Names may contain any text, which must not start a new line, or a header of an email. */
function oneLine(words: string): string {
  return words.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
