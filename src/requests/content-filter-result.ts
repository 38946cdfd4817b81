import { isObject } from "../lib/schema/schema.ts";

/** What the content filter of Azure found in a prompt, by category, such as `violence` and `jailbreak`. */
export type ContentFilterResult = Readonly<Record<string, ContentFilterFinding>>;

interface ContentFilterFinding {
  readonly filtered?: boolean;
  readonly detected?: boolean;
  readonly severity?: string;
}

const WORD = /^[a-z_]{1,40}$/;
const MAX_CATEGORIES = 32;

/**
 * The findings for the caller: only words and booleans. Other texts may reveal details of the operator, such as the names of its
 * blocklists.
 */
export function toContentFilterResult(value: unknown): ContentFilterResult | undefined {
  if (!isObject(value)) return undefined;
  const categories = Object.entries(value).filter(([name, finding]) => WORD.test(name) && isObject(finding));
  const findings = categories
    .slice(0, MAX_CATEGORIES)
    .map(([name, finding]) => [name, toFinding(finding as Record<string, unknown>)] as const);
  return findings.length === 0 ? undefined : Object.fromEntries(findings);
}

function toFinding({ filtered, detected, severity }: Record<string, unknown>): ContentFilterFinding {
  return {
    ...(typeof filtered === "boolean" && { filtered }),
    ...(typeof detected === "boolean" && { detected }),
    ...(typeof severity === "string" && WORD.test(severity) && { severity }),
  };
}
