// Writes the two licences of the project, of which a user may choose either, into one file.

import { readFileSync, writeFileSync } from "node:fs";

const text = (name) => readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8").trim();

writeFileSync(
  new URL("../LICENSE.txt", import.meta.url),
  [
    "Either of these two licences may be chosen.",
    text("LICENSE-MIT"),
    text("LICENSE-APACHE"),
  ].join("\n\n" + "=".repeat(78) + "\n\n") + "\n",
);
