import { LoaderCircle } from "lucide-react";
import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { classes } from "./classes.ts";

export type Weight = "primary" | "plain" | "quiet" | "danger";

const WEIGHTS: Record<Weight, string> = {
  primary: "bg-accent-fill text-on-accent hover:bg-accent-hover",
  plain: "border border-line bg-surface text-ink shadow-raised hover:bg-hover",
  quiet: "text-ink-2 hover:bg-hover hover:text-ink",
  danger: "bg-bad-solid text-on-accent hover:bg-bad-solid-hover",
};

/** The class names of a button, for links that look like buttons. */
export function buttonClass(weight: Weight = "plain", isSmall = false): string {
  return classes(
    "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors",
    "disabled:pointer-events-none disabled:opacity-55 aria-disabled:cursor-default aria-disabled:opacity-55",
    isSmall ? "h-7 px-2 text-sm" : "h-8 px-3 text-base",
    WEIGHTS[weight],
  );
}

interface ButtonProps extends ComponentProps<"button"> {
  readonly weight?: Weight;
  readonly small?: boolean;
  /** The action is in flight: clicks are ignored. Uses aria-disabled, because a disabled button loses the focus. */
  readonly busy?: boolean;
}

/** Also prevents a form from being submitted by keyboard. */
function swallow(event: MouseEvent): void {
  event.preventDefault();
}

export function Button({ weight, small, busy = false, className, children, type = "button", onClick, ...rest }: ButtonProps): ReactNode {
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={busy || undefined}
      aria-busy={busy}
      onClick={busy ? swallow : onClick}
      className={classes(buttonClass(weight, small), className)}
    >
      {busy && <LoaderCircle size={14} className="animate-spin" aria-hidden />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, "children"> {
  /** The accessible name and tooltip. */
  readonly label: string;
  readonly children?: ReactNode;
}

export function IconButton({ label, className, weight = "quiet", ...rest }: IconButtonProps): ReactNode {
  return <Button {...rest} weight={weight} aria-label={label} title={label} className={classes("w-8 px-0!", className)} />;
}
