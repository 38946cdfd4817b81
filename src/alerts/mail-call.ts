import type { Secret } from "../lib/secret/secret.ts";
import type { WebhookAnswer } from "./webhook-call.ts";

/** An email to be sent. */
export interface Mail {
  readonly to: readonly string[];
  /** The headers and the body, with CRLF at the end of each line (RFC 5322). */
  readonly text: string;
}

/** A mail server, and the address that messages are from. */
export interface Mailer {
  readonly from: string;
  /** Sends an email to all recipients or to none. `status` is the reply code of the server. It throws only when the signal aborts it. */
  send(mail: Mail, signal: AbortSignal): Promise<WebhookAnswer>;
}

/** The mail server of the settings. */
export interface MailServer {
  readonly hostname: string;
  readonly port: number;
  /**
   * The encryption: `tls` from the first byte, `starttls` before anything else is sent, or none, which is allowed only for a server on this
   * machine.
   */
  readonly encryption: "tls" | "starttls" | "none";
  readonly credentials: { readonly user: string; readonly password: Secret } | undefined;
  /** The address that messages are from. */
  readonly from: string;
}
