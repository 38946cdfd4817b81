import { listCommand } from "../../list-command.ts";
import { text } from "../../options.ts";
import { inTime } from "../../words.ts";
import { MODEL } from "./model-operand.ts";

interface ModelKeyView {
  readonly key: string;
  readonly name: string;
  readonly account: string;
  readonly last_used_at: string;
  readonly requests: number;
}

export const listModelKeys = listCommand<ModelKeyView>({
  summary: "Lists the keys that still use a model: whom its end will meet.",
  examples: ["models keys echo", "models keys echo --since 2027-01-01 --account default"],
  operands: [MODEL],
  options: {
    account: text("account", "those of one account", "ACCOUNT"),
    since: text("since", "those that have used it since this moment, such as 2027-01-31; 30 days ago, if not given", "WHEN"),
  },
  call: "GET /api/models/{id}/keys",
  columns: [
    { heading: "KEY", cell: ({ key }) => key },
    { heading: "LAST USED (UTC)", cell: (use) => inTime(use.last_used_at) },
    { heading: "REQUESTS", cell: ({ requests }) => requests.toLocaleString("en-US"), align: "right" },
    { heading: "ACCOUNT", cell: ({ account }) => account, isLong: true },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});
