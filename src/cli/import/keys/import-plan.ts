import { createHash } from "node:crypto";
import { withoutSpaces } from "../litellm/references.ts";
import { MODEL_PATTERN } from "../../../models/model-id.ts";
import { type NamedRates, NO_LIMITS, viewRates } from "../../../money/limits.ts";
import { formatDollars, MAX_NANOS, type Nanos } from "../../../money/money.ts";

/** The gateway that keys come from. */
export type SourceKind = "litellm" | "one-api" | "new-api";

export interface PlannedCaps {
  readonly day: string | null;
  readonly month: string | null;
  readonly total: string | null;
}

/** The spend at the other gateway in the current day and month. */
export interface PlannedCarriedSpend {
  readonly day: { readonly amount: string; readonly until: string } | null;
  readonly month: { readonly amount: string; readonly until: string } | null;
}

export interface PlannedAccount {
  readonly id: string;
  readonly name: string;
  readonly models: readonly string[];
  readonly limits: NamedRates;
  readonly caps: PlannedCaps;
  readonly carried_spend?: PlannedCarriedSpend | null;
  readonly credit_line: "unlimited" | null;
  /** The remaining credit at the other gateway. Undefined for an account that is billed afterwards. */
  readonly creditNanos: Nanos | undefined;
}

/** A key in the format of `POST /api/imports/keys`. */
export interface PlannedKey {
  readonly sha256: string;
  readonly name: string;
  readonly account: string;
  readonly models: readonly string[];
  readonly limits: NamedRates;
  readonly caps: PlannedCaps;
  readonly carried_spend?: PlannedCarriedSpend | null;
  readonly created_at?: string;
  readonly expires_at: string | null;
  readonly paused: boolean;
}

/** A key that the source has but rejects. If an earlier import created it here, it is paused. */
export interface RejectedKey {
  readonly sha256: string;
  readonly why: string;
}

export interface ImportPlan {
  readonly from: SourceKind;
  readonly accounts: readonly PlannedAccount[];
  readonly keys: readonly PlannedKey[];
  readonly rejected: readonly RejectedKey[];
  readonly report: ImportReport;
  /** Upstreams and models, if the other gateway stores them in its database. */
  readonly config?: { readonly yaml: string; readonly environment: string } | undefined;
}

/** The resources that were not imported, or were changed, grouped by reason. */
export class ImportReport {
  readonly #subjects = new Map<string, string[]>();

  add(why: string, subject: string): void {
    const known = this.#subjects.get(why);
    if (known) known.push(subject);
    else this.#subjects.set(why, [subject]);
  }

  /** Like `add`, for a resource that is not in the plan. */
  omit(why: string, subject: string): undefined {
    this.add(why, subject);
    return undefined;
  }

  get notes(): readonly { readonly why: string; readonly count: number; readonly subjects: readonly string[] }[] {
    return [...this.#subjects].map(([why, subjects]) => ({ why, count: subjects.length, subjects }));
  }
}

export const NO_PLANNED_LIMITS = viewRates(NO_LIMITS);
export const NO_PLANNED_CAPS: PlannedCaps = { day: null, month: null, total: null };

const MAX_MODELS = 200;
const MAX_NAME = 100;
/** A placeholder that allows no model, because an allow-list cannot be empty. */
export const NO_MODEL = "no-model";

/** The ID of an account. It is derived only from the ID at the other gateway, so that a second import finds the account again. */
export function accountIdOf(kind: "team" | "user", id: string): string {
  if (/^[a-z0-9._-]{1,50}$/.test(id)) return `${kind}-${id}`;
  const readable = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  return `${kind}-${readable}-${createHash("sha256").update(id).digest("hex").slice(0, 8)}`;
}

/** The first usable name, truncated to the limits of the platform. */
export function nameOf(...candidates: readonly (string | null)[]): string {
  const name = candidates.find((each) => each !== null && each.trim() !== "") ?? "imported";
  return name
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, MAX_NAME);
}

/** The entries that can be in an allow-list; all models if the list is empty. */
export function modelsOf(models: readonly string[], subject: string, report: ImportReport): readonly string[] {
  const ids = models.map(withoutSpaces);
  const valid = ids.filter((model) => new RegExp(MODEL_PATTERN).test(model) && model.length <= 200);
  if (valid.length < models.length) report.add("names of models that cannot be in an allow-list were omitted", subject);
  if (valid.length > MAX_MODELS) report.add(`only the first ${MAX_MODELS} models of its list were imported`, subject);
  if (models.length === 0) return ["*"];
  return valid.length === 0 ? [NO_MODEL] : valid.slice(0, MAX_MODELS);
}

/** A limit that is a whole number above zero; null for no limit. */
export function limitOf(value: number | null): number | null {
  return value === null || value < 1 ? null : Math.min(Math.floor(value), 1_000_000_000);
}

/** An amount in nano-dollars. The other gateways store dollars as binary fractions. */
export function nanosOf(dollars: number): Nanos {
  const nanos = BigInt(Math.round(Math.min(Math.max(dollars, 0), 1e9) * 1e9));
  return nanos < MAX_NANOS ? nanos : MAX_NANOS - 1n;
}

export function dollarsOf(dollars: number): string {
  return formatDollars(nanosOf(dollars));
}
