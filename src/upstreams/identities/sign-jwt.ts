import { sign } from "node:crypto";

/** A JSON Web Token (RFC 7519) that is signed with SHA-256. */
export function signJwt(header: object, claims: object, key: Parameters<typeof sign>[2]): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${sign("sha256", Buffer.from(input), key).toString("base64url")}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
