import { Secret } from "../../../lib/secret/secret.ts";
import { toLocalMs, type CloudReply } from "../call-cloud.ts";
import { IdentityFailure, type AwsKeys } from "../credential-source.ts";
import type { CloudClock } from "../cloud-clock.ts";

/** The four parts of temporary credentials, by the names that the service uses. */
interface TemporaryKeys {
  readonly accessKeyId: unknown;
  readonly secretAccessKey: unknown;
  readonly sessionToken: unknown;
  /** A date, or milliseconds since 1970. */
  readonly expiration: unknown;
}

/** The allowed forms of an ID and a token, which become parts of headers. */
const ACCESS_KEY_ID = /^\w{1,128}$/;
const SESSION_TOKEN = /^[\x21-\x7e]+$/;

/** Checks the credentials in a reply. Their expiry is by the server's clock, which may differ from the clock of this machine. */
export function readKeys(keys: TemporaryKeys, reply: CloudReply, clock: CloudClock, service: string): AwsKeys {
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = keys;
  const expiresAtMs = typeof expiration === "number" ? expiration : Date.parse(typeof expiration === "string" ? expiration : "");
  const isComplete =
    typeof accessKeyId === "string" &&
    ACCESS_KEY_ID.test(accessKeyId) &&
    typeof secretAccessKey === "string" &&
    secretAccessKey !== "" &&
    typeof sessionToken === "string" &&
    SESSION_TOKEN.test(sessionToken) &&
    Number.isFinite(expiresAtMs);
  if (!isComplete) throw new IdentityFailure("rejected", `${service} answered without complete credentials (status ${reply.status})`);
  return {
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    sessionToken: new Secret(sessionToken),
    expiresAtMs: toLocalMs(expiresAtMs, reply, clock.localMs()),
  };
}
