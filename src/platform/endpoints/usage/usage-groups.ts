import type { UsageDimension } from "../../../stores/ledger/ledger-record-store.ts";
import type { Actor } from "../../../access/access.ts";
import type { CalendarUnit } from "../../../lib/time/calendar.ts";
import { ApiError } from "../../../requests/api-error.ts";

const UNITS: readonly string[] = ["hour", "day"] satisfies CalendarUnit[];
const DIMENSIONS: readonly string[] = ["model", "key", "account", "upstream"] satisfies UsageDimension[];
const GROUPS = [...UNITS, ...DIMENSIONS];

/** The grouping of a report. */
export interface UsageGroups {
  readonly unit: CalendarUnit | undefined;
  readonly dimensions: readonly UsageDimension[];
}

export function readGroups(by: string, { role }: Actor): UsageGroups {
  const groups = by.split(",");
  const units = groups.filter((group) => UNITS.includes(group));
  if (groups.length > 2 || new Set(groups).size < groups.length || !groups.every((group) => GROUPS.includes(group))) {
    throw refusal(`must be one or two of ${GROUPS.join(", ")}, such as day,model`);
  }
  if (units.length > 1) throw refusal("cannot have both hour and day");
  if (groups.includes("upstream") && role !== "operator") throw refusal("cannot be upstream: only operators see upstreams");
  const dimensions = groups.filter((group) => DIMENSIONS.includes(group));
  return { unit: units[0] as CalendarUnit | undefined, dimensions: dimensions as UsageDimension[] };
}

function refusal(problem: string): ApiError {
  return new ApiError("invalid_value", `by ${problem}.`, { param: "by" });
}
