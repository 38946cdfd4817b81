import { hideAccessTokens } from "../access/access-token.ts";
import { hideKeys } from "../access/api-key.ts";
import { hideSigningSecrets } from "../alerts/webhook.ts";

/** One that was made by us; what an operator has chosen may look like anything. */
const OPERATOR_TOKEN = /(tollgate-operator-)[0-9A-Za-z]+/g;

/** A text without the secrets that callers put where they do not belong, such as into paths and the names of fields. */
export function hideSecrets(text: string): string {
  return hideSigningSecrets(hideAccessTokens(hideKeys(text))).replaceAll(OPERATOR_TOKEN, "$1…");
}
