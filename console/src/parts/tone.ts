/** The meaning of a colour, always paired with text. */
export type Tone = "plain" | "good" | "warn" | "bad";
