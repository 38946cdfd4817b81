import { Refusal } from "../platform/call.ts";

/** What was typed into the fields of a form. */
export function formFields<Name extends string>(form: HTMLFormElement, ...names: readonly Name[]): Record<Name, string> {
  const data = new FormData(form);
  return Object.fromEntries(names.map((name) => [name, data.get(name) as string])) as Record<Name, string>;
}

/** What the platform said of one field, and what it said that is of none of these. */
export function refusalsOf<Name extends string>(
  error: Error | null,
  ...fields: readonly Name[]
): { readonly at: (field: Name) => string | undefined; readonly elsewhere: string | undefined } {
  const param = error instanceof Refusal ? error.param : null;
  const field = fields.find((name) => param === name || param?.startsWith(`${name}.`) || param?.startsWith(`${name}[`));
  return {
    at: (name) => (name === field ? error?.message : undefined),
    elsewhere: field === undefined ? error?.message : undefined,
  };
}
