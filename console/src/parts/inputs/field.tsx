import { ChevronDown } from "lucide-react";
import { useId, type ComponentProps, type ReactNode } from "react";
import { classes } from "../classes.ts";

const BOX =
  "rounded-md border border-line-strong/60 bg-surface px-2.5 text-base text-ink shadow-raised transition-colors hover:border-line-strong focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 disabled:bg-sunken disabled:text-ink-3 aria-invalid:border-bad [&[readonly]]:bg-sunken";

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** The error of the input; replaces the hint. */
  readonly error?: string | undefined;
  readonly className?: string | undefined;
}

interface FieldAttributes {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

/** A label above an input, and a hint or an error below it. */
export function Field({
  label,
  hint,
  error,
  className,
  children,
}: FieldProps & { readonly children: (wired: FieldAttributes) => ReactNode }): ReactNode {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className={classes("flex min-w-0 flex-col gap-1", className)}>
      <label htmlFor={id} className="text-sm font-medium text-ink">
        {label}
      </label>
      {children({ id, "aria-describedby": note ? `${id}-note` : undefined, "aria-invalid": error ? true : undefined })}
      {note && (
        <p
          id={`${id}-note`}
          role={error ? "alert" : undefined}
          className={classes("text-sm wrap-anywhere", error ? "text-bad" : "text-ink-3")}
        >
          {note}
        </p>
      )}
    </div>
  );
}

type InputProps = FieldProps & Omit<ComponentProps<"input">, keyof FieldProps>;

export function TextField({ label, hint, error, className, ...rest }: InputProps): ReactNode {
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(wired) => <input type="text" spellCheck={false} autoComplete="off" {...rest} {...wired} className={classes(BOX, "h-8 w-full")} />}
    </Field>
  );
}

/** For whole numbers and money: phones show the numeric keyboard, and the value stays a string. */
export function FigureField(props: InputProps): ReactNode {
  return <TextField inputMode="decimal" {...props} />;
}

interface TextAreaProps extends FieldProps, Omit<ComponentProps<"textarea">, keyof FieldProps> {
  readonly isCode?: boolean;
  /** Grows with its content. */
  readonly grows?: boolean;
}

export function TextArea({ label, hint, error, className, isCode = false, grows = false, ...rest }: TextAreaProps): ReactNode {
  const look = classes(BOX, "w-full resize-y py-1.5", isCode && "font-mono text-sm!", grows && "field-sizing-content max-h-96 min-h-14");
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(wired) => <textarea rows={4} spellCheck={!isCode} {...rest} {...wired} className={look} />}
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

type SelectProps = FieldProps & Omit<ComponentProps<"select">, keyof FieldProps> & { readonly choices: readonly Choice[] };

/** The browser's native select, which works on phones and with screen readers. */
export function SelectField({ label, hint, error, className, choices, ...rest }: SelectProps): ReactNode {
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(wired) => <Select choices={choices} {...rest} {...wired} />}
    </Field>
  );
}

/** Without a visible label, for filter bars: requires `aria-label`. */
export function Select({ choices, className, ...rest }: ComponentProps<"select"> & { readonly choices: readonly Choice[] }): ReactNode {
  return (
    <div className={classes("relative", className)}>
      <select {...rest} className={classes(BOX, "h-8 w-full appearance-none truncate pr-7")}>
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDown size={14} className="pointer-events-none absolute top-2.25 right-2 text-ink-3" aria-hidden />
    </div>
  );
}

/** A text input without a visible label, for filter bars: requires `aria-label`. */
export function Input({ className, ...rest }: ComponentProps<"input">): ReactNode {
  return <input type="text" spellCheck={false} autoComplete="off" {...rest} className={classes(BOX, "h-8", className ?? "w-full")} />;
}

export function CheckField({ label, hint, className, ...rest }: Omit<InputProps, "error">): ReactNode {
  const id = useId();
  return (
    <div className={classes("flex gap-2", className)}>
      <input
        type="checkbox"
        {...rest}
        id={id}
        aria-describedby={hint ? `${id}-note` : undefined}
        className="mt-1 size-3.5 shrink-0 accent-accent-fill"
      />
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-note`} className="text-sm text-ink-3">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
