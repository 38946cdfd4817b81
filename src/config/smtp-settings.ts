import { emailSchema } from "../access/email-schema.ts";
import type { MailServer } from "../alerts/mail-call.ts";
import { findViolation } from "../lib/schema/schema.ts";
import { Secret } from "../lib/secret/secret.ts";
import { ConfigError, type Environment } from "./config-error.ts";
import { isLoopback } from "./variables.ts";

/** The names of the variables. */
interface SmtpVariables {
  readonly smtpUrl: string;
  readonly smtpFrom: string;
}

/** The port for TLS from the first byte (RFC 8314), and the port for submission with STARTTLS (RFC 6409). */
const PORTS = { "smtps:": 465, "smtp:": 587 };

/** The mail server for alerts. A message never repeats the URL, because it contains a password. */
export function readSmtp(env: Environment, names: SmtpVariables): MailServer | undefined {
  const [text, from] = [env[names.smtpUrl], env[names.smtpFrom]];
  if (!text && !from) return undefined;
  if (!text || !from) {
    throw new ConfigError(
      `${names.smtpUrl} and ${names.smtpFrom} belong together, but ${text ? names.smtpFrom : names.smtpUrl} is not set`,
    );
  }
  const url = URL.parse(text);
  if (!url || (url.protocol !== "smtp:" && url.protocol !== "smtps:") || url.hostname === "") {
    throw new ConfigError(`${names.smtpUrl} must be smtps://USER:PASSWORD@HOST or smtp://USER:PASSWORD@HOST`);
  }
  if (!/^\/?$/.test(url.pathname) || url.search || url.hash) throw new ConfigError(`${names.smtpUrl} must end with the host or its port`);
  if (findViolation(emailSchema, from) || !/^[!#-'*+\--9=?A-Z^-~@]+$/.test(from)) {
    throw new ConfigError(`${names.smtpFrom} must be an email address, such as tollgate@example.com`);
  }
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const plain = isLoopback(hostname) ? "none" : "starttls";
  return {
    hostname,
    port: Number(url.port || PORTS[url.protocol]),
    encryption: url.protocol === "smtps:" ? "tls" : plain,
    credentials: readCredentials(url, names.smtpUrl),
    from,
  };
}

function readCredentials({ username, password }: URL, name: string): MailServer["credentials"] {
  if (!username && !password) return undefined;
  if (!username || !password) throw new ConfigError(`${name} must have both a user and a password, or neither`);
  try {
    return { user: decodeURIComponent(username), password: new Secret(decodeURIComponent(password)) };
  } catch {
    throw new ConfigError(`${name} has a % that is not percent-encoded: write %25`);
  }
}
