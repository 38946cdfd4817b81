import { completion, events, GOOD_CHUNKS } from "../support/upstreams/mock-upstream.ts";

/** A request as the upstream received it. */
export interface ReceivedRequest {
  readonly path: string;
  readonly credential: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
  readonly signal: AbortSignal;
}

export type Behaviour = (asked: ReceivedRequest) => Response | Promise<Response>;

export const answers: Behaviour = ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion()));

export const hangs: Behaviour = ({ signal }) =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(new Response(null, { status: 500 }))));

/** Responds with this error status. */
export function rejectsWith(status: number, headers: Record<string, string> = {}): Behaviour {
  return () => Response.json({ error: { message: `status ${status} of a test` } }, { status, headers });
}

/** An upstream in this process whose behaviour can be changed, and that counts its calls. */
export class FlakyUpstream {
  readonly id: string;
  readonly requests: ReceivedRequest[] = [];
  does: Behaviour;
  #server: Bun.Server<undefined>;

  constructor(id: string, does: Behaviour = answers) {
    this.id = id;
    this.does = does;
    this.#server = this.#listen(0);
  }

  get port(): number {
    return this.#server.port!;
  }

  get calls(): number {
    return this.requests.length;
  }

  /** Accepts no connections until the returned function is called. */
  async shut(): Promise<() => void> {
    const { port } = this;
    await this.#server.stop(true);
    return () => void (this.#server = this.#listen(port));
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  #listen(port: number): Bun.Server<undefined> {
    return Bun.serve({
      port,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      fetch: async (request) => {
        const body = (await request.json()) as Record<string, unknown>;
        const credential = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
        const asked = { path: new URL(request.url).pathname, credential, headers: request.headers, body, signal: request.signal };
        this.requests.push(asked);
        return this.does(asked);
      },
    });
  }
}
