import type { Model } from "../../models/catalog.ts";
import type { FallbackCondition } from "../../models/fallbacks.ts";
import type { Nanos } from "../../money/money.ts";
import type { Price } from "../../money/price.ts";

/** The terms on which one model serves a request. */
export interface ServingTerms {
  readonly model: Model;
  readonly price: Price;
  /** The prompt tokens to charge where the upstream does not count them. */
  readonly promptEstimate: number;
  /** How the tokens of its media were estimated; undefined where there are none. */
  readonly promptDerivation: string | undefined;
  /** The prompt tokens that the hold pays for, and the most that an upstream may plausibly count. */
  readonly maxInputTokens: number;
  readonly plausibleInputTokens: number;
  /** Each of them may have `maxOutputTokens`. */
  readonly choices: number;
  /** The `max_tokens` to send upstream, where it is not the client's own. */
  readonly maxTokens: number | undefined;
  /** The output of each choice that the hold pays for. */
  readonly maxOutputTokens: number;
}

/** A model that may serve a request instead of the requested one, with its own cost bound. */
export interface FallbackCandidate extends ServingTerms {
  readonly on: readonly FallbackCondition[];
  /** The most that it can cost there. */
  readonly amountNanos: Nanos;
  /** Whether its output is limited because the headroom does not pay for more. */
  readonly isShortened: boolean;
}
