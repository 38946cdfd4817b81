import { BodyTooLarge } from "../../../src/lib/http1/server/incoming-request.ts";
import { Reply, type StreamBody, type BodyWriter } from "../../../src/lib/http1/server/reply.ts";
import { Http1Listener, type ListenOptions } from "../../../src/lib/http1/server/listener.ts";
import type { ServerRequest } from "../../../src/lib/http1/server/server-request.ts";
import { UNBOUNDED } from "./unbounded-listener.ts";

/** The maximum body that such a listener reads. */
export const MAX_BYTES = 1_000;

export interface AnsweringListener {
  readonly listener: Http1Listener;
  /** The failures of its connections. */
  readonly failures: unknown[];
  /** How many times it has reported that it rejects callers. */
  readonly timesFull: number;
  /** Lets the replies to `/held` start. */
  release(): void;
}

/** A listener that replies with the received request, in the way that the path names. */
export function startAnswering(options: Partial<ListenOptions> = {}): AnsweringListener {
  let timesFull = 0;
  const failures: unknown[] = [];
  const held = Promise.withResolvers<void>();
  const listener = new Http1Listener({
    ...UNBOUNDED,
    ...options,
    reportFull: () => timesFull++,
    handle: (request) => answer(request, held.promise).catch(refuse),
    refuse,
    reportFailure: (thrown) => failures.push(thrown),
  });
  return {
    listener,
    failures,
    get timesFull() {
      return timesFull;
    },
    release: held.resolve,
  };
}

function refuse(thrown: unknown): Reply {
  return new Reply(`refused: ${(thrown as Error).message}`, { status: 400 });
}

/** A reply without the parts that differ each time. */
export function withoutDate(replies: string): string {
  return replies.replaceAll(/date: [^\r]*\r\n/g, "");
}

async function answer(request: ServerRequest, released: Promise<void>): Promise<Reply> {
  const asked = `${request.method} ${request.target}`;
  const key = request.headers.get("authorization");
  // `valid` is a key of the account with that name; `operator` is an operator's key.
  if (key !== null) request.markAuthenticated(key, key, key === "operator");
  if (request.target.startsWith("/rejected")) return new Reply("rejected", { status: 401 });
  if (request.target.startsWith("/later")) await Bun.sleep(1);
  if (request.target.startsWith("/held")) await released;
  if (request.target.startsWith("/never")) await new Promise<never>(() => undefined);
  if (request.target.startsWith("/large")) return new Reply(Buffer.alloc(4_000_000, "x"));
  if (request.target.startsWith("/stream")) return new Reply(new Pieces([asked, " in ", "pieces"]));
  if (request.target.startsWith("/fail")) return new Reply(new Pieces([asked], new Error("a bug")));
  if (!request.target.startsWith("/read")) return new Reply(asked);
  try {
    return new Reply(`${asked} ${Buffer.from(await request.bytes(MAX_BYTES)).toString("latin1")}`);
  } catch (error) {
    return new Reply(error instanceof BodyTooLarge ? "too large" : (error as Error).message, { status: 413 });
  }
}

/** Writes these pieces, one in each turn. Fails when it is cancelled, if the test requests this. */
class Pieces implements StreamBody {
  readonly #pieces: readonly string[];
  readonly #failure: Error | undefined;

  constructor(pieces: readonly string[], failure?: Error) {
    this.#pieces = pieces;
    this.#failure = failure;
  }

  writeTo(writer: BodyWriter): void {
    void this.#writeTo(writer);
  }

  cancel(): void {
    if (this.#failure) throw this.#failure;
  }

  async #writeTo(writer: BodyWriter): Promise<void> {
    for (const piece of this.#pieces) {
      writer.write(piece);
      await Bun.sleep(0);
    }
    if (!this.#failure) writer.end();
  }
}
