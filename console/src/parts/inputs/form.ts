/** The values of these fields of a form. */
export function formFields<Name extends string>(form: HTMLFormElement, ...names: readonly Name[]): Record<Name, string> {
  const data = new FormData(form);
  return Object.fromEntries(names.map((name) => [name, data.get(name) as string])) as Record<Name, string>;
}
