import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import type { LeakDetector } from "./leak-detector.ts";

export interface RecordedReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** The secrets, by name, in a reply that is the only place for them. */
type Shown = (reply: RecordedReply) => Readonly<Record<string, string>>;

/** Calls a gateway on both of its listeners, and records everything that it returns. */
export class RecordedPlatform {
  readonly #gateway: RunningGateway;
  readonly #detector: LeakDetector;

  constructor(gateway: RunningGateway, detector: LeakDetector) {
    this.#gateway = gateway;
    this.#detector = detector;
  }

  /** Calls as the operator, unless the headers say otherwise. */
  call(method: string, path: string, body?: object | string, headers: Record<string, string> = {}, shown?: Shown): Promise<RecordedReply> {
    const own = { authorization: `Bearer ${this.#gateway.operatorToken}`, "x-tollgate-request": "test" };
    const { authorization, ...rest } = { ...own, ...headers };
    // A cookie counts only without a token.
    const sent = "cookie" in headers ? rest : { authorization, ...rest };
    return this.send(`${this.#gateway.platformUrl}${path}`, method, body, sent, shown);
  }

  chat(key: string, body: object): Promise<RecordedReply> {
    return this.send(`${this.#gateway.baseUrl}/chat/completions`, "POST", body, { authorization: `Bearer ${key}` });
  }

  async send(
    url: string,
    method: string,
    body?: object | string,
    headers: Record<string, string> = {},
    shown?: Shown,
  ): Promise<RecordedReply> {
    const sent = typeof body === "object" ? JSON.stringify(body) : body;
    const response = await fetch(url, {
      method,
      redirect: "manual",
      headers: { ...(sent !== undefined && { "content-type": "application/json" }), ...headers },
      ...(sent !== undefined && { body: sent }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    const reply = {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : {}) as Record<string, unknown>,
    };
    const secrets = Object.entries(shown?.(reply) ?? {});
    for (const [name, secret] of secrets) this.#detector.keep(name, secret);
    const place = `${response.status} for ${method} ${new URL(url).pathname}`;
    const said = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    this.#detector.record(
      place,
      `${said}\n\n${text}`,
      secrets.map(([, secret]) => secret),
    );
    return reply;
  }
}

/** The value of a cookie that a reply sets. */
export function cookieIn({ headers }: RecordedReply, name: string): string {
  const set = headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`));
  if (set === undefined) throw new Error(`no cookie ${name} is set`);
  return set.slice(name.length + 1).split(";")[0]!;
}
