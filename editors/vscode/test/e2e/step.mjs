// Steps, one after the other: each says whether it went well.

import path from "node:path";

let count = 0;
let picture;

/** How many steps have failed. */
export const failed = () => count;

/** With SHOTS, a folder, a step that fails leaves a picture of the window there. */
export function shots(page) {
  const folder = process.env.SHOTS;
  picture = folder && ((name) => page.screenshot({ path: path.join(folder, `${name.replace(/\W+/g, "-")}.png`) }));
}

export async function step(name, body) {
  const begin = Date.now();
  try {
    await body();
    console.log(`ok   ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    count += 1;
    console.log(`not ok ${name}\n     ${error instanceof Error ? error.message : error}`);
    await picture?.(name);
  }
}
