import { listCommand } from "../../list-command.ts";
import { choice, text } from "../../options.ts";

interface UsageView {
  readonly day?: string;
  readonly model?: string;
  readonly key?: string;
  readonly account?: string;
  readonly requests: number;
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
  readonly completion_tokens: number;
  readonly cost: string;
}

export const showUsage = listCommand<UsageView>({
  summary: "Adds up what was used and what it cost, by day, model, key or account.",
  details: "Without --from and --to it is of the last 30 days. A day is one of UTC.",
  examples: ["usage", "usage --by day --from 2027-01-01 --to 2027-02-01", "usage --by key --account default --model echo"],
  options: {
    by: choice("by", ["day", "model", "key", "account"], "what each row is about; model, if not given"),
    account: text("account", "that of one account", "ACCOUNT"),
    key: text("key", "that of one key, by its id", "ID"),
    model: text("model", "that of one model", "MODEL"),
    from: text("from", "from this moment on: 2027-01-31, or 2027-01-31T12:00:00Z", "WHEN"),
    to: text("to", "before this moment; now, if not given", "WHEN"),
  },
  call: "GET /api/usage",
  columns: ({ options }) => [
    {
      heading: (options["by"] ?? "model").toUpperCase(),
      cell: (row) => row.day ?? row.model ?? row.key ?? row.account ?? "",
      isLong: true,
    },
    { heading: "REQUESTS", cell: (row) => inFull(row.requests), align: "right" },
    { heading: "TOKENS IN", cell: (row) => inFull(row.prompt_tokens), align: "right" },
    { heading: "CACHED", cell: (row) => inFull(row.cached_tokens), align: "right" },
    { heading: "TOKENS OUT", cell: (row) => inFull(row.completion_tokens), align: "right" },
    { heading: "DOLLARS", cell: ({ cost }) => cost, align: "point" },
  ],
});

function inFull(count: number): string {
  return count.toLocaleString("en-US");
}
