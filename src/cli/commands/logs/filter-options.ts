import { UsageError, type Invocation, type Option } from "../../command.ts";
import { momentAgo, text } from "../../options.ts";
import type { Fields } from "../../platform-command.ts";

/** What requests are chosen by. */
export const FILTER_OPTIONS: Readonly<Record<string, Option>> = {
  account: text("account", "those of one account", "ACCOUNT"),
  key: text("key", "those of one key, by its id", "ID"),
  model: text("model", "those for one model, as the caller named it", "MODEL"),
  upstream: text("upstream", "those that one upstream answered, or was the last to be tried; for operators", "UPSTREAM"),
  status: text("status", "those with this status: 429, or 5xx", "STATUS"),
  outcome: text(
    "outcome",
    "those that came out so: complete, given_again, explained, refused, failed or left; several with commas",
    "LIST",
  ),
  code: text("code", "those with this error code, such as rate_limit_exceeded", "CODE"),
  since: momentAgo("from", "those that ended since then: 15m, 2h, 7d, or 2027-01-31"),
  until: momentAgo("to", "those that ended before then"),
  errors: { meaning: "those that were refused or failed" },
};

/** What `--errors` stands for. */
export function withErrors(fields: Fields, { options }: Invocation): Fields {
  if (options["errors"] === undefined) return fields;
  if (options["outcome"] !== undefined) throw new UsageError("--errors and --outcome say the same: give one of them");
  return { ...fields, outcome: "refused,failed" };
}
