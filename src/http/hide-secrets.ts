import { hideAccessTokens } from "../access/access-token.ts";
import { hideKeys } from "../access/api-key.ts";
import { hideSigningSecrets } from "../alerts/webhook.ts";

/** A generated operator token; a token that an operator has chosen may look like anything. */
const OPERATOR_TOKEN = /(tollgate-operator-)[0-9A-Za-z]+/g;

/** Redacts the secrets that callers put in the wrong place, such as in paths and field names. */
export function hideSecrets(text: string): string {
  return hideSigningSecrets(hideAccessTokens(hideKeys(text))).replaceAll(OPERATOR_TOKEN, "$1…");
}
