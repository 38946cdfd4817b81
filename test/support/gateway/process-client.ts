import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { eventually } from "../eventually.ts";
import { postUntilVerified } from "./post-until-verified.ts";
import type { RunningGateway } from "./start-gateway.ts";

/** A reply that has been read completely. */
export interface ProcessReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The error code. */
  readonly code: string | undefined;
}

/**
 * A client with one kept-alive connection to a selected gateway process. All processes listen on one port, and the kernel chooses the
 * process that accepts a connection. So the client connects repeatedly until the kernel has chosen this process. One request at a time.
 */
export class ProcessClient {
  readonly pid: number;
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #isClosed = false;
  #changed = Promise.withResolvers<void>();

  private constructor(socket: Socket, pid: number) {
    this.pid = pid;
    this.#socket = socket;
    socket.on("data", (data) => {
      this.#received = Buffer.concat([this.#received, Buffer.from(data)]);
      this.#wake();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  static async connect(gateway: Pick<RunningGateway, "baseUrl">, pid: number): Promise<ProcessClient> {
    const port = Number(new URL(gateway.baseUrl).port);
    for (;;) {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
      const client = new ProcessClient(socket, pid);
      if (await hasAccepted(pid, socket.localPort!, port)) return client;
      client.close();
    }
  }

  /** One client for each of these processes. */
  static connectToEach(gateway: Pick<RunningGateway, "baseUrl">, pids: readonly number[]): Promise<ProcessClient[]> {
    return Promise.all(pids.map((pid) => ProcessClient.connect(gateway, pid)));
  }

  /** Posts a chat completion until credit and limits could be verified, and reads the reply completely. */
  post(key: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<ProcessReply> {
    return postUntilVerified(() => this.postOnce(key, body, headers));
  }

  /** Posts a chat completion, and reads the reply completely. Throws if the connection ends earlier. */
  async postOnce(key: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<ProcessReply> {
    const lines = Object.entries({
      host: "127.0.0.1",
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#received = Buffer.alloc(0);
    this.#socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
    for (;;) {
      const reply = parseReply(this.#received.toString());
      if (reply) return reply;
      if (this.#isClosed) throw new Error("the connection has ended");
      await this.#changed.promise;
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** Whether this process has accepted the connection between these ports. Waits until some process has accepted it. */
async function hasAccepted(pid: number, clientPort: number, serverPort: number): Promise<boolean> {
  const inode = await eventually(
    () => inodeOf(clientPort, serverPort),
    (found) => found !== "0",
    { everyMs: 5 },
  );
  return hasSocket(pid, inode);
}

/** The inode of the server's side; "0" while it waits to be accepted. */
function inodeOf(clientPort: number, serverPort: number): string {
  const ports = [serverPort, clientPort].map((port) => `:${port.toString(16).toUpperCase().padStart(4, "0")}`);
  const lines = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((path) => readFileSync(path, "utf8").split("\n"));
  const fields = lines.map((line) => line.trim().split(/\s+/));
  return fields.find(([, local, remote]) => local?.endsWith(ports[0]!) && remote?.endsWith(ports[1]!))?.[9] ?? "0";
}

function hasSocket(pid: number, inode: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`);
  } catch {
    // The process has ended, or belongs to another user.
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** Undefined if the reply is incomplete. */
function parseReply(received: string): ProcessReply | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [statusLine, ...lines] = received.slice(0, end).split("\r\n");
  const headers = new Headers(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]));
  const status = Number(statusLine!.split(" ")[1]);
  const body = received.slice(end + 4);
  const isChunked = headers.get("transfer-encoding") === "chunked";
  if (isChunked ? !body.endsWith("0\r\n\r\n") : Buffer.byteLength(body) < Number(headers.get("content-length"))) return undefined;
  const text = isChunked ? dechunk(body) : body;
  return { status, headers, text, code: status === 200 ? undefined : (JSON.parse(text) as { error: { code: string } }).error.code };
}

function dechunk(body: string): string {
  let text = "";
  for (let rest = Buffer.from(body); ;) {
    const at = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.subarray(0, at).toString(), 16);
    if (size === 0) return text;
    text += rest.subarray(at + 2, at + 2 + size).toString();
    rest = rest.subarray(at + 4 + size);
  }
}
