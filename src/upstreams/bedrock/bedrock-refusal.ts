import { ApiError } from "../../requests/api-error.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { HeadersRead } from "../egress/headers-read.ts";
import { readErrorBody, refusalInside, refusalOf } from "../refusal.ts";
import type { UpstreamError } from "../upstream-error.ts";
import { tryParse } from "../../lib/json/try-parse.ts";

/** The HTTP status of each exception when it is not an event of a stream. */
const STATUSES: Readonly<Record<string, number>> = {
  AccessDeniedException: 403,
  InternalServerException: 500,
  ModelErrorException: 424,
  ModelNotReadyException: 429,
  ModelStreamErrorException: 424,
  ModelTimeoutException: 408,
  ResourceNotFoundException: 404,
  ServiceQuotaExceededException: 400,
  ServiceUnavailableException: 503,
  ThrottlingException: 429,
  ValidationException: 400,
};

/**
 * Exceptions about our signature or its credentials; some have status 400:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
 */
const ABOUT_OUR_CREDENTIAL =
  /^(?:ExpiredToken|IncompleteSignature|InvalidClientTokenId|InvalidSignature|MissingAuthenticationToken|NotAuthorized|OptInRequired|RequestExpired|UnrecognizedClient)/;

/** Access to one model is denied, by a policy or because nobody has requested access. The credential still works for other models. */
const ABOUT_ONE_MODEL = /^(?:user: \S+ is not authorized to perform: |you don't have access to the model|model access is denied)/i;

/** A 400 about the model name, which the operator configured. */
const ABOUT_THE_NAME =
  /^(?:the provided model identifier is invalid|invocation of model id \S+ with on-demand throughput|this model doesn't support the converse)/i;

/** A 403 or a 400 for a cache point at a model that does not support them. The caller requested the cache point. */
const ABOUT_CACHE_POINTS = /^[\w ]{0,50}\byour request did not allow prompt caching\b/i;

/** The `ApiError` for an error response. The exception is named by a header, or in the body. */
export function bedrockRefusal(status: number, headers: HeadersRead, body: string): ApiError {
  const type = nameIn(headers.get("x-amzn-errortype")) ?? nameIn(typeIn(body)) ?? "";
  return refusalFor(status, type, headers, readBedrockError(body));
}

/** The `ApiError` for an exception in a stream: the same as for an error response with its usual status. */
export function exceptionInside(name: string, payload: unknown): ApiError {
  const type = name.charAt(0).toUpperCase() + name.slice(1);
  const status = Object.hasOwn(STATUSES, type) ? STATUSES[type] : undefined;
  const { message, code } = isObject(payload) ? payload : {};
  const error = {
    message: typeof message === "string" ? message : "no reason given",
    kind: typeof code === "string" ? code : type,
    param: undefined,
  };
  return status === undefined ? refusalInside(error) : refusalFor(status, type, new Headers(), error);
}

function refusalFor(status: number, type: string, headers: HeadersRead, error: UpstreamError): ApiError {
  const named = { ...error, status, message: `${type}: ${error.message}` };
  if (type === "ModelTimeoutException") return refusalOf(504, headers, named);
  // The quota of our account, which callers cannot raise.
  if (type === "ServiceQuotaExceededException") return refusalOf(402, headers, named);
  if ((status === 403 || status === 400) && ABOUT_CACHE_POINTS.test(error.message)) {
    const detail = `upstream status ${status}: ${named.message}`;
    return new ApiError("unsupported_parameter", error.message, { detail, fault: { kind: "unsupported" } });
  }
  if (ABOUT_OUR_CREDENTIAL.test(type)) return refusalOf(403, headers, named);
  if (status === 403 && ABOUT_ONE_MODEL.test(error.message)) return refusalOf(404, headers, named);
  if (status === 400 && ABOUT_THE_NAME.test(error.message)) return refusalOf(404, headers, named);
  return refusalOf(status, headers, error);
}

/** Reads a name such as `ValidationException:http://internal.amazon.com/…` and `com.amazon.coral#ValidationException`. */
function nameIn(type: string | null | undefined): string | undefined {
  return type === null || type === undefined ? undefined : /^(?:[^#:]*#)?(\w+)/.exec(type)?.[1];
}

function typeIn(body: string): string | undefined {
  const parsed = tryParse(body);
  const type = isObject(parsed) ? parsed["__type"] : undefined;
  return typeof type === "string" ? type : undefined;
}

/** Services of AWS write `message` or `Message`. */
function readBedrockError(body: string): UpstreamError {
  const parsed = tryParse(body);
  const message = isObject(parsed) ? (parsed["message"] ?? parsed["Message"]) : undefined;
  return typeof message === "string" ? { message, kind: "", param: undefined } : readErrorBody(body);
}
