import type { ReactNode } from "react";
import { FigureField } from "../parts/inputs/field.tsx";

interface PolicyFieldProps<Value> {
  readonly label: string;
  readonly name: string;
  readonly value: Value | null | undefined;
  readonly error?: string | undefined;
}

/** A rate limit; empty for none. */
export function LimitField({ value, ...field }: PolicyFieldProps<number>): ReactNode {
  const form = { pattern: "\\d{1,10}", title: "A whole number, such as 60", placeholder: "No limit" };
  return <FigureField {...field} {...form} inputMode="numeric" defaultValue={value ?? ""} />;
}

/** A spend cap; empty for none. */
export function CapField({ value, ...field }: PolicyFieldProps<string>): ReactNode {
  const form = { pattern: "\\d{1,9}(\\.\\d{1,9})?", title: "Dollars, such as 12.50", placeholder: "No cap" };
  return <FigureField {...field} {...form} defaultValue={value ?? ""} />;
}
