import { required, text } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import type { KeyView } from "../../views.ts";
import { KEY_OPTIONS } from "./key-options.ts";

export const createKey = platformCommand<KeyView & { readonly key: string }>({
  summary: "Makes a key and shows it, this once.",
  examples: [
    "keys create --name 'my application' --models 'gpt-*,echo'",
    "keys create --name 'a trial' --models '*' --expires 30d --total-cap 5 --requests-per-minute 60",
  ],
  options: {
    ...KEY_OPTIONS,
    name: required(KEY_OPTIONS.name, "give the key a name: --name 'my application'"),
    models: required(KEY_OPTIONS.models, "say which models it may call: --models 'gpt-*,echo', or --models '*'"),
    account: text("account", "the account that pays for it; your own, or default, if not given", "ACCOUNT"),
  },
  call: "POST /api/keys",
  print(key) {
    const until = key.expires_at === null ? "" : ` until ${key.expires_at}`;
    return `${key.key}\n\nKey ${key.id} of account ${key.account} for ${key.models.join(", ")}${until}. It is shown this once: only a hash of it is kept.\n`;
  },
});
