/** What a colour says, always along with a word. */
export type Tone = "plain" | "good" | "warn" | "bad";
