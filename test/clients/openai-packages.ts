import OpenAI7 from "openai";
import OpenAI6 from "openai-6";

/** Both generations in the field. The older one is used through the newer one's types: what is tested here, they share. */
export const OPENAI_PACKAGES = [
  { name: "openai 7", OpenAI: OpenAI7 },
  { name: "openai 6", OpenAI: OpenAI6 as unknown as typeof OpenAI7 },
] as const;
