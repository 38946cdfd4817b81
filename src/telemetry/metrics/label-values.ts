import type { AttemptOutcome } from "../../requests/attempt.ts";
import { DEVIATIONS, type Deviation } from "../../models/deviation.ts";
import { ERROR_CODES, PLATFORM_CODES, type ErrorCode } from "../../requests/api-error.ts";
import { messagesStatusOf } from "../../requests/messages-api.ts";
import { CALLER_GONE_STATUS } from "../../requests/outcome-of.ts";
import { type LimitHit, RATE_LIMITS } from "../../money/limits.ts";
import type { Provenance } from "../../money/usage.ts";
import type { BoundedName } from "./bounded-names.ts";

/** Marks a label whose values are names chosen by operators. */
export const NAMES = "names";

/** The only two sources of label values: a list in the code, or a bounded set of names. */
export type Values = readonly string[] | typeof NAMES;

export type ValueOf<V extends Values> = V extends readonly (infer Value)[] ? Value : BoundedName;

export const LISTENERS = ["gateway", "platform"] as const;
export type ListenerName = (typeof LISTENERS)[number];

export const YES_OR_NO = ["true", "false"] as const;

export const CODES = Object.keys(ERROR_CODES) as readonly ErrorCode[];

/** The error codes that model clients can receive. */
export const GATEWAY_CODES = CODES.filter((code) => !Object.hasOwn(PLATFORM_CODES, code));

const NUMBERS = [200, CALLER_GONE_STATUS, ...GATEWAY_CODES.flatMap((code) => [ERROR_CODES[code].status, messagesStatusOf({ code })])];

/** The label value for an unexpected status. */
export const UNKNOWN_STATUS = "other";

/** Every status of a request to a model. */
export const STATUSES = [
  ...[...new Set(NUMBERS)].toSorted((one, other) => one - other).map((status) => String(status) as `${typeof status}`),
  UNKNOWN_STATUS,
] as const;

export const STATUS_CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

/** The kinds of tokens do not overlap, so their sum is the total. */
export const TOKEN_KINDS = ["input", "cached_input", "cache_write", "output", "reasoning"] as const;

export const PROVENANCES = ["measured", "partial", "estimated"] as const satisfies readonly Provenance[];

export const CACHE_RESULTS = ["hit", "miss"] as const;

export const LIMIT_SCOPES = ["key", "account", "user", "tag"] as const satisfies readonly LimitHit["scope"][];
export const LIMITS = RATE_LIMITS.map(({ what }) => what);

/** Whether a request on a connection had a valid credential. Connections of trusted proxies count as authenticated. */
export const CONNECTION_STATES = ["authenticated", "unauthenticated"] as const;

/** Why spans were lost: `dropped` because the queue was full, or `failed` at the collector. */
export const SPAN_LOSSES = ["dropped", "failed"] as const;

/** The result of a mirrored request. */
export const MIRROR_OUTCOMES = ["answered", "failed"] as const;
export type MirrorOutcome = (typeof MIRROR_OUTCOMES)[number];

/** The states of the processes that `tollgate instances` lists. */
export const INSTANCE_STATES = ["starting", "live", "disconnected", "draining"] as const;
export type InstanceState = (typeof INSTANCE_STATES)[number];

export const ATTEMPT_RESULTS = ["delivered", "failed"] as const;

/** The outcome of an attempt: `unfinished` if its end was not observed. */
export const ATTEMPT_OUTCOMES = Object.keys({
  answered: true,
  refused: true,
  abandoned: true,
  unreachable: true,
  proxy: true,
  busy: true,
  credential: true,
  failed: true,
  slow: true,
  broken: true,
  unsupported: true,
  unfinished: true,
} satisfies Record<AttemptOutcome | "unfinished", true>) as readonly (AttemptOutcome | "unfinished")[];

export const DEVIATION_KINDS = Object.keys(DEVIATIONS) as readonly Deviation[];
