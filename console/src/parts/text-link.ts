/** The look of a link in a sentence, a list or a cell. It is told by its line, not by its colour alone. */
export const textLink = "text-accent underline underline-offset-2";
