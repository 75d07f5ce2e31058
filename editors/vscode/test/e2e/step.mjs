// Steps, one after the other: each says whether it went well.

import path from "node:path";

let count = 0;
let take;

/** How many steps have failed. */
export const failed = () => count;

/** With SHOTS, a folder, pictures of this window are written there, also of each step that fails. */
export function shots(page) {
  const folder = process.env.SHOTS;
  take = folder && ((name) => page.screenshot({ path: path.join(folder, `${name.replace(/\W+/g, "-")}.png`) }));
}

/** Takes a picture of the window, if SHOTS says where. */
export const picture = async (name) => void (await take?.(name));

export async function step(name, body) {
  const begin = Date.now();
  try {
    await body();
    console.log(`ok   ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    count += 1;
    console.log(`not ok ${name}\n     ${error instanceof Error ? error.message : error}`);
    await take?.(name);
  }
}
