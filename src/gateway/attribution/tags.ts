import { spanOfOmitted } from "../../lib/json/omitted-text.ts";
import { headerText } from "../../lib/text/byte-text.ts";
import type { Tags } from "../../money/attribution.ts";
import { MAX_TAG_VALUE, MAX_TAGS, TAG_NAME, TAG_NAME_IN_WORDS } from "../../money/tag-names.ts";
import { ApiError } from "../../requests/api-error.ts";
import { storedName } from "../../access/stored-identity.ts";

const HEADER = "x-tollgate-tags";
const NAME = new RegExp(TAG_NAME);

/** The tags of recent headers. Most requests of a client have the same ones. */
const recent = new Map<string, Tags>();
const MAX_RECENT = 1000;

/** The tags in a header such as `team=search,env=prod`. Throws a 400 that names the first one that cannot be read. */
export function readTags(header: string): Tags {
  const known = recent.get(header);
  if (known) return known;
  const tags = inOrder(parseTags(header));
  if (recent.size >= MAX_RECENT) recent.clear();
  recent.set(header, tags);
  return tags;
}

/** By name, so that equal tags are stored as equal texts. */
export function inOrder(tags: Tags): Tags {
  return Object.fromEntries(Object.entries(tags).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function parseTags(header: string): Tags {
  const tags: Record<string, string> = {};
  for (const part of headerText(header).split(",")) {
    const at = part.indexOf("=");
    const name = part.slice(0, Math.max(at, 0)).trim();
    const value = part.slice(at + 1).trim();
    if (name === "") throw refused(`has ${quoted(part.trim())}, which is not name=value`);
    if (!NAME.test(name)) throw refused(`has the tag name ${quoted(name)}, and a name is ${TAG_NAME_IN_WORDS}`);
    if (value === "") throw refused(`has no value for ${name}`);
    if (value.length > MAX_TAG_VALUE)
      throw refused(`has a value of ${value.length} characters for ${name}, and a value may have ${MAX_TAG_VALUE}`);
    if (Object.hasOwn(tags, name)) throw refused(`names ${name} twice`);
    tags[name] = storedName(value, "tag");
  }
  refuseTooMany(Object.keys(tags).length, "has");
  return tags;
}

/** `whose` tags they are: those of the header alone, or with those of `metadata`. */
export function refuseTooMany(count: number, whose: "has" | "and metadata together have"): void {
  if (count > MAX_TAGS) throw refused(`${whose} ${count} tags, and a request may have ${MAX_TAGS}`);
}

/** A value of `metadata` as a tag. Values that are not plain are not tags. */
export function tagValue(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? storedName(value, "tag") : undefined;
}

/** The tags in a list such as `["team:search"]`, as LiteLLM's clients send it in `metadata.tags`. Other texts have no name and are not tags. */
export function listedTags(list: unknown): [name: string, value: string][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((each: unknown): [string, string][] => {
    const [, name, value] = (typeof each === "string" && !spanOfOmitted(each) && /^([^:=]+)[:=](.+)$/s.exec(each)) || [];
    return name === undefined ? [] : [[name.trim(), storedName(value!.trim(), "tag")]];
  });
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function refused(why: string): ApiError {
  return new ApiError("invalid_value", `The header ${HEADER} ${why}.`, { param: HEADER });
}
