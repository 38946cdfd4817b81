/** A time in the format of `<input type=datetime-local>`, in the browser's time zone. */
export function toLocalInput(time: string | undefined): string {
  const at = new Date(time ?? "");
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function fromLocalInput(text: string): string | undefined {
  const at = new Date(text);
  return text === "" || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
