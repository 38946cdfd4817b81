import { CircleCheck, CircleX, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import type { Tone } from "./tone.ts";

export type { Tone };

const LOOKS = {
  plain: { look: "border-line bg-sunken text-ink-2", Icon: Info },
  good: { look: "border-good/30 bg-good-fill text-good", Icon: CircleCheck },
  warn: { look: "border-warn/30 bg-warn-fill text-warn", Icon: TriangleAlert },
  bad: { look: "border-bad/30 bg-bad-fill text-bad", Icon: CircleX },
} as const;

/** An inline message. Errors are announced to screen readers immediately. */
export function Notice({
  tone = "plain",
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children?: ReactNode;
}): ReactNode {
  const { look, Icon } = LOOKS[tone];
  return (
    <div role={tone === "bad" ? "alert" : "note"} className={classes("flex gap-2.5 rounded-md border px-3 py-2 text-base", look)}>
      <Icon size={16} className="mt-[3px] shrink-0" aria-hidden />
      <div className="min-w-0 flex-1 break-words">
        {title && <p className="font-medium">{title}</p>}
        {children}
      </div>
    </div>
  );
}
