import OpenAI7 from "openai";
import OpenAI6 from "openai-6";

/** Both versions in use. The older one is used with the types of the newer one: both share everything that is tested here. */
export const OPENAI_PACKAGES = [
  { name: "openai 7", OpenAI: OpenAI7 },
  { name: "openai 6", OpenAI: OpenAI6 as unknown as typeof OpenAI7 },
] as const;
