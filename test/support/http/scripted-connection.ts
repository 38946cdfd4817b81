import { BodyBudget } from "../../../src/http/body-budget.ts";
import { Connection } from "../../../src/lib/http1/server/connection.ts";
import type { ListenerContext } from "../../../src/lib/http1/server/listener-context.ts";
import type { ServerRequest } from "../../../src/lib/http1/server/server-request.ts";
import { Reply } from "../../../src/lib/http1/server/reply.ts";
import type { ConnectionClosure } from "../../../src/lib/http1/server/connection-closures.ts";
import { ScriptedSocket } from "./scripted-socket.ts";

/** A listener whose clock and replies are controlled by the test. */
export class ScriptedHost implements ListenerContext<Connection> {
  readonly date = "now";
  seconds = 0;
  isDraining = false;
  hasRested = false;
  uploadSeconds = 1000;
  keepAliveSeconds = 75;
  readonly keepAliveLines = "keep-alive: timeout=75\r\n";
  readonly bodies = new BodyBudget(Infinity);
  readonly authenticatedConnections: Connection[] = [];
  readonly closures: ConnectionClosure[] = [];
  readonly requests: ServerRequest[] = [];
  readonly refusals: unknown[] = [];
  answers: (request: ServerRequest) => Promise<Reply> = () => Promise.resolve(new Reply("hi"));

  handle(request: ServerRequest): Promise<Reply> {
    this.requests.push(request);
    return this.answers(request);
  }

  refuse(thrown: unknown): Reply {
    this.refusals.push(thrown);
    return new Reply("refused", { status: 400 });
  }

  connectionDrained(): void {
    this.hasRested = true;
  }

  authenticated(connection: Connection): void {
    this.authenticatedConnections.push(connection);
  }

  unauthenticated(connection: Connection): void {
    this.authenticatedConnections.splice(this.authenticatedConnections.indexOf(connection), 1);
  }

  noteClosure(reason: ConnectionClosure): void {
    this.closures.push(reason);
  }
}

/** A connection with such a listener at one end, and a caller controlled by the test at the other. */
export class ScriptedConnection {
  readonly socket = new ScriptedSocket();
  readonly host: ScriptedHost;
  readonly connection: Connection;

  constructor(host: ScriptedHost) {
    this.host = host;
    this.connection = new Connection(this.socket.as(), host);
    this.connection.standing.network = "192.0.2.1";
  }

  /** Delivers these bytes, and waits for their immediate effects. */
  async receive(bytes: string | Buffer): Promise<void> {
    this.connection.received(Buffer.from(bytes as string));
    await settled();
  }

  /** Advances the time, one second after the other. */
  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.host.seconds++;
      if (this.socket.outcome === "open") this.connection.checkDeadlines();
    }
  }
}

export async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
export const HI = "HTTP/1.1 200 OK\r\ndate: now\r\ncontent-length: 2\r\n\r\nhi";
export const LAST_HI = HI.replace("content-length", "connection: close\r\ncontent-length");
export const post = (length: number, more = ""): string => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n${more}\r\n`;

/** A request that is never answered. */
export const never = (): Promise<Reply> => new Promise(() => undefined);

/** Answers when the body is complete. */
export const whenRead = async (request: ServerRequest): Promise<Reply> => new Reply(`${(await request.bytes(1_000_000)).length}`);
