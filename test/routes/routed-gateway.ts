import { replyOf, type Reply } from "../money/post-chat.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { CANCELS, startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** The settings of an upstream in a test, without its base URL. */
export interface UpstreamTerms {
  readonly id: string;
  readonly port: number;
  readonly dialect?: string;
  readonly credentials?: readonly string[];
  readonly concurrency?: Readonly<Record<string, number>>;
  /** Additional fields. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The settings of a model. All other settings are the same for all models. */
export interface ModelTerms {
  readonly id: string;
  readonly routes: readonly Readonly<Record<string, unknown>>[];
  readonly sticky?: boolean | undefined;
  readonly selection?: string;
  readonly timeouts?: Readonly<Record<string, number>>;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly unknown_parameters?: string;
  readonly price?: Readonly<Record<string, unknown>>;
  readonly cache?: Readonly<Record<string, number>>;
  readonly fallback_models?: readonly unknown[];
  readonly mirror?: Readonly<Record<string, unknown>>;
}

const PRICE = { input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1 };

/** A config file in JSON, which is also valid YAML. */
export function routesConfig(upstreams: readonly UpstreamTerms[], models: readonly ModelTerms[]): string {
  return JSON.stringify({
    upstreams: upstreams.map(({ id, port, dialect = "openai", credentials, concurrency, more }) => ({
      id,
      dialect,
      base_url: `http://127.0.0.1:${port}/v1`,
      allow_private: true,
      credentials: credentials ?? [`credential-of-${id}`],
      ...(concurrency && { concurrency }),
      ...more,
    })),
    models: models.map((model) => ({ owned_by: "test", price: PRICE, sticky: false, ...model })),
  });
}

/** Routes to these upstreams. With `inOrder` they have descending priorities. */
export function routesTo(upstreams: readonly { readonly id: string }[], inOrder = false): Record<string, unknown>[] {
  return upstreams.map(({ id }, at) => ({ upstream: id, model: "m", ...(inOrder && { priority: at + 1 }) }));
}

export interface CallOptions {
  readonly stream?: boolean;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** A gateway with routes, and a key. */
export class RoutedGateway {
  readonly gateway: RunningGateway;
  readonly #key: string;

  static async start(yaml: string, env: Record<string, string> = {}): Promise<RoutedGateway> {
    const gateway = await startGateway({ yaml, env: { ...CANCELS, ...env } });
    const { key } = await gateway.makeKey();
    return new RoutedGateway(gateway, key);
  }

  private constructor(gateway: RunningGateway, key: string) {
    this.gateway = gateway;
    this.#key = key;
  }

  /** Sends a request until credit and limits could be verified, and reads the reply completely. */
  ask(model: string, asking: CallOptions = {}): Promise<Reply> {
    return postUntilVerified(async () => replyOf(await this.open(model, asking)));
  }

  /** Sends a request, and returns the unread reply. */
  open(model: string, asking: CallOptions = {}): Promise<Response> {
    const { stream = false, body = {}, headers = {}, signal = null } = asking;
    return fetch(`${this.gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "How much is the fish?" }], stream, ...body }),
      signal,
    });
  }

  /** Sends this many requests, a few at a time. */
  async askTimes(model: string, times: number, asking: (at: number) => CallOptions = () => ({})): Promise<Reply[]> {
    const replies: Reply[] = [];
    let next = 0;
    const caller = async (): Promise<void> => {
      while (next < times) replies.push(await this.ask(model, asking(next++)));
    };
    await Promise.all(Array.from({ length: 6 }, caller));
    return replies;
  }

  receipt({ requestId }: Pick<Reply, "requestId">): Promise<Record<string, unknown>> {
    return this.gateway.platform("GET", `/api/receipts/${requestId}`);
  }

  stop(): Promise<void> {
    return this.gateway.stop();
  }
}

/** The count of each value. */
export function tally(values: readonly (string | number | null)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return counts;
}
