/** The endpoints that call models. No tests of the format: `conformance.ts`, `read-message.ts` and `read-response.ts` have them. */

type Json = Readonly<Record<string, unknown>>;

/** The same question at any endpoint. */
export interface Question {
  readonly model: string;
  readonly prompt?: string;
  readonly maxTokens?: number;
  readonly stream?: boolean;
}

/** A stream as its client has understood it. */
export interface ReadStream {
  /** Whether a client would take it for a whole response. */
  readonly isWhole: boolean;
  readonly text: string;
  /** The code or the type of the error that ends it, if it is not whole. */
  readonly error: unknown;
}

/** An endpoint that calls models: how a client asks there, and how it reads the replies. */
export interface ModelEndpoint {
  readonly name: "chat" | "messages" | "responses";
  readonly path: string;
  readonly bodyFor: (question: Question) => Json;
  /** The statuses of a request whose credit other requests hold, and of a request without credit. */
  readonly creditInFlight: number;
  readonly creditSpent: number;
  /** The status of `overloaded` and `no_upstream_available`. */
  readonly overloaded: number;
  /** Reads the text of a JSON response. */
  readonly readText: (body: Json) => string;
  /** Reads a stream. Throws unless it has exactly one end, with nothing after it. */
  readonly readStream: (text: string) => ReadStream;
  /** The code or the type of an error reply. Throws if it does not have the form of the API. */
  readonly readError: (body: Json) => { readonly kind: unknown; readonly message: string };
}

const QUESTION = "How much is the fish?";

const chat: ModelEndpoint = {
  name: "chat",
  path: "/chat/completions",
  bodyFor: ({ model, prompt = QUESTION, maxTokens, stream = false }) => ({
    model,
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    stream,
    messages: [{ role: "user", content: prompt }],
  }),
  creditInFlight: 402,
  creditSpent: 402,
  overloaded: 503,
  readText: ({ choices }) => String((choices as [{ message: { content: unknown } }])[0].message.content),
  readStream(text) {
    const frames = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => (data === "[DONE]" ? DONE : (JSON.parse(data!) as Json)));
    const last = onlyEnd(frames, (frame) => frame === DONE || frame["error"] !== undefined);
    const said = frames.map(({ choices }) => (choices as [{ delta: { content?: string } }?] | undefined)?.[0]?.delta.content ?? "");
    return { isWhole: last === DONE, text: said.join(""), error: (last["error"] as Json | undefined)?.["code"] };
  },
  readError(body) {
    const { code, message } = errorIn(body, ["error"], ["message", "type", "param", "code"]);
    return { kind: code, message: String(message) };
  },
};

const messages: ModelEndpoint = {
  ...chat,
  name: "messages",
  path: "/messages",
  // The Messages API requires a limit.
  bodyFor: (question) => chat.bodyFor({ maxTokens: 100, ...question }),
  creditInFlight: 429,
  creditSpent: 402,
  overloaded: 529,
  readText: ({ content }) => joined(content),
  readStream(text) {
    const events = eventsIn(text);
    const last = onlyEnd(events, ({ type }) => type === "message_stop" || type === "error");
    const isWhole = last["type"] === "message_stop";
    const deltas = events.map(({ delta }) => (delta as Json | undefined)?.["text"]);
    return {
      isWhole,
      text: deltas.filter((each) => typeof each === "string").join(""),
      error: (last["error"] as Json | undefined)?.["type"],
    };
  },
  readError(body) {
    const { type, message } = errorIn(body, ["type", "error", "request_id"], ["type", "message"]);
    return { kind: type, message: String(message) };
  },
};

const responses: ModelEndpoint = {
  name: "responses",
  path: "/responses",
  bodyFor: ({ model, prompt = QUESTION, maxTokens, stream = false }) => ({
    model,
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    stream,
    input: prompt,
  }),
  creditInFlight: 503,
  creditSpent: 429,
  overloaded: 503,
  readText: ({ output }) => (output as readonly Json[]).map(({ content }) => joined(content)).join(""),
  readStream(text) {
    const events = eventsIn(text);
    const last = onlyEnd(events, ({ type }) => /^response\.(?:completed|incomplete|failed)$/.test(String(type)));
    const isWhole = last["type"] !== "response.failed";
    const deltas = events.map(({ type, delta }) => (type === "response.output_text.delta" ? delta : ""));
    const { error } = last["response"] as { error?: Json | null };
    return { isWhole, text: deltas.join(""), error: error?.["code"] };
  },
  readError: chat.readError,
};

export const ENDPOINTS: readonly ModelEndpoint[] = [chat, messages, responses];

/** The text of content parts or blocks. */
function joined(content: unknown): string {
  const parts = Array.isArray(content) ? (content as readonly Json[]) : [];
  return parts.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}

const DONE: Json = {};

/** The data of named events. */
function eventsIn(text: string): Json[] {
  return [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data]) => {
    const event = JSON.parse(data!) as Json;
    if (event["type"] !== name) throw new Error(`an event ${name} of type ${String(event["type"])}`);
    return event;
  });
}

function onlyEnd(events: readonly Json[], isEnd: (event: Json) => boolean): Json {
  const first = events.findIndex(isEnd);
  if (first < 0 || first < events.length - 1) throw new Error(`the end is event ${first} of ${events.length}`);
  return events[first]!;
}

/** The error of a reply with exactly these fields. */
function errorIn(body: Json, fields: readonly string[], fieldsOfError: readonly string[]): Json {
  const error = body["error"] as Json;
  const names = [Object.keys(body), Object.keys(error)].join(" of ");
  const due = [fields, fieldsOfError].join(" of ");
  if (names !== due) throw new Error(`an error with ${names} instead of ${due}`);
  return error;
}
