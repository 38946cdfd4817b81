import type { Mail, Mailer, MailServer } from "../../../alerts/mail-call.ts";
import type { WebhookAnswer } from "../../../alerts/webhook-call.ts";
import { explainFailure } from "../explain-failure.ts";
import { CheckedAddresses, systemLookup, type Lookup } from "../resolve.ts";
import { describeConnectionError } from "../unreachable.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { SmtpConnection, type SmtpReply } from "./smtp-connection.ts";

export interface SmtpOptions {
  /** The time limit for the whole conversation. */
  readonly timeoutMs?: number;
  readonly lookup?: Lookup;
  /** The certificate authorities, if they differ from the system's. */
  readonly ca?: string;
}

const TIMEOUT_MS = 30_000;
/** The most characters of a reply that are shown. */
const MAX_SHOWN = 300;

/** Thrown for a reply that ends the conversation. */
class SmtpRefused extends Error {
  readonly code: number;

  constructor({ code, lines }: SmtpReply, to: string) {
    super(
      `The mail server replied ${code} to ${to}: ${lines
        .join(" ")
        .replaceAll(/[^\x20-\x7e]/g, "?")
        .slice(0, MAX_SHOWN)}`,
    );
    this.code = code;
  }
}

/**
 * Sends email by SMTP (RFC 5321) with STARTTLS (RFC 3207) and AUTH (RFC 4954). Each message has its own connection, because there are few
 * messages. nodemailer would send a message to the other recipients when the server rejects one, and has no setting against it.
 */
export class SmtpMailer implements Mailer {
  readonly #server: MailServer;
  readonly #options: SmtpOptions;

  constructor(server: MailServer, options: SmtpOptions = {}) {
    this.#server = server;
    this.#options = options;
  }

  get from(): string {
    return this.#server.from;
  }

  async send(mail: Mail, signal: AbortSignal): Promise<WebhookAnswer> {
    try {
      const { code } = await this.#converse(mail, AbortSignal.any([signal, AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS)]));
      return { status: code, problem: null, retryAfterMs: null };
    } catch (error) {
      if (signal.aborted) throw error;
      return { status: error instanceof SmtpRefused ? error.code : null, problem: this.#explain(error), retryAfterMs: null };
    }
  }

  /** A server that has received the password could repeat it. */
  #explain(error: unknown): string {
    if (error instanceof ApiError) return explainFailure(error);
    const problem = error instanceof SmtpRefused ? error.message : `The mail server cannot be used: ${describeConnectionError(error)}`;
    return this.#server.credentials?.password.redactFrom(problem) ?? problem;
  }

  async #converse({ to, text }: Mail, signal: AbortSignal): Promise<SmtpReply> {
    const connection = await this.#connect(signal);
    try {
      await this.#greet(connection);
      await accepted(connection.command(`MAIL FROM:<${this.from}>`), 250, `the sender ${this.from}`);
      // A rejected recipient ends the conversation before the message is sent: otherwise, a retry would send the message twice to the other
      // recipients.
      for (const address of to) await accepted(connection.command(`RCPT TO:<${address}>`), 250, `the recipient ${address}`);
      await accepted(connection.command("DATA"), 354, "DATA");
      // A line that starts with a dot gets a second dot (RFC 5321 §4.5.2).
      return await accepted(connection.send(`${text.replaceAll(/^\./gm, "..")}.\r\n`), 250, "the message");
    } finally {
      connection.close();
    }
  }

  /**
   * Connects to the first address that accepts connections. The addresses are checked, so that metadata services of clouds are never
   * called.
   */
  async #connect(signal: AbortSignal): Promise<SmtpConnection> {
    const { hostname, port } = this.#server;
    const { lookup = systemLookup } = this.#options;
    const rule = { allowPrivate: true, isEncrypted: true };
    const addresses = await new CheckedAddresses(hostname, rule, lookup, () => performance.now()).lookUp();
    let failure: unknown;
    for (const address of addresses) {
      try {
        return await SmtpConnection.open(address, port, signal);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async #greet(connection: SmtpConnection): Promise<void> {
    const { encryption, hostname, credentials } = this.#server;
    const { ca } = this.#options;
    if (encryption === "tls") await connection.encrypt(hostname, ca);
    await accepted(connection.read(), 220, "the connection");
    let offers = await greet(connection);
    if (encryption === "starttls") {
      if (!offers.has("STARTTLS")) throw new Error("it does not offer STARTTLS: use smtps:// if it has TLS");
      await accepted(connection.command("STARTTLS"), 220, "STARTTLS");
      await connection.encrypt(hostname, ca);
      // Extensions that were offered before the encryption could be forged (RFC 3207 §4.2).
      offers = await greet(connection);
    }
    if (credentials) await authenticate(connection, credentials, offers.get("AUTH") ?? "");
  }
}

/** The extensions that the server offers, with their parameters. */
async function greet(connection: SmtpConnection): Promise<ReadonlyMap<string, string>> {
  const { lines } = await accepted(connection.command(`EHLO ${connection.ownName}`), 250, "EHLO");
  return new Map(lines.slice(1).map((line) => [line.split(" ")[0]!.toUpperCase(), line.split(" ").slice(1).join(" ").toUpperCase()]));
}

async function authenticate(
  connection: SmtpConnection,
  { user, password }: NonNullable<MailServer["credentials"]>,
  mechanisms: string,
): Promise<void> {
  const offered = mechanisms.split(" ");
  if (offered.includes("PLAIN")) {
    await accepted(connection.command(`AUTH PLAIN ${toBase64(`\0${user}\0${password.reveal()}`)}`), 235, "the password");
  } else if (offered.includes("LOGIN")) {
    await accepted(connection.command("AUTH LOGIN"), 334, "AUTH LOGIN");
    await accepted(connection.command(toBase64(user)), 334, "the user");
    await accepted(connection.command(toBase64(password.reveal())), 235, "the password");
  } else {
    throw new Error("it offers neither AUTH PLAIN nor AUTH LOGIN");
  }
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}

async function accepted(replying: Promise<SmtpReply>, expected: number, to: string): Promise<SmtpReply> {
  const reply = await replying;
  // 251: the server forwards to another mailbox.
  if (reply.code === expected || (expected === 250 && reply.code === 251)) return reply;
  throw new SmtpRefused(reply, to);
}
