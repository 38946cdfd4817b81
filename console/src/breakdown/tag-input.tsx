import type { ReactNode } from "react";
import { Input } from "../parts/inputs/field.tsx";

const TAG_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;

/** The name of a tag. Applied when the input loses focus or with Enter, because each name is another report. */
export function TagInput({ tag, onChange }: { readonly tag: string; readonly onChange: (tag: string) => void }): ReactNode {
  const apply = (input: HTMLInputElement): void => {
    const typed = input.value.trim();
    input.setCustomValidity(TAG_NAME.test(typed) ? "" : "Letters, digits, dots, dashes and underscores, up to 32.");
    if (input.reportValidity() && typed !== tag) onChange(typed);
  };
  const leave = (input: HTMLInputElement): void => {
    // An error message would move the focus back to the input. So an invalid name is replaced by the tag of the chart.
    if (TAG_NAME.test(input.value.trim())) apply(input);
    else input.value = tag;
    input.setCustomValidity("");
  };
  return (
    <Input
      aria-label="Tag"
      className="w-24"
      placeholder="team"
      defaultValue={tag}
      onBlur={({ target }) => leave(target)}
      onKeyDown={(event) => event.key === "Enter" && apply(event.currentTarget)}
    />
  );
}
