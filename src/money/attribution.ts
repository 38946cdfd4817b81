/**
 * The end user, tags and conversation that a request is attributed to, in addition to its account and key. It is stored with its entries as
 * JSON. Entries of requests without any of these have no attribution.
 */
export interface Attribution {
  /** The end user of the client's product: the client's own id, or a hash of it. */
  readonly user?: string | undefined;
  readonly tags?: Tags | undefined;
  readonly conversation?: string | undefined;
  /**
   * The dimensions with spend caps per end user and per tag when the request was admitted: its hold counts against these caps until it
   * ends.
   */
  readonly counts?: readonly CountedBy[] | undefined;
}

/** What spend is counted by, in addition to accounts and keys: the end user, or a tag. */
export type Dimension = "user" | `tag:${string}`;

/** A dimension of a request's account or key: `user@account`, `tag:team@key`. */
export type CountedBy = `${Dimension}@${"account" | "key"}`;

/** The values of tags by their names. */
export type Tags = Readonly<Record<string, string>>;

/** The dimensions that usage is attributed to: the end user, the conversation, or the value of a tag. */
export type AttributionDimension = "user" | "conversation" | `tag:${string}`;

export const ATTRIBUTION_KINDS = ["user", "conversation", "tag"] as const;

const TAG = "tag:";

/** Names in reports: for requests without an end user, tag or conversation, for names beyond the daily limit, and for erased end users. */
export const NO_NAME = "none";
export const OTHER_NAMES = "other";
export const ERASED = "erased";

/** Cached JSON texts: an attribution is stored with the hold, with the charge and in the request log. */
const texts = new WeakMap<Attribution, string>();

export function writeAttribution(attribution: Attribution | undefined): string | null {
  if (attribution === undefined) return null;
  let text = texts.get(attribution);
  if (text === undefined) texts.set(attribution, (text = JSON.stringify(attribution)));
  return text;
}

export function readAttribution(text: string | null): Attribution | undefined {
  return text === null ? undefined : (JSON.parse(text) as Attribution);
}

export function tagDimension(tag: string): AttributionDimension {
  return `${TAG}${tag}`;
}

/** The tag of a dimension; undefined for end users and conversations. */
export function tagOf(dimension: AttributionDimension): string | undefined {
  return dimension.startsWith(TAG) ? dimension.slice(TAG.length) : undefined;
}

/** The name of a request in a dimension; undefined if it has none. */
export function nameIn({ user, conversation, tags }: Attribution, dimension: AttributionDimension): string | undefined {
  if (dimension === "user") return user;
  if (dimension === "conversation") return conversation;
  const tag = dimension.slice(TAG.length);
  return tags && Object.hasOwn(tags, tag) ? tags[tag] : undefined;
}

/** The dimensions in which a request has a name. */
export function dimensionsOf({ user, conversation, tags }: Attribution): AttributionDimension[] {
  const dimensions: AttributionDimension[] = Object.keys(tags ?? {}).map(tagDimension);
  if (user !== undefined) dimensions.push("user");
  if (conversation !== undefined) dimensions.push("conversation");
  return dimensions;
}
