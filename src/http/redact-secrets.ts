import { redactAccessTokens } from "../access/access-token.ts";
import { redactKeys } from "../access/api-key.ts";
import { redactSigningSecrets } from "../alerts/webhook.ts";

/** A generated operator token; a token that an operator has chosen may look like anything. */
const OPERATOR_TOKEN = /(tollgate-operator-)[0-9A-Za-z]+/g;

/** Redacts the secrets that callers put in the wrong place, such as in paths and field names. */
export function redactSecrets(text: string): string {
  return redactSigningSecrets(redactAccessTokens(redactKeys(text))).replaceAll(OPERATOR_TOKEN, "$1…");
}
