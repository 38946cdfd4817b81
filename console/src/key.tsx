import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { KeyPage } from "./key-holder/key-page.tsx";

/** The page for the holder of a key. It is a program of its own: nothing of the console is loaded, and nothing is stored. */
createRoot(document.querySelector("#key")!).render(
  <StrictMode>
    <KeyPage gateway={document.documentElement.dataset.gateway!} />
  </StrictMode>,
);
