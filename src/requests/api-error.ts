import type { LimitHit } from "../money/limits.ts";
import type { Shortfall } from "../money/headroom.ts";
import { formatPath, type Schema, type Violation } from "../lib/schema/schema.ts";
import type { ContentFilterResult } from "./content-filter-result.ts";
import type { UpstreamFault } from "../models/upstream-fault.ts";

/**
 * Every code that a client of the gateway can receive, with its status and type. The list is closed: docs/errors.md explains each of them,
 * and a test keeps the two equal. 408, 409 and 422 are absent on purpose, because each of them is retried by some client.
 */
export const GATEWAY_CODES = {
  invalid_json: { status: 400, type: "invalid_request_error" },
  missing_required_parameter: { status: 400, type: "invalid_request_error" },
  invalid_value: { status: 400, type: "invalid_request_error" },
  unsupported_parameter: { status: 400, type: "invalid_request_error" },
  context_length_exceeded: { status: 400, type: "invalid_request_error" },
  content_policy_violation: { status: 400, type: "invalid_request_error" },
  invalid_api_key: { status: 401, type: "authentication_error" },
  api_key_paused: { status: 401, type: "authentication_error" },
  insufficient_credits: { status: 402, type: "insufficient_quota" },
  credits_in_flight: { status: 402, type: "insufficient_quota" },
  budget_exceeded: { status: 402, type: "insufficient_quota" },
  model_not_allowed: { status: 403, type: "permission_error" },
  model_retired: { status: 403, type: "permission_error" },
  unknown_url: { status: 404, type: "invalid_request_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  request_too_large: { status: 413, type: "invalid_request_error" },
  unsupported_media_type: { status: 415, type: "invalid_request_error" },
  rate_limit_exceeded: { status: 429, type: "rate_limit_error" },
  internal_error: { status: 500, type: "server_error" },
  upstream_error: { status: 502, type: "server_error" },
  overloaded: { status: 503, type: "server_error" },
  no_upstream_available: { status: 503, type: "server_error" },
  upstream_timeout: { status: 504, type: "server_error" },
} as const satisfies Record<string, { status: number; type: string }>;

/** The codes that only clients of the platform can receive, besides those above. */
export const PLATFORM_CODES = {
  invalid_config: { status: 400, type: "invalid_request_error" },
  not_signed_in: { status: 401, type: "authentication_error" },
  sign_in_failed: { status: 401, type: "authentication_error" },
  not_permitted: { status: 403, type: "permission_error" },
  cross_site_request: { status: 403, type: "permission_error" },
  unknown_account: { status: 404, type: "invalid_request_error" },
  unknown_request: { status: 404, type: "invalid_request_error" },
  unknown_key: { status: 404, type: "invalid_request_error" },
  unknown_model: { status: 404, type: "invalid_request_error" },
  unknown_price_list: { status: 404, type: "invalid_request_error" },
  unknown_upstream: { status: 404, type: "invalid_request_error" },
  unknown_person: { status: 404, type: "invalid_request_error" },
  unknown_session: { status: 404, type: "invalid_request_error" },
  unknown_access_token: { status: 404, type: "invalid_request_error" },
  unknown_view: { status: 404, type: "invalid_request_error" },
  unknown_export: { status: 404, type: "invalid_request_error" },
  unknown_webhook: { status: 404, type: "invalid_request_error" },
  unknown_alert: { status: 404, type: "invalid_request_error" },
  unknown_delivery: { status: 404, type: "invalid_request_error" },
  unknown_instance: { status: 404, type: "invalid_request_error" },
  unknown_link: { status: 404, type: "invalid_request_error" },
  already_exists: { status: 409, type: "invalid_request_error" },
  still_in_use: { status: 409, type: "invalid_request_error" },
  nothing_to_reload: { status: 409, type: "invalid_request_error" },
  managed_elsewhere: { status: 409, type: "invalid_request_error" },
  state_conflict: { status: 409, type: "invalid_request_error" },
  idempotency_key_reused: { status: 409, type: "invalid_request_error" },
  misdirected_request: { status: 421, type: "invalid_request_error" },
  too_many_attempts: { status: 429, type: "rate_limit_error" },
} as const satisfies Record<string, { status: number; type: string }>;

export const ERROR_CODES = { ...GATEWAY_CODES, ...PLATFORM_CODES };

export type ErrorCode = keyof typeof ERROR_CODES;

interface ApiErrorOptions {
  /** The field of the request that is at fault, as the caller would write it: `messages[2].role`. */
  param?: string | undefined;
  /** When a retry is worthwhile, as `toRetryAfter` returns it. */
  retryAfterSeconds?: number;
  /** Reply headers of this error, such as `Allow`. */
  headers?: Record<string, string>;
  /** What happened, for the log only. It may name upstreams and quote their messages, and is never sent to a caller. */
  detail?: string;
  /** What the error says about the upstream. Undefined if the request is at fault and would fail at every upstream. */
  fault?: UpstreamFault | undefined;
  /** The rate limit that was exceeded, if any. */
  limit?: LimitHit;
  /** The credit or spend cap that was exceeded, if any. */
  shortfall?: Shortfall | undefined;
  /** Why a content filter rejected the prompt, if one did and gave the reason. */
  contentFilterResult?: ContentFilterResult | undefined;
  /** The upstream's own reply, for a client that speaks its format. */
  relayed?: RelayedError | undefined;
}

/** An error reply of an upstream that blames the request. Coding agents recover from some errors by their exact wording. */
export interface RelayedError {
  readonly status: number;
  readonly body: string;
}

/** A wait in whole seconds from 1 to 59: clients ignore longer waits. */
export function toRetryAfter(seconds: number): number {
  return Math.min(59, Math.max(1, Math.ceil(seconds)));
}

/** A rejection or failure with its public message. Every step throws these; `http/error-reply.ts` turns them into replies. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Record<string, string>;
  readonly detail: string | undefined;
  readonly fault: UpstreamFault | undefined;
  readonly limit: LimitHit | undefined;
  readonly shortfall: Shortfall | undefined;
  readonly contentFilterResult: ContentFilterResult | undefined;
  readonly relayed: RelayedError | undefined;
  readonly #options: ApiErrorOptions;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message);
    this.#options = options;
    this.name = "ApiError";
    this.code = code;
    this.param = options.param ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds === undefined ? undefined : toRetryAfter(options.retryAfterSeconds);
    this.headers = options.headers ?? {};
    this.detail = options.detail;
    this.fault = options.fault;
    this.limit = options.limit;
    this.shortfall = options.shortfall;
    this.contentFilterResult = options.contentFilterResult;
    this.relayed = options.relayed;
  }

  /** The same error, which a client of the upstream's format receives in the upstream's words. The upstream's reply is safe to show. */
  withRelayed(relayed: RelayedError): ApiError {
    return new ApiError(this.code, this.message, { ...this.#options, relayed });
  }

  /** The same error with this message instead of the upstream's, and without its reply. */
  withheld(message: string): ApiError {
    const { param: _param, relayed: _relayed, ...options } = this.#options;
    return new ApiError(this.code, message, options);
  }

  /** The same error with this fault of the upstream. */
  withFault(fault: UpstreamFault): ApiError {
    return new ApiError(this.code, this.message, { ...this.#options, fault });
  }

  /**
   * The same error with its message, detail and field name rewritten. The detail is only for operators, and may be rewritten by another
   * function.
   */
  rewritten(rewrite: (text: string) => string, rewriteDetail = rewrite): ApiError {
    const { code, message, param, detail } = this;
    return new ApiError(code, rewrite(message), {
      ...this.#options,
      ...(param !== null && { param: rewrite(param) }),
      ...(detail !== undefined && { detail: rewriteDetail(detail) }),
    });
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  /** The wire form: the same object in an HTTP reply and in the error event of a broken stream. */
  toJSON(): { error: ErrorDetail } {
    const { code, message, param, contentFilterResult: result } = this;
    const innererror = result && { code: "ResponsibleAIPolicyViolation", content_filter_result: result };
    return { error: { message, type: ERROR_CODES[code].type, param, code, ...(innererror && { innererror }) } };
  }
}

interface ErrorDetail {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string;
  /** In Azure's format. */
  readonly innererror?: { readonly code: string; readonly content_filter_result: ContentFilterResult };
}

const CODES_OF_VIOLATIONS = {
  missing: "missing_required_parameter",
  unknown: "unsupported_parameter",
  invalid: "invalid_value",
} as const satisfies Record<Violation["problem"], ErrorCode>;

/** Throws the error for a schema violation, if there is one, with the field's name as the caller would write it. */
export function refuseViolation(violation: Violation | undefined): void {
  if (!violation) return;
  const param = formatPath(violation.path);
  const message = `${param || "The request body"} ${violation.message}.`;
  throw new ApiError(CODES_OF_VIOLATIONS[violation.problem], message, { param: param || undefined });
}

export const errorBodySchema = {
  title: "Error",
  type: "object",
  required: ["error"],
  properties: {
    error: {
      title: "ErrorDetail",
      type: "object",
      required: ["message", "type", "param", "code"],
      properties: {
        message: { type: "string", description: "Human-readable text." },
        type: { type: "string", description: "Error category." },
        param: { type: "string", nullable: true, description: "The invalid field of the request, if any." },
        code: { type: "string", description: "Machine-readable error code." },
        innererror: {
          title: "InnerError",
          type: "object",
          description: "Why the content filter of Azure rejected the prompt. Only with the code `content_policy_violation`.",
          required: ["code", "content_filter_result"],
          properties: {
            code: { type: "string", description: "`ResponsibleAIPolicyViolation`." },
            content_filter_result: { type: "object", description: "The findings by category: `filtered`, `detected` and `severity`." },
          },
        },
      },
    },
  },
} as const satisfies Schema;
