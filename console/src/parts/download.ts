/** Saves content as a file in the browser. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
