import type { UsageDimension } from "../../../stores/ledger/ledger-record-store.ts";
import type { Actor } from "../../../access/access.ts";
import { TAG_NAME } from "../../../money/tag-names.ts";
import type { CalendarUnit } from "../../../lib/time/calendar.ts";
import { tagOf, type AttributionDimension } from "../../../money/attribution.ts";
import { ApiError } from "../../../requests/api-error.ts";

const UNITS: readonly string[] = ["hour", "day"] satisfies CalendarUnit[];
const DIMENSIONS: readonly string[] = ["model", "key", "account", "upstream"] satisfies UsageDimension[];
/** Alone, without another group. */
const HOUR_OF_WEEK = "hour_of_week";
const GROUPS = [...UNITS, HOUR_OF_WEEK, ...DIMENSIONS, "user", "conversation", "tag:NAME"];
const TAG = new RegExp(TAG_NAME);

/** The grouping of a report. */
export interface UsageGroups {
  readonly unit: CalendarUnit | undefined;
  /** The hours of all weeks are added up by weekday and time of day. */
  readonly isByHourOfWeek: boolean;
  readonly dimensions: readonly UsageDimension[];
  /** What the dimension `attributed` stands for. */
  readonly attribution: AttributionDimension | undefined;
}

export function readGroups(by: string, { role }: Actor): UsageGroups {
  if (by === HOUR_OF_WEEK) return { unit: "hour", isByHourOfWeek: true, dimensions: [], attribution: undefined };
  const groups = by.split(",");
  const units = groups.filter((group) => UNITS.includes(group));
  const attributions = groups.filter(isAttribution);
  const isKnown = (group: string): boolean => UNITS.includes(group) || DIMENSIONS.includes(group) || isAttribution(group);
  if (groups.length > 2 || new Set(groups).size < groups.length || !groups.every(isKnown)) {
    throw refusal(`must be one or two of ${GROUPS.join(", ")}, such as day,model`);
  }
  if (units.length > 1) throw refusal("cannot have both hour and day");
  if (groups.includes("upstream") && role !== "operator") throw refusal("cannot be upstream: only operators see upstreams");
  if (attributions.length > 1) throw refusal("can have only one of user, conversation and a tag");
  const dimensions = groups.filter((group) => !UNITS.includes(group)).map((group) => (isAttribution(group) ? "attributed" : group));
  return {
    unit: units[0] as CalendarUnit | undefined,
    isByHourOfWeek: false,
    dimensions: dimensions as UsageDimension[],
    attribution: attributions[0],
  };
}

function isAttribution(group: string): group is AttributionDimension {
  return group === "user" || group === "conversation" || TAG.test(tagOf(group as AttributionDimension) ?? "");
}

/** The field of a row for a dimension. */
export function fieldOf(dimension: UsageDimension, attribution: AttributionDimension | undefined): string {
  if (dimension !== "attributed") return dimension;
  return attribution === "user" || attribution === "conversation" ? attribution : "tag";
}

function refusal(problem: string): ApiError {
  return new ApiError("invalid_value", `by ${problem}.`, { param: "by" });
}
