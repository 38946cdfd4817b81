import { useId, type ComponentProps, type ReactNode } from "react";
import { classes } from "../classes.ts";

/** A toggle that takes effect immediately, outside of forms. */
export function Switch({
  label,
  className,
  ...rest
}: { readonly label: string } & Omit<ComponentProps<"input">, "type" | "role">): ReactNode {
  const id = useId();
  return (
    <label htmlFor={id} className={classes("relative inline-flex h-8 items-center gap-2 font-medium has-disabled:opacity-60", className)}>
      <input {...rest} id={id} type="checkbox" role="switch" className="peer absolute inset-0 opacity-0" />
      <span
        aria-hidden
        className="flex h-4.5 w-8 items-center rounded-full bg-line-strong p-0.5 outline-offset-2 outline-accent transition-colors peer-checked:bg-accent-fill peer-focus-visible:outline-2 after:size-3.5 after:rounded-full after:bg-on-accent after:transition-transform peer-checked:after:translate-x-3.5"
      />
      {label}
    </label>
  );
}
