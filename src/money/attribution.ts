/**
 * Whom a request is attributed to, beside its account and key. It is stored with its entries as JSON. Entries of requests without an end user,
 * tags and conversation have none.
 */
export interface Attribution {
  /** The end user of the client's product: the client's own id, or a hash of it. */
  readonly user?: string | undefined;
  readonly tags?: Tags | undefined;
  readonly conversation?: string | undefined;
}

/** The values of tags by their names. */
export type Tags = Readonly<Record<string, string>>;

/** The names of requests without an end user, tag or conversation, of those beyond the limit of a day, and of erased end users, in reports. */
export const NO_NAME = "none";
export const OTHER_NAMES = "other";
export const ERASED = "erased";

export function writeAttribution(attribution: Attribution | undefined): string | null {
  return attribution === undefined ? null : JSON.stringify(attribution);
}

export function readAttribution(text: string | null): Attribution | undefined {
  return text === null ? undefined : (JSON.parse(text) as Attribution);
}
