import { type ReceivedRequest, UPSTREAM_TEXT } from "./strict-double.ts";

/** A reply as a client returns it: from the SDKs, or read by hand. It has only what the client's code sees. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  /** The chunks of a stream. */
  readonly chunks?: readonly unknown[];
  /** The object `error` of the body, or of an event of the stream; or why the SDK gave up without an error object. */
  readonly error?: unknown;
  readonly headers?: readonly string[];
}

/** The error of a reply without an error object in OpenAI's format. */
export const NO_ERROR = "no error object";

/** The fields by which outcomes are compared. Fields without a value are absent. */
export type Outcome = Readonly<Record<string, unknown>>;

/** The differing fields by name: Tollgate's value, LiteLLM's value. */
export type Differences = Readonly<Record<string, readonly [unknown, unknown]>>;

interface Message {
  readonly role?: string | null;
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly { index?: number; function?: { name?: string | null; arguments?: string | null } }[] | null;
}

interface Choice {
  readonly index: number;
  readonly message?: Message;
  readonly delta?: Message;
  readonly finish_reason?: string | null;
  readonly logprobs?: { readonly content?: readonly unknown[] | null } | null;
}

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
}

interface Completion {
  readonly model?: string;
  readonly choices?: readonly Choice[];
  readonly usage?: Usage | null;
}

export function outcomeOf(reply: Reply, received: readonly ReceivedRequest[]): Outcome {
  const { status, body, chunks, error, headers } = reply;
  const fields = {
    status,
    ...(chunks ? streamFields(chunks as Completion[]) : error === undefined ? bodyFields(body) : {}),
    ...errorFields(error),
    headers,
    calls: received.length,
    ...sentFields(received.at(-1)),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

function bodyFields(body: unknown): Outcome {
  const { choices, usage, model, data } = (typeof body === "object" && body !== null ? body : {}) as Completion & {
    data?: { id?: string }[];
  };
  const ids = Array.isArray(data) ? data.flatMap(({ id }) => id ?? []) : [];
  if (ids.length > 0) return listFields(ids);
  if (!choices) return { reply: short(body) };
  return { model, usage: usageText(usage), ...choiceFields(choices.map((choice) => [choice, choice.message ?? {}])) };
}

/** A list of models: the named models, and the number of models that the config's wildcard matches. */
function listFields(ids: readonly string[]): Outcome {
  const own = ids.filter((id) => !id.startsWith("double/"));
  return { models: short(own.toSorted()), expanded: ids.length - own.length };
}

function streamFields(chunks: readonly Completion[]): Outcome {
  const choices = chunks.flatMap((chunk) => chunk.choices ?? []);
  const withUsage = chunks.filter((chunk) => chunk.usage);
  return {
    model: chunks[0]?.model,
    usage:
      withUsage.map((chunk) => `${usageText(chunk.usage)}${chunk.choices?.length === 0 ? "" : " beside a choice"}`).join(", ") || undefined,
    ...choiceFields(choices.map((choice) => [choice, choice.delta ?? {}])),
    roles: choices.filter((choice) => choice.delta?.role).length,
    contents: choices.filter((choice) => choice.delta?.content).length,
  };
}

/** The choices in order; the pieces of a streamed choice are joined. */
function choiceFields(pieces: readonly (readonly [Choice, Message])[]): Outcome {
  const indexes = [...new Set(pieces.map(([{ index }]) => index))].toSorted((a, b) => a - b);
  const each = <T>(read: (own: readonly (readonly [Choice, Message])[]) => T): T[] =>
    indexes.map((index) => read(pieces.filter(([choice]) => choice.index === index)));
  const joined = (field: "content" | "refusal" | "reasoning_content"): string | undefined =>
    each((own) => own.map(([, message]) => message[field] ?? "").join("")).join(" | ") || undefined;
  return {
    text: joined("content"),
    refusal: joined("refusal"),
    reasoning: joined("reasoning_content"),
    finish: each(
      (own) =>
        own
          .map(([choice]) => choice.finish_reason)
          .filter(Boolean)
          .join("+") || "none",
    ).join(" | "),
    tools: each((own) => callsText(own.flatMap(([, message]) => message.tool_calls ?? []))).join(" | ") || undefined,
    logprobs: pieces.some(([choice]) => choice.logprobs?.content?.length) || undefined,
  };
}

function callsText(calls: NonNullable<Message["tool_calls"]>): string {
  const indexes = [...new Set(calls.map((call, at) => call.index ?? at))];
  return indexes
    .map((index) => calls.filter((call, at) => (call.index ?? at) === index))
    .map((own) => own.map((call) => `${call.function?.name ?? ""}${call.function?.arguments ?? ""}`).join(""))
    .join(" ");
}

function usageText(usage: Usage | null | undefined): string | undefined {
  if (!usage) return undefined;
  return `${usage.prompt_tokens}+${usage.completion_tokens}=${usage.total_tokens}, cached ${usage.prompt_tokens_details?.cached_tokens ?? 0}`;
}

function errorFields(error: unknown): Outcome {
  if (error === undefined) return {};
  if (typeof error === "string") return { error };
  if (typeof error !== "object" || error === null || !("message" in error)) return { error: NO_ERROR };
  const { type, code, param, message, ...others } = error as Record<string, unknown>;
  return {
    "error.type": type,
    "error.code": code,
    "error.param": param,
    "error.hasUpstreamText": typeof message === "string" && message.includes(UPSTREAM_TEXT) ? true : undefined,
    "error.others": Object.keys(others).join(" ") || undefined,
  };
}

/** The body and the headers that the upstream received last, and the number of attempts. */
function sentFields(received: ReceivedRequest | undefined): Outcome {
  if (!received) return {};
  const headers = ["authorization", "openai-organization", "x-team"].map((name) => [`sent ${name}`, received.headers.get(name)]);
  const body = Object.entries(received.body).map(([name, value]) => [`sent.${name}`, short(value)]);
  return Object.fromEntries([...headers, ...body]);
}

/** A value as text that fits into a table. */
function short(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length <= 250 ? text : `${text.slice(0, 30)}… ${text.length} characters, ${Bun.hash(text).toString(36)}`;
}

/** The fields in which two outcomes differ: Tollgate's value, LiteLLM's value. If the statuses differ, only the statuses and the errors. */
export function differencesOf(ours: Outcome, theirs: Outcome): Differences {
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  const isSameStatus = ours["status"] === theirs["status"];
  const bothCalled = ours["calls"] !== 0 && theirs["calls"] !== 0;
  const counts = (name: string): boolean =>
    name.startsWith("sent")
      ? bothCalled
      : isSameStatus || name === "status" || name === "calls" || name === "headers" || name.startsWith("error");
  const different = names.filter((name) => counts(name) && !Bun.deepEquals(ours[name], theirs[name]));
  return Object.fromEntries(different.map((name) => [name, [ours[name] ?? null, theirs[name] ?? null] as const]));
}
