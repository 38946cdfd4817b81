import type { ChangePreview } from "../../platform-client/types.ts";
import type { Command, Option } from "./command.ts";
import { platformCommand, type PlatformCommand } from "./platform-command.ts";
import { describePreview } from "./format-preview.ts";

const PREVIEW: Option = {
  meaning: "save nothing, and say what it would have done to the last 7 days",
  field: "preview",
  isInQuery: true,
  read: () => true,
};

/** A command that changes something, and can say beforehand what that would have done. */
export function changeCommand<Answer>(described: PlatformCommand<Answer>): Command {
  return platformCommand<Answer | ChangePreview>({
    ...described,
    options: { ...described.options, preview: PREVIEW },
    print(answer, invocation) {
      const isPreview = invocation.options["preview"] !== undefined;
      return isPreview ? describePreview(answer as ChangePreview, invocation) : described.print(answer as Answer, invocation);
    },
  } as PlatformCommand<Answer | ChangePreview>);
}
