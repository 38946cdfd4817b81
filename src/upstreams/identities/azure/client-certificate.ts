import { constants, sign } from "node:crypto";
import { readClientCertificate, type ClientCertificate } from "../../../lib/secret/client-certificate.ts";
import { IdentityFailure } from "../credential-source.ts";
import { ASSERTION_TYPE, type Proof } from "./entra-tokens.ts";

/** As long as Microsoft's own library allows. */
const LIFETIME_SECONDS = 600;

/** Proves a client by assertions that its certificate's key signs. `from` names the text in messages. */
export function certificateProof(pem: string, clientId: string, from: string): Proof {
  const certificate = readCertificate(pem, from);
  return (endpoint, atMs) => ({
    client_assertion: signedAssertion(certificate, clientId, endpoint, atMs),
    client_assertion_type: ASSERTION_TYPE,
  });
}

/** https://learn.microsoft.com/entra/identity-platform/certificate-credentials */
function signedAssertion({ key, thumbprint }: ClientCertificate, clientId: string, endpoint: string, atMs: number): string {
  const now = Math.floor(atMs / 1000);
  const header = { alg: "PS256", typ: "JWT", "x5t#S256": thumbprint };
  const claims = {
    aud: endpoint,
    exp: now + LIFETIME_SECONDS,
    iss: clientId,
    sub: clientId,
    nbf: now,
    jti: crypto.randomUUID(),
    iat: now,
  };
  const input = `${encode(header)}.${encode(claims)}`;
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return `${input}.${sign("sha256", Buffer.from(input), { key, ...padding }).toString("base64url")}`;
}

function readCertificate(pem: string, from: string): ClientCertificate {
  const read = readClientCertificate(pem);
  if ("problem" in read) throw new IdentityFailure("rejected", `${from} ${read.problem}`);
  return read;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
