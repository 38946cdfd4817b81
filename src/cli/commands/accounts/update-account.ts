import { changeCommand } from "../../change-command.ts";
import type { AccountView } from "../../views.ts";
import { ACCOUNT_OPTIONS } from "./account-options.ts";
import { ACCOUNT } from "./account-operand.ts";
import { describeAccount } from "./show-account.ts";

export const updateAccount = changeCommand<AccountView>({
  summary: "Changes what is given of an account, from the next request on.",
  examples: [
    "accounts update default --monthly-cap 100",
    "accounts update default --monthly-cap none --concurrent 8",
    "accounts update default --daily-cap 10 --preview",
    "accounts update default --low-credit 25",
  ],
  operands: [ACCOUNT],
  options: ACCOUNT_OPTIONS,
  call: "PATCH /api/accounts/{id}",
  print: describeAccount,
});
