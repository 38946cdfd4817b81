import { SMTPServer } from "smtp-server";

/** A message that a mail server has accepted. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly isEncrypted: boolean;
  readonly text: string;
}

export interface MailServerOptions {
  /** A certificate and its key; without them there is no encryption. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Whether TLS starts with the first byte. */
  readonly isSecure?: boolean;
  readonly authMethods?: string[];
}

export interface TestMailServer {
  readonly port: number;
  readonly received: ReceivedMail[];
  stop(): Promise<void>;
}

/** A real mail server on loopback. It rejects recipients that begin with `nobody`, and every password except "p:a%ss". */
export async function startMailServer({ tls, isSecure = false, authMethods }: MailServerOptions = {}): Promise<TestMailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    ...tls,
    secure: isSecure,
    hideSTARTTLS: tls === undefined,
    authOptional: true,
    allowInsecureAuth: true,
    authMethods: authMethods ?? ["PLAIN", "LOGIN"],
    disableReverseLookup: true,
    onAuth({ username, password }, _, done) {
      done(password === "p:a%ss" ? null : new Error(`no: ${password}`), { user: username });
    },
    onRcptTo({ address }, _, done) {
      done(address.startsWith("nobody") ? new Error("no such mailbox") : null);
    },
    onData(stream, { envelope, user, secure }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : "";
        const to = envelope.rcptTo.map(({ address }) => address);
        received.push({ from, to, user: user as string | undefined, isEncrypted: secure, text: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.server.address() as { port: number };
  return {
    port,
    received,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}
