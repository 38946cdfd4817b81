import type { RequestCount } from "../../../../platform-client/types.ts";
import { formatNumber } from "../../format/format-values.ts";
import { platformCommand } from "../../platform-command.ts";
import { FILTER_OPTIONS, withErrors } from "./logs.ts";

export const countLogs = platformCommand<RequestCount>({
  summary: "Count requests.",
  details:
    "Exact by account, model and time. With other filters the newest million requests or so are read, and the count is a minimum if there are more.",
  examples: ["logs count --since 24h", "logs count --errors --min-duration 10000"],
  options: FILTER_OPTIONS,
  call: "GET /api/requests/count",
  complete: withErrors,
  print: ({ count, is_exact: isExact }) => `${isExact ? "" : "at least "}${formatNumber(count)}\n`,
});
