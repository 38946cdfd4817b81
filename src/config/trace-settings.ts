import { problemOfBaseUrl } from "../models/base-url.ts";
import { Secret } from "../lib/secret/secret.ts";
import type { SamplerSettings, TraceSettings } from "../telemetry/traces/trace-settings.ts";
import { ConfigError, type Environment } from "./config-error.ts";
import { readChoice, readInteger } from "./variables.ts";

/** The OpenTelemetry variables that traces use. docs/configuration.md explains each. */
export const TRACE_VARIABLES = {
  endpoint: "OTEL_EXPORTER_OTLP_ENDPOINT",
  tracesEndpoint: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  headers: "OTEL_EXPORTER_OTLP_HEADERS",
  tracesHeaders: "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
  protocol: "OTEL_EXPORTER_OTLP_PROTOCOL",
  tracesProtocol: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
  timeout: "OTEL_EXPORTER_OTLP_TIMEOUT",
  tracesTimeout: "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
  compression: "OTEL_EXPORTER_OTLP_COMPRESSION",
  tracesCompression: "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION",
  scheduleDelay: "OTEL_BSP_SCHEDULE_DELAY",
  serviceName: "OTEL_SERVICE_NAME",
  resourceAttributes: "OTEL_RESOURCE_ATTRIBUTES",
  sampler: "OTEL_TRACES_SAMPLER",
  samplerArgument: "OTEL_TRACES_SAMPLER_ARG",
  exporter: "OTEL_TRACES_EXPORTER",
  disabled: "OTEL_SDK_DISABLED",
} as const;

const NAMES = TRACE_VARIABLES;
const PROTOCOL = "http/protobuf";

/**
 * The trace exporter settings; undefined when tracing is off. Variables for traces override those for all signals. While tracing is off
 * the variables may be meant for other programs, and are not read.
 */
export function readTraces(env: Environment, hasContent: boolean): TraceSettings | undefined {
  if (isDisabled(env)) return undefined;
  const endpoint = readEndpoint(env);
  if (endpoint === undefined) return undefined;
  refuseOtherProtocols(env);
  return {
    endpoint,
    headers: readHeaders(env, setOne(env, NAMES.tracesHeaders, NAMES.headers)),
    timeoutMs: readInteger(env, setOne(env, NAMES.tracesTimeout, NAMES.timeout), 10_000, 1, 600_000),
    isCompressed: readChoice(env, setOne(env, NAMES.tracesCompression, NAMES.compression), ["none", "gzip"]) === "gzip",
    gatherMs: readInteger(env, NAMES.scheduleDelay, 5_000, 1, 60_000),
    resource: readResource(env),
    sampler: readSampler(env),
    hasContent,
  };
}

function isDisabled(env: Environment): boolean {
  const disabled = { [NAMES.disabled]: env[NAMES.disabled]?.toLowerCase() };
  return readChoice(disabled, NAMES.disabled, ["false", "true"]) === "true" || readChoice(env, NAMES.exporter, ["otlp", "none"]) === "none";
}

/** The first of two variables that is set. */
function setOne(env: Environment, first: string, second: string): string {
  return env[first] ? first : second;
}

/** The endpoint for all signals is the collector's base URL; the endpoint for traces is the full URL. */
function readEndpoint(env: Environment): string | undefined {
  const name = setOne(env, NAMES.tracesEndpoint, NAMES.endpoint);
  const text = env[name];
  if (!text) return undefined;
  const problem = problemOfBaseUrl(text, true);
  if (problem !== undefined) throw new ConfigError(`${name} ${problem}`);
  return name === NAMES.tracesEndpoint ? text : `${text.replace(/\/+$/, "")}/v1/traces`;
}

function refuseOtherProtocols(env: Environment): void {
  const name = setOne(env, NAMES.tracesProtocol, NAMES.protocol);
  const protocol = env[name] || PROTOCOL;
  if (protocol !== PROTOCOL)
    throw new ConfigError(`${name} must be ${PROTOCOL}, not ${JSON.stringify(protocol)}: no other protocol is supported`);
}

/** The syntax of header names and values (RFC 9110 §5.1, §5.5). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const HEADER_VALUE = /^[\x21-\x7e][\x20-\x7e]*$/;
/** Headers that are set by the exporter or belong to the connection. */
const OWN_HEADERS = new Set(["content-type", "content-encoding", "content-length", "transfer-encoding", "connection", "host"]);

/** Headers contain tokens, so no message repeats a header. */
function readHeaders(env: Environment, name: string): Readonly<Record<string, Secret>> {
  const pairs = pairsIn(env, name).map(([key, value], at): [string, Secret] => {
    const header = key.toLowerCase();
    if (!HEADER_NAME.test(header) || !HEADER_VALUE.test(value) || OWN_HEADERS.has(header)) {
      throw new ConfigError(`${name} has an invalid header at position ${at + 1}`);
    }
    return [header, new Secret(value)];
  });
  return Object.fromEntries(pairs);
}

function readResource(env: Environment): Readonly<Record<string, string>> {
  const given = Object.fromEntries(pairsIn(env, NAMES.resourceAttributes));
  return { ...given, "service.name": env[NAMES.serviceName] || given["service.name"] || "tollgate" };
}

/** Parses `name=value,name=value` with percent-encoded values. */
function pairsIn(env: Environment, name: string): [string, string][] {
  const texts = env[name]?.split(",").filter((text) => text.trim() !== "") ?? [];
  return texts.map((text, at) => {
    const [, key = "", value = ""] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/s.exec(text) ?? [];
    if (key === "") throw new ConfigError(`${name} must be name=value pairs separated by commas: position ${at + 1} is not one`);
    try {
      return [key, decodeURIComponent(value)];
    } catch {
      throw new ConfigError(`${name} must have percent-encoded values: position ${at + 1} does not`);
    }
  });
}

const SAMPLERS = [
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
  "always_on",
  "always_off",
  "traceidratio",
] as const;

function readSampler(env: Environment): SamplerSettings {
  const name = readChoice(env, NAMES.sampler, SAMPLERS);
  const isParentBased = name.startsWith("parentbased_");
  if (name.endsWith("always_on")) return { ratio: 1, isParentBased };
  if (name.endsWith("always_off")) return { ratio: 0, isParentBased };
  const text = env[NAMES.samplerArgument] || "1";
  const ratio = Number(text);
  if (!/^\d*\.?\d+(e-\d+)?$/i.test(text) || ratio > 1)
    throw new ConfigError(`${NAMES.samplerArgument} must be a number from 0 to 1, not ${JSON.stringify(text)}`);
  return { ratio, isParentBased };
}
