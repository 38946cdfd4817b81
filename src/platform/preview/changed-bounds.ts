import type { Caps, Limits, Parts, PeriodCaps, RateLimits } from "../../money/limits.ts";

/** The limits that a change sets. Unchanged values become null, and unchanged parts are omitted. */
export function changedLimits(before: Limits, after: Limits): Limits {
  const { perUser, perTag, ...own } = after;
  return { ...onlyChanged<RateLimits>(before, own), ...changedParts<RateLimits>(before, { perUser, perTag }) };
}

export function changedCaps(before: Caps, after: Caps): Caps {
  const { perUser, perTag, ...own } = after;
  return { ...onlyChanged(before, own), ...changedParts<PeriodCaps>(before, { perUser, perTag }) };
}

function changedParts<Part extends object>(before: Parts<Part>, { perUser, perTag }: Parts<Part>): Parts<Part> {
  const tags = Object.entries(perTag ?? {}).map(([name, part]) => [name, onlyChanged(before.perTag?.[name], part)] as const);
  const changedTags = tags.filter(([, part]) => isAnySet(part));
  const ofUser = perUser && onlyChanged(before.perUser, perUser);
  return {
    ...(ofUser && isAnySet(ofUser) && { perUser: ofUser }),
    ...(changedTags.length > 0 && { perTag: Object.fromEntries(changedTags) }),
  };
}

function onlyChanged<T extends object>(before: T | undefined, after: T): T {
  const names = Object.keys(after) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, after[name] === before?.[name] ? null : after[name]])) as unknown as T;
}

function isAnySet(part: object): boolean {
  return Object.values(part).some((value) => value !== null);
}
