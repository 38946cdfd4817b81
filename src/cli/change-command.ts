import type { ChangePreview } from "../../platform-client/types.ts";
import type { Command, Option } from "./command.ts";
import { platformCommand, type PlatformCommand } from "./platform-command.ts";
import { describePreview } from "./format/format-preview.ts";

const PREVIEW: Option = {
  meaning: "show the impact over the last 7 days, and save nothing",
  field: "preview",
  isInQuery: true,
  read: () => true,
};

/** A command that changes a resource, with a preview of the impact on recent requests. */
export function changeCommand<Reply>(described: PlatformCommand<Reply>): Command {
  return platformCommand<Reply | ChangePreview>({
    ...described,
    options: { ...described.options, preview: PREVIEW },
    print(reply, invocation) {
      const isPreview = invocation.options["preview"] !== undefined;
      return isPreview ? describePreview(reply as ChangePreview, invocation) : described.print(reply as Reply, invocation);
    },
  } as PlatformCommand<Reply | ChangePreview>);
}
