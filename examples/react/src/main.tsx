import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { Search } from "./Search";

createRoot(document.getElementById("page")!).render(
  <StrictMode>
    <Search />
  </StrictMode>,
);
