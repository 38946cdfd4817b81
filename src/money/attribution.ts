/** The endpoints besides chat completions. They are off unless an operator turns them on. */
export const OPTIONAL_ENDPOINTS = ["messages", "responses", "embeddings"] as const;
export type OptionalEndpoint = (typeof OPTIONAL_ENDPOINTS)[number];

const CHAT_COMPLETIONS = "chat_completions";

/** The endpoints that call models, as operators see them. */
export const MODEL_ENDPOINTS = [CHAT_COMPLETIONS, ...OPTIONAL_ENDPOINTS] as const;
export type ModelEndpoint = (typeof MODEL_ENDPOINTS)[number];

/**
 * The end user, tags, conversation and endpoint that a request is attributed to, in addition to its account and key. It is stored with its
 * entries as JSON. Entries of chat completions without any of these have no attribution.
 */
export interface Attribution {
  /** The end user of the client's product: the client's own id, or a hash of it. */
  readonly user?: string | undefined;
  readonly tags?: Tags | undefined;
  readonly conversation?: string | undefined;
  /** Undefined for chat completions, which therefore take no space. */
  readonly endpoint?: OptionalEndpoint | undefined;
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

/** The dimensions that usage is attributed to: the end user, the conversation, the endpoint, or the value of a tag. */
export type AttributionDimension = "user" | "conversation" | "endpoint" | `tag:${string}`;

/** The kinds of names that clients choose, and whose number is therefore limited. */
export const ATTRIBUTION_KINDS = ["user", "conversation", "tag"] as const;

const TAG = "tag:";

/** Names in reports: for requests without an end user, tag or conversation and for chat completions, for names beyond the daily limit, and for erased end users. */
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

/** The tag of a dimension; undefined for all others. */
export function tagOf(dimension: AttributionDimension): string | undefined {
  return dimension.startsWith(TAG) ? dimension.slice(TAG.length) : undefined;
}

/** The name of a request in a dimension; undefined if it has none. */
export function nameIn(attribution: Attribution, dimension: AttributionDimension): string | undefined {
  if (dimension === "user" || dimension === "conversation" || dimension === "endpoint") return attribution[dimension];
  const { tags } = attribution;
  const tag = dimension.slice(TAG.length);
  return tags && Object.hasOwn(tags, tag) ? tags[tag] : undefined;
}

/** The dimensions in which a request has a name. */
export function dimensionsOf({ user, conversation, endpoint, tags }: Attribution): AttributionDimension[] {
  const dimensions: AttributionDimension[] = Object.keys(tags ?? {}).map(tagDimension);
  if (user !== undefined) dimensions.push("user");
  if (conversation !== undefined) dimensions.push("conversation");
  if (endpoint !== undefined) dimensions.push("endpoint");
  return dimensions;
}

export function endpointOf(attribution: Attribution | null | undefined): ModelEndpoint {
  return attribution?.endpoint ?? CHAT_COMPLETIONS;
}

/** The name of the endpoint in reports and filters. */
export function endpointName(endpoint: ModelEndpoint): string {
  return endpoint === CHAT_COMPLETIONS ? NO_NAME : endpoint;
}

/** The endpoint with a name in reports. */
export function endpointNamed(name: string): string {
  return name === NO_NAME ? CHAT_COMPLETIONS : name;
}
